// SPDX-License-Identifier: Apache-2.0
// Safetensors files: a header that is checked in full before a byte of data is believed, ranges read and written.
#pragma once

#include "generator/support/diagnostics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::pack {

/// Bytes of one element of a safetensors type ("F32", "BF16", "I32", …); 0 for a name that is unknown.
/// Source: huggingface/safetensors, safetensors/src/tensor.rs, enum Dtype.
int64_t dtype_bytes(const std::string &dtype);

struct TensorEntry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  int64_t begin = 0;  ///< in the file
  int64_t bytes = 0;
};

/// "[4096, 512]"
std::string shape_text(const std::vector<int64_t> &shape);

/// An open file. Not copied: owns a descriptor.
class SafetensorsFile {
 public:
  /// Checks the header: its length within the file and 100 MB, an object of tensors with known types, offsets that match the
  /// shapes, follow each other without gap or overlap, and end with the file.
  ///
  /// Errors    pack.unreadable, pack.safetensors (which tensor, what is wrong), pack.not-json, pack.duplicate-key.
  /// Source    huggingface/safetensors, README.md, "Format".
  static std::optional<SafetensorsFile> open(const std::string &path, support::Diagnostics &diagnostics);
  SafetensorsFile(SafetensorsFile &&other) noexcept;
  SafetensorsFile &operator=(SafetensorsFile &&) = delete;
  ~SafetensorsFile();

  const std::string &path() const { return path_; }
  int64_t bytes() const { return bytes_; }
  const std::vector<TensorEntry> &tensors() const { return tensors_; }
  const std::map<std::string, std::string> &metadata() const { return metadata_; }
  const TensorEntry *find(const std::string &name) const;

  /// `count` bytes from `begin` of the file. False with pack.unreadable.
  bool read(int64_t begin, int64_t count, void *out, support::Diagnostics &diagnostics) const;

 private:
  SafetensorsFile() = default;
  bool parse_header(std::string header, int64_t data_begin, support::Diagnostics &diagnostics);

  std::string path_;
  int fd_ = -1;
  int64_t bytes_ = 0;
  std::vector<TensorEntry> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// A file that is written in any order once its tensors are known.
class SafetensorsWriter {
 public:
  /// Orders the tensors by element size, then name, so that each lies aligned.
  SafetensorsWriter(std::string path, std::vector<TensorEntry> tensors, std::map<std::string, std::string> metadata);
  ~SafetensorsWriter();
  SafetensorsWriter(const SafetensorsWriter &) = delete;
  SafetensorsWriter &operator=(const SafetensorsWriter &) = delete;

  /// Makes the file with its header. False with cli.unwritable.
  bool create(support::Diagnostics &diagnostics);
  /// Requires a tensor of the list and a range within it. False with cli.unwritable.
  bool write(const std::string &tensor, int64_t offset, const void *bytes, int64_t count, support::Diagnostics &diagnostics);
  /// False with cli.unwritable.
  bool close(support::Diagnostics &diagnostics);

 private:
  bool write_at(int64_t begin, const void *bytes, int64_t count, support::Diagnostics &diagnostics);

  std::string path_;
  int fd_ = -1;
  std::vector<TensorEntry> order_;
  std::map<std::string, TensorEntry> tensors_;
  std::string header_;
};

}  // namespace warpwright::pack
