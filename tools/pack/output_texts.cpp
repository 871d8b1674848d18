// SPDX-License-Identifier: Apache-2.0
// Metadata, index and config.json of a packed checkpoint.
#include "tools/pack/output.h"

#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/support/json_text.h"

#include <fmt/format.h>

namespace warpwright::pack {
namespace {

using support::json_quote;

constexpr char kFormatVersion[] = "1";
constexpr char kLayout[] = "slab64-block128";


std::string_view name_of_rounding(w4a8_gemm::Rounding rounding) {
  return rounding == w4a8_gemm::Rounding::kUp ? "up" : "nearest";
}

std::string_view name_of_split(Split split) {
  return split == Split::kColumn ? "column" : split == Split::kRow ? "row" : "none";
}

}  // namespace

std::string Output::layers_json(size_t file) const {
  std::string json = "{";
  for (const Layer &layer : layers_) {
    if (layer.weight.file != file) continue;
    const auto [n, k] = extent_of(layer, options_.ranks);
    json += fmt::format("{}{}:{{\"n\":{},\"k\":{},\"group\":\"{}\",\"rounding\":\"{}\",\"source\":\"{}\",\"split\":\"{}\"}}",
                        json.size() > 1 ? "," : "", json_quote(layer.name), n, k, w4a8_gemm::group_word(layer.scheme.group),
                        name_of_rounding(layer.scheme.rounding),
                        layer.format == SourceFormat::kFloat ? layer.weight.entry->dtype : name_of(layer.format) + ", re-quantised",
                        name_of_split(layer.split));
  }
  return json + "}";
}

std::map<std::string, std::string> Output::metadata_of(int64_t rank, size_t file, const std::string &digest) const {
  std::map<std::string, std::string> out = {{"format", "pt"},
                                            {"warpwright.format", "w4a8_gemm"},
                                            {"warpwright.format_version", kFormatVersion},
                                            {"warpwright.group", options_.group},
                                            {"warpwright.rounding", options_.rounding},
                                            {"warpwright.layout", has_packed() ? kLayout : "none"},
                                            {"warpwright.layers", layers_json(file)},
                                            {"warpwright.source_sha256", digest}};
  if (options_.ranks > 1) out["warpwright.rank"] = fmt::format("{} of {}", rank, options_.ranks);
  return out;
}

std::string Output::index_of(int64_t rank) const {
  std::string map;
  int64_t total = 0;
  for (size_t file = 0; file < checkpoint_.files.size(); ++file)
    for (const TensorEntry &entry : tensors_of(rank, file)) {
      int64_t bytes = dtype_bytes(entry.dtype);
      for (const int64_t extent : entry.shape) bytes *= extent;
      total += bytes;
      map += fmt::format("{}\n    {}: {}", map.empty() ? "" : ",", json_quote(entry.name), json_quote(name_of_file(file)));
    }
  return fmt::format("{{\n  \"metadata\": {{\"total_size\": {}}},\n  \"weight_map\": {{{}\n  }}\n}}\n", total, map);
}

std::string Output::config_of(int64_t rank) const {
  std::string ranks;
  if (options_.ranks > 1) ranks = fmt::format(", \"tensor_parallel_rank\": {}, \"tensor_parallel_size\": {}", rank, options_.ranks);
  const std::string ours = fmt::format(
      "{{\"quant_method\": \"warpwright_w4a8\", \"format_version\": {}, \"bits\": 4, \"group\": \"{}\", \"rounding\": \"{}\", "
      "\"layout\": \"{}\"{}}}",
      kFormatVersion, options_.group, options_.rounding, has_packed() ? kLayout : "none", ranks);
  // Everything else stays as it was written, byte for byte.
  std::string text = checkpoint_.config->text;
  const spec::JsonNode &root = checkpoint_.config->root;
  if (const spec::JsonNode *old = root.find("quantization_config")) return text.replace(old->begin, old->end - old->begin, ours);
  const size_t at = root.members.empty() ? root.begin + 1 : root.members.back().value.end;
  return text.insert(at, fmt::format("{}\n  \"quantization_config\": {}", root.members.empty() ? "" : ",", ours));
}

}  // namespace warpwright::pack
