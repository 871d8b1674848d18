// SPDX-License-Identifier: Apache-2.0
// Temporary folders with an owner.
#include "generator/compile/scratch.h"

#include "generator/support/digest.h"
#include "generator/support/files.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <mutex>

namespace warpwright::compile {
namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "warpwright-scratch-";
constexpr size_t kDomainChars = 8;
constexpr std::time_t kAbandonedAfterSeconds = 3600;

/// Process ids mean the same in processes that share the boot and the id namespace.
std::string make_domain() {
  std::string unused;
  std::string identity = support::read_file("/proc/sys/kernel/random/boot_id", unused).value_or("unknown boot");
  std::error_code error;
  identity += fs::read_symlink("/proc/self/ns/pid", error).string();
  return support::sha256_hex(identity).substr(0, kDomainChars);
}

const std::string &domain() {
  static const std::string value = make_domain();
  return value;
}

std::string scratch_parent() {
  const char *folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

/// When a process started, in clock ticks since the boot; 0 if there is none. Source: proc(5), /proc/[pid]/stat, the
/// 22nd field; the second one is the program's name in parentheses and may hold anything.
unsigned long long start_of_process(pid_t id) {
  std::string unused;
  const std::string stat = support::read_file("/proc/" + std::to_string(id) + "/stat", unused).value_or("");
  size_t at = stat.rfind(')');
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  unsigned long long start = 0;
  if (at != std::string::npos) std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), start);
  return start;
}

bool is_old(const std::string &path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_mtime + kAbandonedAfterSeconds < std::time(nullptr);
}

}  // namespace

const std::string &owner_tag() {
  // A fork keeps the statics and changes the id.
  thread_local std::string tag;
  thread_local pid_t tagged = 0;
  if (tagged != ::getpid()) {
    tagged = ::getpid();
    tag = domain() + "-" + std::to_string(tagged) + "-" + std::to_string(start_of_process(tagged));
  }
  return tag;
}

bool is_abandoned(const std::string &path, const std::string &name, const std::string &prefix) {
  const size_t id_at = prefix.size() + kDomainChars + 1;
  if (name.size() <= id_at || name.compare(0, prefix.size(), prefix) != 0 || name[id_at - 1] != '-') return false;
  pid_t id = 0;
  unsigned long long start = 0;
  const char *end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + id_at, end, id);
  if (parsed.ec != std::errc() || id <= 0 || parsed.ptr == end || *parsed.ptr != '-') return false;
  if (std::from_chars(parsed.ptr + 1, end, start).ec != std::errc()) return false;
  if (name.compare(prefix.size(), kDomainChars, domain()) == 0) return start_of_process(id) != start;
  return is_old(path);
}

ScratchFolder::ScratchFolder() {
  static std::once_flag cleaned;
  std::call_once(cleaned, [] { remove_abandoned_scratch(); });
  std::string form = scratch_parent() + "/" + kPrefix + owner_tag() + "-XXXXXX";
  if (::mkdtemp(form.data()) == nullptr) {
    why_ = "cannot make a folder in " + scratch_parent() + ": " + std::strerror(errno);
    return;
  }
  path_ = form;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

int remove_abandoned_scratch() {
  int removed = 0;
  std::error_code error;
  for (fs::directory_iterator item(scratch_parent(), error), end; !error && item != end; item.increment(error)) {
    const std::string path = item->path().string();
    struct stat status {};
    // Never follow a link and never touch another user's folder: /tmp is shared.
    if (!is_abandoned(path, item->path().filename().string(), kPrefix) || ::lstat(path.c_str(), &status) != 0 ||
        !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) {
      continue;
    }
    std::error_code ignored;
    if (fs::remove_all(path, ignored) > 0) ++removed;
  }
  return removed;
}

}  // namespace warpwright::compile
