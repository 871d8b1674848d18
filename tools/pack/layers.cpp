// SPDX-License-Identifier: Apache-2.0
// Telling published formats by the names and shapes of their tensors, and holding them to the checkpoint's settings.
#include "tools/pack/layers.h"
#include "tools/pack/fail.h"

#include "tools/pack/policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::pack {
namespace {

using Kind = spec::JsonNode::Kind;

bool is_float(const std::string &dtype) { return dtype == "F32" || dtype == "F16" || dtype == "BF16"; }

/// What config.json says; "" or 0 where it says nothing.
struct Settings {
  std::string method, version, format;
  int64_t bits = 0;
};

std::string text_of(const spec::JsonNode &node, const char *key) {
  const spec::JsonNode *found = node.find(key);
  return found != nullptr && found->kind == Kind::kText ? found->text : "";
}

Settings settings_of(const Checkpoint &checkpoint) {
  Settings out;
  const spec::JsonNode *node = checkpoint.quantization();
  if (node == nullptr) return out;
  out.method = text_of(*node, "quant_method");
  if (out.method.empty() && checkpoint.quantize_config && node == &checkpoint.quantize_config->root) out.method = "gptq";
  out.version = text_of(*node, "version");
  std::transform(out.version.begin(), out.version.end(), out.version.begin(), [](unsigned char c) { return std::tolower(c); });
  out.format = text_of(*node, out.method == "gptq" ? "checkpoint_format" : "format");
  const spec::JsonNode *bits = node->find("bits");
  if (bits != nullptr && bits->kind == Kind::kInteger) out.bits = bits->integer;
  return out;
}

class Finder {
 public:
  Finder(const Checkpoint &checkpoint, support::Diagnostics &diagnostics)
      : checkpoint_(checkpoint), diagnostics_(diagnostics), settings_(settings_of(checkpoint)) {
    for (const auto &[name, tensor] : checkpoint.tensors)
      is_quantised_ = is_quantised_ || stem(name, ".qweight") || stem(name, ".weight_packed");
  }

  /// Whether the tensor is the main one of a layer. In a quantised checkpoint the layers that are not stay as they are.
  std::optional<std::string> layer_of(const std::string &name, const TensorEntry &entry) const {
    if (is_quantised_) return stem(name, ".qweight") ? stem(name, ".qweight") : stem(name, ".weight_packed");
    return entry.shape.size() == 2 && is_float(entry.dtype) ? stem(name, ".weight") : std::nullopt;
  }

  std::optional<Layer> read(const std::string &name, const TensorRef &main) const {
    Layer layer;
    layer.name = name;
    layer.weight = main;
    const std::string &tensor = main.entry->name;
    bool is_good = true;
    if (stem(tensor, ".weight_packed")) is_good = read_compressed(layer);
    else if (stem(tensor, ".qweight")) is_good = read_gptq_or_awq(layer);
    else {
      layer.n = main.entry->shape[0];
      layer.k = main.entry->shape[1];
    }
    layer.bias = take(name + ".bias");
    for (const char *end : {".weight", ".qweight", ".weight_packed", ".scales", ".weight_scale", ".qzeros", ".weight_zero_point", ".g_idx",
                            ".weight_g_idx", ".weight_shape", ".bias"})
      if (checkpoint_.find(name + end) != nullptr) layer.tensors.push_back(name + end);
    if (!is_good) return std::nullopt;
    return layer;
  }

 private:
  static std::optional<std::string> stem(const std::string &name, const std::string &end) {
    if (name.size() <= end.size() || name.compare(name.size() - end.size(), end.size(), end) != 0) return std::nullopt;
    return name.substr(0, name.size() - end.size());
  }

  std::optional<TensorRef> take(const std::string &name) const {
    const TensorRef *found = checkpoint_.find(name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  bool refuse(const Layer &layer, const std::string &why) const {
    return fail({checkpoint_.files[layer.weight.file].path()}, "pack.source-format", layer.weight.entry->name, why, diagnostics_);
  }

  static bool has(const TensorRef &tensor, const std::string &dtype, std::vector<int64_t> shape) {
    return tensor.entry->dtype == dtype && tensor.entry->shape == shape;
  }

  // AWQ: casper-hansen/AutoAWQ, awq/modules/linear/gemm.py: qweight [K, N / 8], qzeros [K / g, N / 8], scales [K / g, N].
  // GPTQ: AutoGPTQ/AutoGPTQ, auto_gptq/nn_modules/qlinear/qlinear_cuda.py: qweight [K / 8, N], the others as above, g_idx [K].
  bool read_gptq_or_awq(Layer &layer) const {
    layer.scales = take(layer.name + ".scales");
    layer.zeros = take(layer.name + ".qzeros");
    layer.g_idx = take(layer.name + ".g_idx");
    const TensorEntry &weight = *layer.weight.entry;
    if (!layer.scales || !layer.zeros) return refuse(layer, "there are no scales and qzeros beside it");
    if (weight.dtype != "I32" || weight.shape.size() != 2 || layer.scales->entry->shape.size() != 2 || !is_float(layer.scales->entry->dtype))
      return refuse(layer, "AWQ and GPTQ have a matrix of I32 and one of floating-point scales");
    const int64_t groups = layer.scales->entry->shape[0];
    layer.n = layer.scales->entry->shape[1];
    const bool is_awq = weight.shape[1] * 8 == layer.n;
    layer.format = is_awq ? SourceFormat::kAwq : SourceFormat::kGptq;
    layer.k = is_awq ? weight.shape[0] : weight.shape[0] * 8;
    if (settings_.bits != 0 && settings_.bits != 4) return refuse(layer, fmt::format("has {} bits; 4 can be read", settings_.bits));
    if ((!is_awq && weight.shape[1] != layer.n) || groups <= 0 || layer.k <= 0 || !has(*layer.zeros, "I32", {groups, layer.n / 8}) ||
        layer.n % 8 != 0)
      return refuse(layer, fmt::format("I32 {}, scales {} and qzeros {} are neither AWQ's nor GPTQ's 4-bit shapes", shape_text(weight.shape),
                                       shape_text(layer.scales->entry->shape), shape_text(layer.zeros->entry->shape)));
    if (settings_.method == (is_awq ? "gptq" : "awq"))
      return refuse(layer, fmt::format("the settings say {}, the shapes {}", settings_.method, name_of(layer.format)));
    if (is_awq && !settings_.version.empty() && settings_.version != "gemm")
      return refuse(layer, fmt::format("AWQ of version \"{}\"; \"gemm\" can be read", settings_.version));
    if (!is_awq && !settings_.format.empty() && settings_.format != "gptq" && settings_.format != "gptq_v2")
      return refuse(layer, fmt::format("GPTQ of format \"{}\"; \"gptq\" and \"gptq_v2\" can be read", settings_.format));
    if (!is_awq && settings_.format != "gptq_v2") layer.zero_shift = 1;
    return check_groups(layer, groups);
  }

  // vllm-project/compressed-tensors, src/compressed_tensors/compressors/quantized_compressors/pack_quantized.py: weight_packed
  // [N, K / 8], weight_scale [N, K / g], weight_zero_point [N / 8, K / g] if asymmetric; codes and zeros are less 8.
  bool read_compressed(Layer &layer) const {
    layer.format = SourceFormat::kCompressedTensors;
    layer.scales = take(layer.name + ".weight_scale");
    layer.zeros = take(layer.name + ".weight_zero_point");
    layer.g_idx = take(layer.name + ".weight_g_idx");
    const TensorRef *shape = checkpoint_.find(layer.name + ".weight_shape");
    if (!layer.scales || shape == nullptr || (shape->entry->dtype != "I64" && shape->entry->dtype != "I32") ||
        shape->entry->shape != std::vector<int64_t>{2})
      return refuse(layer, "compressed-tensors has weight_scale and a weight_shape of two integers beside it");
    if (!settings_.format.empty() && settings_.format != "pack-quantized")
      return refuse(layer, fmt::format("compressed-tensors of format \"{}\"; \"pack-quantized\" can be read", settings_.format));
    int64_t wide[2] = {};
    int32_t narrow[2] = {};
    const bool is_wide = shape->entry->dtype == "I64";
    if (!checkpoint_.read(*shape, 0, shape->entry->bytes, is_wide ? static_cast<void *>(wide) : narrow, diagnostics_)) return false;
    layer.n = is_wide ? wide[0] : narrow[0];
    layer.k = is_wide ? wide[1] : narrow[1];
    const std::vector<int64_t> &scales = layer.scales->entry->shape;
    if (layer.n <= 0 || layer.k <= 0 || !has(layer.weight, "I32", {layer.n, (layer.k + 7) / 8}) || scales.size() != 2 ||
        scales[0] != layer.n || scales[1] <= 0 || !is_float(layer.scales->entry->dtype))
      return refuse(layer, fmt::format("{} {} and scales {} are not INT4 of shape [{}, {}]", layer.weight.entry->dtype,
                                       shape_text(layer.weight.entry->shape), shape_text(scales), layer.n, layer.k));
    if (layer.zeros && !has(*layer.zeros, "I32", {(layer.n + 7) / 8, scales[1]}) && !has(*layer.zeros, "I8", scales))
      return refuse(layer, fmt::format("zero points {} {} do not belong to scales {}", layer.zeros->entry->dtype,
                                       shape_text(layer.zeros->entry->shape), shape_text(scales)));
    return check_groups(layer, scales[1]);
  }

  bool check_groups(const Layer &layer, int64_t groups) const {
    if (layer.g_idx ? !has(*layer.g_idx, "I32", {layer.k}) : layer.k % groups != 0)
      return refuse(layer, fmt::format("{} groups do not divide K = {}", groups, layer.k));
    return true;
  }

  const Checkpoint &checkpoint_;
  support::Diagnostics &diagnostics_;
  Settings settings_;
  bool is_quantised_ = false;
};

}  // namespace

std::string name_of(SourceFormat format) {
  switch (format) {
    case SourceFormat::kFloat: return "floating point";
    case SourceFormat::kAwq: return "AWQ INT4";
    case SourceFormat::kGptq: return "GPTQ INT4";
    case SourceFormat::kCompressedTensors: return "compressed-tensors INT4";
  }
  return "?";
}

std::optional<std::vector<Layer>> find_layers(const Checkpoint &checkpoint, const Options &options,
                                              support::Diagnostics &diagnostics) {
  const std::optional<Policy> policy = Policy::load(options, diagnostics);
  if (!policy) return std::nullopt;
  const Finder finder(checkpoint, diagnostics);
  std::vector<Layer> layers;
  for (const auto &[name, tensor] : checkpoint.tensors) {
    const std::optional<std::string> layer_name = finder.layer_of(name, *tensor.entry);
    if (!layer_name || policy->ignores(*layer_name)) continue;
    std::optional<Layer> layer = finder.read(*layer_name, tensor);
    if (layer && policy->apply(*layer, diagnostics)) layers.push_back(std::move(*layer));
  }
  policy->tell_unmatched(diagnostics);
  if (layers.empty() && !diagnostics.has_errors()) {
    support::Diagnostic d;
    d.slug = "pack.no-layers";
    d.where.file = options.input;
    d.message = fmt::format("none of {} tensors is a weight to quantise", checkpoint.tensors.size());
    diagnostics.add(std::move(d));
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return layers;
}

}  // namespace warpwright::pack
