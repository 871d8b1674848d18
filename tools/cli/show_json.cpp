// SPDX-License-Identifier: Apache-2.0
// An archive as one JSON object.
#include "generator/support/json_text.h"
#include "runtime/format/container.h"
#include "tools/cli/show_archive.h"

#include <fmt/format.h>

#include <vector>

namespace warpwright::cli {
namespace {

using support::json_quote;

/// Builds nested JSON text; the caller's calls nest as the output does.
class JsonText {
 public:
  void open(const char *key, char bracket) {
    begin(key);
    out_ += bracket;
    closers_.push_back(bracket == '{' ? '}' : ']');
    is_first_ = true;
  }
  void close() {
    const char closer = closers_.back();
    closers_.pop_back();
    if (!is_first_) new_line();
    out_ += closer;
    is_first_ = false;
  }
  void text(const char *key, const std::string &value) { raw(key, json_quote(value)); }
  void number(const char *key, int64_t value) { raw(key, std::to_string(value)); }
  void flag(const char *key, bool value) { raw(key, value ? "true" : "false"); }
  template <typename List, typename Print>
  void list(const char *key, const List &values, Print &&print) {
    std::string joined;
    for (const auto &value : values) joined += (joined.empty() ? "" : ", ") + print(value);
    raw(key, "[" + joined + "]");
  }
  std::string take() { return std::move(out_) + "\n"; }

 private:
  void raw(const char *key, const std::string &value) {
    begin(key);
    out_ += value;
  }
  void begin(const char *key) {
    if (closers_.empty()) return;
    if (!is_first_) out_ += ',';
    is_first_ = false;
    new_line();
    if (key) out_ += json_quote(key) + ": ";
  }
  void new_line() { out_ += '\n' + std::string(2 * closers_.size(), ' '); }

  std::string out_;
  std::vector<char> closers_;
  bool is_first_ = true;
};

std::string quote_string(const flatbuffers::String *text) { return json_quote(text->str()); }

class Document {
 public:
  explicit Document(const ShownArchive &archive) : archive_(archive) {}

  std::string render() {
    const format::Manifest &manifest = archive_.view.manifest();
    json_.open(nullptr, '{');
    json_.text("archive", archive_.file);
    json_.number("file_bytes", static_cast<int64_t>(archive_.bytes.size()));
    json_.number("container_version", format::kContainerVersion);
    json_.number("schema_version", manifest.schema_version());
    json_.text("generator_version", manifest.generator_version()->str());
    json_.open("operators", '[');
    for (const format::Operator *op : *manifest.operators()) add_operator(*op);
    json_.close();
    json_.close();
    return json_.take();
  }

 private:
  void add_blob(const char *key, uint32_t index) {
    const format::Blob &blob = *archive_.view.manifest().blobs()->Get(index);
    json_.open(key, '{');
    json_.number("offset_bytes", static_cast<int64_t>(blob.offset()));
    json_.number("size_bytes", static_cast<int64_t>(blob.bytes()));
    json_.text("sha256", stored_sha256(archive_, index));
    json_.text("xxh3_128", fmt::format("{:016x}{:016x}", blob.xxh3()->high(), blob.xxh3()->low()));
    json_.close();
  }

  void add_operator(const format::Operator &op) {
    json_.open(nullptr, '{');
    json_.text("name", op.name()->str());
    json_.text("family", op.family()->str());
    json_.text("arch", op.arch()->str());
    json_.list("variables", *op.variables(), quote_string);
    json_.open("fixed_variables", '{');
    for (const auto *variable : *op.fixed_variables()) json_.number(variable->name()->c_str(), variable->value());
    json_.close();
    json_.text("workspace_bytes_expression", op.workspace_bytes()->str());
    json_.flag("workspace_must_be_zero", op.workspace_must_be_zero());
    json_.open("facts", '{');
    for (const format::Fact *fact : *op.facts()) json_.text(fact->key()->c_str(), fact->value()->str());
    json_.close();
    json_.open("tensors", '[');
    for (const format::Tensor *tensor : *op.tensors()) add_tensor(*tensor);
    json_.close();
    json_.open("dispatch", '[');
    for (const format::Dispatch *row : *op.dispatch()) {
      json_.open(nullptr, '{');
      json_.text("condition", row->condition()->str());
      json_.list("kernels", *row->kernels(),
                 [&](uint16_t kernel) { return json_quote(op.kernels()->Get(kernel)->name()->str()); });
      json_.close();
    }
    json_.close();
    json_.open("kernels", '[');
    for (const format::Kernel *kernel : *op.kernels()) add_kernel(op, *kernel);
    json_.close();
    add_blob("spec", op.spec());
    add_blob("plan", op.plan());
    json_.close();
  }

  void add_tensor(const format::Tensor &tensor) {
    json_.open(nullptr, '{');
    json_.text("name", tensor.name()->str());
    json_.text("text", tensor.text()->str());
    json_.flag("is_output", tensor.is_output());
    json_.text("format", tensor.format()->str());
    json_.text("layout", tensor.layout()->str());
    json_.list("dims", *tensor.dims(), quote_string);
    json_.text("bytes_expression", tensor.bytes()->str());
    json_.number("align_bytes", tensor.align_bytes());
    json_.close();
  }

  void add_kernel(const format::Operator &op, const format::Kernel &kernel) {
    json_.open(nullptr, '{');
    json_.text("name", kernel.name()->str());
    json_.number("cta_group", kernel.cta_group());
    json_.list("grid", *kernel.grid(), quote_string);
    json_.list("cluster", std::vector<uint32_t>{kernel.cluster_x(), kernel.cluster_y(), kernel.cluster_z()},
               [](uint32_t edge) { return std::to_string(edge); });
    json_.number("threads", kernel.threads());
    json_.number("dynamic_smem_bytes", kernel.dynamic_smem_bytes());
    json_.flag("programmatic_dependent_launch", kernel.programmatic_dependent_launch());
    json_.list("requires", *kernel.requires_true(), quote_string);
    json_.open("tensor_maps", '[');
    for (const format::TensorMap *map : *kernel.tensor_maps()) add_map(op, *map);
    json_.close();
    json_.open("parameters", '[');
    for (const format::Param *param : *kernel.params()) add_param(op, kernel, *param);
    json_.close();
    json_.open("images", '[');
    for (const format::Image *image : *kernel.images()) add_image(*image);
    json_.close();
    add_blob("source", kernel.source());
    json_.close();
  }

  void add_map(const format::Operator &op, const format::TensorMap &map) {
    json_.open(nullptr, '{');
    json_.text("name", map.name()->str());
    json_.text("tensor", op.tensors()->Get(map.tensor())->name()->str());
    json_.text("element", format::EnumNameElement(map.element()));
    json_.list("dims", *map.dims(), quote_string);
    json_.list("strides_bytes", *map.strides_bytes(), quote_string);
    json_.list("box", *map.box(), [](uint32_t edge) { return std::to_string(edge); });
    json_.number("swizzle_bytes", map.swizzle_bytes());
    json_.number("l2_promotion_bytes", map.l2_promotion_bytes());
    json_.flag("is_store", map.is_store());
    json_.close();
  }

  void add_param(const format::Operator &op, const format::Kernel &kernel, const format::Param &param) {
    json_.open(nullptr, '{');
    json_.text("name", param.name()->str());
    json_.text("kind", format::EnumNameParamKind(param.kind()));
    json_.text("c_type", param.c_type()->str());
    if (param.kind() == format::ParamKind::TensorMap)
      json_.text("from", kernel.tensor_maps()->Get(param.index())->name()->str());
    if (param.kind() == format::ParamKind::Tensor) json_.text("from", op.tensors()->Get(param.index())->name()->str());
    if (param.kind() == format::ParamKind::Int32) json_.text("from", param.expression()->str());
    json_.close();
  }

  void add_image(const format::Image &image) {
    json_.open(nullptr, '{');
    json_.text("arch", image.arch()->str());
    json_.text("tool_version", image.tool_version()->str());
    json_.number("registers", image.registers());
    json_.number("spill_store_bytes", image.spill_store_bytes());
    json_.number("spill_load_bytes", image.spill_load_bytes());
    json_.number("stack_bytes", image.stack_bytes());
    json_.number("static_smem_bytes", image.static_smem_bytes());
    json_.list("findings", *image.findings(), quote_string);
    add_blob("cubin", image.cubin());
    add_blob("ptx", image.ptx());
    json_.close();
  }

  const ShownArchive &archive_;
  JsonText json_;
};

}  // namespace

std::string show_json(const ShownArchive &archive) { return Document(archive).render(); }

}  // namespace warpwright::cli
