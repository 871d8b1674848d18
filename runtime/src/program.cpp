// SPDX-License-Identifier: Apache-2.0
// Parses the recipe's expressions once and evaluates them per launch.
#include "runtime/src/program.h"

#include <algorithm>
#include <limits>

namespace warpwright::runtime {

namespace {

constexpr const char *kNumSms = "num_sms";

/// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": grid dimensions.
constexpr int64_t kMaxGridX = 0x7fffffff;
constexpr int64_t kMaxGridYz = 65535;

std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

}  // namespace

int64_t bytes_of(format::Element element) {
  switch (element) {
    case format::Element::U8: return 1;
    case format::Element::U16:
    case format::Element::Fp16:
    case format::Element::Bf16: return 2;
    case format::Element::S32:
    case format::Element::Fp32: return 4;
  }
  return 0;
}

Status Formula::evaluate(const Values &values, int64_t *result) const {
  format::ExpressionFault fault;
  if (expression.evaluate(values.data(), result, &fault)) return {};
  return failure(WW_STATUS_SHAPE_REFUSED, meaning + ": " + format::describe(fault, text));
}

Status Formula::evaluate_within(const Values &values, int64_t min, int64_t max, int64_t *result) const {
  WW_RETURN_IF_FAILED(evaluate(values, result));
  if (*result >= min && *result <= max) return {};
  return failure(WW_STATUS_SHAPE_REFUSED, meaning + " is " + std::to_string(*result) + " (\"" + text + "\"); " +
                                              std::to_string(min) + " to " + std::to_string(max) + " is possible");
}

Status Program::parse(const flatbuffers::String *text, const std::vector<std::string> &names, std::string meaning,
                      Formula *formula) const {
  format::ExpressionFault fault;
  auto expression = format::Expression::parse(text->string_view(), names, &fault);
  if (!expression)
    return failure(WW_STATUS_INVALID_RECIPE, "operator " + record_->name()->str() + ": " + meaning + ": " +
                                                 format::describe(fault, text->string_view()) +
                                                 "; variables: " + join(names));
  *formula = {std::move(*expression), text->c_str(), std::move(meaning)};
  return {};
}

Status Program::parse_all(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> &texts,
                          const std::vector<std::string> &names, const std::string &meaning,
                          std::vector<Formula> *formulas) const {
  formulas->resize(texts.size());
  for (uint32_t i = 0; i < texts.size(); ++i)
    WW_RETURN_IF_FAILED(parse(texts.Get(i), names, meaning + " " + std::to_string(i), &(*formulas)[i]));
  return {};
}

Status Program::prepare(const format::Operator &record) {
  record_ = &record;
  for (const auto *name : *record.variables()) shape_names_.push_back(name->str());
  num_bound_ = shape_names_.size();
  for (const auto *fixed : *record.fixed_variables()) {
    shape_names_.push_back(fixed->name()->str());
    fixed_values_.push_back(fixed->value());
  }
  launch_names_ = shape_names_;
  launch_names_.push_back(kNumSms);
  std::vector<std::string> sorted = launch_names_;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return failure(WW_STATUS_INVALID_RECIPE, "operator " + record.name()->str() + ": variable " + *twice +
                                                 " is declared twice");
  tensors_.resize(record.tensors()->size());
  for (uint32_t i = 0; i < record.tensors()->size(); ++i) {
    const format::Tensor &tensor = *record.tensors()->Get(i);
    const std::string name = "tensor " + tensor.name()->str();
    WW_RETURN_IF_FAILED(parse_all(*tensor.dims(), shape_names_, name + ", dim", &tensors_[i].dims));
    WW_RETURN_IF_FAILED(parse(tensor.bytes(), shape_names_, name + ", bytes", &tensors_[i].bytes));
  }
  for (const format::Kernel *kernel : *record.kernels()) WW_RETURN_IF_FAILED(prepare_kernel(*kernel));
  for (const format::Dispatch *row : *record.dispatch()) {
    dispatch_.emplace_back();
    dispatch_.back().record = row;
    WW_RETURN_IF_FAILED(parse(row->condition(), launch_names_, "dispatch condition", &dispatch_.back().condition));
  }
  return parse(record.workspace_bytes(), launch_names_, "workspace bytes", &workspace_);
}

Status Program::prepare_kernel(const format::Kernel &record) {
  PreparedKernel &kernel = kernels_.emplace_back();
  kernel.record = &record;
  const std::string name = "kernel " + record.name()->str();
  WW_RETURN_IF_FAILED(parse_all(*record.grid(), launch_names_, name + ", grid", &kernel.grid));
  WW_RETURN_IF_FAILED(parse_all(*record.requires_true(), launch_names_, name + ", requirement",
                                &kernel.requires_true));
  for (const format::TensorMap *map : *record.tensor_maps())
    WW_RETURN_IF_FAILED(prepare_map(record, *map, &kernel.maps.emplace_back()));
  for (const format::Param *param : *record.params()) {
    auto &value = kernel.param_values.emplace_back();
    if (param->kind() != format::ParamKind::Int32) continue;
    WW_RETURN_IF_FAILED(parse(param->expression(), launch_names_, name + ", parameter " + param->name()->str(),
                              &value.emplace()));
  }
  return {};
}

Status Program::prepare_map(const format::Kernel &kernel, const format::TensorMap &record, PreparedMap *map) {
  map->record = &record;
  const std::string name = "kernel " + kernel.name()->str() + ", " + record.name()->str();
  // Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled: without interleaving the box's inner dimension is a
  // multiple of 16 bytes, and at most the swizzle's width.
  const int64_t row_bytes = int64_t{record.box()->Get(0)} * bytes_of(record.element());
  if (row_bytes % 16 != 0 || (record.swizzle_bytes() != 0 && row_bytes > record.swizzle_bytes()))
    return failure(WW_STATUS_INVALID_RECIPE, name + ": a box row of " + std::to_string(row_bytes) +
                                                 " B is not a multiple of 16 B within a swizzle of " +
                                                 std::to_string(record.swizzle_bytes()) + " B");
  WW_RETURN_IF_FAILED(parse_all(*record.dims(), shape_names_, name + ", dim", &map->dims));
  return parse_all(*record.strides_bytes(), shape_names_, name + ", stride", &map->strides_bytes);
}

Status Program::bind(const ww_variable_t *variables, size_t num_variables, int64_t num_sms, Values *values) const {
  if (num_variables > 0 && !variables) return failure(WW_STATUS_INVALID_ARGUMENT, "variables is null");
  values->assign(launch_names_.size(), 0);
  std::copy(fixed_values_.begin(), fixed_values_.end(), values->begin() + static_cast<std::ptrdiff_t>(num_bound_));
  values->back() = num_sms;
  std::vector<bool> is_bound(num_bound_, false);
  for (size_t i = 0; i < num_variables; ++i) {
    if (!variables[i].name) return failure(WW_STATUS_INVALID_ARGUMENT, "a variable's name is null");
    const std::string name = variables[i].name;
    const auto found = std::find(shape_names_.begin(), shape_names_.end(), name);
    if (found == shape_names_.end())
      return failure(WW_STATUS_NOT_FOUND, "operator " + record_->name()->str() + " has no variable " + name +
                                              "; it has: " + join(shape_names_));
    const size_t index = static_cast<size_t>(found - shape_names_.begin());
    if (index >= num_bound_) {
      if ((*values)[index] == variables[i].value) continue;
      return failure(WW_STATUS_SHAPE_REFUSED, "operator " + record_->name()->str() + " was built for " + name + " = " +
                                                  std::to_string((*values)[index]) + ", not " +
                                                  std::to_string(variables[i].value));
    }
    if (is_bound[index]) return failure(WW_STATUS_INVALID_ARGUMENT, "variable " + name + " is bound twice");
    is_bound[index] = true;
    (*values)[index] = variables[i].value;
  }
  for (size_t i = 0; i < num_bound_; ++i)
    if (!is_bound[i])
      return failure(WW_STATUS_UNBOUND_VARIABLE, "operator " + record_->name()->str() + ": variable " +
                                                     shape_names_[i] + " is not bound");
  return {};
}

Status Program::choose_grid(const PreparedKernel &kernel, const Values &values, ww_grid_t *grid) const {
  for (const Formula &requirement : kernel.requires_true) {
    int64_t holds = 0;
    WW_RETURN_IF_FAILED(requirement.evaluate(values, &holds));
    if (!holds)
      return failure(WW_STATUS_SHAPE_REFUSED, "kernel " + kernel.record->name()->str() + " requires \"" +
                                                  requirement.text + "\"");
  }
  int64_t edges[3];
  const uint32_t cluster[] = {kernel.record->cluster_x(), kernel.record->cluster_y(), kernel.record->cluster_z()};
  for (size_t i = 0; i < 3; ++i) {
    WW_RETURN_IF_FAILED(kernel.grid[i].evaluate_within(values, 1, i == 0 ? kMaxGridX : kMaxGridYz, &edges[i]));
    if (edges[i] % cluster[i] != 0)
      return failure(WW_STATUS_INVALID_RECIPE, kernel.grid[i].meaning + " is " + std::to_string(edges[i]) +
                                                   ", not a multiple of the cluster's " + std::to_string(cluster[i]));
  }
  grid->x = static_cast<uint32_t>(edges[0]);
  grid->y = static_cast<uint32_t>(edges[1]);
  grid->z = static_cast<uint32_t>(edges[2]);
  return {};
}

Status Program::choose(const Values &values, std::vector<ww_grid_t> *grids) const {
  for (const PreparedDispatch &row : dispatch_) {
    int64_t holds = 0;
    WW_RETURN_IF_FAILED(row.condition.evaluate(values, &holds));
    if (!holds) continue;
    for (const uint16_t index : *row.record->kernels()) {
      ww_grid_t grid = {};
      grid.kernel_index = index;
      WW_RETURN_IF_FAILED(choose_grid(kernels_[index], values, &grid));
      grids->push_back(grid);
    }
    return {};
  }
  std::string shape;
  for (size_t i = 0; i < shape_names_.size(); ++i)
    shape += (i ? ", " : "") + shape_names_[i] + " = " + std::to_string(values[i]);
  return failure(WW_STATUS_SHAPE_REFUSED, "operator " + record_->name()->str() + " has no kernel for " + shape);
}

Status Program::measure_workspace(const Values &values, uint64_t *num_bytes) const {
  int64_t bytes = 0;
  WW_RETURN_IF_FAILED(workspace_.evaluate_within(values, 0, std::numeric_limits<int64_t>::max(), &bytes));
  *num_bytes = static_cast<uint64_t>(bytes);
  return {};
}

}  // namespace warpwright::runtime
