// SPDX-License-Identifier: Apache-2.0
// An archive as tables.
#include "generator/support/text_table.h"
#include "runtime/format/container.h"
#include "tools/cli/show_archive.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

using support::Align;
using support::format_bytes;
using support::format_thousands;
using support::TextTable;

/// Enough of a digest to compare two by eye; --json has all of it.
constexpr size_t kShownDigits = 16;

using Texts = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

std::string join(const Texts &texts, const char *separator) {
  std::string out;
  for (const auto *text : texts) out += (out.empty() ? "" : separator) + text->str();
  return out;
}

std::string join_box(const flatbuffers::Vector<uint32_t> &box) {
  std::string out;
  for (const uint32_t edge : box) out += (out.empty() ? "" : "×") + std::to_string(edge);
  return out;
}

class Page {
 public:
  explicit Page(const ShownArchive &archive) : archive_(archive) {}

  std::string render() {
    const format::Manifest &manifest = archive_.view.manifest();
    out_ = fmt::format("{}: {}, {} in {}, made by warpwright {}, format {}.{}\n", archive_.file,
                       count(manifest.operators()->size(), "operator"),
                       count(manifest.blobs()->size(), "blob"), format_bytes(size_bytes(archive_.bytes)),
                       manifest.generator_version()->str(), format::kContainerVersion, manifest.schema_version());
    for (const format::Operator *op : *manifest.operators()) show_operator(*op);
    return out_;
  }

 private:
  static int64_t size_bytes(std::string_view bytes) { return static_cast<int64_t>(bytes.size()); }
  static std::string count(size_t number, const char *noun) {
    return fmt::format("{} {}{}", format_thousands(static_cast<int64_t>(number)), noun, number == 1 ? "" : "s");
  }
  std::string digest(uint32_t blob) const { return stored_sha256(archive_, blob).substr(0, kShownDigits); }
  std::string blob_bytes(uint32_t blob) const { return format_bytes(size_bytes(archive_.blob(blob))); }

  void show_operator(const format::Operator &op) {
    out_ += fmt::format("\noperator {}   {}, {}\n", op.name()->str(), op.family()->str(), op.arch()->str());
    std::string fixed;
    for (const auto *variable : *op.fixed_variables())
      fixed += fmt::format("{}{} = {}", fixed.empty() ? "" : ", ", variable->name()->str(), variable->value());
    out_ += fmt::format("  variables: {}; fixed: {}\n", join(*op.variables(), ", "), fixed.empty() ? "none" : fixed);
    out_ += fmt::format("  workspace: {} B{}\n", op.workspace_bytes()->str(),
                        op.workspace_must_be_zero() ? ", cleared before the first kernel" : "");
    out_ += fmt::format("  spec {} {}, plan {} {}\n", digest(op.spec()), blob_bytes(op.spec()), digest(op.plan()),
                        blob_bytes(op.plan()));
    TextTable facts;
    facts.add_column("");
    facts.add_column("");
    for (const format::Fact *fact : *op.facts()) facts.add_row({fact->key()->str(), fact->value()->str()});
    if (!facts.empty()) out_ += "\n" + facts.render();
    show_tensors(op);
    show_dispatch(op);
    for (const format::Kernel *kernel : *op.kernels()) show_kernel(op, *kernel);
  }

  void show_tensors(const format::Operator &op) {
    TextTable table;
    for (const char *heading : {"tensor", "", "format", "layout", "dims", "bytes"}) table.add_column(heading);
    table.add_column("align", Align::kRight);
    table.add_column("");
    for (const format::Tensor *tensor : *op.tensors())
      table.add_row({tensor->name()->str(), tensor->is_output() ? "out" : "in", tensor->format()->str(),
                     tensor->layout()->str(), "[" + join(*tensor->dims(), ", ") + "]", tensor->bytes()->str(),
                     format_thousands(tensor->align_bytes()), tensor->text()->str()});
    if (!table.empty()) out_ += "\n" + table.render();
  }

  void show_dispatch(const format::Operator &op) {
    TextTable table;
    table.add_column("dispatch: the first that holds");
    table.add_column("launches");
    for (const format::Dispatch *row : *op.dispatch()) {
      std::string kernels;
      for (const uint16_t kernel : *row->kernels())
        kernels += (kernels.empty() ? "" : ", then ") + op.kernels()->Get(kernel)->name()->str();
      table.add_row({row->condition()->str(), kernels});
    }
    if (!table.empty()) out_ += "\n" + table.render();
  }

  void show_kernel(const format::Operator &op, const format::Kernel &kernel) {
    out_ += fmt::format("\n  kernel {}\n", kernel.name()->str());
    out_ += fmt::format("    grid [{}]; cluster {}×{}×{}; {} threads; {} of dynamic shared memory{}\n",
                        join(*kernel.grid(), ", "), kernel.cluster_x(), kernel.cluster_y(), kernel.cluster_z(),
                        kernel.threads(), format_bytes(kernel.dynamic_smem_bytes()),
                        kernel.programmatic_dependent_launch() ? "; programmatic dependent launch" : "");
    if (kernel.requires_true()->size() > 0)
      out_ += fmt::format("    requires {}\n", join(*kernel.requires_true(), "; "));
    show_params(op, kernel);
    show_maps(op, kernel);
    show_images(kernel);
  }

  void show_params(const format::Operator &op, const format::Kernel &kernel) {
    TextTable table;
    for (const char *heading : {"parameter", "type", "from"}) table.add_column(heading);
    for (const format::Param *param : *kernel.params()) {
      std::string source;
      switch (param->kind()) {
        case format::ParamKind::TensorMap: source = "tensor map"; break;
        case format::ParamKind::Tensor: source = "tensor " + op.tensors()->Get(param->index())->name()->str(); break;
        case format::ParamKind::Workspace: source = "workspace"; break;
        case format::ParamKind::Int32: source = param->expression()->str(); break;
      }
      table.add_row({param->name()->str(), param->c_type()->str(), source});
    }
    if (!table.empty()) out_ += "\n" + table.render(4);
  }

  void show_maps(const format::Operator &op, const format::Kernel &kernel) {
    TextTable table;
    for (const char *heading : {"tensor map", "tensor", "element", "dims, inner first", "strides B", "box"})
      table.add_column(heading);
    table.add_column("swizzle", Align::kRight);
    table.add_column("L2", Align::kRight);
    for (const format::TensorMap *map : *kernel.tensor_maps())
      table.add_row({map->name()->str(), op.tensors()->Get(map->tensor())->name()->str(),
                     format::EnumNameElement(map->element()), "[" + join(*map->dims(), ", ") + "]",
                     "[" + join(*map->strides_bytes(), ", ") + "]", join_box(*map->box()),
                     format_bytes(map->swizzle_bytes()), format_bytes(map->l2_promotion_bytes())});
    if (!table.empty()) out_ += "\n" + table.render(4);
  }

  void show_images(const format::Kernel &kernel) {
    TextTable table;
    table.add_column("image");
    for (const char *heading : {"cubin", "PTX", "registers", "spills", "stack"})
      table.add_column(heading, Align::kRight);
    for (const char *heading : {"tool", "cubin SHA-256", "PTX SHA-256"}) table.add_column(heading);
    for (const format::Image *image : *kernel.images())
      table.add_row({image->arch()->str(), blob_bytes(image->cubin()), blob_bytes(image->ptx()),
                     std::to_string(image->registers()),
                     format_bytes(int64_t{image->spill_store_bytes()} + image->spill_load_bytes()),
                     format_bytes(image->stack_bytes()), image->tool_version()->str(), digest(image->cubin()),
                     digest(image->ptx())});
    if (!table.empty()) out_ += "\n" + table.render(4);
    out_ += fmt::format("    source {} {}\n", digest(kernel.source()), blob_bytes(kernel.source()));
    for (const format::Image *image : *kernel.images())
      for (const auto *finding : *image->findings())
        out_ += fmt::format("    note, {}: {}\n", image->arch()->str(), finding->str());
  }

  const ShownArchive &archive_;
  std::string out_;
};

}  // namespace

std::string show_text(const ShownArchive &archive) { return Page(archive).render(); }

}  // namespace warpwright::cli
