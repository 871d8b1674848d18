// SPDX-License-Identifier: Apache-2.0
// Writing safetensors files.
#include "tools/pack/safetensors.h"

#include "generator/support/json_text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace warpwright::pack {
namespace {

bool unwritable(const std::string &file, support::Diagnostics &diagnostics) {
  support::Diagnostic d;
  d.slug = "cli.unwritable";
  d.where.file = file;
  d.message = fmt::format("cannot write the file: {}", std::strerror(errno));
  diagnostics.add(std::move(d));
  return false;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::string path, std::vector<TensorEntry> tensors,
                                     std::map<std::string, std::string> metadata)
    : path_(std::move(path)), order_(std::move(tensors)) {
  std::sort(order_.begin(), order_.end(), [](const TensorEntry &a, const TensorEntry &b) {
    return std::tuple(-dtype_bytes(a.dtype), a.name) < std::tuple(-dtype_bytes(b.dtype), b.name);
  });
  std::string json = "{\"__metadata__\":{";
  const char *comma = "";
  for (const auto &[key, value] : metadata) {
    json += fmt::format("{}{}:{}", comma, support::json_quote(key), support::json_quote(value));
    comma = ",";
  }
  json += "}";
  int64_t offset = 0;
  for (TensorEntry &entry : order_) {
    entry.begin = offset;
    entry.bytes = dtype_bytes(entry.dtype);
    for (const int64_t extent : entry.shape) entry.bytes *= extent;
    offset += entry.bytes;
    json += fmt::format(",{}:{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{},{}]}}", support::json_quote(entry.name), entry.dtype,
                        shape_text(entry.shape), entry.begin, offset);
  }
  json += "}";
  json.append((8 - json.size() % 8) % 8, ' ');
  for (size_t i = 0; i < 8; ++i) header_ += static_cast<char>(static_cast<uint64_t>(json.size()) >> (8 * i) & 0xff);
  header_ += json;
  for (TensorEntry &entry : order_) {
    entry.begin += static_cast<int64_t>(header_.size());
    tensors_[entry.name] = entry;
  }
}

SafetensorsWriter::~SafetensorsWriter() {
  if (fd_ >= 0) ::close(fd_);
}

bool SafetensorsWriter::create(support::Diagnostics &diagnostics) {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) return unwritable(path_, diagnostics);
  return write_at(0, header_.data(), static_cast<int64_t>(header_.size()), diagnostics);
}

bool SafetensorsWriter::write(const std::string &tensor, int64_t offset, const void *bytes, int64_t count,
                              support::Diagnostics &diagnostics) {
  const auto at = tensors_.find(tensor);
  WARPWRIGHT_ASSERT(at != tensors_.end(), "no tensor " + tensor);
  WARPWRIGHT_ASSERT(offset >= 0 && count >= 0 && offset + count <= at->second.bytes, "beyond the end of " + tensor);
  return write_at(at->second.begin + offset, bytes, count, diagnostics);
}

bool SafetensorsWriter::write_at(int64_t begin, const void *bytes, int64_t count, support::Diagnostics &diagnostics) {
  const auto *from = static_cast<const char *>(bytes);
  while (count > 0) {
    const ssize_t done = ::pwrite(fd_, from, static_cast<size_t>(count), begin);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return unwritable(path_, diagnostics);
    from += done;
    begin += done;
    count -= done;
  }
  return true;
}

bool SafetensorsWriter::close(support::Diagnostics &diagnostics) {
  const int fd = fd_;
  fd_ = -1;
  return ::close(fd) == 0 || unwritable(path_, diagnostics);
}

}  // namespace warpwright::pack
