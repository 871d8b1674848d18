// SPDX-License-Identifier: Apache-2.0
// What the ABI says about operators without a GPU.
#include "runtime/src/archive.h"
#include "runtime/src/open_handles.h"

#include <limits>

namespace format = warpwright::format;
using warpwright::runtime::check_open;
using warpwright::runtime::failure;
using warpwright::runtime::guarded;
using warpwright::runtime::Status;
using warpwright::runtime::Values;

namespace {

/// Shapes do not depend on the device; Program's last variable is not read by their expressions.
constexpr int64_t kNoDevice = 0;

template <typename Info>
Status check_info(const ww_operator_t *op, const Info *info) {
  if (!op || !info) return failure(WW_STATUS_INVALID_ARGUMENT, "op or info is null");
  if (info->struct_bytes < sizeof(*info))
    return failure(WW_STATUS_INVALID_ARGUMENT, "info->struct_bytes is not set");
  return check_open(op);
}

Status check_index(const char *what, size_t index, size_t count) {
  if (index < count) return {};
  return failure(WW_STATUS_INVALID_ARGUMENT, std::string(what) + " " + std::to_string(index) + " of " +
                                                 std::to_string(count));
}

Status check_num_sms(int64_t num_sms) {
  if (num_sms >= 1) return {};
  return failure(WW_STATUS_INVALID_ARGUMENT, "num_sms is " + std::to_string(num_sms));
}

Status find_tensor(const ww_operator_t &op, const char *name, uint32_t *index) {
  const auto &tensors = *op.record->tensors();
  for (*index = 0; *index < tensors.size(); ++*index)
    if (tensors.Get(*index)->name()->string_view() == name) return {};
  return failure(WW_STATUS_NOT_FOUND, "operator " + op.record->name()->str() + " has no tensor " + name);
}

}  // namespace

extern "C" ww_status_t wwOperatorDescribe(const ww_operator_t *op, ww_operator_info_t *info, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    WW_RETURN_IF_FAILED(check_info(op, info));
    const format::Operator &record = *op->record;
    info->name = record.name()->c_str();
    info->family = record.family()->c_str();
    info->arch = record.arch()->c_str();
    info->workspace_bytes = record.workspace_bytes()->c_str();
    info->workspace_must_be_zero = record.workspace_must_be_zero();
    info->num_variables = record.variables()->size() + record.fixed_variables()->size();
    info->num_tensors = record.tensors()->size();
    info->num_kernels = record.kernels()->size();
    info->num_dispatch_rows = record.dispatch()->size();
    info->num_facts = record.facts()->size();
    return {};
  });
}

extern "C" ww_status_t wwOperatorDescribeVariable(const ww_operator_t *op, size_t index, ww_variable_info_t *info,
                                                  ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    WW_RETURN_IF_FAILED(check_info(op, info));
    const auto &bound = *op->record->variables();
    const auto &fixed = *op->record->fixed_variables();
    WW_RETURN_IF_FAILED(check_index("variable", index, bound.size() + fixed.size()));
    info->is_fixed = index >= bound.size();
    if (info->is_fixed) {
      const format::FixedVariable &variable = *fixed.Get(static_cast<uint32_t>(index - bound.size()));
      info->name = variable.name()->c_str();
      info->value = variable.value();
    } else {
      info->name = bound.Get(static_cast<uint32_t>(index))->c_str();
      info->value = 0;
    }
    return {};
  });
}

extern "C" ww_status_t wwOperatorDescribeTensor(const ww_operator_t *op, size_t index, ww_tensor_info_t *info,
                                                ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    WW_RETURN_IF_FAILED(check_info(op, info));
    WW_RETURN_IF_FAILED(check_index("tensor", index, op->record->tensors()->size()));
    const format::Tensor &tensor = *op->record->tensors()->Get(static_cast<uint32_t>(index));
    info->name = tensor.name()->c_str();
    info->text = tensor.text()->c_str();
    info->format = tensor.format()->c_str();
    info->layout = tensor.layout()->c_str();
    info->bytes = tensor.bytes()->c_str();
    info->is_output = tensor.is_output();
    info->align_bytes = tensor.align_bytes();
    info->num_dims = tensor.dims()->size();
    return {};
  });
}

extern "C" ww_status_t wwOperatorDescribeKernel(const ww_operator_t *op, size_t index, ww_kernel_info_t *info,
                                                ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    WW_RETURN_IF_FAILED(check_info(op, info));
    WW_RETURN_IF_FAILED(check_index("kernel", index, op->record->kernels()->size()));
    const format::Kernel &kernel = *op->record->kernels()->Get(static_cast<uint32_t>(index));
    info->name = kernel.name()->c_str();
    info->threads = kernel.threads();
    info->dynamic_smem_bytes = kernel.dynamic_smem_bytes();
    info->cluster_x = kernel.cluster_x();
    info->cluster_y = kernel.cluster_y();
    info->cluster_z = kernel.cluster_z();
    info->programmatic_dependent_launch = kernel.programmatic_dependent_launch();
    info->num_images = kernel.images()->size();
    return {};
  });
}

extern "C" ww_status_t wwOperatorDescribeImage(const ww_operator_t *op, size_t kernel_index, size_t image_index,
                                               ww_image_info_t *info, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    WW_RETURN_IF_FAILED(check_info(op, info));
    WW_RETURN_IF_FAILED(check_index("kernel", kernel_index, op->record->kernels()->size()));
    const auto &images = *op->record->kernels()->Get(static_cast<uint32_t>(kernel_index))->images();
    WW_RETURN_IF_FAILED(check_index("image", image_index, images.size()));
    const format::Image &image = *images.Get(static_cast<uint32_t>(image_index));
    const format::BlobView cubin = op->archive->view.blob(image.cubin());
    info->arch = image.arch()->c_str();
    info->tool_version = image.tool_version()->c_str();
    info->registers = image.registers();
    info->spill_store_bytes = image.spill_store_bytes();
    info->spill_load_bytes = image.spill_load_bytes();
    info->cubin = cubin.bytes;
    info->cubin_bytes = cubin.num_bytes;
    return {};
  });
}

extern "C" ww_status_t wwOperatorGetFact(const ww_operator_t *op, size_t index, const char **key, const char **value,
                                         ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!op || !key || !value) return failure(WW_STATUS_INVALID_ARGUMENT, "op, key or value is null");
    WW_RETURN_IF_FAILED(check_open(op));
    WW_RETURN_IF_FAILED(check_index("fact", index, op->record->facts()->size()));
    const format::Fact &fact = *op->record->facts()->Get(static_cast<uint32_t>(index));
    *key = fact.key()->c_str();
    *value = fact.value()->c_str();
    return {};
  });
}

extern "C" ww_status_t wwOperatorMeasureTensor(const ww_operator_t *op, const char *tensor,
                                               const ww_variable_t *variables, size_t num_variables, int64_t *dims,
                                               size_t dims_capacity, size_t *num_dims, uint64_t *num_bytes,
                                               ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!op || !tensor || !num_dims || !num_bytes)
      return failure(WW_STATUS_INVALID_ARGUMENT, "op, tensor, num_dims or num_bytes is null");
    WW_RETURN_IF_FAILED(check_open(op));
    WW_RETURN_IF_FAILED(op->prepare());
    Values values;
    WW_RETURN_IF_FAILED(op->program().bind(variables, num_variables, kNoDevice, &values));
    uint32_t index = 0;
    WW_RETURN_IF_FAILED(find_tensor(*op, tensor, &index));
    const auto &prepared = op->program().tensors()[index];
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    *num_dims = prepared.dims.size();
    if (dims && dims_capacity < prepared.dims.size())
      return failure(WW_STATUS_BUFFER_TOO_SMALL, std::string("tensor ") + tensor + " has " +
                                                     std::to_string(prepared.dims.size()) + " dims");
    for (size_t i = 0; i < prepared.dims.size(); ++i) {
      int64_t dim = 0;
      WW_RETURN_IF_FAILED(prepared.dims[i].evaluate_within(values, 0, kMax, &dim));
      if (dims) dims[i] = dim;
    }
    int64_t bytes = 0;
    WW_RETURN_IF_FAILED(prepared.bytes.evaluate_within(values, 0, kMax, &bytes));
    *num_bytes = static_cast<uint64_t>(bytes);
    return {};
  });
}

extern "C" ww_status_t wwOperatorMeasureWorkspace(const ww_operator_t *op, const ww_variable_t *variables,
                                                  size_t num_variables, int64_t num_sms, uint64_t *num_bytes,
                                                  ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!op || !num_bytes) return failure(WW_STATUS_INVALID_ARGUMENT, "op or num_bytes is null");
    WW_RETURN_IF_FAILED(check_open(op));
    WW_RETURN_IF_FAILED(check_num_sms(num_sms));
    WW_RETURN_IF_FAILED(op->prepare());
    Values values;
    WW_RETURN_IF_FAILED(op->program().bind(variables, num_variables, num_sms, &values));
    return op->program().measure_workspace(values, num_bytes);
  });
}

extern "C" ww_status_t wwOperatorChooseKernels(const ww_operator_t *op, const ww_variable_t *variables,
                                               size_t num_variables, int64_t num_sms, ww_grid_t *grids,
                                               size_t capacity, size_t *num_grids, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!op || !num_grids || (capacity > 0 && !grids))
      return failure(WW_STATUS_INVALID_ARGUMENT, "op, num_grids or grids is null");
    WW_RETURN_IF_FAILED(check_open(op));
    WW_RETURN_IF_FAILED(check_num_sms(num_sms));
    WW_RETURN_IF_FAILED(op->prepare());
    Values values;
    std::vector<ww_grid_t> chosen;
    WW_RETURN_IF_FAILED(op->program().bind(variables, num_variables, num_sms, &values));
    WW_RETURN_IF_FAILED(op->program().choose(values, &chosen));
    *num_grids = chosen.size();
    if (chosen.size() > capacity)
      return failure(WW_STATUS_BUFFER_TOO_SMALL, "the launch has " + std::to_string(chosen.size()) +
                                                     " kernels; there is room for " + std::to_string(capacity));
    for (size_t i = 0; i < chosen.size(); ++i) grids[i] = chosen[i];
    return {};
  });
}
