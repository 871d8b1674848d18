// SPDX-License-Identifier: Apache-2.0
// op(...), op.bind(...) and the prepared call: arguments are matched, checked against the recipe and launched.
#include "core.h"

#include <algorithm>

namespace warpwright::python {

namespace {

constexpr size_t kKeptShapes = 32;

/// A launch as the C ABI takes it, with what keeps its memory.
struct Prepared {
  std::vector<PyObject *> objects;  ///< per tensor; null: not given
  std::vector<TensorView> views;    ///< per tensor
  std::vector<ww_variable_t> variables;
  std::vector<ww_buffer_t> buffers;
  PyObject *torch_tensor = nullptr; ///< any of them
  PyObject *stream_object = nullptr, *workspace_object = nullptr;
  Ref workspace;
  uintptr_t stream = 0;
  int device = -1;
  int32_t num_sms = 0;
  ww_launch_t launch = {};
};

bool is_same(PyObject *left, PyObject *right) { return left == right || PyUnicode_Compare(left, right) == 0; }

bool set_tensor_error(const OperatorRecord &record, const TensorSlot &slot, const std::string &text,
                      ww_status_t status = WW_STATUS_INVALID_ARGUMENT) {
  return set_error(status, "operator " + record.name + ": tensor " + slot.text + " " + text, true);
}

std::string text_of(const int64_t *dims, size_t num_dims) {
  std::string text = "(";
  for (size_t i = 0; i < num_dims; ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + ")";
}

/// Sorts a keyword into its place.
bool take_keyword(const OperatorRecord &record, PyObject *key, PyObject *value, Prepared *out) {
  static PyObject *const stream = PyUnicode_InternFromString("stream"), *const workspace = PyUnicode_InternFromString("workspace"),
                  *const num_sms = PyUnicode_InternFromString("num_sms");
  // Names that are written in a program are interned: the first loop nearly always finds them.
  for (const bool is_exact : {true, false}) {
    const auto is = [&](PyObject *name) { return is_exact ? key == name : is_same(key, name); };
    for (size_t i = 0; i < record.tensors.size(); ++i)
      if (is(record.tensors[i].name)) {
        out->objects[i] = value == Py_None ? nullptr : value;
        return true;
      }
    for (size_t i = 0; i < record.variable_names.size(); ++i)
      if (is(record.variable_names[i])) {
        out->variables.push_back({record.variables[i].c_str(), PyLong_AsLongLong(value)});
        return !PyErr_Occurred();
      }
    if (is(stream)) return out->stream_object = value == Py_None ? nullptr : value, true;
    if (is(workspace)) return out->workspace_object = value == Py_None ? nullptr : value, true;
    if (is(num_sms)) {
      out->num_sms = static_cast<int32_t>(PyLong_AsLong(value));
      return !PyErr_Occurred();
    }
  }
  const Ref text(PyUnicode_AsUTF8String(key));
  if (!text) return false;
  std::string names;
  for (const TensorSlot &slot : record.tensors) names += slot.text + ", ";
  for (const std::string &variable : record.variables) names += variable + ", ";
  return set_error(WW_STATUS_NOT_FOUND, "operator " + record.name + " has no argument " + PyBytes_AsString(text.get()) +
                                            "; it has: " + names + "stream, workspace, num_sms");
}

bool read_one(const OperatorRecord &record, size_t i, Prepared *out) {
  TensorView &view = out->views[i];
  const TensorSlot &slot = record.tensors[i];
  if (!read_tensor(out->objects[i], slot.text.c_str(), out->stream, &view)) return false;
  if (view.device < 0) return set_tensor_error(record, slot, "is not on a CUDA device", WW_STATUS_NOT_DEVICE_MEMORY);
  if (out->device < 0) out->device = view.device;
  if (view.device != out->device)
    return set_tensor_error(record, slot, "is on device " + std::to_string(view.device) + ", others are on device " +
                                              std::to_string(out->device), WW_STATUS_WRONG_DEVICE);
  if (!view.is_contiguous) return set_tensor_error(record, slot, "is not contiguous");
  return true;
}

/// torch's tensors first: they say what the current stream is, which other producers want to know.
bool read_all(const OperatorRecord &record, Prepared *out) {
  if (out->stream_object && !read_stream(out->stream_object, &out->stream)) return false;
  size_t num_others = 0;
  for (size_t i = 0; i < out->objects.size(); ++i) {
    if (!out->objects[i]) continue;
    if (!is_torch_tensor(out->objects[i])) {
      ++num_others;
      continue;
    }
    out->torch_tensor = out->objects[i];
    if (!read_one(record, i, out)) return false;
  }
  if (out->torch_tensor && !out->stream_object && !current_torch_stream(out->torch_tensor, out->device, &out->stream)) return false;
  for (size_t i = 0; num_others > 0 && i < out->objects.size(); ++i)
    if (out->objects[i] && !is_torch_tensor(out->objects[i]) && !read_one(record, i, out)) return false;
  return true;
}

/// Launch variables that the caller left out, from the dims that are a variable alone.
bool infer_variables(const OperatorRecord &record, Prepared *out, std::vector<int64_t> *values) {
  std::vector<const TensorSlot *> sources(record.variables.size(), nullptr);
  std::vector<bool> is_known(record.variables.size(), false);
  values->assign(record.variables.size(), 0);
  for (const ww_variable_t &given : out->variables)
    for (size_t v = 0; v < record.variables.size(); ++v)
      if (given.name == record.variables[v].c_str()) {
        is_known[v] = true;
        (*values)[v] = given.value;
      }
  for (size_t i = 0; i < record.tensors.size(); ++i) {
    const TensorSlot &slot = record.tensors[i];
    const TensorView &view = out->views[i];
    if (!out->objects[i] || !slot.is_dense || view.num_dims != static_cast<int>(slot.variable_of_dim.size())) continue;
    for (int d = 0; d < view.num_dims; ++d) {
      const int v = slot.variable_of_dim[static_cast<size_t>(d)];
      if (v < 0) continue;
      const auto at = static_cast<size_t>(v);
      if (is_known[at] && (*values)[at] != view.shape[d])
        return set_tensor_error(record, slot, "has " + record.variables[at] + " = " + std::to_string(view.shape[d]) + ", but " +
                                                  (sources[at] ? "tensor " + sources[at]->text : "the argument") + " says " +
                                                  std::to_string((*values)[at]), WW_STATUS_SHAPE_REFUSED);
      if (is_known[at]) continue;
      is_known[at] = true;
      sources[at] = &slot;
      (*values)[at] = view.shape[d];
      out->variables.push_back({record.variables[at].c_str(), view.shape[d]});
    }
  }
  return true;
}

/// What the recipe says for these values; remembered. Null with an exception set.
const ShapeEntry *shape_for(OperatorRecord *record, const Prepared &wanted, const std::vector<int64_t> &values) {
  for (const ShapeEntry &entry : record->shapes)
    if (entry.device == wanted.device && entry.num_sms == wanted.num_sms && entry.values == values) return &entry;
  ShapeEntry fresh;
  fresh.values = values;
  fresh.num_sms = wanted.num_sms;
  fresh.device = wanted.device;
  ww_message_t message;
  ww_device_info_t device = {};
  device.struct_bytes = sizeof(device);
  if (!check(wwDriverDescribeDevice(driver(), wanted.device, &device, &message), message)) return nullptr;
  const int64_t num_sms = wanted.num_sms > 0 ? wanted.num_sms : device.num_sms;
  if (!check(wwOperatorMeasureWorkspace(record->op, wanted.variables.data(), wanted.variables.size(), num_sms,
                                        &fresh.workspace_bytes, &message), message))
    return nullptr;
  for (const TensorSlot &slot : record->tensors) {
    int64_t dims[kMaxDims] = {};
    size_t num_dims = 0;
    uint64_t num_bytes = 0;
    if (!check(wwOperatorMeasureTensor(record->op, slot.text.c_str(), wanted.variables.data(), wanted.variables.size(), dims,
                                       kMaxDims, &num_dims, &num_bytes, &message), message))
      return nullptr;
    fresh.dims.emplace_back(dims, dims + num_dims);
    fresh.num_bytes.push_back(num_bytes);
  }
  if (record->shapes.size() < kKeptShapes) {
    record->shapes.push_back(std::move(fresh));
    return &record->shapes.back();
  }
  ShapeEntry &replaced = record->shapes[record->next_shape++ % kKeptShapes];
  replaced = std::move(fresh);
  return &replaced;
}

/// Types of 8 bits and less travel as bytes of any name, but for s8, whose values torch computes with.
bool has_format(const TensorView &view, const std::string &format) {
  const auto is = [&](uint8_t code, uint8_t bits) { return view.type_code == code && view.bits == bits && view.lanes == 1; };
  if (format == "fp32") return is(2, 32);
  if (format == "fp16") return is(2, 16);
  if (format == "bf16") return is(4, 16);
  if (format == "s32") return is(0, 32);
  if (format == "s8") return is(0, 8);
  return view.bits * view.lanes == 8;
}

bool check_tensors(const OperatorRecord &record, const ShapeEntry &shape, const Prepared &given) {
  for (size_t i = 0; i < record.tensors.size(); ++i) {
    if (!given.objects[i]) continue;
    const TensorSlot &slot = record.tensors[i];
    const TensorView &view = given.views[i];
    if (!has_format(view, slot.format)) return set_tensor_error(record, slot, "is " + type_name(view) + ", its format is " + slot.format);
    const auto num_dims = static_cast<size_t>(view.num_dims);
    if (slot.is_dense && !std::equal(shape.dims[i].begin(), shape.dims[i].end(), view.shape, view.shape + num_dims))
      return set_tensor_error(record, slot, "has the shape " + text_of(view.shape, num_dims) + ", not " +
                                                text_of(shape.dims[i].data(), shape.dims[i].size()), WW_STATUS_SHAPE_REFUSED);
    if (view.num_bytes() < shape.num_bytes[i])
      return set_tensor_error(record, slot, "has " + std::to_string(view.num_bytes()) + " B, " + std::to_string(shape.num_bytes[i]) +
                                                " are needed", WW_STATUS_BUFFER_TOO_SMALL);
  }
  return true;
}

bool give_workspace(const OperatorRecord &record, uint64_t num_bytes, Prepared *out) {
  if (num_bytes == 0 && !out->workspace_object) return true;
  if (!out->workspace_object) {
    uintptr_t current = out->stream;
    if (!out->torch_tensor)
      return set_error(WW_STATUS_BUFFER_TOO_SMALL, "operator " + record.name + " needs a workspace of " + std::to_string(num_bytes) +
                                                       " B: give workspace=, since no tensor is torch's");
    if (out->stream_object && !current_torch_stream(out->torch_tensor, out->device, &current)) return false;
    // torch's allocator hands memory on in the order of its current stream alone.
    if (current != out->stream)
      return set_error(WW_STATUS_INVALID_ARGUMENT, "operator " + record.name + " needs a workspace of " + std::to_string(num_bytes) +
                                                       " B: give workspace=, since stream= is not torch's current stream");
    out->workspace = allocate_with_torch(num_bytes, out->device);
  } else {
    out->workspace = borrow(out->workspace_object);
  }
  TensorView view;
  if (!out->workspace || !read_tensor(out->workspace.get(), "workspace", out->stream, &view)) return false;
  if (!view.is_contiguous) return set_error(WW_STATUS_INVALID_ARGUMENT, "the workspace is not contiguous", true);
  out->launch.workspace = view.pointer;
  out->launch.workspace_bytes = view.num_bytes();
  return true;
}

/// Everything up to the C ABI's call.
bool prepare(OperatorObject *self, PyObject *arguments, PyObject *keywords, Prepared *out) {
  if (!live(self) || !driver()) return false;
  OperatorRecord &record = *self->record;
  if (PyTuple_Size(arguments) != 0)
    return set_error(WW_STATUS_INVALID_ARGUMENT, "operator " + record.name + " takes its tensors by name: op(x=…, …)");
  out->objects.assign(record.tensors.size(), nullptr);
  out->views.resize(record.tensors.size());
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (keywords && PyDict_Next(keywords, &position, &key, &value))
    if (!take_keyword(record, key, value, out)) return false;
  if (!read_all(record, out)) return false;
  if (out->device < 0) return set_error(WW_STATUS_MISSING_TENSOR, "operator " + record.name + ": no tensor is given", true);
  std::vector<int64_t> values;
  if (!infer_variables(record, out, &values)) return false;
  const ShapeEntry *shape = shape_for(&record, *out, values);
  if (!shape || !check_tensors(record, *shape, *out)) return false;
  const uint64_t workspace_bytes = shape->workspace_bytes;
  if (!give_workspace(record, workspace_bytes, out)) return false;
  for (size_t i = 0; i < record.tensors.size(); ++i)
    if (out->objects[i]) out->buffers.push_back({record.tensors[i].text.c_str(), out->views[i].pointer, out->views[i].num_bytes()});
  ww_launch_t &launch = out->launch;
  launch.struct_bytes = sizeof(launch);
  launch.variables = out->variables.data();
  launch.num_variables = out->variables.size();
  launch.buffers = out->buffers.data();
  launch.num_buffers = out->buffers.size();
  launch.stream = reinterpret_cast<CUstream_st *>(out->stream);
  launch.num_sms = out->num_sms;
  return true;
}

/// A launch that can be repeated. The keywords and keepers hold its memory.
struct CallObject {
  PyObject ob_base;
  ww_call_t *call;
  OperatorObject *op;
  PyObject *keepers;
  PyObject *torch_tensor;  ///< in keepers; null: no tensor is torch's, or the stream was given
  uintptr_t stream;
  int device;
};

PyObject *run_call(PyObject *object, PyObject *arguments, PyObject *keywords) {
  auto *self = reinterpret_cast<CallObject *>(object);
  PyObject *given = nullptr;
  if (keywords || PyTuple_Size(arguments) != 0) {
    static const char *names[] = {"stream", nullptr};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", const_cast<char **>(names), &given)) return nullptr;
  }
  if (!live(self->op)) return nullptr;
  uintptr_t stream = self->stream;
  if (given && given != Py_None) {
    if (!read_stream(given, &stream)) return nullptr;
  } else if (self->torch_tensor && !current_torch_stream(self->torch_tensor, self->device, &stream)) {
    return nullptr;
  }
  const DeviceScope scope(self->device);
  if (!scope.is_ready()) return nullptr;
  ww_message_t message;
  ww_status_t status = WW_STATUS_OK;
  Py_BEGIN_ALLOW_THREADS
  status = wwCallLaunch(self->call, reinterpret_cast<CUstream_st *>(stream), &message);
  Py_END_ALLOW_THREADS
  if (!check(status, message)) return nullptr;
  Py_RETURN_NONE;
}

void free_call(PyObject *object) {
  auto *self = reinterpret_cast<CallObject *>(object);
  wwCallDestroy(self->call);
  if (self->op) drop_user(self->op->archive);
  Py_XDECREF(self->keepers);
  Py_XDECREF(reinterpret_cast<PyObject *>(self->op));
  PyTypeObject *type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyType_Slot call_slots[] = {{Py_tp_call, reinterpret_cast<void *>(run_call)},
                            {Py_tp_dealloc, reinterpret_cast<void *>(free_call)},
                            {0, nullptr}};
PyType_Spec call_spec = {"warpwright._core.Call", sizeof(CallObject), 0, Py_TPFLAGS_DEFAULT, call_slots};
PyObject *call_type = nullptr;

}  // namespace

PyObject *call_operator(PyObject *object, PyObject *arguments, PyObject *keywords) {
  auto *self = reinterpret_cast<OperatorObject *>(object);
  Prepared prepared;
  if (!prepare(self, arguments, keywords, &prepared)) return nullptr;
  const DeviceScope scope(prepared.device);
  if (!scope.is_ready()) return nullptr;
  ww_message_t message;
  ww_status_t status = WW_STATUS_OK;
  ++self->archive->num_users;
  Py_BEGIN_ALLOW_THREADS
  status = wwOperatorLaunch(self->record->op, driver(), &prepared.launch, &message);
  Py_END_ALLOW_THREADS
  drop_user(self->archive);
  if (!check(status, message)) return nullptr;
  Py_RETURN_NONE;
}

PyObject *bind_operator(PyObject *object, PyObject *arguments, PyObject *keywords) {
  auto *self = reinterpret_cast<OperatorObject *>(object);
  Prepared prepared;
  if (!prepare(self, arguments, keywords, &prepared)) return nullptr;
  const DeviceScope scope(prepared.device);
  if (!scope.is_ready()) return nullptr;
  const Ref keepers(PyList_New(0));
  if (!keepers || PyList_Append(keepers.get(), keywords) < 0) return nullptr;
  for (const TensorView &view : prepared.views)
    if (view.keeper && PyList_Append(keepers.get(), view.keeper.get()) < 0) return nullptr;
  if (prepared.workspace && PyList_Append(keepers.get(), prepared.workspace.get()) < 0) return nullptr;
  ww_call_t *call = nullptr;
  ww_message_t message;
  if (!check(wwCallCreate(self->record->op, driver(), &prepared.launch, &call, &message), message)) return nullptr;
  auto *made = reinterpret_cast<CallObject *>(PyType_GenericAlloc(reinterpret_cast<PyTypeObject *>(call_type), 0));
  if (!made) {
    wwCallDestroy(call);
    return nullptr;
  }
  made->call = call;
  made->op = self;
  Py_INCREF(object);
  ++self->archive->num_users;
  made->keepers = keepers.get();
  Py_INCREF(made->keepers);
  made->torch_tensor = prepared.stream_object ? nullptr : prepared.torch_tensor;
  made->stream = prepared.stream;
  made->device = prepared.device;
  return reinterpret_cast<PyObject *>(made);
}

bool add_call_type(PyObject *module) {
  call_type = PyType_FromSpec(&call_spec);
  return call_type && PyObject_SetAttrString(module, "Call", call_type) == 0;
}

}  // namespace warpwright::python
