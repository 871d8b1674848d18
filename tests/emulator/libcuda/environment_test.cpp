// SPDX-License-Identifier: Apache-2.0
// What the environment says of the emulated devices. The library reads it once, so each case has a process of its own.
#include "tests/catch.h"

#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

namespace {

using Environment = std::map<std::string, std::string>;

int describe(const Environment &environment) {
  for (const auto &[name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  void *library = dlopen(WARPWRIGHT_EMULATOR, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 254;
  const auto init = reinterpret_cast<decltype(&::cuInit)>(dlsym(library, "cuInit"));
  const auto get_count = reinterpret_cast<decltype(&::cuDeviceGetCount)>(dlsym(library, "cuDeviceGetCount"));
  const auto get = reinterpret_cast<decltype(&::cuDeviceGetAttribute)>(dlsym(library, "cuDeviceGetAttribute"));
  init(0);
  // The second call answers as the first one did.
  if (const CUresult result = init(0); result != CUDA_SUCCESS) return 200 + static_cast<int>(result) % 50;
  int count = 0, major = 0, minor = 0, num_sms = 0;
  get_count(&count);
  get(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, count - 1);
  get(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, count - 1);
  get(&num_sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, count - 1);
  const std::map<std::string, int> known = {{"1 10.0 148", 0}, {"1 10.3 148", 1}, {"1 9.0 132", 2}, {"3 10.0 7", 3}};
  const auto found = known.find(std::to_string(count) + " " + std::to_string(major) + "." + std::to_string(minor) + " " +
                                std::to_string(num_sms));
  return found == known.end() ? 253 : found->second;
}

/// describe() in a child: 0 … 3 is a row of its table, 200 + r a refusal of cuInit with the result r.
int describe_apart(const Environment &environment) {
  const pid_t child = fork();
  if (child == 0) _exit(describe(environment));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("libcuda: the environment chooses the devices") {
  CHECK(describe_apart({}) == 0);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_ARCH", "sm_100a"}}) == 0);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_ARCH", "sm_103a"}}) == 1);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_ARCH", "sm_90a"}}) == 2);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_DEVICES", "3"}, {"WARPWRIGHT_EMULATOR_SMS", "7"}}) == 3);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SCHEDULE", "eager"}, {"WARPWRIGHT_EMULATOR_JOBS", "2"}}) == 0);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SCHEDULE", "random:17"}}) == 0);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SCHEDULE", "adversarial:3"}}) == 0);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_CHECKS", "memory"}}) == 0);
}

TEST_CASE("libcuda: an environment that means nothing is refused by cuInit") {
  const int invalid = 200 + CUDA_ERROR_INVALID_VALUE;
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_ARCH", "sm_70"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_DEVICES", "many"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_DEVICES", "65"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_DEVICES", ""}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SMS", "0"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_JOBS", "-1"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SCHEDULE", "random:"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SCHEDULE", "sometimes"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SCHEDULE", "adversarial:x"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_SCHEDULE", "replay:/no/such/file"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_CHECKS", "some"}}) == invalid);
  CHECK(describe_apart({{"WARPWRIGHT_EMULATOR_DEVICES", "0"}}) == 200 + CUDA_ERROR_NO_DEVICE % 50);
}
