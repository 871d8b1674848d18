// SPDX-License-Identifier: Apache-2.0
// A checkpoint: one safetensors file, or a folder of them with an index and a config.json.
#pragma once

#include "generator/spec/json_tree.h"
#include "tools/pack/safetensors.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::pack {

struct TensorRef {
  size_t file = 0;
  const TensorEntry *entry = nullptr;
};

struct Checkpoint {
  bool is_folder = false;
  bool has_index = false;
  std::vector<SafetensorsFile> files;         ///< in order of name
  std::map<std::string, TensorRef> tensors;   ///< those of the index, if there is one
  std::optional<spec::JsonDocument> config;   ///< config.json
  std::optional<spec::JsonDocument> quantize_config;  ///< quantize_config.json, which older GPTQ folders have
  std::vector<std::string> other_files;       ///< names of small files that go along: tokenizer, generation config, …

  /// The settings of an already quantised checkpoint: config.json's quantization_config, or the other file; or null.
  const spec::JsonNode *quantization() const;
  const TensorRef *find(const std::string &name) const;
  bool read(const TensorRef &tensor, int64_t offset, int64_t count, void *out, support::Diagnostics &diagnostics) const;
};

/// Errors    pack.unreadable, pack.index (what the index says and the files do not), those of SafetensorsFile::open().
std::optional<Checkpoint> open_checkpoint(const std::string &path, support::Diagnostics &diagnostics);

}  // namespace warpwright::pack
