// SPDX-License-Identifier: Apache-2.0
// The operator object: its description, what a shape needs, loading.
#include "core.h"

namespace warpwright::python {

OperatorRecord::~OperatorRecord() {
  for (PyObject *variable : variable_names) Py_XDECREF(variable);
  for (TensorSlot &slot : tensors) Py_XDECREF(slot.name);
}

ww_operator_t *live(OperatorObject *self) {
  if (!self->record || !self->archive || self->archive->is_closed) {
    set_error(WW_STATUS_INVALID_ARGUMENT, "the operator's archive was closed");
    return nullptr;
  }
  return self->record->op;
}

namespace {

OperatorObject *self_of(PyObject *object) { return reinterpret_cast<OperatorObject *>(object); }

/// Dims of a tensor as the recipe writes them; the C ABI gives their values only, so a launch variable is found by
/// evaluating with two sets of values.
constexpr int64_t kProbe = 1 << 12;

std::vector<int64_t> measure(const OperatorRecord &record, const char *tensor, const std::vector<ww_variable_t> &variables) {
  int64_t dims[kMaxDims] = {};
  size_t num_dims = 0;
  uint64_t num_bytes = 0;
  const ww_status_t status = wwOperatorMeasureTensor(record.op, tensor, variables.data(), variables.size(), dims, kMaxDims,
                                                     &num_dims, &num_bytes, nullptr);
  return status == WW_STATUS_OK ? std::vector<int64_t>(dims, dims + num_dims) : std::vector<int64_t>();
}

/// The variable that a dim is, by what the dim does when one variable at a time changes: it is v where it equals v's value for
/// both and moves with no other.
void find_variables(const OperatorRecord &record, TensorSlot *slot) {
  std::vector<ww_variable_t> variables;
  for (size_t i = 0; i < record.variables.size(); ++i)
    variables.push_back({record.variables[i].c_str(), kProbe * static_cast<int64_t>(i + 1)});
  const std::vector<int64_t> base = measure(record, slot->text.c_str(), variables);
  slot->variable_of_dim.assign(base.size(), -1);
  for (size_t v = 0; v < variables.size(); ++v) {
    const int64_t value = variables[v].value;
    variables[v].value = value + kProbe / 2;
    const std::vector<int64_t> moved = measure(record, slot->text.c_str(), variables);
    variables[v].value = value;
    for (size_t d = 0; d < base.size() && d < moved.size(); ++d)
      if (base[d] == value && moved[d] == value + kProbe / 2) slot->variable_of_dim[d] = static_cast<int>(v);
  }
}

bool describe_parts(OperatorRecord *record, const ww_operator_info_t &info) {
  ww_message_t message;
  for (size_t i = 0; i < info.num_variables; ++i) {
    ww_variable_info_t variable = {};
    variable.struct_bytes = sizeof(variable);
    if (!check(wwOperatorDescribeVariable(record->op, i, &variable, &message), message)) return false;
    if (variable.is_fixed) continue;
    record->variables.emplace_back(variable.name);
    record->variable_names.push_back(PyUnicode_InternFromString(variable.name));
  }
  record->tensors.resize(info.num_tensors);
  for (size_t i = 0; i < info.num_tensors; ++i) {
    ww_tensor_info_t tensor = {};
    tensor.struct_bytes = sizeof(tensor);
    if (!check(wwOperatorDescribeTensor(record->op, i, &tensor, &message), message)) return false;
    TensorSlot &slot = record->tensors[i];
    slot.name = PyUnicode_InternFromString(tensor.name);
    slot.text = tensor.name;
    slot.format = tensor.format;
    slot.is_dense = slot.format != "e2m1" && (std::string(tensor.layout) == "row_major" || std::string(tensor.layout) == "vector");
    if (slot.is_dense) find_variables(*record, &slot);
  }
  return !PyErr_Occurred();
}

int operator_init(PyObject *object, PyObject *arguments, PyObject *) {
  PyObject *archive = nullptr;
  const char *name = nullptr;
  if (!PyArg_ParseTuple(arguments, "Os", &archive, &name)) return -1;
  auto *self = self_of(object);
  if (self->archive) {
    set_error(WW_STATUS_INVALID_ARGUMENT, "the operator is set up already");
    return -1;
  }
  Py_INCREF(archive);
  self->archive = reinterpret_cast<ArchiveObject *>(archive);
  return describe_operator(self, name) ? 0 : -1;
}

void operator_free(PyObject *object) {
  auto *self = self_of(object);
  delete self->record;
  Py_XDECREF(reinterpret_cast<PyObject *>(self->archive));
  PyTypeObject *type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

bool append(PyObject *list, PyObject *owned) {
  const Ref item(owned);
  return item && PyList_Append(list, item.get()) == 0;
}

/// A dict of plain values; the package makes classes of it.
PyObject *operator_describe(PyObject *object, PyObject *) {
  ww_operator_t *op = live(self_of(object));
  if (!op) return nullptr;
  ww_operator_info_t info = {};
  info.struct_bytes = sizeof(info);
  ww_message_t message;
  if (!check(wwOperatorDescribe(op, &info, &message), message)) return nullptr;
  const Ref variables(PyList_New(0)), fixed(PyDict_New()), tensors(PyList_New(0)), kernels(PyList_New(0)), facts(PyDict_New());
  for (size_t i = 0; i < info.num_variables; ++i) {
    ww_variable_info_t variable = {};
    variable.struct_bytes = sizeof(variable);
    if (!check(wwOperatorDescribeVariable(op, i, &variable, &message), message)) return nullptr;
    const Ref value(PyLong_FromLongLong(variable.value));
    if (variable.is_fixed ? PyDict_SetItemString(fixed.get(), variable.name, value.get()) < 0
                          : !append(variables.get(), PyUnicode_FromString(variable.name)))
      return nullptr;
  }
  for (size_t i = 0; i < info.num_tensors; ++i) {
    ww_tensor_info_t tensor = {};
    tensor.struct_bytes = sizeof(tensor);
    if (!check(wwOperatorDescribeTensor(op, i, &tensor, &message), message)) return nullptr;
    if (!append(tensors.get(), Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:N,s:L,s:n}", "name", tensor.name, "text", tensor.text, "format",
                                             tensor.format, "layout", tensor.layout, "bytes", tensor.bytes, "is_output",
                                             PyBool_FromLong(tensor.is_output), "align_bytes",
                                             static_cast<long long>(tensor.align_bytes), "num_dims",
                                             static_cast<Py_ssize_t>(tensor.num_dims))))
      return nullptr;
  }
  for (size_t i = 0; i < info.num_kernels; ++i) {
    ww_kernel_info_t kernel = {};
    kernel.struct_bytes = sizeof(kernel);
    if (!check(wwOperatorDescribeKernel(op, i, &kernel, &message), message) ||
        !append(kernels.get(), PyUnicode_FromString(kernel.name)))
      return nullptr;
  }
  for (size_t i = 0; i < info.num_facts; ++i) {
    const char *key = nullptr, *value = nullptr;
    if (!check(wwOperatorGetFact(op, i, &key, &value, &message), message)) return nullptr;
    const Ref text(PyUnicode_FromString(value));
    if (!text || PyDict_SetItemString(facts.get(), key, text.get()) < 0) return nullptr;
  }
  return Py_BuildValue("{s:s,s:s,s:s,s:s,s:O,s:O,s:O,s:O,s:O}", "name", info.name, "family", info.family, "arch", info.arch,
                       "workspace_bytes", info.workspace_bytes, "variables", variables.get(), "fixed", fixed.get(), "tensors",
                       tensors.get(), "kernels", kernels.get(), "facts", facts.get());
}

/// (name, value) pairs of a dict, whose keys' bytes must outlive them.
bool read_variables(PyObject *dict, std::vector<Ref> *keepers, std::vector<ww_variable_t> *variables) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &key, &value)) {
    keepers->emplace_back(PyUnicode_AsUTF8String(key));
    if (!keepers->back()) return false;
    variables->push_back({PyBytes_AsString(keepers->back().get()), PyLong_AsLongLong(value)});
    if (PyErr_Occurred()) return false;
  }
  return true;
}

PyObject *operator_measure(PyObject *object, PyObject *arguments) {
  PyObject *dict = nullptr;
  const char *tensor = nullptr;
  long long num_sms = 0;
  if (!PyArg_ParseTuple(arguments, "O!zL", &PyDict_Type, &dict, &tensor, &num_sms)) return nullptr;
  ww_operator_t *op = live(self_of(object));
  std::vector<Ref> keepers;
  std::vector<ww_variable_t> variables;
  if (!op || !read_variables(dict, &keepers, &variables)) return nullptr;
  ww_message_t message;
  uint64_t num_bytes = 0;
  if (!tensor) {
    const ww_status_t status = wwOperatorMeasureWorkspace(op, variables.data(), variables.size(), num_sms, &num_bytes, &message);
    return check(status, message) ? PyLong_FromUnsignedLongLong(num_bytes) : nullptr;
  }
  int64_t dims[kMaxDims] = {};
  size_t num_dims = 0;
  if (!check(wwOperatorMeasureTensor(op, tensor, variables.data(), variables.size(), dims, kMaxDims, &num_dims, &num_bytes, &message),
             message))
    return nullptr;
  const Ref shape(PyList_New(0));
  for (size_t i = 0; i < num_dims; ++i)
    if (!append(shape.get(), PyLong_FromLongLong(dims[i]))) return nullptr;
  return Py_BuildValue("(NK)", PyList_AsTuple(shape.get()), static_cast<unsigned long long>(num_bytes));
}

PyObject *operator_preload(PyObject *object, PyObject *arguments) {
  int device = 0;
  if (!PyArg_ParseTuple(arguments, "i", &device)) return nullptr;
  auto *self = self_of(object);
  ww_operator_t *op = live(self);
  ww_driver_t *cuda = op ? driver() : nullptr;
  if (!cuda) return nullptr;
  const DeviceScope scope(device);
  if (!scope.is_ready()) return nullptr;
  ww_message_t message;
  ww_status_t status = WW_STATUS_OK;
  ++self->archive->num_users;
  Py_BEGIN_ALLOW_THREADS
  status = wwOperatorLoad(op, cuda, device, &message);
  Py_END_ALLOW_THREADS
  drop_user(self->archive);
  if (!check(status, message)) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef operator_methods[] = {
    {"describe", operator_describe, METH_NOARGS, nullptr},
    {"measure", operator_measure, METH_VARARGS, nullptr},
    {"_preload", operator_preload, METH_VARARGS, nullptr},
    {"bind", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(bind_operator)), METH_VARARGS | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot operator_slots[] = {{Py_tp_init, reinterpret_cast<void *>(operator_init)},
                                {Py_tp_dealloc, reinterpret_cast<void *>(operator_free)},
                                {Py_tp_call, reinterpret_cast<void *>(call_operator)},
                                {Py_tp_methods, operator_methods},
                                {0, nullptr}};
PyType_Spec operator_spec = {"warpwright._core.Operator", sizeof(OperatorObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                             operator_slots};

}  // namespace

bool describe_operator(OperatorObject *self, const char *name) {
  if (!self->archive->archive || self->archive->is_closed) return set_error(WW_STATUS_INVALID_ARGUMENT, "the archive was closed");
  auto *record = new OperatorRecord;
  self->record = record;
  record->name = name;
  ww_message_t message;
  ww_operator_info_t info = {};
  info.struct_bytes = sizeof(info);
  return check(wwArchiveFindOperator(self->archive->archive, name, &record->op, &message), message) &&
         check(wwOperatorDescribe(record->op, &info, &message), message) && describe_parts(record, info);
}

bool add_operator_types(PyObject *module) {
  const Ref type(PyType_FromSpec(&operator_spec));
  return type && PyObject_SetAttrString(module, "Operator", type.get()) == 0;
}

}  // namespace warpwright::python
