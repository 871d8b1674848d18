// SPDX-License-Identifier: Apache-2.0
// The manifest's rules, one function per record kind.
#include "runtime/format/manifest_check.h"

#include "runtime/format/container.h"

namespace warpwright::format {

namespace {

/// Ranks, box edges and swizzles that a tensor map can have.
/// Source: CUDA Driver API 13.0, cuTensorMapEncodeTiled: tensorRank ≤ 5, boxDim[i] ≤ 256.
constexpr uint32_t kMaxTensorMapRank = 5;
constexpr uint32_t kMaxBoxEdge = 256;
/// Source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability": threads per block.
constexpr uint32_t kMaxThreads = 1024;
/// Beyond any device's shared memory; keeps later sums far from overflow.
constexpr uint32_t kMaxDynamicSmemBytes = 1u << 24;
/// Source: CUDA Driver API 13.0, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: 8 is portable, 16 the most.
constexpr uint32_t kMaxClusterCtas = 16;
constexpr int64_t kMaxAlignBytes = 1 << 20;

template <typename T>
uint32_t count(const flatbuffers::Vector<T> *records) { return records->size(); }

class Checker {
 public:
  Checker(const Manifest &manifest, std::string *problem) : manifest_(manifest), problem_(problem) {}

  bool blobs(uint64_t begin, uint64_t file_bytes) {
    uint64_t end = begin;
    for (uint32_t i = 0; i < count(manifest_.blobs()); ++i) {
      const Blob &blob = *manifest_.blobs()->Get(i);
      where_ = "blob " + std::to_string(i);
      if (blob.kind() > BlobKind::MAX) return fail("unknown kind");
      if (blob.offset() % kBlobAlignBytes != 0) return fail("offset is not a multiple of 4096");
      if (blob.offset() < end) return fail("overlaps what lies before it");
      if (blob.offset() > file_bytes || blob.bytes() > file_bytes - blob.offset()) return fail("reaches past the file");
      if (blob.offset() - end >= kBlobAlignBytes) return fail("a gap of a page or more lies before it");
      end = blob.offset() + blob.bytes();
    }
    where_ = "file";
    return end == file_bytes || fail("bytes follow the last blob");
  }

  bool operators() {
    const flatbuffers::String *previous = nullptr;
    for (const Operator *record : *manifest_.operators()) {
      where_ = "operator " + record->name()->str();
      if (record->name()->size() == 0) return fail("has no name");
      if (previous && previous->string_view() >= record->name()->string_view())
        return fail("operators are not sorted by unique names");
      previous = record->name();
      if (!check_operator(*record)) return false;
    }
    return true;
  }

 private:
  bool fail(const char *what) {
    *problem_ = where_ + ": " + what;
    return false;
  }
  bool has_blob(uint32_t index, BlobKind kind) {
    if (index < count(manifest_.blobs()) && manifest_.blobs()->Get(index)->kind() == kind) return true;
    return fail("names a blob that does not exist or is of another kind");
  }

  bool check_operator(const Operator &record) {
    if (!has_blob(record.spec(), BlobKind::SpecJson) || !has_blob(record.plan(), BlobKind::PlanJson)) return false;
    for (const Tensor *tensor : *record.tensors()) {
      const int64_t align = tensor->align_bytes();
      if (align < 1 || align > kMaxAlignBytes || (align & (align - 1)) != 0)
        return fail("a tensor's alignment is not a power of two up to 1 MiB");
    }
    for (const Dispatch *row : *record.dispatch())
      for (const uint16_t kernel : *row->kernels())
        if (kernel >= count(record.kernels())) return fail("the dispatch table names a kernel that does not exist");
    for (const Kernel *kernel : *record.kernels()) {
      where_ = "operator " + record.name()->str() + ", kernel " + kernel->name()->str();
      if (!check_kernel(record, *kernel)) return false;
    }
    return true;
  }

  bool check_kernel(const Operator &op, const Kernel &kernel) {
    const uint32_t ctas[] = {kernel.cluster_x(), kernel.cluster_y(), kernel.cluster_z()};
    uint32_t cluster_ctas = 1;
    for (const uint32_t edge : ctas) {
      if (edge < 1 || edge > kMaxClusterCtas) return fail("cluster edges are 1 to 16");
      cluster_ctas *= edge;
    }
    if (cluster_ctas > kMaxClusterCtas) return fail("a cluster has at most 16 CTAs");
    if (kernel.threads() < 1 || kernel.threads() > kMaxThreads) return fail("threads are 1 to 1024");
    if (kernel.dynamic_smem_bytes() > kMaxDynamicSmemBytes) return fail("shared memory beyond any device");
    if (count(kernel.grid()) != 3) return fail("the grid has three expressions");
    if (!has_blob(kernel.source(), BlobKind::Source)) return false;
    for (const TensorMap *map : *kernel.tensor_maps())
      if (!check_tensor_map(op, *map)) return false;
    for (const Param *param : *kernel.params())
      if (!check_param(op, kernel, *param)) return false;
    for (const Image *image : *kernel.images())
      if (!has_blob(image->cubin(), BlobKind::Cubin) || !has_blob(image->ptx(), BlobKind::Ptx)) return false;
    return true;
  }

  bool check_tensor_map(const Operator &op, const TensorMap &map) {
    const uint32_t rank = count(map.dims());
    if (map.tensor() >= count(op.tensors())) return fail("a tensor map names a tensor that does not exist");
    if (map.element() > Element::MAX) return fail("a tensor map has an unknown element type");
    if (rank < 1 || rank > kMaxTensorMapRank) return fail("a tensor map has 1 to 5 dimensions");
    if (count(map.strides_bytes()) != rank - 1 || count(map.box()) != rank)
      return fail("a tensor map's strides or box do not fit its rank");
    for (const uint32_t edge : *map.box())
      if (edge < 1 || edge > kMaxBoxEdge) return fail("box edges are 1 to 256");
    const uint16_t swizzle = map.swizzle_bytes();
    if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128) return fail("a swizzle is 0, 32, 64 or 128");
    const uint16_t promotion = map.l2_promotion_bytes();
    if (promotion != 0 && promotion != 64 && promotion != 128 && promotion != 256)
      return fail("an L2 promotion is 0, 64, 128 or 256");
    return true;
  }

  bool check_param(const Operator &op, const Kernel &kernel, const Param &param) {
    switch (param.kind()) {
      case ParamKind::TensorMap:
        return param.index() < count(kernel.tensor_maps()) || fail("a parameter names a tensor map that does not exist");
      case ParamKind::Tensor:
        return param.index() < count(op.tensors()) || fail("a parameter names a tensor that does not exist");
      case ParamKind::Workspace: return true;
      case ParamKind::Int32: return param.expression() != nullptr || fail("a parameter has no expression");
    }
    return fail("a parameter has an unknown kind");
  }

  const Manifest &manifest_;
  std::string *problem_;
  std::string where_;
};

}  // namespace

bool check_manifest(const Manifest &manifest, uint64_t blobs_begin, uint64_t file_bytes, std::string *problem) {
  Checker checker(manifest, problem);
  return checker.blobs(blobs_begin, file_bytes) && checker.operators();
}

}  // namespace warpwright::format
