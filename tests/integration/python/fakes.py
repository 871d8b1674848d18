# SPDX-License-Identifier: Apache-2.0
"""Device memory of the emulated driver, and the kinds of tensor that the package takes: torch's two ways, DLPack, CUDA arrays."""
import ctypes
import os
import struct
import sys
import types

CUDA = ctypes.CDLL(os.environ["WARPWRIGHT_LIBCUDA"])
LOG = []


def cuda(name, *arguments):
    """Calls the driver; any error is an exception."""
    result = getattr(CUDA, name)(*arguments)
    if result != 0:
        raise RuntimeError(f"{name}: CUDA error {result}")


def use_device(device):
    """Makes the device's primary context current."""
    context = ctypes.c_void_p()
    cuda("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    cuda("cuCtxSetCurrent", context)
    return context


class Memory:
    """Floats (or bytes) on a device; freed with the object."""

    def __init__(self, shape, values=None, device=0, dtype="float32", item_bytes=4):
        self.shape, self.device, self.dtype, self.item_bytes = tuple(shape), device, dtype, item_bytes
        self.elems = 1
        for dim in shape:
            self.elems *= dim
        self.address = ctypes.c_uint64()
        use_device(device)
        cuda("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(max(self.elems * item_bytes, 1)))
        if values is not None:
            self.write(values)

    def write(self, values):
        data = struct.pack(f"{self.elems}f", *values)
        use_device(self.device)
        cuda("cuMemcpyHtoD_v2", self.address, data, ctypes.c_size_t(len(data)))

    def read(self):
        data = ctypes.create_string_buffer(self.elems * 4)
        use_device(self.device)
        cuda("cuMemcpyDtoH_v2", data, self.address, ctypes.c_size_t(len(data)))
        return list(struct.unpack(f"{self.elems}f", data.raw))

    def __del__(self):
        CUDA.cuMemFree_v2(self.address)


class CudaArray:
    """__cuda_array_interface__ alone."""

    def __init__(self, memory, typestr="<f4", strides=None):
        self.memory = memory
        self.__cuda_array_interface__ = {"shape": memory.shape, "typestr": typestr, "version": 3, "strides": strides,
                                         "data": (memory.address.value, False)}


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("num_dims", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class DlManaged(ctypes.Structure):
    _fields_ = [("tensor", DlTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def fill(tensor, memory, shape, code=2, bits=32):
    tensor.data, tensor.device_type, tensor.device_id = memory.address.value, 2, memory.device
    tensor.num_dims, tensor.code, tensor.bits, tensor.lanes = len(memory.shape), code, bits, 1
    tensor.shape, tensor.strides, tensor.offset = shape, None, 0


class DlpackArray:
    """__dlpack__ alone; remembers the streams that it was asked for."""

    def __init__(self, memory):
        self.memory, self.streams = memory, []
        self.kept_shape = (ctypes.c_int64 * len(memory.shape))(*memory.shape)
        self.managed = DlManaged()

    def __dlpack_device__(self):
        return (2, self.memory.device)

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        fill(self.managed.tensor, self.memory, self.kept_shape)
        return new_capsule(ctypes.addressof(self.managed), b"dltensor", None)


def make_torch():
    """A module torch with what the package asks of it."""
    torch = types.ModuleType("torch")
    torch.current = {0: 0, 1: 0}

    class Tensor:
        def __init__(self, memory, is_contiguous=True, device=None):
            self.memory, self.dense = memory, is_contiguous
            self.device_index = memory.device if device is None else device

        def data_ptr(self):
            return self.memory.address.value

        @property
        def shape(self):
            return self.memory.shape

        @property
        def dtype(self):
            return getattr(torch, self.memory.dtype)

        def is_contiguous(self):
            return self.dense

        def get_device(self):
            return self.device_index

    class Dtype:
        def __init__(self, name):
            self.name = name

        def __str__(self):
            return f"torch.{self.name}"

    for name in ("float32", "float16", "uint8"):
        setattr(torch, name, Dtype(name))

    def empty(num_bytes, dtype, device):
        LOG.append(("empty", num_bytes, str(dtype), device))
        return Tensor(Memory((num_bytes,), device=device, dtype="uint8", item_bytes=1))

    torch.Tensor, torch.empty = Tensor, empty
    torch._C = types.ModuleType("torch._C")
    torch._C._cuda_getCurrentRawStream = lambda device: torch.current[device]
    torch.cuda = types.SimpleNamespace(current_device=lambda: 0)
    sys.modules["torch"], sys.modules["torch._C"] = torch, torch._C
    return torch


TO_TENSOR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DlTensor))
CURRENT_STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Exchange(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p), ("allocate", ctypes.c_void_p),
                ("to_managed", ctypes.c_void_p), ("from_managed", ctypes.c_void_p), ("to_tensor", TO_TENSOR),
                ("current_stream", CURRENT_STREAM)]


def make_exchange_tensor(torch):
    """A torch.Tensor whose type has DLPack's C exchange table, and whose attributes must not be asked for."""

    def to_tensor(tensor, out):
        fill(out.contents, tensor.memory, tensor.kept_shape)
        return 0

    def current_stream(_, device, out):
        out[0] = torch.current[device] or None
        return 0

    table = Exchange(1, 3, None, None, None, None, TO_TENSOR(to_tensor), CURRENT_STREAM(current_stream))

    class ExchangeTensor(torch.Tensor):
        kept_table = table
        __dlpack_c_exchange_api__ = new_capsule(ctypes.addressof(table), b"dlpack_exchange_api", None)

        def __init__(self, memory):
            super().__init__(memory)
            self.kept_shape = (ctypes.c_int64 * len(memory.shape))(*memory.shape)

        def data_ptr(self):
            raise AssertionError("data_ptr() of a tensor with an exchange table")

    return ExchangeTensor
