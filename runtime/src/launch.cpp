// SPDX-License-Identifier: Apache-2.0
// A launch: everything is checked, evaluated and encoded before the first kernel is enqueued; a call keeps that for later.
#include "runtime/src/archive.h"
#include "runtime/src/open_handles.h"
#include "runtime/src/tensor_map.h"

#include <limits>

namespace warpwright::runtime {

namespace {

/// Workspace alignment that every cuMemAlloc'ed pointer has and kernels may assume.
/// Source: CUDA C++ Programming Guide 13.0, "Device Memory Accesses": allocations are aligned to at least 256 bytes.
constexpr uintptr_t kWorkspaceAlignBytes = 256;

/// The arguments of one kernel, kept where the driver's pointers can reach them.
struct Arguments {
  CUkernel kernel = nullptr;
  std::vector<CUtensorMap> maps;
  std::vector<void *> pointers;  ///< per parameter
  std::vector<int32_t> integers; ///< per parameter
  std::vector<void *> params;    ///< address of each parameter's value
};

/// Bytes of device memory that a launch uses.
struct Range {
  uintptr_t begin = 0;
  uint64_t num_bytes = 0;
  bool is_output = false;
  const char *name = nullptr;
  bool meets(const Range &other) const {
    if (num_bytes == 0 || other.num_bytes == 0) return false;
    return begin < other.begin ? other.begin - begin < num_bytes : begin - other.begin < other.num_bytes;
  }
};

/// prepare() looks at the caller's arrays, enqueue() no longer does.
class Launch {
 public:
  Launch(ww_operator_t *op, const std::shared_ptr<Driver> &driver, const ww_launch_t &launch)
      : op_(op), driver_(driver), launch_(launch) {}

  Status prepare() {
    WW_RETURN_IF_FAILED(op_->prepare());
    WW_RETURN_IF_FAILED(driver_->current_context(&context_));
    WW_RETURN_IF_FAILED(driver_->check_stream(launch_.stream, context_));
    WW_RETURN_IF_FAILED(evaluate());
    WW_RETURN_IF_FAILED(match_buffers());
    WW_RETURN_IF_FAILED(check_memory());
    arguments_.resize(grids_.size());
    for (size_t i = 0; i < grids_.size(); ++i) WW_RETURN_IF_FAILED(make_arguments(grids_[i], &arguments_[i]));
    return {};
  }

  Status enqueue(CUstream stream) const {
    WW_RETURN_IF_FAILED(clear_workspace(stream));
    for (size_t i = 0; i < grids_.size(); ++i) WW_RETURN_IF_FAILED(enqueue(grids_[i], arguments_[i], stream));
    return {};
  }

  /// For a thread and a stream that may not be those of prepare().
  Status check_place(CUstream stream) const {
    WW_RETURN_IF_FAILED(check_open(op_));
    Context current;
    WW_RETURN_IF_FAILED(driver_->current_context(&current));
    if (current.id != context_.id)
      return failure(WW_STATUS_WRONG_DEVICE, op_name() + ": the call was made for another CUDA context, one of device " +
                                                 std::to_string(context_.device.handle) + "; the current one is of device " +
                                                 std::to_string(current.device.handle));
    return driver_->check_stream(stream, current);
  }

 private:
  const Program &program() const { return op_->program(); }
  std::string op_name() const { return "operator " + op_->record->name()->str(); }

  Status evaluate() {
    if (launch_.num_sms < 0 || launch_.num_sms > context_.device.num_sms)
      return failure(WW_STATUS_INVALID_ARGUMENT, "num_sms is " + std::to_string(launch_.num_sms) + "; the device has " +
                                                     std::to_string(context_.device.num_sms));
    const int64_t num_sms = launch_.num_sms == 0 ? context_.device.num_sms : launch_.num_sms;
    WW_RETURN_IF_FAILED(program().bind(launch_.variables, launch_.num_variables, num_sms, &values_));
    WW_RETURN_IF_FAILED(program().choose(values_, &grids_));
    WW_RETURN_IF_FAILED(program().measure_workspace(values_, &workspace_bytes_));
    if (workspace_bytes_ == 0) return {};
    if (!launch_.workspace || launch_.workspace_bytes < workspace_bytes_)
      return failure(WW_STATUS_BUFFER_TOO_SMALL, op_name() + " needs a workspace of " +
                                                     std::to_string(workspace_bytes_) + " B; " +
                                                     std::to_string(launch_.workspace ? launch_.workspace_bytes : 0) +
                                                     " B were given");
    if (reinterpret_cast<uintptr_t>(launch_.workspace) % kWorkspaceAlignBytes != 0)
      return failure(WW_STATUS_MISALIGNED_POINTER, "the workspace's address is not a multiple of 256");
    return {};
  }

  /// Finds each buffer's tensor and checks what was said about it.
  Status match_buffers() {
    if (launch_.num_buffers > 0 && !launch_.buffers)
      return failure(WW_STATUS_INVALID_ARGUMENT, "buffers is null");
    const auto &tensors = *op_->record->tensors();
    buffers_.assign(tensors.size(), nullptr);
    for (size_t i = 0; i < launch_.num_buffers; ++i) {
      const ww_buffer_t &buffer = launch_.buffers[i];
      if (!buffer.tensor) return failure(WW_STATUS_INVALID_ARGUMENT, "a buffer's tensor name is null");
      uint32_t index = 0;
      while (index < tensors.size() && tensors.Get(index)->name()->string_view() != buffer.tensor) ++index;
      if (index == tensors.size())
        return failure(WW_STATUS_NOT_FOUND, op_name() + " has no tensor " + buffer.tensor);
      if (buffers_[index])
        return failure(WW_STATUS_INVALID_ARGUMENT, std::string("tensor ") + buffer.tensor + " is given twice");
      buffers_[index] = &buffer;
    }
    return {};
  }

  /// Checks the address and size of each tensor that a kernel of this launch uses, and that outputs are apart.
  Status check_memory() {
    ranges_.assign(buffers_.size(), {});
    for (const ww_grid_t &grid : grids_) {
      const PreparedKernel &kernel = program().kernels()[grid.kernel_index];
      for (const PreparedMap &map : kernel.maps) WW_RETURN_IF_FAILED(check_tensor(map.record->tensor()));
      for (const format::Param *param : *kernel.record->params())
        if (param->kind() == format::ParamKind::Tensor) WW_RETURN_IF_FAILED(check_tensor(param->index()));
    }
    if (workspace_bytes_ > 0) {
      WW_RETURN_IF_FAILED(driver_->check_pointer(launch_.workspace, context_.device, "the workspace", ""));
      ranges_.push_back({reinterpret_cast<uintptr_t>(launch_.workspace), workspace_bytes_, true, nullptr});
    }
    for (size_t i = 0; i < ranges_.size(); ++i)
      for (size_t k = 0; k < i; ++k) {
        if (!(ranges_[i].is_output || ranges_[k].is_output) || !ranges_[i].meets(ranges_[k])) continue;
        const std::string other = ranges_[i].name ? std::string("tensor ") + ranges_[i].name : "the workspace";
        return failure(WW_STATUS_OVERLAPPING_TENSORS, op_name() + ": " + other + " shares bytes with tensor " +
                                                          ranges_[k].name + ", and one of them is written");
      }
    return {};
  }

  Status check_tensor(size_t tensor_index) {
    Range &range = ranges_[tensor_index];
    if (range.name) return {};
    const format::Tensor &tensor = *op_->record->tensors()->Get(static_cast<uint32_t>(tensor_index));
    const ww_buffer_t *buffer = buffers_[tensor_index];
    if (!buffer || !buffer->pointer)
      return failure(WW_STATUS_MISSING_TENSOR, op_name() + ": tensor " + tensor.name()->str() +
                                                   (buffer ? " is null" : " is not given"));
    const uintptr_t address = reinterpret_cast<uintptr_t>(buffer->pointer);
    if (address % static_cast<uintptr_t>(tensor.align_bytes()) != 0)
      return failure(WW_STATUS_MISALIGNED_POINTER, op_name() + ": the address of tensor " + tensor.name()->str() +
                                                       " is not a multiple of " +
                                                       std::to_string(tensor.align_bytes()));
    int64_t bytes = 0;
    WW_RETURN_IF_FAILED(program().tensors()[tensor_index].bytes.evaluate_within(
        values_, 0, std::numeric_limits<int64_t>::max(), &bytes));
    if (buffer->num_bytes != 0 && buffer->num_bytes < static_cast<uint64_t>(bytes))
      return failure(WW_STATUS_BUFFER_TOO_SMALL, op_name() + ": tensor " + tensor.name()->str() + " needs " +
                                                     std::to_string(bytes) + " B; " +
                                                     std::to_string(buffer->num_bytes) + " B were given");
    WW_RETURN_IF_FAILED(driver_->check_pointer(buffer->pointer, context_.device, "tensor ", tensor.name()->c_str()));
    range = {address, static_cast<uint64_t>(bytes), tensor.is_output(), tensor.name()->c_str()};
    return {};
  }

  void *address_of(size_t tensor_index) const { return buffers_[tensor_index]->pointer; }

  Status make_arguments(const ww_grid_t &grid, Arguments *arguments) {
    const PreparedKernel &kernel = program().kernels()[grid.kernel_index];
    WW_RETURN_IF_FAILED(op_->load(grid.kernel_index, driver_, context_.device, &context_, &launch_.stream,
                                  &arguments->kernel));
    arguments->maps.resize(kernel.maps.size());
    for (size_t i = 0; i < kernel.maps.size(); ++i)
      WW_RETURN_IF_FAILED(encode_tensor_map(*driver_, kernel.maps[i], values_,
                                            address_of(kernel.maps[i].record->tensor()), &arguments->maps[i]));
    const auto &records = *kernel.record->params();
    arguments->pointers.resize(records.size());
    arguments->integers.resize(records.size());
    arguments->params.resize(records.size());
    for (uint32_t i = 0; i < records.size(); ++i)
      WW_RETURN_IF_FAILED(make_param(kernel, *records.Get(i), i, arguments));
    return {};
  }

  Status make_param(const PreparedKernel &kernel, const format::Param &record, size_t index, Arguments *arguments) {
    arguments->params[index] = &arguments->pointers[index];
    switch (record.kind()) {
      case format::ParamKind::TensorMap: arguments->params[index] = &arguments->maps[record.index()]; return {};
      case format::ParamKind::Tensor: arguments->pointers[index] = address_of(record.index()); return {};
      case format::ParamKind::Workspace: arguments->pointers[index] = launch_.workspace; return {};
      case format::ParamKind::Int32: {
        int64_t value = 0;
        WW_RETURN_IF_FAILED(kernel.param_values[index]->evaluate_within(
            values_, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), &value));
        arguments->integers[index] = static_cast<int32_t>(value);
        arguments->params[index] = &arguments->integers[index];
        return {};
      }
    }
    return failure(WW_STATUS_INTERNAL, "a parameter kind that the manifest check lets through");
  }

  Status clear_workspace(CUstream stream) const {
    if (workspace_bytes_ == 0 || !op_->record->workspace_must_be_zero()) return {};
    const CUresult result = driver_->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(launch_.workspace), 0,
                                                     static_cast<size_t>(workspace_bytes_), stream);
    return result == CUDA_SUCCESS ? Status{} : driver_->check(result, op_name() + ": clearing the workspace");
  }

  Status enqueue(const ww_grid_t &grid, const Arguments &arguments, CUstream stream) const {
    const format::Kernel &record = *program().kernels()[grid.kernel_index].record;
    CUlaunchAttribute attributes[2] = {};
    unsigned num_attributes = 0;
    if (record.cluster_x() * record.cluster_y() * record.cluster_z() > 1) {
      CUlaunchAttribute &cluster = attributes[num_attributes++];
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim.x = record.cluster_x();
      cluster.value.clusterDim.y = record.cluster_y();
      cluster.value.clusterDim.z = record.cluster_z();
    }
    if (record.programmatic_dependent_launch() && !(launch_.flags & WW_LAUNCH_WHOLE)) {
      CUlaunchAttribute &dependent = attributes[num_attributes++];
      dependent.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      dependent.value.programmaticStreamSerializationAllowed = 1;
    }
    CUlaunchConfig config = {};
    config.gridDimX = grid.x;
    config.gridDimY = grid.y;
    config.gridDimZ = grid.z;
    config.blockDimX = record.threads();
    config.blockDimY = 1;
    config.blockDimZ = 1;
    config.sharedMemBytes = record.dynamic_smem_bytes();
    config.hStream = stream;
    config.attrs = num_attributes > 0 ? attributes : nullptr;
    config.numAttrs = num_attributes;
    // A CUkernel may stand for a CUfunction: CUDA Driver API 13.0, cuLaunchKernelEx.
    const CUresult result = driver_->cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(arguments.kernel),
                                                      const_cast<void **>(arguments.params.data()), nullptr);
    return result == CUDA_SUCCESS ? Status{} : driver_->check(result, "launching kernel " + record.name()->str());
  }

  ww_operator_t *op_;
  std::shared_ptr<Driver> driver_;
  ww_launch_t launch_;
  Context context_;
  Values values_;
  std::vector<ww_grid_t> grids_;
  std::vector<const ww_buffer_t *> buffers_;  ///< by tensor
  std::vector<Range> ranges_;                 ///< by tensor, unnamed where no kernel uses it; then the workspace
  std::vector<Arguments> arguments_;
  uint64_t workspace_bytes_ = 0;
};

Status check_handles(const ww_operator_t *op, const ww_driver_t *driver, const ww_launch_t *launch) {
  if (!op || !driver || !launch) return failure(WW_STATUS_INVALID_ARGUMENT, "op, driver or launch is null");
  if (launch->struct_bytes < sizeof(*launch))
    return failure(WW_STATUS_INVALID_ARGUMENT, "launch->struct_bytes is not set");
  return check_open(op);
}

}  // namespace

}  // namespace warpwright::runtime

/// The ABI's prepared launch.
struct ww_call_t {
  warpwright::runtime::Launch launch;
};

using warpwright::runtime::failure;
using warpwright::runtime::guarded;
using warpwright::runtime::Status;

extern "C" ww_status_t wwOperatorLaunch(ww_operator_t *op, ww_driver_t *driver, const ww_launch_t *launch,
                                        ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    WW_RETURN_IF_FAILED(warpwright::runtime::check_handles(op, driver, launch));
    warpwright::runtime::Launch once(op, driver->driver, *launch);
    WW_RETURN_IF_FAILED(once.prepare());
    return once.enqueue(launch->stream);
  });
}

extern "C" ww_status_t wwCallCreate(ww_operator_t *op, ww_driver_t *driver, const ww_launch_t *launch, ww_call_t **call,
                                    ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!call) return failure(WW_STATUS_INVALID_ARGUMENT, "call is null");
    *call = nullptr;
    WW_RETURN_IF_FAILED(warpwright::runtime::check_handles(op, driver, launch));
    auto made = std::make_unique<ww_call_t>(ww_call_t{{op, driver->driver, *launch}});
    WW_RETURN_IF_FAILED(made->launch.prepare());
    *call = made.release();
    return {};
  });
}

extern "C" ww_status_t wwCallLaunch(const ww_call_t *call, CUstream stream, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!call) return failure(WW_STATUS_INVALID_ARGUMENT, "call is null");
    WW_RETURN_IF_FAILED(call->launch.check_place(stream));
    return call->launch.enqueue(stream);
  });
}

extern "C" void wwCallDestroy(ww_call_t *call) { delete call; }
