// SPDX-License-Identifier: Apache-2.0
// Opening, listing, verifying and closing archives.
#include "runtime/src/archive.h"

#include "runtime/format/container.h"
#include "runtime/src/open_handles.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace warpwright::runtime {

OpenHandles &OpenHandles::instance() {
  // Never destroyed: exit handlers of others may still close archives.
  static OpenHandles *const handles = new OpenHandles;
  return *handles;
}

namespace {

/// strerror is not thread-safe.
std::string text_of_errno(int error) { return std::generic_category().message(error); }

ww_status_t status_of(format::ReadError error) {
  switch (error) {
    case format::ReadError::kNone: return WW_STATUS_OK;
    case format::ReadError::kNotAnArchive: return WW_STATUS_NOT_AN_ARCHIVE;
    case format::ReadError::kUnsupportedVersion: return WW_STATUS_UNSUPPORTED_VERSION;
    case format::ReadError::kTruncated:
    case format::ReadError::kCorrupt: return WW_STATUS_CORRUPT_ARCHIVE;
  }
  return WW_STATUS_INTERNAL;
}

/// Checks the bytes and makes the operator handles.
Status finish_open(const uint8_t *bytes, size_t num_bytes, const std::string &name,
                   std::unique_ptr<ww_archive_t> opened, ww_archive_t **archive) {
  std::string problem;
  const format::ReadError error = opened->view.open(bytes, num_bytes, &problem);
  if (error != format::ReadError::kNone) return failure(status_of(error), name + ": " + problem);
  const auto &records = *opened->view.manifest().operators();
  opened->num_operators = records.size();
  opened->operators = std::make_unique<ww_operator_t[]>(records.size());
  for (uint32_t i = 0; i < records.size(); ++i) {
    opened->operators[i].archive = opened.get();
    opened->operators[i].record = records.Get(i);
    OpenHandles::instance().add(&opened->operators[i]);
  }
  OpenHandles::instance().add(opened.get());
  *archive = opened.release();
  return {};
}

}  // namespace

Mapping::~Mapping() {
  if (bytes_) munmap(const_cast<uint8_t *>(bytes_), num_bytes_);
}

Status Mapping::open(const char *path) {
  const std::string name = path;
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure(WW_STATUS_FILE_UNREADABLE, name + ": " + text_of_errno(errno));
  struct stat facts = {};
  Status status;
  if (fstat(file, &facts) != 0) {
    status = failure(WW_STATUS_FILE_UNREADABLE, name + ": " + text_of_errno(errno));
  } else if (!S_ISREG(facts.st_mode)) {
    status = failure(WW_STATUS_FILE_UNREADABLE, name + ": not a regular file");
  } else if (facts.st_size == 0) {
    status = failure(WW_STATUS_NOT_AN_ARCHIVE, name + ": not a Warpwright archive: the file is empty");
  } else {
    const size_t size_bytes = static_cast<size_t>(facts.st_size);
    void *bytes = mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) {
      status = failure(WW_STATUS_FILE_UNREADABLE, name + ": " + text_of_errno(errno));
    } else {
      bytes_ = static_cast<const uint8_t *>(bytes);
      num_bytes_ = size_bytes;
    }
  }
  ::close(file);
  return status;
}

}  // namespace warpwright::runtime

using warpwright::runtime::failure;
using warpwright::runtime::guarded;
using warpwright::runtime::Status;

warpwright::runtime::Status ww_operator_t::prepare() const {
  std::call_once(is_prepared_, [this] { prepared_ = program_.prepare(*record); });
  return prepared_;
}

extern "C" ww_status_t wwArchiveOpen(const char *path, ww_archive_t **archive, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!path || !archive) return failure(WW_STATUS_INVALID_ARGUMENT, "path or archive is null");
    *archive = nullptr;
    auto opened = std::make_unique<ww_archive_t>();
    WW_RETURN_IF_FAILED(opened->mapping.open(path));
    const uint8_t *bytes = opened->mapping.bytes();
    const size_t num_bytes = opened->mapping.num_bytes();
    return warpwright::runtime::finish_open(bytes, num_bytes, path, std::move(opened), archive);
  });
}

extern "C" ww_status_t wwArchiveOpenMemory(const void *bytes, size_t num_bytes, ww_archive_t **archive,
                                           ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!bytes || !archive) return failure(WW_STATUS_INVALID_ARGUMENT, "bytes or archive is null");
    *archive = nullptr;
    if (reinterpret_cast<uintptr_t>(bytes) % warpwright::format::kManifestAlignBytes != 0)
      return failure(WW_STATUS_MISALIGNED_POINTER, "bytes is not aligned to 8");
    return warpwright::runtime::finish_open(static_cast<const uint8_t *>(bytes), num_bytes, "archive in memory",
                                            std::make_unique<ww_archive_t>(), archive);
  });
}

extern "C" void wwArchiveClose(ww_archive_t *archive) {
  auto &open = warpwright::runtime::OpenHandles::instance();
  if (!archive || !open.remove(archive)) return;
  for (size_t i = 0; i < archive->num_operators; ++i) open.remove(&archive->operators[i]);
  for (size_t i = 0; i < archive->num_operators; ++i) archive->operators[i].unload();
  delete archive;
}

extern "C" ww_status_t wwArchiveVerify(const ww_archive_t *archive, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!archive) return failure(WW_STATUS_INVALID_ARGUMENT, "archive is null");
    WW_RETURN_IF_FAILED(warpwright::runtime::check_open(archive));
    std::string problem;
    if (!archive->view.check_all(&problem)) return failure(WW_STATUS_CORRUPT_ARCHIVE, std::move(problem));
    for (size_t i = 0; i < archive->num_operators; ++i) WW_RETURN_IF_FAILED(archive->operators[i].prepare());
    return {};
  });
}

extern "C" size_t wwArchiveCountOperators(const ww_archive_t *archive) {
  return archive && warpwright::runtime::OpenHandles::instance().has(archive) ? archive->num_operators : 0;
}

extern "C" ww_status_t wwArchiveGetOperator(ww_archive_t *archive, size_t index, ww_operator_t **op,
                                            ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!archive || !op) return failure(WW_STATUS_INVALID_ARGUMENT, "archive or op is null");
    *op = nullptr;
    WW_RETURN_IF_FAILED(warpwright::runtime::check_open(archive));
    if (index >= archive->num_operators)
      return failure(WW_STATUS_INVALID_ARGUMENT, "operator " + std::to_string(index) + " of " +
                                                     std::to_string(archive->num_operators));
    *op = &archive->operators[index];
    return {};
  });
}

extern "C" ww_status_t wwArchiveFindOperator(ww_archive_t *archive, const char *name, ww_operator_t **op,
                                             ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!archive || !name || !op) return failure(WW_STATUS_INVALID_ARGUMENT, "archive, name or op is null");
    *op = nullptr;
    WW_RETURN_IF_FAILED(warpwright::runtime::check_open(archive));
    for (size_t i = 0; i < archive->num_operators; ++i) {
      if (archive->operators[i].record->name()->string_view() != name) continue;
      *op = &archive->operators[i];
      return {};
    }
    return failure(WW_STATUS_NOT_FOUND, std::string("no operator ") + name + " among the archive's " +
                                            std::to_string(archive->num_operators));
  });
}
