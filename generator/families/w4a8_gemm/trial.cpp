// SPDX-License-Identifier: Apache-2.0
// Bytes of a trial and its judgement.
#include "generator/families/w4a8_gemm/trial.h"

#include "generator/families/w4a8_gemm/pack.h"
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/spec/number_codec.h"
#include "generator/support/object_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace warpwright::w4a8_gemm {
namespace {

/// Distance between neighbours of the output's format at `value`.
double spacing(spec::NumberFormat format, double value) {
  const bool is_fp16 = format == spec::NumberFormat::kFp16;
  const int least = is_fp16 ? -14 : -126, exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - (is_fp16 ? 10 : 7));
}

/// Each MMA of 16 ranks rounds the running sum toward zero once (2^-23 of it) and drops at most 2^-25 of its largest term for each
/// of its 17. The largest of all is no more than the magnitudes' sum.
std::vector<double> tolerances(const Problem &problem, const Tensors &tensors, const std::vector<float> &expected) {
  Problem bare = problem;
  bare.has_column_scale = bare.has_bias = false, bare.rank = 0;
  Tensors scaled = tensors;
  scaled.column_scale.clear(), scaled.bias.clear(), scaled.lora_act.clear(), scaled.lora_up.clear();
  const std::vector<float> main = reference(bare, scaled);
  const auto n = static_cast<size_t>(problem.n), rank = static_cast<size_t>(problem.rank);
  const double relative = static_cast<double>(problem.rank) / 16 * (std::ldexp(1.0, -23) + 17 * std::ldexp(1.0, -25)) + std::ldexp(1.0, -22);
  std::vector<double> bounds(expected.size());
  for (size_t i = 0; i < bounds.size(); ++i) {
    const size_t token = i / n, channel = i % n;
    double magnitude = std::fabs(double{main[i]});
    for (size_t r = 0; r < rank; ++r)
      magnitude += std::fabs(spec::decode(problem.lora_format, tensors.lora_act[token * rank + r]) *
                             spec::decode(problem.lora_format, tensors.lora_up[channel * rank + r]));
    const double factor = problem.has_column_scale ? std::fabs(double{tensors.column_scale[channel]}) : 1;
    bounds[i] = magnitude * factor * relative + spacing(problem.output, double{expected[i]});
  }
  return bounds;
}

}  // namespace

Trial make_trial(const spec::KernelSpec &spec, int64_t m, TrialInputs inputs, uint64_t seed) {
  Trial trial;
  trial.problem = make_problem(spec, m);
  const Tensors tensors =
      inputs == TrialInputs::kExact ? exact_tensors(trial.problem, seed) : random_tensors(trial.problem, seed);
  trial.inputs["w"] = pack(tensors.weight);
  trial.inputs["w_scale"] = support::object_bytes(tensors.weight.channel_scale);
  if (trial.problem.group == kPerChannel) trial.inputs["w_zero"] = tensors.weight.zero;
  trial.inputs["x"] = support::object_bytes(tensors.x.x8);
  trial.inputs["x_scale"] = support::object_bytes(tensors.x.x_scale);
  trial.inputs["x_sum"] = support::object_bytes(tensors.x.sum_x);
  if (trial.problem.has_column_scale) trial.inputs["column_scale"] = support::object_bytes(tensors.column_scale);
  if (trial.problem.rank > 0) {
    trial.inputs["lora_act"] = support::object_bytes(tensors.lora_act);
    trial.inputs["lora_up"] = support::object_bytes(tensors.lora_up);
  }
  if (trial.problem.has_bias) trial.inputs["bias"] = support::object_bytes(tensors.bias);
  trial.expected = reference(trial.problem, tensors);
  if (inputs == TrialInputs::kRandom && trial.problem.rank > 0) trial.tolerance = tolerances(trial.problem, tensors, trial.expected);
  return trial;
}

std::string judge(const Trial &trial, const std::vector<uint8_t> &output) {
  const spec::NumberFormat format = trial.problem.output;
  const std::vector<uint8_t> wanted = encode_output(trial.expected, format);
  if (wanted.size() != output.size()) return fmt::format("{} bytes of output instead of {}", output.size(), wanted.size());
  if (wanted == output) return {};
  const size_t bytes = wanted.size() / trial.expected.size();
  uint64_t wrong = 0, first = 0;
  const auto code_of = [&](const std::vector<uint8_t> &from, size_t value) {
    uint32_t code = 0;
    for (size_t i = bytes; i-- > 0;) code = code << 8 | from[value * bytes + i];
    return code;
  };
  for (size_t i = trial.expected.size(); i-- > 0;) {
    if (std::memcmp(output.data() + i * bytes, wanted.data() + i * bytes, bytes) == 0) continue;
    if (!trial.tolerance.empty() && std::fabs(spec::decode(format, code_of(output, i)) - double{trial.expected[i]}) <= trial.tolerance[i]) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return {};
  const auto code_at = [&](const std::vector<uint8_t> &from) { return code_of(from, first); };
  const auto n = static_cast<uint64_t>(trial.problem.n);
  return fmt::format("{} of {} values are wrong; the first is row {}, column {}: {:g} ({:#x}) instead of {:g} ({:#x})", wrong,
                     trial.expected.size(), first / n, first % n, spec::decode(format, code_at(output)), code_at(output),
                     spec::decode(format, code_at(wanted)), code_at(wanted));
}

std::vector<int64_t> edge_tokens(const spec::KernelSpec &spec, int64_t tile_m) {
  const spec::FieldValue &m = spec.at("problem.m");
  if (!m.is_dynamic()) return {m.integer};
  const std::set<int64_t> edges = {1, 7, tile_m, tile_m + 1, 3 * tile_m - 1};
  return {edges.begin(), edges.end()};
}

}  // namespace warpwright::w4a8_gemm
