// SPDX-License-Identifier: Apache-2.0
// Finding the files of a checkpoint and the tensors in them.
#include "tools/pack/checkpoint.h"
#include "tools/pack/fail.h"

#include "generator/support/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace warpwright::pack {
namespace {

namespace fs = std::filesystem;

constexpr char kIndexName[] = "model.safetensors.index.json";
constexpr char kEnding[] = ".safetensors";
// Weights of other formats do not go along.
constexpr const char *kLeftBehind[] = {".bin", ".pt", ".pth", ".gguf", ".h5", ".msgpack", ".onnx", ".part"};
constexpr uintmax_t kMostOtherBytes = uintmax_t{256} << 20;

bool ends_with(const std::string &text, const std::string &end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::optional<spec::JsonDocument> read_json(const std::string &file, support::Diagnostics &diagnostics) {
  std::string why;
  std::optional<std::string> text = support::read_file(file, why, spec::kJsonLimitBytes);
  if (!text) {
    fail({file}, "pack.unreadable", "", why, diagnostics);
    return std::nullopt;
  }
  std::optional<spec::JsonDocument> document = spec::parse_json(file, std::move(*text), "pack", diagnostics);
  if (document && document->root.kind != spec::JsonNode::Kind::kObject) {
    fail({file, 1, 1}, "pack.index", "", "it is no JSON object", diagnostics);
    return std::nullopt;
  }
  return document;
}

/// File by tensor, from the index; false with a finding.
bool read_index(const std::string &folder, std::map<std::string, std::string> &file_of, support::Diagnostics &diagnostics) {
  const std::string path = folder + "/" + kIndexName;
  const std::optional<spec::JsonDocument> index = read_json(path, diagnostics);
  if (!index) return false;
  const spec::JsonNode *map = index->root.find("weight_map");
  if (map == nullptr || map->kind != spec::JsonNode::Kind::kObject)
    return fail({path, 1, 1}, "pack.index", "", "has no object \"weight_map\"", diagnostics);
  for (const spec::JsonMember &member : map->members) {
    const std::string &name = member.value.text;
    const bool is_plain = member.value.kind == spec::JsonNode::Kind::kText && ends_with(name, kEnding) &&
                          name.find('/') == std::string::npos;
    if (!is_plain)
      return fail(index->locate(member.value), "pack.index", "",
                  fmt::format("{} is no name of a safetensors file", index->literal(member.value)), diagnostics);
    if (!support::is_file(folder + "/" + name))
      return fail(index->locate(member.value), "pack.index", "", fmt::format("there is no {} in the folder", name), diagnostics);
    file_of[member.key] = name;
  }
  return true;
}

bool list_folder(const std::string &folder, std::set<std::string> &weights, Checkpoint &out, support::Diagnostics &diagnostics) {
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    const std::string name = item->path().filename().string();
    std::error_code ignored;
    if (name.front() == '.' || !item->is_regular_file(ignored) || name == kIndexName || name == "config.json") continue;
    const bool is_left = name == "quantize_config.json" || ends_with(name, ".index.json") ||
                         std::any_of(std::begin(kLeftBehind), std::end(kLeftBehind),
                                     [&](const char *ending) { return ends_with(name, ending); });
    if (ends_with(name, kEnding)) weights.insert(name);
    else if (!is_left && item->file_size(ignored) <= kMostOtherBytes) out.other_files.push_back(name);
  }
  if (error) return fail({folder}, "pack.unreadable", "", error.message(), diagnostics);
  std::sort(out.other_files.begin(), out.other_files.end());
  return true;
}

bool gather(const std::string &folder, const std::map<std::string, std::string> &file_of, Checkpoint &out,
            support::Diagnostics &diagnostics) {
  for (size_t file = 0; file < out.files.size(); ++file)
    for (const TensorEntry &entry : out.files[file].tensors()) {
      const auto told = file_of.find(entry.name);
      const std::string name = fs::path(out.files[file].path()).filename().string();
      if (out.has_index && (told == file_of.end() || told->second != name)) continue;
      if (!out.tensors.emplace(entry.name, TensorRef{file, &entry}).second)
        return fail({out.files[file].path()}, "pack.index", "",
                    fmt::format("{} is in another file too, and no index says which counts", entry.name), diagnostics);
    }
  for (const auto &[tensor, name] : file_of)
    if (out.tensors.count(tensor) == 0)
      return fail({folder + "/" + kIndexName}, "pack.index", "", fmt::format("{} is not in {}", tensor, name), diagnostics);
  return true;
}

}  // namespace

const spec::JsonNode *Checkpoint::quantization() const {
  const spec::JsonNode *inner = config ? config->root.find("quantization_config") : nullptr;
  if (inner != nullptr && inner->kind == spec::JsonNode::Kind::kObject) return inner;
  return quantize_config ? &quantize_config->root : nullptr;
}

const TensorRef *Checkpoint::find(const std::string &name) const {
  const auto at = tensors.find(name);
  return at == tensors.end() ? nullptr : &at->second;
}

bool Checkpoint::read(const TensorRef &tensor, int64_t offset, int64_t count, void *out, support::Diagnostics &diagnostics) const {
  return files[tensor.file].read(tensor.entry->begin + offset, count, out, diagnostics);
}

std::optional<Checkpoint> open_checkpoint(const std::string &path, support::Diagnostics &diagnostics) {
  Checkpoint out;
  out.is_folder = support::is_folder(path);
  std::map<std::string, std::string> file_of;
  std::set<std::string> weights;
  if (out.is_folder) {
    if (!list_folder(path, weights, out, diagnostics)) return std::nullopt;
    out.has_index = support::is_file(path + "/" + kIndexName);
    if (out.has_index) {
      if (!read_index(path, file_of, diagnostics)) return std::nullopt;
      weights.clear();
      for (const auto &[tensor, name] : file_of) weights.insert(name);
    }
    if (weights.empty()) {
      fail({path}, "pack.unreadable", "", "the folder has no safetensors files", diagnostics);
      return std::nullopt;
    }
    for (const auto &[name, document] : {std::pair{"/config.json", &out.config}, {"/quantize_config.json", &out.quantize_config}}) {
      if (!support::is_file(path + name)) continue;
      *document = read_json(path + name, diagnostics);
      if (!*document) return std::nullopt;
    }
  }
  std::vector<std::string> paths;
  for (const std::string &name : weights) paths.push_back(path + "/" + name);
  if (!out.is_folder) paths.push_back(path);
  for (const std::string &file : paths) {
    std::optional<SafetensorsFile> opened = SafetensorsFile::open(file, diagnostics);
    if (!opened) return std::nullopt;
    out.files.push_back(std::move(*opened));
  }
  if (!gather(path, file_of, out, diagnostics)) return std::nullopt;
  return out;
}

}  // namespace warpwright::pack
