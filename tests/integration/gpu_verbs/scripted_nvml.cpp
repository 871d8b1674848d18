// SPDX-License-Identifier: Apache-2.0
// An NVML with one GPU, whose clock is another one at each question.

#define EXPORTED __attribute__((visibility("default")))

namespace {

unsigned questions = 0;
int device;

}  // namespace

extern "C" {

EXPORTED int nvmlInit_v2() { return 0; }
EXPORTED int nvmlShutdown() { return 0; }

EXPORTED int nvmlDeviceGetHandleByPciBusId_v2(const char *, void **handle) {
  *handle = &device;
  return 0;
}

EXPORTED int nvmlDeviceGetClockInfo(void *, unsigned type, unsigned *mhz) {
  *mhz = type == 2 ? 3201 : 1980 - 15 * questions++;
  return 0;
}

EXPORTED int nvmlDeviceGetPowerUsage(void *, unsigned *milliwatts) {
  *milliwatts = 312000;
  return 0;
}

EXPORTED int nvmlDeviceGetTemperature(void *, unsigned, unsigned *celsius) {
  *celsius = 45;
  return 0;
}

EXPORTED int nvmlDeviceGetCurrentClocksThrottleReasons(void *, unsigned long long *reasons) {
  *reasons = 4;
  return 0;
}

}  // extern "C"
