// SPDX-License-Identifier: Apache-2.0
// The compiler cache: staged writes, verified reads.
#include "generator/compile/cache.h"

#include "generator/compile/compile.h"
#include "generator/compile/scratch.h"
#include "generator/support/digest.h"
#include "generator/support/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>

namespace warpwright::compile {
namespace {

namespace fs = std::filesystem;

// An entry: this line, the key and a line end, the digest of everything after it and a line end, the content.
constexpr std::string_view kMagic = "warpwright cache entry 1\n";
constexpr size_t kDigestChars = 64;
constexpr size_t kHeaderBytes = kMagic.size() + 2 * (kDigestChars + 1);
constexpr char kStagedPrefix[] = "staged-";

/// The key is part of what is digested: an entry under another entry's name is not valid.
std::string entry_digest(const std::string &key, std::string_view content) {
  std::string digested = key;
  digested += '\n';
  digested += content;
  return support::sha256_hex(digested);
}

bool write_staged(const std::string &file, std::string_view header, std::string_view content) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return false;
  bool is_written = true;
  for (std::string_view part : {header, content}) {
    while (is_written && !part.empty()) {
      const ssize_t written = ::write(fd, part.data(), part.size());
      if (written < 0 && errno == EINTR) continue;
      is_written = written > 0;
      if (is_written) part.remove_prefix(static_cast<size_t>(written));
    }
  }
  // A full disk may say so only here. No fsync: a power cut can tear an entry, and load() sees that.
  const int error = is_written ? 0 : errno;
  const bool is_closed = ::close(fd) == 0;
  if (is_written && is_closed) return true;
  const int reported = error != 0 ? error : errno;
  ::unlink(file.c_str());
  errno = reported;
  return false;
}

/// True once per process and folder.
bool is_first_use(const std::string &folder) {
  static std::mutex mutex;
  static std::set<std::string> used;
  const std::lock_guard lock(mutex);
  return used.insert(folder).second;
}

}  // namespace

std::string default_cache_folder() {
  const auto variable = [](const char *name) -> std::string {
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string own = variable("WARPWRIGHT_CACHE"); !own.empty()) return own;
  // The XDG base directory specification: a relative path is to be ignored.
  if (const std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty() && xdg.front() == '/')
    return xdg + "/warpwright";
  // A relative one would leave a cache in whatever folder the tool is started from.
  const std::string home = variable("HOME");
  return home.empty() || home.front() != '/' ? "" : home + "/.cache/warpwright";
}

Cache::Cache(std::string folder) : folder_(std::move(folder)) {}

std::string Cache::entry_path(const std::string &key) const {
  return folder_ + "/entries/" + key.substr(0, 2) + "/" + key;
}

std::string Cache::staging_folder() const { return folder_ + "/staging"; }

std::optional<std::string> Cache::load(const std::string &key) const {
  std::string unused;
  std::optional<std::string> entry = support::read_file(entry_path(key), unused);
  if (!entry || entry->size() < kHeaderBytes) return std::nullopt;
  const std::string_view view = *entry;
  const std::string_view content = view.substr(kHeaderBytes);
  const std::string header = std::string(kMagic) + key + "\n" + entry_digest(key, content) + "\n";
  if (view.substr(0, kHeaderBytes) != header) return std::nullopt;
  return entry->substr(kHeaderBytes);
}

bool Cache::store(const std::string &key, std::string_view bytes, std::string &why) const {
  static std::atomic<unsigned> counter{0};
  const std::string entry = entry_path(key);
  if (!support::make_folders(staging_folder(), why) ||
      !support::make_folders(fs::path(entry).parent_path().string(), why)) {
    return false;
  }
  if (is_first_use(folder_)) remove_abandoned();
  const std::string staged =
      staging_folder() + "/" + kStagedPrefix + owner_tag() + "-" + std::to_string(counter.fetch_add(1));
  const std::string header = std::string(kMagic) + key + "\n" + entry_digest(key, bytes) + "\n";
  if (!write_staged(staged, header, bytes)) {
    why = std::strerror(errno);
    return false;
  }
  if (::rename(staged.c_str(), entry.c_str()) == 0) return true;
  why = std::strerror(errno);
  ::unlink(staged.c_str());
  return false;
}

int Cache::remove_abandoned() const {
  int removed = 0;
  std::error_code error;
  for (fs::directory_iterator item(staging_folder(), error), end; !error && item != end; item.increment(error)) {
    const std::string path = item->path().string();
    if (is_abandoned(path, item->path().filename().string(), kStagedPrefix) && ::unlink(path.c_str()) == 0) ++removed;
  }
  return removed;
}

}  // namespace warpwright::compile
