// SPDX-License-Identifier: Apache-2.0
// Bytes of a trial and its judgement.
#include "generator/families/w4a8_gemm/trial.h"

#include "generator/families/w4a8_gemm/pack.h"
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/spec/number_codec.h"
#include "generator/support/object_bytes.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

namespace warpwright::w4a8_gemm {
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
  if (trial.problem.has_bias) trial.inputs["bias"] = support::object_bytes(tensors.bias);
  trial.expected = reference(trial.problem, tensors);
  return trial;
}

std::string judge(const Trial &trial, const std::vector<uint8_t> &output) {
  const spec::NumberFormat format = trial.problem.output;
  const std::vector<uint8_t> wanted = encode_output(trial.expected, format);
  if (wanted.size() != output.size()) return fmt::format("{} bytes of output instead of {}", output.size(), wanted.size());
  if (wanted == output) return {};
  const size_t bytes = wanted.size() / trial.expected.size();
  uint64_t wrong = 0, first = 0;
  for (size_t i = trial.expected.size(); i-- > 0;) {
    if (std::memcmp(output.data() + i * bytes, wanted.data() + i * bytes, bytes) == 0) continue;
    ++wrong;
    first = i;
  }
  const auto code_at = [&](const std::vector<uint8_t> &from) {
    uint32_t code = 0;
    for (size_t i = bytes; i-- > 0;) code = code << 8 | from[first * bytes + i];
    return code;
  };
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
