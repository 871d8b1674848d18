// SPDX-License-Identifier: Apache-2.0
// The verb `show`: looks inside an archive, checks its digests, takes it apart.
#include "generator/support/digest.h"
#include "generator/support/files.h"
#include "generator/support/text_table.h"
#include "tools/cli/report.h"
#include "tools/cli/show_archive.h"
#include "tools/cli/verbs.h"
#include "warpwright/warpwright.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace warpwright::cli {
namespace {

using support::Diagnostics;

support::Diagnostic problem_with(const std::string &file, const std::string &slug, const std::string &message) {
  support::Diagnostic diagnostic = error(slug, message);
  diagnostic.where.file = file;
  return diagnostic;
}

bool open_archive(const std::string &file, ShownArchive &archive, Diagnostics &diagnostics) {
  archive.file = file;
  std::string why;
  auto bytes = support::read_file(file, why);
  if (!bytes) {
    diagnostics.add(problem_with(file, "archive.unreadable", why));
    return false;
  }
  archive.bytes = std::move(*bytes);
  const auto *begin = reinterpret_cast<const uint8_t *>(archive.bytes.data());
  switch (archive.view.open(begin, archive.bytes.size(), &why)) {
    case format::ReadError::kNone: return true;
    case format::ReadError::kNotAnArchive: diagnostics.add(problem_with(file, "archive.not-an-archive", why)); break;
    case format::ReadError::kUnsupportedVersion:
      diagnostics.add(problem_with(file, "archive.unsupported-version", why));
      break;
    case format::ReadError::kTruncated:
    case format::ReadError::kCorrupt: diagnostics.add(problem_with(file, "archive.corrupt", why)); break;
  }
  return false;
}

/// Both digests of every blob, the zero bytes between them, and the launch recipes, as the runtime sees them.
void verify(const ShownArchive &archive, Diagnostics &diagnostics) {
  ww_archive_t *opened = nullptr;
  ww_message_t message;
  ww_status_t status = wwArchiveOpenMemory(archive.bytes.data(), archive.bytes.size(), &opened, &message);
  if (status == WW_STATUS_OK) status = wwArchiveVerify(opened, &message);
  wwArchiveClose(opened);
  if (status != WW_STATUS_OK)
    diagnostics.add(problem_with(archive.file, "archive.corrupt",
                                 fmt::format("{}: {}", wwStatusText(status), message.text)));
  for (uint32_t i = 0; i < archive.view.manifest().blobs()->size(); ++i) {
    const std::string actual = support::sha256_hex(archive.blob(i));
    if (actual != stored_sha256(archive, i))
      diagnostics.add(problem_with(archive.file, "archive.corrupt",
                                   fmt::format("blob {} has SHA-256 {}, the manifest says {}", i, actual,
                                               stored_sha256(archive, i))));
  }
}

/// A file to extract.
struct Part {
  std::string path;  ///< relative to the folder
  std::string_view bytes;
};

/// Names come from the archive; one that could leave the folder, or hide in it, is not used as a path.
bool is_safe_name(const std::string &name) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
  return is_plain && !name.empty() && name[0] != '.';
}

std::optional<std::vector<Part>> list_parts(const ShownArchive &archive, Diagnostics &diagnostics) {
  std::vector<Part> parts;
  const auto accept = [&](const std::string &name) {
    if (is_safe_name(name)) return true;
    diagnostics.add(problem_with(archive.file, "archive.unsafe-name",
                                 fmt::format("\"{}\" cannot be a file name: letters, digits, '.', '_' and '-' only",
                                             name)));
    return false;
  };
  for (const format::Operator *op : *archive.view.manifest().operators()) {
    if (!accept(op->name()->str())) return std::nullopt;
    const std::string folder = op->name()->str() + "/";
    parts.push_back({folder + "spec.json", archive.blob(op->spec())});
    parts.push_back({folder + "plan.json", archive.blob(op->plan())});
    for (const format::Kernel *kernel : *op->kernels()) {
      if (!accept(kernel->name()->str())) return std::nullopt;
      const std::string stem = folder + kernel->name()->str();
      parts.push_back({stem + ".cu", archive.blob(kernel->source())});
      for (const format::Image *image : *kernel->images()) {
        if (!accept(image->arch()->str())) return std::nullopt;
        parts.push_back({stem + "." + image->arch()->str() + ".ptx", archive.blob(image->ptx())});
        parts.push_back({stem + "." + image->arch()->str() + ".cubin", archive.blob(image->cubin())});
      }
    }
  }
  return parts;
}

/// Writes every part, or nothing if one of the files exists.
bool extract(const ShownArchive &archive, const std::string &folder, Diagnostics &diagnostics) {
  const auto parts = list_parts(archive, diagnostics);
  if (!parts) return false;
  for (const Part &part : *parts) {
    if (!support::is_file(folder + "/" + part.path)) continue;
    diagnostics.add(problem_with(folder + "/" + part.path, "archive.file-exists", "the file exists; nothing was written"));
    return false;
  }
  for (const Part &part : *parts) {
    const std::string file = folder + "/" + part.path;
    std::string why;
    if (support::make_folders(file.substr(0, file.rfind('/')), why) &&
        support::write_file(file, part.bytes, why, support::IfExists::kRefuse))
      continue;
    diagnostics.add(problem_with(file, "archive.unwritable", why));
    return false;
  }
  return true;
}

int show(const ShowOptions &options) {
  Diagnostics diagnostics;
  const Format format = format_of(options.json);
  ShownArchive archive;
  if (open_archive(options.archive, archive, diagnostics) && options.verify) verify(archive, diagnostics);
  if (diagnostics.has_errors()) {
    const int code = finish(diagnostics, format);
    return options.verify && diagnostics.has_slug("archive.corrupt") ? static_cast<int>(support::Exit::kCheckFailed)
                                                                     : code;
  }
  if (!options.extract_folder.empty() && !extract(archive, options.extract_folder, diagnostics))
    return finish(diagnostics, format);
  if (write_result("", options.json ? show_json(archive) : show_text(archive), diagnostics) && options.verify &&
      !options.json)
    fmt::print("\nverified: header, manifest and {} blobs match their XXH3-128, blobs their SHA-256, launch recipes are "
               "readable (integrity, not authenticity)\n",
               archive.view.manifest().blobs()->size());
  return finish(diagnostics, format);
}

}  // namespace

std::string stored_sha256(const ShownArchive &archive, uint32_t blob) {
  std::string hex;
  for (const uint8_t byte : *archive.view.manifest().blobs()->Get(blob)->sha256()->bytes())
    hex += fmt::format("{:02x}", byte);
  return hex;
}

int run_show(const ShowOptions &options) {
  return guarded([&] { return show(options); });
}

}  // namespace warpwright::cli
