# SPDX-License-Identifier: Apache-2.0
"""The CUDA driver API by ctypes: libcuda.so.1 of a GPU, or the emulator's library in its place."""
import ctypes

DATA_TYPES = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
DATA_BYTES = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "f32": 4, "f64": 8, "bf16": 2}


class DriverError(RuntimeError):
    """A call of the driver that failed."""


class Driver:
    """One device of one driver library."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.is_emulator = hasattr(self.library, "wwEmulatorLastReport")
        if self.is_emulator:
            self.library.wwEmulatorLastReport.restype = ctypes.c_char_p
        self.call("cuInit", 0)
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self.make_current()

    def call(self, name, *arguments):
        """Calls a function of the driver; DriverError with its name and the driver's words."""
        result = getattr(self.library, name)(*arguments)
        if result:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(result, ctypes.byref(text))
            report = self.library.wwEmulatorLastReport().decode() if self.is_emulator else ""
            raise DriverError(f"{name}: {text.value.decode() if text.value else result} {report}".strip())

    def make_current(self):
        """Makes the context this thread's."""
        self.call("cuCtxSetCurrent", self.context)

    def device_name(self):
        """The device's name and the version that the driver has."""
        name, version = ctypes.create_string_buffer(100), ctypes.c_int()
        self.call("cuDeviceGetName", name, 100, 0)
        self.call("cuDriverGetVersion", ctypes.byref(version))
        return f"{name.value.decode()}, CUDA {version.value // 1000}.{version.value % 1000 // 10}"

    def allocate(self, data):
        """Device memory that holds `data`; its address."""
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 1)))
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address.value

    def read(self, address, num_bytes):
        """`num_bytes` of device memory."""
        data = ctypes.create_string_buffer(num_bytes)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(num_bytes))
        return data.raw

    def free(self, address):
        """Gives device memory back."""
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def load(self, text):
        """A module from PTX."""
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        return module

    def launch(self, module, name, grid, threads, parameters):
        """Runs a kernel to its end. `parameters`: bytes objects, one a parameter."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        buffers = [ctypes.create_string_buffer(value, len(value)) for value in parameters]
        pointers = (ctypes.c_void_p * len(buffers))(*[ctypes.addressof(buffer) for buffer in buffers])
        self.call("cuLaunchKernel", function, grid, 1, 1, threads, 1, 1, 0, None, pointers, None)
        self.call("cuCtxSynchronize")

    def tensor_map(self, address, spec):
        """The 128 bytes of a tensor map over the memory at `address`."""
        rank = len(spec.dims)
        raw = ctypes.create_string_buffer(128 + 64)
        start = (ctypes.addressof(raw) + 63) // 64 * 64
        strides, stride = [], spec.dims[0] * DATA_BYTES[spec.dtype]
        for dim in spec.dims[1:]:
            strides.append(stride)
            stride *= dim
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(start), DATA_TYPES[spec.dtype], rank, ctypes.c_uint64(address),
                  (ctypes.c_uint64 * rank)(*spec.dims), (ctypes.c_uint64 * max(rank - 1, 1))(*strides or [0]),
                  (ctypes.c_uint32 * rank)(*spec.box), (ctypes.c_uint32 * rank)(*[1] * rank), 0, spec.swizzle, 0, 0)
        return ctypes.string_at(start, 128)
