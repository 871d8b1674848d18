// SPDX-License-Identifier: Apache-2.0
// The module, its exceptions, the CUDA driver, and the archive object.
#include "core.h"

#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <type_traits>

#define WW_TEXT_OF(name) #name
#define WW_SYMBOL_OF(name) WW_TEXT_OF(name)

namespace warpwright::python {

namespace {

PyObject *error_type = nullptr, *tensor_error_type = nullptr;

/// What a device's context needs; the runtime itself never changes the current context.
struct Contexts {
  decltype(&::cuCtxGetDevice) get_device = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&::cuCtxPushCurrent) push = nullptr;
  decltype(&::cuCtxPopCurrent) pop = nullptr;
  decltype(&::cuPointerGetAttributes) get_attributes = nullptr;
};

const Contexts *contexts() {
  static const Contexts found = [] {
    Contexts functions;
    const char *path = secure_getenv("WARPWRIGHT_LIBCUDA");
    void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto &function, const char *name) {
      function = library ? reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name)) : nullptr;
    };
    find(functions.get_device, WW_SYMBOL_OF(cuCtxGetDevice));
    find(functions.retain, WW_SYMBOL_OF(cuDevicePrimaryCtxRetain));
    find(functions.push, WW_SYMBOL_OF(cuCtxPushCurrent));
    find(functions.pop, WW_SYMBOL_OF(cuCtxPopCurrent));
    find(functions.get_attributes, WW_SYMBOL_OF(cuPointerGetAttributes));
    return functions;
  }();
  return found.get_device && found.retain && found.push && found.pop && found.get_attributes ? &found : nullptr;
}

void close_now(ArchiveObject *self) {
  wwArchiveClose(self->archive);
  self->archive = nullptr;
}

int archive_init(PyObject *object, PyObject *arguments, PyObject *) {
  auto *self = reinterpret_cast<ArchiveObject *>(object);
  PyObject *path = nullptr;
  if (!PyArg_ParseTuple(arguments, "O&", PyUnicode_FSConverter, &path)) return -1;
  const Ref owned(path);
  if (self->archive) {
    set_error(WW_STATUS_INVALID_ARGUMENT, "the archive is open already");
    return -1;
  }
  ww_message_t message;
  return check(wwArchiveOpen(PyBytes_AsString(path), &self->archive, &message), message) ? 0 : -1;
}

void archive_free(PyObject *object) {
  auto *self = reinterpret_cast<ArchiveObject *>(object);
  close_now(self);
  PyTypeObject *type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

bool is_open(ArchiveObject *self) {
  return (self->archive && !self->is_closed) || set_error(WW_STATUS_INVALID_ARGUMENT, "the archive was closed");
}

PyObject *archive_close(PyObject *object, PyObject *) {
  auto *self = reinterpret_cast<ArchiveObject *>(object);
  self->is_closed = true;
  if (self->num_users == 0) close_now(self);
  Py_RETURN_NONE;
}

PyObject *archive_verify(PyObject *object, PyObject *) {
  auto *self = reinterpret_cast<ArchiveObject *>(object);
  if (!is_open(self)) return nullptr;
  ww_message_t message;
  ww_status_t status = WW_STATUS_OK;
  ++self->num_users;
  Py_BEGIN_ALLOW_THREADS
  status = wwArchiveVerify(self->archive, &message);
  Py_END_ALLOW_THREADS
  drop_user(self);
  if (!check(status, message)) return nullptr;
  Py_RETURN_NONE;
}

PyObject *archive_names(PyObject *object, PyObject *) {
  auto *self = reinterpret_cast<ArchiveObject *>(object);
  if (!is_open(self)) return nullptr;
  Ref names(PyList_New(0));
  for (size_t i = 0; names && i < wwArchiveCountOperators(self->archive); ++i) {
    ww_operator_t *op = nullptr;
    ww_operator_info_t info = {};
    info.struct_bytes = sizeof(info);
    ww_message_t message;
    if (!check(wwArchiveGetOperator(self->archive, i, &op, &message), message) ||
        !check(wwOperatorDescribe(op, &info, &message), message))
      return nullptr;
    const Ref name(PyUnicode_FromString(info.name));
    if (!name || PyList_Append(names.get(), name.get()) < 0) return nullptr;
  }
  return names ? PyList_AsTuple(names.get()) : nullptr;
}

PyMethodDef archive_methods[] = {{"close", archive_close, METH_NOARGS, nullptr},
                                 {"verify", archive_verify, METH_NOARGS, nullptr},
                                 {"names", archive_names, METH_NOARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};
PyType_Slot archive_slots[] = {{Py_tp_init, reinterpret_cast<void *>(archive_init)},
                               {Py_tp_dealloc, reinterpret_cast<void *>(archive_free)},
                               {Py_tp_methods, archive_methods},
                               {0, nullptr}};
PyType_Spec archive_spec = {"warpwright._core.Archive", sizeof(ArchiveObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                            archive_slots};

/// The exceptions are Python's, so that their attributes have annotations and docstrings.
PyObject *set_exceptions(PyObject *, PyObject *arguments) {
  PyObject *error = nullptr, *tensor_error = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO", &error, &tensor_error)) return nullptr;
  Py_INCREF(error);
  Py_INCREF(tensor_error);
  error_type = error;
  tensor_error_type = tensor_error;
  Py_RETURN_NONE;
}

PyObject *describe_device(PyObject *, PyObject *arguments) {
  int ordinal = 0;
  if (!PyArg_ParseTuple(arguments, "i", &ordinal) || !driver()) return nullptr;
  ww_device_info_t info = {};
  info.struct_bytes = sizeof(info);
  ww_message_t message;
  if (!check(wwDriverDescribeDevice(driver(), ordinal, &info, &message), message)) return nullptr;
  return Py_BuildValue("(iii)", info.major, info.minor, info.num_sms);
}

PyObject *status_text(PyObject *, PyObject *arguments) {
  int status = 0;
  if (!PyArg_ParseTuple(arguments, "i", &status)) return nullptr;
  return PyUnicode_FromString(wwStatusText(static_cast<ww_status_t>(status)));
}

PyMethodDef functions[] = {{"_set_exceptions", set_exceptions, METH_VARARGS, nullptr},
                           {"describe_device", describe_device, METH_VARARGS, nullptr},
                           {"status_text", status_text, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "warpwright._core", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

bool set_error(ww_status_t status, const std::string &text, bool is_tensor) {
  const Ref arguments(Py_BuildValue("(is)", static_cast<int>(status), text.c_str()));
  if (arguments) PyErr_SetObject(is_tensor ? tensor_error_type : error_type, arguments.get());
  return false;
}

bool check(ww_status_t status, const ww_message_t &message) {
  if (status == WW_STATUS_OK) return true;
  const bool is_tensor = status >= WW_STATUS_MISSING_TENSOR && status <= WW_STATUS_NOT_DEVICE_MEMORY;
  return set_error(status, message.text, is_tensor);
}

ww_driver_t *driver() {
  static ww_driver_t *opened = nullptr;
  ww_message_t message;
  if (!opened) check(wwDriverOpen(nullptr, &opened, &message), message);
  return opened;
}

DeviceScope::DeviceScope(int device) {
  const Contexts *calls = contexts();
  if (!calls) {
    set_error(WW_STATUS_NO_DRIVER, "the CUDA driver lacks a function for contexts");
    return;
  }
  CUdevice current = -1;
  const CUresult got = calls->get_device(&current);
  is_ready_ = got == CUDA_SUCCESS && (current == device || device < 0);
  if (is_ready_) return;
  // Primary contexts are kept for the life of the process, as torch does.
  static std::vector<CUcontext> primary;
  const size_t index = static_cast<size_t>(device < 0 ? 0 : device);
  if (primary.size() <= index) primary.resize(index + 1);
  if (!primary[index] && calls->retain(&primary[index], static_cast<CUdevice>(index)) != CUDA_SUCCESS) primary[index] = nullptr;
  if (primary[index]) is_pushed_ = calls->push(primary[index]) == CUDA_SUCCESS;
  if (primary[index] && !is_pushed_) {
    // It was reset since.
    if (calls->retain(&primary[index], static_cast<CUdevice>(index)) == CUDA_SUCCESS)
      is_pushed_ = calls->push(primary[index]) == CUDA_SUCCESS;
  }
  is_ready_ = is_pushed_;
  if (!is_ready_) set_error(WW_STATUS_NO_CONTEXT, "no CUDA context can be made for device " + std::to_string(index));
}

DeviceScope::~DeviceScope() {
  CUcontext popped = nullptr;
  if (is_pushed_) contexts()->pop(&popped);
}

int device_of(void *pointer) {
  const Contexts *calls = contexts();
  if (!calls) return -1;
  unsigned int type = 0;
  int ordinal = -1;
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void *answers[] = {&type, &ordinal};
  const CUresult got = calls->get_attributes(2, attributes, answers, reinterpret_cast<CUdeviceptr>(pointer));
  return got == CUDA_SUCCESS && type == CU_MEMORYTYPE_DEVICE ? ordinal : -1;
}

void drop_user(ArchiveObject *archive) {
  if (--archive->num_users == 0 && archive->is_closed && archive->archive) close_now(archive);
}

}  // namespace warpwright::python

PyMODINIT_FUNC PyInit__core() {
  using namespace warpwright::python;
  Ref module(PyModule_Create(&definition));
  if (!module) return nullptr;
  Ref archive_type(PyType_FromSpec(&archive_spec));
  if (!archive_type || PyObject_SetAttrString(module.get(), "Archive", archive_type.get()) < 0) return nullptr;
  if (!add_operator_types(module.get()) || !add_call_type(module.get())) return nullptr;
  Py_INCREF(module.get());
  return module.get();
}
