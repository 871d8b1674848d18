// SPDX-License-Identifier: Apache-2.0
// The files of a packed checkpoint: which tensors they hold, config and index, written aside and put in place whole.
#pragma once

#include "tools/pack/layers.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpwright::pack {

/// What a rank has of a layer.
struct Extent {
  int64_t n = 0;
  int64_t k = 0;
};
Extent extent_of(const Layer &layer, int64_t ranks);

/// Where 64 rows of a column-split layer go.
struct Destination {
  int64_t rank = 0;
  int64_t row = 0;
};
Destination destination_of(const Layer &layer, int64_t row, int64_t ranks);

class Output {
 public:
  Output(const Checkpoint &checkpoint, const std::vector<Layer> &layers, const Options &options,
         const std::function<bool()> &is_interrupted)
      : checkpoint_(checkpoint), layers_(layers), options_(options), is_interrupted_(is_interrupted) {}
  /// Removes what was staged and not published.
  ~Output();
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;

  /// Errors    pack.exists (the output is there already), cli.unwritable.
  static bool is_free(const Options &options, support::Diagnostics &diagnostics);
  /// Makes every file with its header. `digests`: SHA-256 of each source file. False with cli.unwritable, or pack.source-format
  /// if a tensor that goes along has the name of a new one.
  bool create(const std::vector<std::string> &digests, support::Diagnostics &diagnostics);
  SafetensorsWriter &writer(int64_t rank, const TensorRef &main) { return *writers_[static_cast<size_t>(rank)][main.file]; }
  /// Tensors of no layer, to every rank; biases, split as their layer. False without a finding if interrupted.
  bool copy_others(support::Diagnostics &diagnostics);
  /// Index, config.json and small files, then the rename.
  bool publish(support::Diagnostics &diagnostics);

  bool is_file() const { return !checkpoint_.is_folder && options_.ranks == 1; }
  bool has_canonical() const { return options_.write != "packed"; }
  bool has_packed() const { return options_.write != "canonical"; }

 private:
  std::string folder_of(int64_t rank) const;
  std::string name_of_file(size_t file) const;
  bool has_clash(support::Diagnostics &diagnostics) const;
  std::vector<TensorEntry> tensors_of(int64_t rank, size_t file) const;
  void add_layer(const Layer &layer, int64_t rank, std::vector<TensorEntry> &out) const;
  std::map<std::string, std::string> metadata_of(int64_t rank, size_t file, const std::string &digest) const;
  std::string layers_json(size_t file) const;
  std::string index_of(int64_t rank) const;
  std::string config_of(int64_t rank) const;
  bool copy_rows(const TensorRef &tensor, const Layer &layer, support::Diagnostics &diagnostics);
  bool copy(const TensorRef &tensor, int64_t rank, support::Diagnostics &diagnostics);

  const Checkpoint &checkpoint_;
  const std::vector<Layer> &layers_;
  const Options &options_;
  const std::function<bool()> &is_interrupted_;
  std::string staging_;
  std::vector<std::vector<std::unique_ptr<SafetensorsWriter>>> writers_;  ///< [rank][file]
};

}  // namespace warpwright::pack
