// SPDX-License-Identifier: Apache-2.0
// What the parts of the extension module share: objects, errors, tensors as they are read. CPython's limited API of 3.9.
#pragma once

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "warpwright/warpwright.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::python {

/// A strong reference.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject *owned) : object_(owned) {}
  Ref(Ref &&other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref &) = delete;
  ~Ref() { Py_XDECREF(object_); }
  PyObject *get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject *object_ = nullptr;
};

inline Ref borrow(PyObject *object) {
  Py_XINCREF(object);
  return Ref(object);
}

/// Sets warpwright.Error, or TensorError, with `status` and the sentence. Returns false.
bool set_error(ww_status_t status, const std::string &text, bool is_tensor = false);
/// Sets the error where `status` is one. Returns whether it is OK.
bool check(ww_status_t status, const ww_message_t &message);

constexpr int kMaxDims = 8;

/// What a tensor argument says of itself.
struct TensorView {
  void *pointer = nullptr;
  int device = -1;              ///< ordinal; −1: not on a CUDA device, or CUDA does not know
  uint8_t type_code = 0, bits = 0;  ///< DLPack's; code 255: unknown
  uint16_t lanes = 1;
  int num_dims = 0;
  int64_t shape[kMaxDims] = {};
  bool is_contiguous = true;
  bool is_torch = false;
  Ref keeper;                   ///< of the memory during the call, besides the argument itself
  uint64_t num_bytes() const;
};

/// Reads a torch tensor, or an object with __dlpack__ or __cuda_array_interface__. `stream` is for __dlpack__'s producer.
/// Returns false with an exception set, which names the tensor.
bool read_tensor(PyObject *object, const char *name, uintptr_t stream, TensorView *view);
bool is_torch_tensor(PyObject *object);
/// "float32", or the DLPack code and bits of what has no name.
std::string type_name(const TensorView &view);
/// The device that the address belongs to; −1 where CUDA cannot say.
int device_of(void *pointer);
/// torch's current stream of the device.
bool current_torch_stream(PyObject *tensor, int device, uintptr_t *stream);
/// `num_bytes` of torch's allocator on the device.
Ref allocate_with_torch(uint64_t num_bytes, int device);
/// A stream argument: an int, or an object with `cuda_stream` or __cuda_stream__.
bool read_stream(PyObject *object, uintptr_t *stream);

/// The process's driver, opened at first use; never closed. Null with an exception set.
ww_driver_t *driver();

/// Makes the device's primary context current for a while, unless a context of that device is.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  ~DeviceScope();
  /// False: an exception is set.
  bool is_ready() const { return is_ready_; }

 private:
  bool is_ready_ = false, is_pushed_ = false;
};

struct ArchiveObject {
  PyObject ob_base;
  ww_archive_t *archive;
  bool is_closed;
  Py_ssize_t num_users;  ///< calls alive or under way: closing waits for the last; under the interpreter's lock
};

/// Lets an archive that was closed go when nobody uses it any more.
void drop_user(ArchiveObject *archive);

struct TensorSlot {
  PyObject *name = nullptr;  ///< interned
  std::string text, format;
  bool is_dense = false;     ///< rows in order: shapes can be compared
  std::vector<std::string> dims;
  std::vector<int> variable_of_dim;  ///< index into variables; −1: not a launch variable alone
};

/// Values, and what the recipe says for them.
struct ShapeEntry {
  std::vector<int64_t> values;
  int32_t num_sms = 0;
  int device = -1;
  uint64_t workspace_bytes = 0;
  std::vector<std::vector<int64_t>> dims;  ///< per tensor
  std::vector<uint64_t> num_bytes;
};

struct OperatorRecord {
  ww_operator_t *op = nullptr;
  std::string name;
  std::vector<std::string> variables;
  std::vector<PyObject *> variable_names;  ///< interned
  std::vector<TensorSlot> tensors;
  std::vector<ShapeEntry> shapes;  ///< the last ones, the oldest is replaced
  size_t next_shape = 0;
  ~OperatorRecord();
};

struct OperatorObject {
  PyObject ob_base;
  ArchiveObject *archive;
  OperatorRecord *record;
};

/// Null with an exception set where the archive was closed.
ww_operator_t *live(OperatorObject *self);

bool add_operator_types(PyObject *module);
bool add_call_type(PyObject *module);
PyObject *call_operator(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *bind_operator(PyObject *self, PyObject *arguments, PyObject *keywords);
/// Fills the record from the archive's description.
bool describe_operator(OperatorObject *self, const char *name);

}  // namespace warpwright::python
