// SPDX-License-Identifier: Apache-2.0
// Rows of a layer's weight as fp32, whatever the source's format.
#pragma once

#include "tools/pack/layers.h"

#include <cstdint>
#include <vector>

namespace warpwright::pack {

/// `count` values of type F32, F16 or BF16 to fp32.
void widen(const std::string &dtype, const void *from, int64_t count, float *out);

/// Keeps at most the layer's own quantised tensors in memory; floating-point rows are read as they are asked for.
class RowReader {
 public:
  RowReader(const Checkpoint &checkpoint, const SafetensorsFile *smooth_file, const Layer &layer)
      : checkpoint_(checkpoint), smooth_file_(smooth_file), layer_(layer) {}

  /// Reads what belongs to all rows. False with pack.unreadable, pack.source-format (a group index out of range) or pack.smooth
  /// (a factor that is not positive and finite).
  bool open(support::Diagnostics &diagnostics);
  /// Rows `first` … `first + count − 1`, smoothed, to `out`.
  bool read(int64_t first, int64_t count, float *out, support::Diagnostics &diagnostics);
  const std::vector<float> &smooth() const { return smooth_; }

 private:
  bool load(const TensorRef &tensor, std::vector<char> &out, support::Diagnostics &diagnostics) const;
  bool open_groups(support::Diagnostics &diagnostics);
  void dequantise(int64_t first, int64_t count, float *out) const;
  int32_t code(int64_t row, int64_t col) const;
  int32_t zero(int64_t row, int64_t group) const;

  const Checkpoint &checkpoint_;
  const SafetensorsFile *smooth_file_;
  const Layer &layer_;
  std::vector<char> weight_, zeros_, scales_, bytes_;
  std::vector<int32_t> group_of_col_;
  std::vector<float> smooth_;
};

}  // namespace warpwright::pack
