// SPDX-License-Identifier: Apache-2.0
// Staging, copying and publishing.
#include "tools/pack/output.h"
#include "tools/pack/fail.h"

#include "generator/compile/scratch.h"
#include "generator/families/w4a8_gemm/packed_layout.h"
#include "generator/support/files.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

namespace warpwright::pack {
namespace {

namespace fs = std::filesystem;

constexpr char kStagedPrefix[] = ".warpwright-packed-";
constexpr int64_t kCopyBytes = int64_t{1} << 22;

bool unwritable(const std::string &file, const std::string &why, support::Diagnostics &diagnostics) {
  return fail({file}, "cli.unwritable", "", "cannot write the file: " + why, diagnostics);
}

std::string parent_of(const std::string &path) {
  fs::path whole(path);
  if (whole.filename().empty()) whole = whole.parent_path();  // "out/"
  const fs::path parent = whole.parent_path();
  return parent.empty() ? "." : parent.string();
}

void remove_abandoned(const std::string &folder) {
  std::error_code error;
  for (fs::directory_iterator item(folder, error), end; !error && item != end; item.increment(error)) {
    const std::string path = item->path().string();
    std::error_code ignored;
    if (compile::is_abandoned(path, item->path().filename().string(), kStagedPrefix)) fs::remove_all(path, ignored);
  }
}

/// Never in place of anything: a rename onto an empty folder or a file would be.
bool rename_new(const std::string &from, const std::string &to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  struct stat unused {};
  if (::lstat(to.c_str(), &unused) == 0) {
    errno = EEXIST;
    return false;
  }
  return ::rename(from.c_str(), to.c_str()) == 0;
}

}  // namespace

Extent extent_of(const Layer &layer, int64_t ranks) {
  return {layer.split == Split::kColumn ? layer.n / ranks : layer.n, layer.split == Split::kRow ? layer.k / ranks : layer.k};
}

Destination destination_of(const Layer &layer, int64_t row, int64_t ranks) {
  int64_t before = 0;
  for (const int64_t part : layer.parts) {
    const int64_t of_rank = part / ranks;
    if (row < part) return {row / of_rank, before + row % of_rank};
    row -= part;
    before += of_rank;
  }
  throw support::InternalError("a row beyond the parts of " + layer.name);
}

Output::~Output() {
  writers_.clear();
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
}

bool Output::is_free(const Options &options, support::Diagnostics &diagnostics) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(options.output, ignored))) return true;
  return fail({options.output}, "pack.exists", "", "there is something of that name already; it is left alone", diagnostics);
}

std::string Output::folder_of(int64_t rank) const {
  const std::string out = staging_ + "/out";
  return options_.ranks == 1 ? out : fmt::format("{}/rank-{}", out, rank);
}

std::string Output::name_of_file(size_t file) const {
  return checkpoint_.is_folder ? fs::path(checkpoint_.files[file].path()).filename().string() : "model.safetensors";
}

bool Output::create(const std::vector<std::string> &digests, support::Diagnostics &diagnostics) {
  if (has_clash(diagnostics)) return false;
  const std::string parent = parent_of(options_.output);
  std::string why;
  if (!support::make_folders(parent, why)) return unwritable(parent, why, diagnostics);
  remove_abandoned(parent);
  staging_ = parent + "/" + kStagedPrefix + compile::owner_tag();
  for (int64_t rank = 0; rank < options_.ranks; ++rank) {
    if (!support::make_folders(folder_of(rank), why)) return unwritable(options_.output, why, diagnostics);
    writers_.emplace_back();
    for (size_t file = 0; file < checkpoint_.files.size(); ++file) {
      writers_.back().push_back(std::make_unique<SafetensorsWriter>(
          folder_of(rank) + "/" + name_of_file(file), tensors_of(rank, file), metadata_of(rank, file, digests[file])));
      if (!writers_.back().back()->create(diagnostics)) return false;
    }
  }
  return true;
}

void Output::add_layer(const Layer &layer, int64_t rank, std::vector<TensorEntry> &out) const {
  const auto [n, k] = extent_of(layer, options_.ranks);
  const int64_t group = layer.scheme.group;
  const auto add = [&](const char *end, const char *dtype, std::vector<int64_t> shape) {
    out.push_back({layer.name + end, dtype, std::move(shape)});
  };
  add(".channel_scale", "F32", {n});
  if (group == w4a8_gemm::kPerChannel) add(".zero", "U8", {n});
  if (has_canonical()) {
    add(".q4", "U8", {n, k / 2});
    if (group != w4a8_gemm::kPerChannel) {
      add(".group_scale", "U8", {n, k / group});
      add(".group_offset", "U8", {n, k / group});
    }
  }
  if (has_packed()) add(".packed", "U8", {n / w4a8_gemm::kSlabRows, w4a8_gemm::slab_bytes(k, group)});
  if (layer.smooth) add(".smooth", "F32", {k});
  // The sum over the ranks of a row split must have the bias once.
  if (layer.bias && (layer.split != Split::kRow || rank == 0)) add(".bias", layer.bias->entry->dtype.c_str(), {n});
}

std::vector<TensorEntry> Output::tensors_of(int64_t rank, size_t file) const {
  std::vector<TensorEntry> out;
  std::set<std::string> of_layers;
  for (const Layer &layer : layers_) {
    of_layers.insert(layer.tensors.begin(), layer.tensors.end());
    if (layer.weight.file == file) add_layer(layer, rank, out);
  }
  for (const auto &[name, tensor] : checkpoint_.tensors)
    if (tensor.file == file && of_layers.count(name) == 0) out.push_back({name, tensor.entry->dtype, tensor.entry->shape});
  return out;
}

bool Output::has_clash(support::Diagnostics &diagnostics) const {
  std::set<std::string> names;
  for (size_t file = 0; file < checkpoint_.files.size(); ++file)
    for (const TensorEntry &entry : tensors_of(0, file))
      if (!names.insert(entry.name).second) {
        fail({options_.input}, "pack.source-format", "", "there is a tensor " + entry.name + " beside those that it would be made from",
             diagnostics);
        return true;
      }
  return false;
}

bool Output::copy(const TensorRef &tensor, int64_t rank, support::Diagnostics &diagnostics) {
  std::vector<char> bytes(static_cast<size_t>(std::min(kCopyBytes, tensor.entry->bytes)));
  for (int64_t at = 0; at < tensor.entry->bytes; at += kCopyBytes) {
    const int64_t count = std::min(kCopyBytes, tensor.entry->bytes - at);
    if (is_interrupted_() || !checkpoint_.read(tensor, at, count, bytes.data(), diagnostics) ||
        !writer(rank, tensor).write(tensor.entry->name, at, bytes.data(), count, diagnostics))
      return false;
  }
  return true;
}

bool Output::copy_rows(const TensorRef &tensor, const Layer &layer, support::Diagnostics &diagnostics) {
  const int64_t element = dtype_bytes(tensor.entry->dtype), count = w4a8_gemm::kSlabRows * element;
  std::vector<char> bytes(static_cast<size_t>(count));
  for (int64_t row = 0; row < layer.n; row += w4a8_gemm::kSlabRows) {
    if (!checkpoint_.read(tensor, row * element, count, bytes.data(), diagnostics)) return false;
    for (int64_t rank = 0; rank < options_.ranks; ++rank) {
      const bool is_column_split = layer.split == Split::kColumn;
      const Destination to = is_column_split ? destination_of(layer, row, options_.ranks) : Destination{rank, row};
      if (to.rank != rank || (layer.split == Split::kRow && rank > 0)) continue;
      if (!writer(rank, layer.weight).write(layer.name + ".bias", to.row * element, bytes.data(), count, diagnostics)) return false;
    }
  }
  return true;
}

bool Output::copy_others(support::Diagnostics &diagnostics) {
  std::set<std::string> of_layers;
  for (const Layer &layer : layers_) {
    of_layers.insert(layer.tensors.begin(), layer.tensors.end());
    if (layer.bias && !copy_rows(*layer.bias, layer, diagnostics)) return false;
  }
  for (const auto &[name, tensor] : checkpoint_.tensors)
    for (int64_t rank = 0; rank < options_.ranks && of_layers.count(name) == 0; ++rank)
      if (!copy(tensor, rank, diagnostics)) return false;
  return true;
}

bool Output::publish(support::Diagnostics &diagnostics) {
  for (auto &of_rank : writers_)
    for (auto &writer : of_rank)
      if (!writer->close(diagnostics)) return false;
  std::string why;
  const std::string folder = fs::path(checkpoint_.files.front().path()).parent_path().string();
  for (int64_t rank = 0; rank < options_.ranks && !is_file(); ++rank) {
    const auto put = [&](const char *name, const std::string &text) {
      return support::write_file(folder_of(rank) + "/" + name, text, why) ||
             unwritable(options_.output + "/" + name, why, diagnostics);
    };
    if (checkpoint_.files.size() > 1 || checkpoint_.has_index)
      if (!put("model.safetensors.index.json", index_of(rank))) return false;
    if (checkpoint_.config && !put("config.json", config_of(rank))) return false;
    for (const std::string &name : checkpoint_.other_files) {
      std::error_code error;
      fs::copy_file(folder + "/" + name, folder_of(rank) + "/" + name, error);
      if (error) return unwritable(options_.output + "/" + name, error.message(), diagnostics);
    }
  }
  const std::string from = is_file() ? folder_of(0) + "/" + name_of_file(0) : staging_ + "/out";
  std::string to = options_.output;
  while (to.size() > 1 && to.back() == '/') to.pop_back();
  return rename_new(from, to) || unwritable(options_.output, std::strerror(errno), diagnostics);
}

}  // namespace warpwright::pack
