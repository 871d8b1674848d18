// SPDX-License-Identifier: Apache-2.0
// Compiles, packs and opens.
#include "tools/cli/operator_archive.h"

#include "generator/archive/archive.h"
#include "generator/plan/report.h"
#include "generator/support/files.h"
#include "runtime/format/reader.h"
#include "tools/cli/report.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

void fail(const char *slug, const std::string &text, const std::string &file, support::Diagnostics &diagnostics,
          std::vector<std::string> hints = {}) {
  support::Diagnostic d = error(slug, text, std::move(hints));
  d.where.file = file;
  diagnostics.add(std::move(d));
}

/// The plan of an operator in an archive's file, or nothing.
std::optional<std::string> stored_plan(const std::string &file, const std::string &name) {
  std::string why;
  const auto bytes = support::read_file(file, why);
  format::ArchiveView view;
  if (!bytes || view.open(reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size(), &why) != format::ReadError::kNone)
    return std::nullopt;
  for (const format::Operator *op : *view.manifest().operators()) {
    if (op->name()->str() != name) continue;
    const format::BlobView plan = view.blob(op->plan());
    return std::string(reinterpret_cast<const char *>(plan.bytes), plan.num_bytes);
  }
  return std::nullopt;
}

}  // namespace

std::optional<compile::CompiledKernel> compile_one(const LoweredOperator &op, size_t which, bool line_info,
                                                   support::Diagnostics &diagnostics) {
  const target::SmTarget *target = target::find_target(op.archs.front());
  WARPWRIGHT_ASSERT(target != nullptr, "no target is named " + op.archs.front());
  const plan::KernelPlan &kernel = op.plan.kernels[which];
  compile::CompileOptions options;
  options.kernel_name = kernel.name;
  options.line_info = line_info;
  options.cache_folder = compile::default_cache_folder();
  compile::CompilePolicy policy;
  policy.spill_limit_bytes = kernel.spill_limit_bytes;
  policy.max_registers = target->max_registers_per_thread;
  policy.dynamic_smem_bytes = kernel.launch.dynamic_smem_bytes;
  return compile::compile_kernel(op.kernels[which].source, *target, policy, options, diagnostics);
}

ww_archive_t *open_archive_file(const std::string &file, support::Diagnostics &diagnostics) {
  ww_archive_t *archive = nullptr;
  ww_message_t message;
  const char *slug = "archive.corrupt";
  switch (wwArchiveOpen(file.c_str(), &archive, &message)) {
    case WW_STATUS_OK: return archive;
    case WW_STATUS_FILE_UNREADABLE: slug = "archive.unreadable"; break;
    case WW_STATUS_NOT_AN_ARCHIVE: slug = "archive.not-an-archive"; break;
    case WW_STATUS_UNSUPPORTED_VERSION: slug = "archive.unsupported-version"; break;
    default: break;
  }
  fail(slug, message.text, file, diagnostics);
  return nullptr;
}

bool OpenedOperator::open(const LoweredOperator &op, const std::string &file, support::Diagnostics &diagnostics) {
  archive_ = open_archive_file(file, diagnostics);
  if (!archive_) return false;
  ww_message_t message;
  if (wwArchiveFindOperator(archive_, op.plan.name.c_str(), &op_, &message) == WW_STATUS_OK) return true;
  fail("run.other-archive", message.text, file, diagnostics, {"warpwright show " + file});
  return false;
}

std::unique_ptr<OpenedOperator> OpenedOperator::compile(const LoweredOperator &op, const std::string &ptx_file,
                                                        support::Diagnostics &diagnostics) {
  std::unique_ptr<OpenedOperator> opened(new OpenedOperator);
  if (opened->folder_.path().empty()) {
    fail("cli.unwritable", opened->folder_.why(), op.plan.spec.file, diagnostics);
    return nullptr;
  }
  archive::PackedOperator packed;
  packed.plan = op.plan;
  packed.plan_json = plan::plan_json(op.plan);
  packed.spec_json = op.plan.spec.canonical_json();
  for (size_t i = 0; i < op.kernels.size(); ++i) {
    auto kernel = compile_one(op, i, false, diagnostics);
    if (!kernel) return nullptr;
    if (i == 0 && !ptx_file.empty()) {
      std::string why;
      auto text = support::read_file(ptx_file, why);
      if (!text) {
        fail("run.unreadable-ptx", fmt::format("{}: {}", ptx_file, why), op.plan.spec.file, diagnostics);
        return nullptr;
      }
      kernel->ptx = *std::move(text);
    }
    opened->ptx_.push_back(kernel->ptx);
    packed.sources.push_back(op.kernels[i].source);
    packed.images.push_back({{op.archs.front(), std::move(*kernel)}});
  }
  const std::string file = opened->folder_.path() + "/kernels.wwa";
  if (!archive::write_archive(file, {packed}, diagnostics) || !opened->open(op, file, diagnostics)) return nullptr;
  return opened;
}

std::unique_ptr<OpenedOperator> OpenedOperator::from_archive(const LoweredOperator &op, const std::string &file,
                                                             support::Diagnostics &diagnostics) {
  std::unique_ptr<OpenedOperator> opened(new OpenedOperator);
  if (!opened->open(op, file, diagnostics)) return nullptr;
  if (stored_plan(file, op.plan.name) == plan::plan_json(op.plan)) return opened;
  fail("run.other-archive", fmt::format("operator {} of the archive has another plan than the spec", op.plan.name), file, diagnostics,
       {"build the archive from this spec, with the same --set", "warpwright diff shows how two plans differ"});
  return nullptr;
}

}  // namespace warpwright::cli
