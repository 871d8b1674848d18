// SPDX-License-Identifier: Apache-2.0
// One function per record kind of runtime/format/archive.fbs.
#include "generator/archive/manifest_builder.h"

#include "generator/support/digest.h"
#include "runtime/format/container.h"
#include "runtime/format/digest.h"

#include <charconv>
#include <limits>

namespace warpwright::archive {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using Texts = Offset<flatbuffers::Vector<Offset<String>>>;

/// A number that the schema holds in fewer bits. A plan beyond them is our bug.
template <typename Narrow>
Narrow narrow(int64_t value, const char *what) {
  WARPWRIGHT_ASSERT(value >= 0 && value <= static_cast<int64_t>(std::numeric_limits<Narrow>::max()),
                    std::string(what) + " does not fit the archive: " + std::to_string(value));
  return static_cast<Narrow>(value);
}

format::Element element_of(const std::string &name) {
  static const std::map<std::string, format::Element> kElements = {
      {"u8", format::Element::U8},     {"u16", format::Element::U16},   {"s32", format::Element::S32},
      {"fp16", format::Element::Fp16}, {"fp32", format::Element::Fp32}, {"bf16", format::Element::Bf16}};
  const auto found = kElements.find(name);
  WARPWRIGHT_ASSERT(found != kElements.end(), "tensor map element type " + name);
  return found->second;
}

/// The position of the record called `name`. A plan that names none is our bug.
template <typename Record>
uint16_t index_of(const std::vector<Record> &records, const std::string &name, const std::string &user) {
  for (size_t i = 0; i < records.size(); ++i)
    if (records[i].name == name) return narrow<uint16_t>(static_cast<int64_t>(i), "record count");
  throw support::InternalError(user + " names " + name + ", which the plan does not have");
}

format::Sha256 sha256_record(const std::string &hex) {
  uint8_t bytes[32];
  for (size_t i = 0; i < sizeof(bytes); ++i)
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, bytes[i], 16);
  return format::Sha256(flatbuffers::span<const uint8_t, 32>(bytes));
}

class ManifestBuilder {
 public:
  explicit ManifestBuilder(BlobTable &blobs) : blobs_(blobs) { builder_.ForceDefaults(true); }

  flatbuffers::DetachedBuffer build(const std::vector<const PackedOperator *> &operators, uint64_t blobs_begin) {
    std::vector<Offset<format::Operator>> records;
    for (const PackedOperator *packed : operators) records.push_back(operator_record(*packed));
    std::vector<Offset<format::Blob>> blob_records;
    for (const BlobTable::Entry &entry : blobs_.entries()) blob_records.push_back(blob_record(entry, blobs_begin));
    const auto manifest =
        format::CreateManifest(builder_, format::kSchemaVersion, builder_.CreateString(WARPWRIGHT_VERSION),
                               builder_.CreateVector(records), builder_.CreateVector(blob_records));
    format::FinishManifestBuffer(builder_, manifest);
    return builder_.Release();
  }

 private:
  Texts texts(const std::vector<std::string> &strings) { return builder_.CreateVectorOfStrings(strings); }
  Offset<String> text(const std::string &string) { return builder_.CreateString(string); }

  Offset<format::Blob> blob_record(const BlobTable::Entry &entry, uint64_t blobs_begin) {
    const format::Xxh3Digest digest = format::xxh3_of(entry.bytes.data(), entry.bytes.size());
    const format::Xxh3 xxh3(digest.low, digest.high);
    const format::Sha256 sha256 = sha256_record(entry.sha256_hex);
    return format::CreateBlob(builder_, entry.kind, blobs_begin + entry.offset, entry.bytes.size(), &xxh3, &sha256);
  }

  Offset<format::Tensor> tensor_record(const plan::Tensor &tensor) {
    return format::CreateTensor(builder_, text(tensor.name), text(tensor.text), tensor.is_output,
                                text(std::string(spec::name_of(tensor.format))), texts(tensor.dims),
                                text(tensor.layout), text(tensor.bytes), tensor.align_bytes);
  }

  Offset<format::TensorMap> map_record(const plan::OperatorPlan &plan, const plan::TensorMap &map) {
    std::vector<uint32_t> box;
    for (const int64_t edge : map.box) box.push_back(narrow<uint32_t>(edge, "box edge"));
    return format::CreateTensorMap(
        builder_, text(map.name), index_of(plan.tensors, map.tensor, "tensor map " + map.name),
        element_of(map.element), texts(map.dims), texts(map.strides_bytes), builder_.CreateVector(box),
        narrow<uint16_t>(static_cast<int64_t>(map.swizzle), "swizzle"),
        narrow<uint16_t>(map.l2_promotion_bytes, "L2 promotion"), map.is_store);
  }

  Offset<format::Param> param_record(const plan::OperatorPlan &plan, const plan::KernelPlan &kernel,
                                     const plan::KernelParam &param) {
    using Kind = plan::KernelParam::Kind;
    const std::string user = "parameter " + param.name;
    format::ParamKind kind = format::ParamKind::Int32;
    uint16_t index = 0;
    if (param.kind == Kind::kTensorMap) {
      kind = format::ParamKind::TensorMap;
      index = index_of(kernel.tensor_maps, param.source, user);
    } else if (param.kind == Kind::kPointer && param.source == "workspace") {
      kind = format::ParamKind::Workspace;
    } else if (param.kind == Kind::kPointer) {
      kind = format::ParamKind::Tensor;
      index = index_of(plan.tensors, param.source, user);
    }
    return format::CreateParam(builder_, text(param.name), kind, text(param.c_type), index, text(param.source));
  }

  Offset<format::Image> image_record(const std::string &arch, const compile::CompiledKernel &image) {
    const std::string_view cubin(reinterpret_cast<const char *>(image.cubin.data()), image.cubin.size());
    const uint32_t cubin_blob = blobs_.add(format::BlobKind::Cubin, cubin);
    const uint32_t ptx_blob = blobs_.add(format::BlobKind::Ptx, image.ptx);
    std::vector<std::string> findings;
    for (const compile::Finding &finding : image.findings) findings.push_back(finding.slug + ": " + finding.text);
    return format::CreateImage(builder_, text(arch), cubin_blob, ptx_blob,
                               narrow<uint32_t>(image.registers, "registers"),
                               narrow<uint32_t>(image.spill_store_bytes, "spill stores"),
                               narrow<uint32_t>(image.spill_load_bytes, "spill loads"),
                               narrow<uint32_t>(image.stack_bytes, "stack"),
                               narrow<uint32_t>(image.static_smem_bytes, "static shared memory"),
                               text(image.tool_version), texts(findings));
  }

  Offset<format::Kernel> kernel_record(const PackedOperator &packed, size_t kernel_index) {
    const plan::KernelPlan &kernel = packed.plan.kernels[kernel_index];
    const plan::LaunchRecipe &launch = kernel.launch;
    std::vector<Offset<format::TensorMap>> maps;
    for (const plan::TensorMap &map : kernel.tensor_maps) maps.push_back(map_record(packed.plan, map));
    std::vector<Offset<format::Param>> params;
    for (const plan::KernelParam &param : kernel.params) params.push_back(param_record(packed.plan, kernel, param));
    std::vector<Offset<format::Image>> images;
    for (const auto &[arch, image] : packed.images[kernel_index]) images.push_back(image_record(arch, image));
    const uint32_t source = blobs_.add(format::BlobKind::Source, packed.sources[kernel_index]);
    return format::CreateKernel(
        builder_, text(kernel.name), narrow<uint32_t>(kernel.cta_group, "CTA group"),
        narrow<uint32_t>(launch.threads, "threads"), narrow<uint32_t>(launch.dynamic_smem_bytes, "shared memory"),
        texts({launch.grid_x, launch.grid_y, launch.grid_z}), narrow<uint32_t>(launch.cluster_x, "cluster"),
        narrow<uint32_t>(launch.cluster_y, "cluster"), narrow<uint32_t>(launch.cluster_z, "cluster"),
        launch.programmatic_dependent_launch, texts(launch.requires_true), builder_.CreateVector(maps),
        builder_.CreateVector(params), builder_.CreateVector(images), source);
  }

  Offset<format::Dispatch> dispatch_record(const plan::Dispatch &row) {
    std::vector<uint16_t> kernels;
    for (const int kernel : row.kernels) kernels.push_back(narrow<uint16_t>(kernel, "kernel index"));
    return format::CreateDispatch(builder_, text(row.condition), builder_.CreateVector(kernels));
  }

  Offset<format::Operator> operator_record(const PackedOperator &packed) {
    const plan::OperatorPlan &plan = packed.plan;
    WARPWRIGHT_ASSERT(packed.sources.size() == plan.kernels.size() && packed.images.size() == plan.kernels.size(),
                      "operator " + plan.name + ": one source and one list of images per kernel");
    const uint32_t spec = blobs_.add(format::BlobKind::SpecJson, packed.spec_json);
    const uint32_t plan_blob = blobs_.add(format::BlobKind::PlanJson, packed.plan_json);
    std::vector<Offset<format::FixedVariable>> fixed;
    for (const auto &[name, value] : plan.fixed_variables)
      fixed.push_back(format::CreateFixedVariable(builder_, text(name), value));
    std::vector<Offset<format::Tensor>> tensors;
    for (const plan::Tensor &tensor : plan.tensors) tensors.push_back(tensor_record(tensor));
    std::vector<Offset<format::Kernel>> kernels;
    for (size_t i = 0; i < plan.kernels.size(); ++i) kernels.push_back(kernel_record(packed, i));
    std::vector<Offset<format::Dispatch>> dispatch;
    for (const plan::Dispatch &row : plan.dispatch) dispatch.push_back(dispatch_record(row));
    std::vector<Offset<format::Fact>> facts;
    for (const auto &[key, value] : plan.facts) facts.push_back(format::CreateFact(builder_, text(key), text(value)));
    return format::CreateOperator(builder_, text(plan.name), text(plan.spec.family), text(plan.spec.arch),
                                  texts(plan.variables), builder_.CreateVector(fixed),
                                  builder_.CreateVector(tensors), builder_.CreateVector(kernels),
                                  builder_.CreateVector(dispatch), text(plan.workspace_bytes),
                                  plan.workspace_must_be_zero, builder_.CreateVector(facts), spec, plan_blob);
  }

  FlatBufferBuilder builder_;
  BlobTable &blobs_;
};

}  // namespace

uint32_t BlobTable::add(format::BlobKind kind, std::string_view bytes) {
  std::string sha256 = support::sha256_hex(bytes);
  const auto [place, is_new] = index_.try_emplace({kind, sha256}, static_cast<uint32_t>(entries_.size()));
  if (is_new) {
    const uint64_t offset = format::align_up(total_bytes_, format::kBlobAlignBytes);
    entries_.push_back({kind, bytes, std::move(sha256), offset});
    total_bytes_ = offset + bytes.size();
  }
  return place->second;
}

flatbuffers::DetachedBuffer build_manifest(const std::vector<const PackedOperator *> &operators, BlobTable &blobs,
                                           uint64_t blobs_begin) {
  return ManifestBuilder(blobs).build(operators, blobs_begin);
}

}  // namespace warpwright::archive
