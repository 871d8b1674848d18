// SPDX-License-Identifier: Apache-2.0
// What to try for fields that are auto, and what to try when a plan should have one more stage.
#include "generator/families/w4a4_lora_gemm/plan.h"
#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/plan/operator_parts.h"

#include <fmt/format.h>
#include <algorithm>

namespace warpwright::w4a4_lora_gemm {
namespace {

using spec::FieldValue;
using spec::KernelSpec;
using plan::Domain;

std::vector<FieldValue> words(const std::vector<std::string> &values) {
  std::vector<FieldValue> made;
  for (const std::string &value : values) made.push_back(spec::text_value(value));
  return made;
}

bool is_word(const KernelSpec &spec, const std::string &path, const std::string &word) {
  const FieldValue &value = spec.at(path);
  return value.kind == FieldValue::Kind::kText && value.text == word;
}

std::vector<int64_t> tile_m_values(const KernelSpec &spec) {
  const FieldValue &pairing = spec.at("cta_pairing");
  if (!pairing.is_auto()) return {pairing.integer * kCtaRows};
  const FieldValue &cluster = spec.at("cluster");
  if (!cluster.is_auto()) return {cluster.list.front() * kCtaRows};
  return {256, 128};
}

std::vector<int64_t> tile_n_values(const KernelSpec &spec) {
  if (is_word(spec, "accumulators", "overlapped")) return {256};
  if (is_word(spec, "accumulators", "double")) return {192, 128, 64};
  return {256, 192, 128, 64};
}

std::vector<std::string> accumulator_words(const KernelSpec &spec) {
  const bool is_strict = is_word(spec, "ordering", "strict");
  if (spec.integer("tile.n") == 256) return {is_strict ? "single" : "overlapped"};
  // Strict ordering may need the second accumulator's columns for scales.
  return is_strict ? std::vector<std::string>{"double", "single"} : std::vector<std::string>{"double"};
}

/// Tiles along m first within a group of n tiles keeps the weights of the group in L2 while the activations stream;
/// a group no wider than the tiles along n.
std::vector<Domain> raster_domains(const KernelSpec &spec) {
  std::vector<Domain> domains;
  if (spec.is_auto("rasterisation.along")) domains.push_back({"rasterisation.along", words({"m"})});
  if (spec.is_auto("rasterisation.group")) {
    const int64_t tile_n = spec.integer("tile.n");
    const int64_t tiles_n = (spec.integer("problem.n") + tile_n - 1) / tile_n;
    int64_t group = 8;
    while (group > 1 && group > tiles_n) group /= 2;
    domains.push_back({"rasterisation.group", plan::integer_values({group})});
  }
  return domains;
}

std::vector<Domain> tile_domains(const KernelSpec &spec) {
  if (spec.is_auto("tile.m")) return {{"tile.m", plan::integer_values(tile_m_values(spec))}};
  const int64_t pairing = spec.integer("tile.m") / kCtaRows;
  if (spec.is_auto("cta_pairing")) return {{"cta_pairing", plan::integer_values({pairing})}};
  if (spec.is_auto("cluster")) return {{"cluster", {spec::list_value({pairing, 1})}}};
  if (spec.is_auto("tile.n")) return {{"tile.n", plan::integer_values(tile_n_values(spec))}};
  if (spec.is_auto("tile.k"))
    return {{"tile.k",
             plan::integer_values(spec.integer("problem.k") <= 128 ? std::vector<int64_t>{128} : std::vector<int64_t>{256, 128})}};
  if (spec.is_auto("accumulators")) return {{"accumulators", words(accumulator_words(spec))}};
  return {};
}

std::vector<Domain> lora_domains(const KernelSpec &spec) {
  if (spec.integer("lora.rank") == 0) return {};
  if (spec.is_auto("lora.placement")) return {{"lora.placement", words({"ring", "dedicated"})}};
  if (is_word(spec, "lora.placement", "dedicated") && spec.is_auto("lora.stages"))
    return {{"lora.stages", plan::integer_values({1, 2})}};
  return {};
}

std::vector<Domain> epilogue_domains(const KernelSpec &spec) {
  if (spec.is_auto("epilogue.staging_cols")) return {{"epilogue.staging_cols", plan::integer_values({64, 32})}};
  // A second buffer lets a sub-tile be written while the one before leaves; a third has nothing left to hide.
  if (spec.is_auto("epilogue.staging_buffers")) return {{"epilogue.staging_buffers", plan::integer_values({2, 1})}};
  return {};
}

}  // namespace

std::vector<Domain> auto_domains(const KernelSpec &spec) {
  if (std::vector<Domain> preset = plan::default_domains(spec, family_spec()); !preset.empty()) return preset;
  for (const auto &part : {tile_domains, raster_domains, lora_domains, epilogue_domains}) {
    std::vector<Domain> domains = part(spec);
    if (!domains.empty()) return domains;
  }
  return {};
}

std::vector<plan::Change> possible_changes(const KernelSpec &spec) {
  std::vector<plan::Change> changes;
  const auto add = [&](const std::string &effect, std::vector<std::pair<std::string, FieldValue>> sets) {
    changes.push_back({std::move(sets), effect});
  };
  const auto value_of = [&](const std::string &path) {
    const FieldValue &field = spec.at(path);
    return field.kind == FieldValue::Kind::kInteger ? field.integer : 0;
  };
  if (is_word(spec, "lora.placement", "dedicated")) {
    add("LoRA chunks travel through the operand ring",
        {{"lora.placement", spec::text_value("ring")}, {"lora.stages", FieldValue{}}});
    for (int64_t fewer = value_of("lora.stages") - 1; fewer >= 1; --fewer)
      add(fmt::format("{} dedicated LoRA stage{}", fewer, fewer == 1 ? "" : "s"),
          {{"lora.stages", spec::integer_value(fewer)}});
    for (const int64_t rank : {128, 64})
      if (value_of("lora.rank") > rank)
        add(fmt::format("LoRA of rank {} has fewer chunks", rank), {{"lora.rank", spec::integer_value(rank)}});
  }
  if (value_of("epilogue.staging_cols") > 32)
    add("epilogue sub-tiles of 32 columns", {{"epilogue.staging_cols", spec::integer_value(32)}});
  for (int64_t fewer = value_of("epilogue.staging_buffers") - 1; fewer >= 1; --fewer)
    add(fmt::format("{} staging buffer{}", fewer, fewer == 1 ? "" : "s"),
        {{"epilogue.staging_buffers", spec::integer_value(fewer)}});
  if (is_word(spec, "epilogue.output", "fp32"))
    add("sub-tiles of half the bytes", {{"epilogue.output", spec::text_value("bf16")}});
  if (value_of("tile.k") > 128) add("stages of half the bytes", {{"tile.k", spec::integer_value(128)}});
  for (const int64_t cols : {192, 128, 64})
    if (value_of("tile.n") > cols)
      add(fmt::format("a tile of {} columns", cols),
          {{"tile.n", spec::integer_value(cols)}, {"accumulators", FieldValue{}}});
  if (value_of("tile.n") == 256 && !is_word(spec, "accumulators", "overlapped") && !is_word(spec, "ordering", "strict"))
    add("accumulators that share columns", {{"accumulators", spec::text_value("overlapped")}});
  if (is_word(spec, "accumulators", "double")) add("one accumulator", {{"accumulators", spec::text_value("single")}});
  if (is_word(spec, "ordering", "strict")) add("one copy of the scales", {{"ordering", spec::text_value("pipe")}});
  return changes;
}

}  // namespace warpwright::w4a4_lora_gemm
