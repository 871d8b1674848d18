// SPDX-License-Identifier: Apache-2.0
// Reading and checking safetensors files.
#include "tools/pack/safetensors.h"
#include "tools/pack/fail.h"

#include "generator/spec/json_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpwright::pack {
namespace {

using Kind = spec::JsonNode::Kind;

constexpr int64_t kLengthBytes = 8;
// The format's own limit: huggingface/safetensors, tensor.rs, MAX_HEADER_SIZE.
constexpr int64_t kMostHeaderBytes = 100'000'000;

/// The product of a shape times `element`, or nothing if it overflows.
std::optional<int64_t> bytes_of_shape(const std::vector<int64_t> &shape, int64_t element) {
  int64_t bytes = element;
  for (const int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  return bytes;
}

/// A tensor's object of the header, or why it is none.
std::string read_entry(const spec::JsonMember &member, int64_t data_bytes, TensorEntry &out) {
  const spec::JsonNode *dtype = member.value.find("dtype"), *shape = member.value.find("shape"),
                       *offsets = member.value.find("data_offsets");
  if (dtype == nullptr || dtype->kind != Kind::kText || shape == nullptr || shape->kind != Kind::kList || offsets == nullptr ||
      offsets->kind != Kind::kList || offsets->items.size() != 2)
    return "needs dtype, shape and two data_offsets";
  const int64_t element = dtype_bytes(dtype->text);
  if (element == 0) return fmt::format("the type \"{}\" is unknown", dtype->text);
  for (const spec::JsonNode &extent : shape->items) {
    if (extent.kind != Kind::kInteger || extent.integer < 0) return "a shape is a list of counts";
    out.shape.push_back(extent.integer);
  }
  const spec::JsonNode &begin = offsets->items[0], &end = offsets->items[1];
  if (begin.kind != Kind::kInteger || end.kind != Kind::kInteger || begin.integer < 0 || end.integer < begin.integer ||
      end.integer > data_bytes)
    return fmt::format("its data_offsets do not lie within the file's {} bytes of data", data_bytes);
  const std::optional<int64_t> bytes = bytes_of_shape(out.shape, element);
  if (!bytes || *bytes != end.integer - begin.integer)
    return fmt::format("{} {} does not have the {} bytes of its data_offsets", dtype->text, shape_text(out.shape),
                       end.integer - begin.integer);
  out.name = member.key;
  out.dtype = dtype->text;
  out.begin = begin.integer;
  out.bytes = *bytes;
  return "";
}

}  // namespace

int64_t dtype_bytes(const std::string &dtype) {
  static const std::map<std::string, int64_t> bytes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"F8_E8M0", 1}, {"I16", 2}, {"U16", 2},
      {"F16", 2},  {"BF16", 2}, {"I32", 4}, {"U32", 4},     {"F32", 4},     {"I64", 8},     {"U64", 8}, {"F64", 8}};
  const auto at = bytes.find(dtype);
  return at == bytes.end() ? 0 : at->second;
}

std::string shape_text(const std::vector<int64_t> &shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

SafetensorsFile::SafetensorsFile(SafetensorsFile &&other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      bytes_(other.bytes_),
      tensors_(std::move(other.tensors_)),
      metadata_(std::move(other.metadata_)) {}

SafetensorsFile::~SafetensorsFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<SafetensorsFile> SafetensorsFile::open(const std::string &path, support::Diagnostics &diagnostics) {
  SafetensorsFile file;
  file.path_ = path;
  file.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file.fd_ < 0 || ::fstat(file.fd_, &status) != 0) {
    fail({path}, "pack.unreadable", "", std::strerror(errno), diagnostics);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    fail({path}, "pack.unreadable", "", "it is no regular file", diagnostics);
    return std::nullopt;
  }
  file.bytes_ = status.st_size;
  if (file.bytes_ < kLengthBytes) {
    fail({path}, "pack.safetensors", "", fmt::format("{} bytes are too few for the length of a header", file.bytes_), diagnostics);
    return std::nullopt;
  }
  unsigned char raw[kLengthBytes];
  if (!file.read(0, kLengthBytes, raw, diagnostics)) return std::nullopt;
  uint64_t length = 0;
  for (int64_t i = kLengthBytes - 1; i >= 0; --i) length = length << 8 | raw[i];
  const auto most = static_cast<uint64_t>(std::min(kMostHeaderBytes, file.bytes_ - kLengthBytes));
  if (length > most) {
    fail({path}, "pack.safetensors", "", fmt::format("the header is said to have {} bytes, the file allows {}", length, most),
         diagnostics);
    return std::nullopt;
  }
  std::string header(length, '\0');
  const auto header_bytes = static_cast<int64_t>(length);
  if (!file.read(kLengthBytes, header_bytes, header.data(), diagnostics)) return std::nullopt;
  if (!file.parse_header(std::move(header), kLengthBytes + header_bytes, diagnostics)) return std::nullopt;
  return file;
}

bool SafetensorsFile::parse_header(std::string header, int64_t data_begin, support::Diagnostics &diagnostics) {
  const auto document = spec::parse_json(path_, std::move(header), "pack", diagnostics);
  if (!document || diagnostics.has_errors()) return false;
  if (document->root.kind != Kind::kObject) return fail({path_}, "pack.safetensors", "", "the header is no JSON object", diagnostics);
  const int64_t data_bytes = bytes_ - data_begin;
  for (const spec::JsonMember &member : document->root.members) {
    if (member.key == "__metadata__") {
      for (const spec::JsonMember &item : member.value.members)
        if (item.value.kind == Kind::kText) metadata_[item.key] = item.value.text;
      continue;
    }
    TensorEntry entry;
    if (const std::string why = read_entry(member, data_bytes, entry); !why.empty())
      return fail({path_}, "pack.safetensors", member.key, why, diagnostics);
    tensors_.push_back(std::move(entry));
  }
  std::sort(tensors_.begin(), tensors_.end(), [](const TensorEntry &a, const TensorEntry &b) {
    return std::pair(a.begin, a.begin + a.bytes) < std::pair(b.begin, b.begin + b.bytes);
  });
  int64_t end = 0;
  for (TensorEntry &entry : tensors_) {
    if (entry.begin != end)
      return fail({path_}, "pack.safetensors", entry.name,
                  fmt::format("begins at byte {} of the data, where the one before ends at {}", entry.begin, end), diagnostics);
    end += entry.bytes;
    entry.begin += data_begin;
  }
  if (end != data_bytes)
    return fail({path_}, "pack.safetensors", "",
                fmt::format("the tensors have {} bytes, the file {} bytes of data", end, data_bytes), diagnostics);
  return true;
}

const TensorEntry *SafetensorsFile::find(const std::string &name) const {
  const auto at = std::find_if(tensors_.begin(), tensors_.end(), [&](const TensorEntry &entry) { return entry.name == name; });
  return at == tensors_.end() ? nullptr : &*at;
}

bool SafetensorsFile::read(int64_t begin, int64_t count, void *out, support::Diagnostics &diagnostics) const {
  auto *bytes = static_cast<char *>(out);
  while (count > 0) {
    const ssize_t got = ::pread(fd_, bytes, static_cast<size_t>(count), begin);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return fail({path_}, "pack.unreadable", "", got < 0 ? std::strerror(errno) : "the file has become shorter", diagnostics);
    bytes += got;
    begin += got;
    count -= got;
  }
  return true;
}

}  // namespace warpwright::pack
