// SPDX-License-Identifier: Apache-2.0
// Reading whole files, and writing them by staging and renaming.
#include "generator/support/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>

namespace warpwright::support {
namespace {

namespace fs = std::filesystem;

/// Closes on every way out.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd > STDERR_FILENO) ::close(fd);
  }
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// A name that no other writer of any process uses now.
std::string staged_name(const std::string &file) {
  static std::atomic<unsigned> counter{0};
  const fs::path path(file);
  const std::string name = "." + path.filename().string() + "." + std::to_string(::getpid()) + "-" +
                           std::to_string(counter.fetch_add(1)) + ".part";
  return (path.parent_path() / name).string();
}

/// Renames without replacing; false with errno EEXIST if `to` exists.
bool rename_new(const std::string &from, const std::string &to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system without RENAME_NOREPLACE: a hard link also fails if the name is taken.
  if (::link(from.c_str(), to.c_str()) != 0) return false;
  ::unlink(from.c_str());
  return true;
}

/// What pipes gave: a pipe gives its bytes once, and a spec is looked at more than once (`plan <(make_spec)`).
class PipeTexts {
 public:
  std::optional<std::string> find(const std::string &file) {
    const std::lock_guard lock(mutex_);
    const auto at = texts_.find(file);
    return at == texts_.end() ? std::nullopt : std::optional(at->second);
  }
  void keep(const std::string &file, const std::string &text) {
    const std::lock_guard lock(mutex_);
    texts_[file] = text;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> texts_;
};

PipeTexts &pipe_texts() {
  static PipeTexts texts;
  return texts;
}

bool write_to_device(const std::string &file, std::string_view bytes, std::string &why) {
  Descriptor out{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  if (out.fd >= 0 && write_all(out.fd, bytes)) return true;
  why = std::strerror(errno);
  return false;
}

bool write_staged(const std::string &staged, std::string_view bytes, mode_t mode, std::string &why) {
  Descriptor out{::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
  if (out.fd < 0) {
    why = std::strerror(errno);
    return false;
  }
  // Keep the permissions of the file that is replaced.
  if (!write_all(out.fd, bytes) || (mode != 0 && ::fchmod(out.fd, mode) != 0)) {
    why = std::strerror(errno);
    ::unlink(staged.c_str());
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> read_file(const std::string &file, std::string &why, int64_t limit_bytes) {
  const bool is_stdin = file == "-";
  struct stat named {};
  const bool is_read_once = is_stdin || (::stat(file.c_str(), &named) == 0 && S_ISFIFO(named.st_mode));
  if (is_read_once) {
    if (std::optional<std::string> kept = pipe_texts().find(file)) return kept;
  }
  Descriptor in{is_stdin ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status {};
  if (in.fd < 0 || ::fstat(in.fd, &status) != 0) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  if (S_ISDIR(status.st_mode)) {
    why = "it is a folder";
    return std::nullopt;
  }
  // A device may have no end.
  constexpr int64_t kDeviceLimitBytes = int64_t{1} << 24;
  if (S_ISCHR(status.st_mode)) limit_bytes = std::min(limit_bytes, kDeviceLimitBytes);
  std::string text;
  if (S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size <= limit_bytes) {
    text.reserve(static_cast<size_t>(status.st_size));
  }
  char buffer[1 << 16];
  while (true) {
    const ssize_t got = ::read(in.fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      why = std::strerror(errno);
      return std::nullopt;
    }
    if (got == 0) {
      if (is_read_once) pipe_texts().keep(file, text);
      return text;
    }
    text.append(buffer, static_cast<size_t>(got));
    if (static_cast<int64_t>(text.size()) > limit_bytes) {
      why = "it is longer than " + std::to_string(limit_bytes) + " bytes";
      return std::nullopt;
    }
  }
}

bool write_file(const std::string &file, std::string_view bytes, std::string &why, IfExists if_exists) {
  struct stat status {};
  const bool exists = ::stat(file.c_str(), &status) == 0;
  struct stat link {};
  if (!exists && ::lstat(file.c_str(), &link) == 0) {
    why = "it is a symbolic link that leads nowhere";
    return false;
  }
  if (exists && S_ISDIR(status.st_mode)) {
    why = "it is a folder";
    return false;
  }
  if (exists && !S_ISREG(status.st_mode)) return write_to_device(file, bytes, why);
  if (exists && if_exists == IfExists::kKeepIfEqual) {
    std::string unreadable;
    const std::optional<std::string> old = read_file(file, unreadable);
    if (old && *old == bytes) return true;
  }
  if (exists && if_exists == IfExists::kRefuse) {
    why = std::strerror(EEXIST);
    return false;
  }
  // Through a symbolic link the file that it names is replaced, not the link.
  std::error_code ignored;
  const fs::path canonical = exists ? fs::canonical(file, ignored) : fs::path();
  const std::string target = canonical.empty() ? file : canonical.string();
  const std::string staged = staged_name(target);
  if (!write_staged(staged, bytes, exists ? status.st_mode & 07777 : 0, why)) return false;
  const bool renamed =
      if_exists == IfExists::kRefuse ? rename_new(staged, target) : ::rename(staged.c_str(), target.c_str()) == 0;
  if (!renamed) {
    why = std::strerror(errno);
    ::unlink(staged.c_str());
  }
  return renamed;
}

bool make_folders(const std::string &folder, std::string &why) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (is_folder(folder)) return true;
  why = error ? error.message() : std::string("it is not a folder");
  return false;
}

bool is_file(const std::string &path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const std::string &path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

}  // namespace warpwright::support
