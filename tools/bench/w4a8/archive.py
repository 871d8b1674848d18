# SPDX-License-Identifier: Apache-2.0
"""Operators of an archive through the runtime's C ABI (runtime/include/warpwright/warpwright.h): ctypes, nothing to install."""
import ctypes as c

LAUNCH_WHOLE = 1  # WW_LAUNCH_WHOLE


class Message(c.Structure):
    """ww_message_t."""
    _fields_ = [("text", c.c_char * 512)]


class OperatorInfo(c.Structure):
    """ww_operator_info_t."""
    _fields_ = [("struct_bytes", c.c_size_t), ("name", c.c_char_p), ("family", c.c_char_p), ("arch", c.c_char_p), ("workspace_bytes", c.c_char_p),
                ("workspace_must_be_zero", c.c_int32), ("num_variables", c.c_size_t), ("num_tensors", c.c_size_t), ("num_kernels", c.c_size_t),
                ("num_dispatch_rows", c.c_size_t), ("num_facts", c.c_size_t)]


class VariableInfo(c.Structure):
    """ww_variable_info_t."""
    _fields_ = [("struct_bytes", c.c_size_t), ("name", c.c_char_p), ("is_fixed", c.c_int32), ("value", c.c_int64)]


class TensorInfo(c.Structure):
    """ww_tensor_info_t."""
    _fields_ = [("struct_bytes", c.c_size_t), ("name", c.c_char_p), ("text", c.c_char_p), ("format", c.c_char_p), ("layout", c.c_char_p),
                ("bytes", c.c_char_p), ("is_output", c.c_int32), ("align_bytes", c.c_int64), ("num_dims", c.c_size_t)]


class KernelInfo(c.Structure):
    """ww_kernel_info_t."""
    _fields_ = [("struct_bytes", c.c_size_t), ("name", c.c_char_p), ("threads", c.c_uint32), ("dynamic_smem_bytes", c.c_uint32),
                ("cluster_x", c.c_uint32), ("cluster_y", c.c_uint32), ("cluster_z", c.c_uint32),
                ("programmatic_dependent_launch", c.c_int32), ("num_images", c.c_size_t)]


class Variable(c.Structure):
    """ww_variable_t."""
    _fields_ = [("name", c.c_char_p), ("value", c.c_int64)]


class Grid(c.Structure):
    """ww_grid_t."""
    _fields_ = [("kernel_index", c.c_size_t), ("x", c.c_uint32), ("y", c.c_uint32), ("z", c.c_uint32)]


class Buffer(c.Structure):
    """ww_buffer_t."""
    _fields_ = [("tensor", c.c_char_p), ("pointer", c.c_void_p), ("num_bytes", c.c_uint64)]


class Launch(c.Structure):
    """ww_launch_t."""
    _fields_ = [("struct_bytes", c.c_size_t), ("variables", c.POINTER(Variable)), ("num_variables", c.c_size_t), ("buffers", c.POINTER(Buffer)),
                ("num_buffers", c.c_size_t), ("workspace", c.c_void_p), ("workspace_bytes", c.c_uint64), ("stream", c.c_void_p),
                ("num_sms", c.c_int32), ("flags", c.c_uint32)]


class RuntimeFailure(RuntimeError):
    """What the runtime says went wrong."""


class Runtime:
    """libwarpwright_runtime.so; `driver` is opened at the first use of a GPU."""

    def __init__(self, path):
        self.library = c.CDLL(path)
        self._driver = None

    def call(self, name, *arguments):
        """One function of the C ABI, with the message as its last argument."""
        message = Message()
        status = getattr(self.library, name)(*arguments, c.byref(message))
        if status != 0:
            raise RuntimeFailure(f"{name}: {message.text.decode(errors='replace')}")

    @property
    def driver(self):
        """ww_driver_t * of the machine's CUDA driver."""
        if self._driver is None:
            driver = c.c_void_p()
            self.call("wwDriverOpen", None, c.byref(driver))
            self._driver = driver
        return self._driver


class Operator:
    """One operator: variables, tensors, kernels, launches."""

    def __init__(self, runtime, handle):
        self.runtime, self.handle = runtime, handle
        info = self._describe("wwOperatorDescribe", OperatorInfo)
        self.name, self.family, self.arch = info.name.decode(), info.family.decode(), info.arch.decode()
        variables = [self._describe("wwOperatorDescribeVariable", VariableInfo, i) for i in range(info.num_variables)]
        self.fixed = {v.name.decode(): v.value for v in variables if v.is_fixed}
        self.free = [v.name.decode() for v in variables if not v.is_fixed]
        tensors = [self._describe("wwOperatorDescribeTensor", TensorInfo, i) for i in range(info.num_tensors)]
        self.tensors = {t.name.decode(): {"format": t.format.decode(), "layout": t.layout.decode(), "is_output": bool(t.is_output)} for t in tensors}
        kernels = [self._describe("wwOperatorDescribeKernel", KernelInfo, i) for i in range(info.num_kernels)]
        self.kernels = [(k.name.decode(), bool(k.programmatic_dependent_launch)) for k in kernels]

    def _describe(self, function, kind, *index):
        info = kind(struct_bytes=c.sizeof(kind))
        self.runtime.call(function, self.handle, *(c.c_size_t(i) for i in index), c.byref(info))
        return info

    def _bound(self, values):
        """C variables for what the operator leaves free."""
        missing = [name for name in self.free if name not in values]
        if missing:
            raise RuntimeFailure(f"{self.name} leaves {', '.join(missing)} open")
        return (Variable * len(self.free))(*(Variable(name.encode(), values[name]) for name in self.free))

    def bytes_of(self, tensor, values):
        """Bytes of a tensor for these variables."""
        variables, dims, size = self._bound(values), c.c_size_t(), c.c_uint64()
        self.runtime.call("wwOperatorMeasureTensor", self.handle, tensor.encode(), variables, c.c_size_t(len(variables)), None, c.c_size_t(0),
                          c.byref(dims), c.byref(size))
        return size.value

    def workspace_bytes(self, values, num_sms):
        """Bytes of the workspace on a device of so many multiprocessors."""
        variables, size = self._bound(values), c.c_uint64()
        self.runtime.call("wwOperatorMeasureWorkspace", self.handle, variables, c.c_size_t(len(variables)), c.c_int64(num_sms), c.byref(size))
        return size.value

    def chosen_kernels(self, values, num_sms):
        """(name, starts early) of each kernel of a launch."""
        variables, count, grids = self._bound(values), c.c_size_t(), (Grid * len(self.kernels))()
        self.runtime.call("wwOperatorChooseKernels", self.handle, variables, c.c_size_t(len(variables)), c.c_int64(num_sms), grids,
                          c.c_size_t(len(grids)), c.byref(count))
        return [self.kernels[grids[i].kernel_index] for i in range(count.value)]

    def load(self, device):
        """Loads every kernel, so that a capture does not."""
        self.runtime.call("wwOperatorLoad", self.handle, self.runtime.driver, c.c_int32(device))

    def launch(self, values, buffers, workspace, stream, flags=0):
        """Launches with buffers {tensor: (address, bytes)} and a workspace (address, bytes)."""
        variables = self._bound(values)
        given = (Buffer * len(buffers))(*(Buffer(name.encode(), address, size) for name, (address, size) in buffers.items()))
        wanted = Launch(c.sizeof(Launch), variables, len(variables), given, len(given), workspace[0], workspace[1], stream, 0, flags)
        self.runtime.call("wwOperatorLaunch", self.handle, self.runtime.driver, c.byref(wanted))


def open_archive(runtime, path):
    """All operators of an archive, which stays open."""
    archive = c.c_void_p()
    runtime.call("wwArchiveOpen", str(path).encode(), c.byref(archive))
    count = runtime.library.wwArchiveCountOperators
    count.restype = c.c_size_t
    operators = []
    for index in range(count(archive)):
        handle = c.c_void_p()
        runtime.call("wwArchiveGetOperator", archive, c.c_size_t(index), c.byref(handle))
        operators.append(Operator(runtime, handle))
    return operators
