// SPDX-License-Identifier: Apache-2.0
// Reads tensor arguments: torch by its C exchange table or its attributes, others by DLPack or __cuda_array_interface__.
#include "core.h"

#include <cstdlib>
#include <cstring>

namespace warpwright::python {

namespace {

// The binary interface of DLPack 1.1 to 1.3. Source: DLPack, dlpack.h, and "C exchange API" of its Python specification.
constexpr int kDlCuda = 2, kDlCudaManaged = 13;
struct DlDevice {
  int32_t type, id;
};
struct DlType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DlTensor {
  void *data;
  DlDevice device;
  int32_t num_dims;
  DlType type;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DlManaged {
  DlTensor tensor;
  void *context;
  void (*deleter)(DlManaged *);
};
struct DlExchange {
  uint32_t major, minor;
  void *previous;
  void *allocate, *to_managed, *from_managed;
  int (*to_tensor)(void *object, DlTensor *tensor);
  int (*current_stream)(int device_type, int32_t device, void **stream);
};

bool is_dense(const TensorView &view, const int64_t *strides) {
  int64_t expected = 1;
  for (int i = view.num_dims - 1; i >= 0; --i) {
    if (view.shape[i] != 1 && strides[i] != expected) return false;
    expected *= view.shape[i];
  }
  return true;
}

bool take(const DlTensor &tensor, const char *name, TensorView *view) {
  if (tensor.num_dims > kMaxDims)
    return set_error(WW_STATUS_INVALID_ARGUMENT, std::string("tensor ") + name + " has more than 8 dims", true);
  view->pointer = static_cast<char *>(tensor.data) + tensor.byte_offset;
  view->device = tensor.device.type == kDlCuda || tensor.device.type == kDlCudaManaged ? tensor.device.id : -1;
  view->type_code = tensor.type.code;
  view->bits = tensor.type.bits;
  view->lanes = tensor.type.lanes;
  view->num_dims = tensor.num_dims;
  for (int i = 0; i < tensor.num_dims; ++i) view->shape[i] = tensor.shape[i];
  view->is_contiguous = !tensor.strides || is_dense(*view, tensor.strides);
  return true;
}

/// Of the type seen last, which is nearly always torch.Tensor; types live as long as their module.
struct TypeTraits {
  PyObject *type = nullptr;
  const DlExchange *exchange = nullptr;
  bool is_torch = false;
};

PyObject *name_of(const char *text) { return PyUnicode_InternFromString(text); }

bool is_torch_type(PyObject *type) {
  // A subclass (torch.nn.Parameter) is torch's too.
  Ref torch(borrow(PyDict_GetItemString(PyImport_GetModuleDict(), "torch")));
  if (!torch) return false;
  Ref tensor_type(PyObject_GetAttrString(torch.get(), "Tensor"));
  const int is_subclass = tensor_type ? PyObject_IsSubclass(type, tensor_type.get()) : -1;
  if (is_subclass < 0) PyErr_Clear();
  return is_subclass == 1;
}

TypeTraits traits_of(PyObject *object) {
  static TypeTraits last;
  PyObject *type = reinterpret_cast<PyObject *>(Py_TYPE(object));
  if (last.type == type) return last;
  TypeTraits found;
  found.type = type;
  found.is_torch = is_torch_type(type);
  static PyObject *const attribute = name_of("__dlpack_c_exchange_api__");
  Ref capsule(PyObject_GetAttr(type, attribute));
  if (capsule) {
    auto *table = static_cast<const DlExchange *>(PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api"));
    if (table && table->major == 1 && table->to_tensor) found.exchange = table;
  }
  PyErr_Clear();
  Py_INCREF(type);
  Py_XDECREF(last.type);
  last = found;
  return last;
}

bool read_integer(PyObject *object, int64_t *value) {
  if (!object) return false;
  *value = PyLong_AsLongLong(object);
  return !(*value == -1 && PyErr_Occurred());
}

bool read_shape(PyObject *shape, const char *name, TensorView *view) {
  const Py_ssize_t num_dims = PySequence_Size(shape);
  if (num_dims < 0) return false;
  if (num_dims > kMaxDims)
    return set_error(WW_STATUS_INVALID_ARGUMENT, std::string("tensor ") + name + " has more than 8 dims", true);
  view->num_dims = static_cast<int>(num_dims);
  for (Py_ssize_t i = 0; i < num_dims; ++i) {
    Ref dim(PySequence_GetItem(shape, i));
    if (!read_integer(dim.get(), &view->shape[i])) return false;
  }
  return true;
}

struct NamedType {
  const char *name;
  uint8_t code, bits;
};
/// torch's names; the codes are DLPack's.
constexpr NamedType kTypes[] = {{"int8", 0, 8},      {"int16", 0, 16},   {"int32", 0, 32},   {"int64", 0, 64},  {"uint8", 1, 8},
                                {"uint16", 1, 16},   {"uint32", 1, 32},  {"float16", 2, 16}, {"float32", 2, 32}, {"float64", 2, 64},
                                {"bfloat16", 4, 16}, {"bool", 6, 8},     {"float8_e4m3fn", 10, 8}, {"float8_e5m2", 12, 8},
                                {"float8_e8m0fnu", 14, 8}, {"float4_e2m1fn_x2", 17, 8}};

/// The dtypes of torch are singletons: their names are read once.
bool read_torch_type(PyObject *dtype, TensorView *view) {
  static PyObject *last = nullptr;
  static NamedType last_type = {"", 255, 0};
  if (dtype != last) {
    Ref text(PyObject_Str(dtype));
    Ref bytes(text ? PyUnicode_AsUTF8String(text.get()) : nullptr);
    if (!bytes) return false;
    const char *name = PyBytes_AsString(bytes.get());
    if (const char *dot = std::strrchr(name, '.')) name = dot + 1;
    last_type = {"", 255, 0};
    for (const NamedType &type : kTypes)
      if (std::strcmp(type.name, name) == 0) last_type = type;
    Py_INCREF(dtype);
    Py_XDECREF(last);
    last = dtype;
  }
  view->type_code = last_type.code;
  view->bits = last_type.bits;
  return true;
}

bool read_torch(PyObject *object, const char *name, TensorView *view) {
  static PyObject *const data_ptr = name_of("data_ptr"), *const shape_name = name_of("shape"), *const dtype_name = name_of("dtype"),
                  *const contiguous = name_of("is_contiguous"), *const get_device = name_of("get_device");
  Ref pointer(PyObject_CallMethodObjArgs(object, data_ptr, nullptr));
  if (!pointer) return false;
  view->pointer = PyLong_AsVoidPtr(pointer.get());
  Ref shape(PyObject_GetAttr(object, shape_name));
  if (!shape || !read_shape(shape.get(), name, view)) return false;
  Ref dtype(PyObject_GetAttr(object, dtype_name));
  if (!dtype || !read_torch_type(dtype.get(), view)) return false;
  Ref is_contiguous(PyObject_CallMethodObjArgs(object, contiguous, nullptr));
  if (!is_contiguous) return false;
  view->is_contiguous = PyObject_IsTrue(is_contiguous.get()) == 1;
  Ref device(PyObject_CallMethodObjArgs(object, get_device, nullptr));
  int64_t ordinal = -1;
  if (!read_integer(device.get(), &ordinal)) return false;
  view->device = static_cast<int>(ordinal);
  return true;
}

bool read_dlpack(PyObject *object, const char *name, uintptr_t stream, TensorView *view) {
  Ref device(PyObject_CallMethod(object, "__dlpack_device__", nullptr));
  if (!device) return false;
  Ref type(PySequence_GetItem(device.get(), 0));
  int64_t device_type = 0;
  if (!read_integer(type.get(), &device_type)) return false;
  const bool is_cuda = device_type == kDlCuda || device_type == kDlCudaManaged;
  Ref method(PyObject_GetAttrString(object, "__dlpack__")), none(PyTuple_New(0)), keywords(PyDict_New());
  if (!method || !none || !keywords) return false;
  if (is_cuda) {
    // 1 is the legacy default stream, 0 is not allowed. Source: Python array API standard 2024.12, __dlpack__.
    Ref number(PyLong_FromUnsignedLongLong(stream ? stream : 1));
    if (!number || PyDict_SetItemString(keywords.get(), "stream", number.get()) < 0) return false;
  }
  Ref capsule(PyObject_Call(method.get(), none.get(), keywords.get()));
  if (!capsule) return false;
  // Not consumed: the capsule's own destructor calls the deleter.
  auto *managed = static_cast<DlManaged *>(PyCapsule_GetPointer(capsule.get(), "dltensor"));
  if (!managed || !take(managed->tensor, name, view)) return false;
  view->keeper = std::move(capsule);
  return true;
}

bool read_typestr(PyObject *text, TensorView *view) {
  Ref bytes(text ? PyUnicode_AsUTF8String(text) : nullptr);
  if (!bytes) return false;
  const char *type = PyBytes_AsString(bytes.get());
  if (std::strlen(type) < 3) return true;
  view->bits = static_cast<uint8_t>(std::atoi(type + 2) * 8);
  view->type_code = type[1] == 'i' ? 0 : type[1] == 'u' ? 1 : type[1] == 'f' ? 2 : type[1] == 'b' ? 6 : 255;
  return true;
}

/// Strides are in bytes there. Source: Numba documentation, "CUDA Array Interface (Version 3)".
bool read_array_interface(PyObject *interface, const char *name, TensorView *view) {
  Ref shape(borrow(PyDict_GetItemString(interface, "shape"))), data(borrow(PyDict_GetItemString(interface, "data")));
  if (!shape || !data) return set_error(WW_STATUS_INVALID_ARGUMENT, std::string("tensor ") + name + ": an incomplete __cuda_array_interface__", true);
  view->type_code = 255;
  if (!read_shape(shape.get(), name, view) || !read_typestr(PyDict_GetItemString(interface, "typestr"), view)) return false;
  Ref pointer(PySequence_GetItem(data.get(), 0));
  if (!pointer) return false;
  view->pointer = PyLong_AsVoidPtr(pointer.get());
  PyObject *strides = PyDict_GetItemString(interface, "strides");
  if (strides && strides != Py_None) {
    int64_t elements[kMaxDims] = {};
    for (int i = 0; i < view->num_dims; ++i) {
      Ref stride(PySequence_GetItem(strides, i));
      if (!read_integer(stride.get(), &elements[i])) return false;
      elements[i] = view->bits >= 8 ? elements[i] / (view->bits / 8) : elements[i];
    }
    view->is_contiguous = is_dense(*view, elements);
  }
  return !PyErr_Occurred();
}

}  // namespace

bool is_torch_tensor(PyObject *object) { return traits_of(object).is_torch; }

std::string type_name(const TensorView &view) {
  for (const NamedType &type : kTypes)
    if (type.code == view.type_code && type.bits == view.bits) return type.name;
  return "of DLPack type " + std::to_string(view.type_code) + " with " + std::to_string(view.bits * view.lanes) + " bits";
}

uint64_t TensorView::num_bytes() const {
  uint64_t elems = 1;
  for (int i = 0; i < num_dims; ++i) elems *= static_cast<uint64_t>(shape[i]);
  return (elems * bits * lanes + 7) / 8;
}

bool read_tensor(PyObject *object, const char *name, uintptr_t stream, TensorView *view) {
  const TypeTraits traits = traits_of(object);
  view->is_torch = traits.is_torch;
  if (traits.exchange) {
    DlTensor tensor = {};
    return traits.exchange->to_tensor(object, &tensor) == 0 && take(tensor, name, view);
  }
  if (traits.is_torch) return read_torch(object, name, view);
  Ref interface(PyObject_GetAttrString(object, "__cuda_array_interface__"));
  if (interface) {
    if (!read_array_interface(interface.get(), name, view)) return false;
    view->device = device_of(view->pointer);
    return true;
  }
  PyErr_Clear();
  if (PyObject_HasAttrString(object, "__dlpack__")) return read_dlpack(object, name, stream, view);
  return set_error(WW_STATUS_INVALID_ARGUMENT,
                   std::string("tensor ") + name + " is neither a torch tensor nor has it __dlpack__ or __cuda_array_interface__", true);
}

bool current_torch_stream(PyObject *tensor, int device, uintptr_t *stream) {
  const TypeTraits traits = traits_of(tensor);
  if (traits.exchange && traits.exchange->current_stream) {
    void *current = nullptr;
    if (traits.exchange->current_stream(kDlCuda, device, &current) != 0) return false;
    *stream = reinterpret_cast<uintptr_t>(current);
    return true;
  }
  static PyObject *function = nullptr;
  if (!function) {
    Ref module(PyImport_ImportModule("torch._C"));
    if (module) function = PyObject_GetAttrString(module.get(), "_cuda_getCurrentRawStream");
    if (!function) return false;
  }
  Ref ordinal(PyLong_FromLong(device));
  Ref current(PyObject_CallFunctionObjArgs(function, ordinal.get(), nullptr));
  if (!current) return false;
  *stream = reinterpret_cast<uintptr_t>(PyLong_AsVoidPtr(current.get()));
  return !PyErr_Occurred();
}

Ref allocate_with_torch(uint64_t num_bytes, int device) {
  static PyObject *empty = nullptr, *byte = nullptr;
  if (!empty) {
    Ref torch(PyImport_ImportModule("torch"));
    if (!torch) return {};
    byte = PyObject_GetAttrString(torch.get(), "uint8");
    if (byte) empty = PyObject_GetAttrString(torch.get(), "empty");
    if (!empty) return {};
  }
  Ref arguments(Py_BuildValue("(K)", static_cast<unsigned long long>(num_bytes))), keywords(PyDict_New()), ordinal(PyLong_FromLong(device));
  if (!arguments || !keywords || !ordinal || PyDict_SetItemString(keywords.get(), "dtype", byte) < 0 ||
      PyDict_SetItemString(keywords.get(), "device", ordinal.get()) < 0)
    return {};
  return Ref(PyObject_Call(empty, arguments.get(), keywords.get()));
}

bool read_stream(PyObject *object, uintptr_t *stream) {
  if (PyLong_Check(object)) {
    *stream = reinterpret_cast<uintptr_t>(PyLong_AsVoidPtr(object));
    return !PyErr_Occurred();
  }
  Ref number(PyObject_GetAttrString(object, "cuda_stream"));
  if (!number) {
    // A pair of version and handle. Source: cuda.core documentation, "__cuda_stream__ protocol".
    PyErr_Clear();
    Ref pair(PyObject_CallMethod(object, "__cuda_stream__", nullptr));
    if (pair) number = Ref(PySequence_GetItem(pair.get(), 1));
  }
  if (!number) {
    PyErr_Clear();
    return set_error(WW_STATUS_INVALID_ARGUMENT, "stream is neither an int nor has it cuda_stream or __cuda_stream__");
  }
  *stream = reinterpret_cast<uintptr_t>(PyLong_AsVoidPtr(number.get()));
  return !PyErr_Occurred();
}

}  // namespace warpwright::python
