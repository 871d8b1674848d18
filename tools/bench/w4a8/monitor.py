# SPDX-License-Identifier: Apache-2.0
"""Clocks, power and temperature from NVML, where there is one. Numbers: NVML API Reference 13.0."""
import ctypes as c

SM_CLOCK, MEMORY_CLOCK, GPU_SENSOR = 1, 2, 0


class Monitor:
    """Reads the GPU at a PCI bus id; readings are empty without NVML."""

    def __init__(self, pci_bus_id):
        self.device = None
        try:
            self.nvml = c.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        device = c.c_void_p()
        if self.nvml.nvmlInit_v2() != 0:
            return
        count = c.c_uint()
        is_only_one = self.nvml.nvmlDeviceGetCount_v2(c.byref(count)) == 0 and count.value == 1
        if self.nvml.nvmlDeviceGetHandleByPciBusId_v2(pci_bus_id.encode(), c.byref(device)) == 0 or \
                is_only_one and self.nvml.nvmlDeviceGetHandleByIndex_v2(c.c_uint(0), c.byref(device)) == 0:
            self.device = device

    def read(self):
        """{"sm_mhz", "memory_mhz", "watts", "celsius", "clock_event_reasons"}, as far as they are known."""
        reading = {}
        if self.device is None:
            return reading
        value, reasons = c.c_uint(), c.c_ulonglong()
        for key, arguments in (("sm_mhz", ("nvmlDeviceGetClockInfo", SM_CLOCK)), ("memory_mhz", ("nvmlDeviceGetClockInfo", MEMORY_CLOCK)),
                               ("celsius", ("nvmlDeviceGetTemperature", GPU_SENSOR)), ("watts", ("nvmlDeviceGetPowerUsage",))):
            if getattr(self.nvml, arguments[0])(self.device, *(c.c_uint(a) for a in arguments[1:]), c.byref(value)) == 0:
                reading[key] = value.value / 1000 if key == "watts" else value.value
        if self.nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self.device, c.byref(reasons)) == 0:
            reading["clock_event_reasons"] = reasons.value
        return reading
