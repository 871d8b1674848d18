// SPDX-License-Identifier: Apache-2.0
// Each rule of the manifest, broken alone.
#include "tests/catch.h"

#include "runtime/format/manifest_check.h"

using namespace warpwright::format;

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Words = std::vector<std::string>;

struct BlobRow {
  BlobKind kind;
  uint64_t offset, bytes;
};

/// A small sound manifest whose parts a test can spoil. Blobs: spec, plan, source, cubin, PTX.
struct Draft {
  std::vector<BlobRow> blobs = {{BlobKind::SpecJson, 4096, 10},
                                {BlobKind::PlanJson, 8192, 4096},
                                {BlobKind::Source, 12288, 1},
                                {BlobKind::Cubin, 16384, 5000},
                                {BlobKind::Ptx, 24576, 0}};
  uint64_t blobs_begin = 3000, file_bytes = 24576;
  Words operators = {"a", "b"};
  int64_t align_bytes = 16;
  uint16_t dispatch_kernel = 0;
  uint32_t spec = 0, plan = 1, source = 2, cubin = 3, ptx = 4;
  uint32_t threads = 128, smem_bytes = 1000, cluster_x = 2, cluster_y = 2;
  Words grid = {"1", "1", "1"};
  uint16_t map_tensor = 0;
  Element element = Element::Bf16;
  Words dims = {"8", "8"}, strides = {"16"};
  std::vector<uint32_t> box = {8, 256};
  uint16_t swizzle = 32, promotion = 128;
  ParamKind param = ParamKind::Int32;
  uint16_t param_index = 0;
  bool has_expression = true;

  bool check(std::string *problem) const {
    FlatBufferBuilder builder;
    std::vector<Offset<Blob>> blob_records;
    for (const BlobRow &row : blobs) {
      const Xxh3 xxh3(1, 2);
      const Sha256 sha256;
      blob_records.push_back(CreateBlob(builder, row.kind, row.offset, row.bytes, &xxh3, &sha256));
    }
    std::vector<Offset<Operator>> records;
    for (const std::string &name : operators) records.push_back(operator_record(builder, name));
    builder.Finish(CreateManifest(builder, 1, builder.CreateString("0"), builder.CreateVector(records),
                                  builder.CreateVector(blob_records)));
    const auto *manifest = flatbuffers::GetRoot<Manifest>(builder.GetBufferPointer());
    return check_manifest(*manifest, blobs_begin, file_bytes, problem);
  }

 private:
  Offset<Operator> operator_record(FlatBufferBuilder &b, const std::string &name) const {
    const auto none = b.CreateVectorOfStrings(Words{});
    const auto text = b.CreateString("t");
    const auto tensor = CreateTensor(b, text, text, false, text, none, text, text, align_bytes);
    const auto map = CreateTensorMap(b, text, map_tensor, element, b.CreateVectorOfStrings(dims),
                                     b.CreateVectorOfStrings(strides), b.CreateVector(box), swizzle, promotion, false);
    const auto parameter = CreateParam(b, text, param, text, param_index, has_expression ? text : 0);
    const auto image = CreateImage(b, text, cubin, ptx, 0, 0, 0, 0, 0, text, none);
    const auto kernel = CreateKernel(
        b, text, 1, threads, smem_bytes, b.CreateVectorOfStrings(grid), cluster_x, cluster_y, 1, false, none,
        b.CreateVector(std::vector<Offset<TensorMap>>{map}), b.CreateVector(std::vector<Offset<Param>>{parameter}),
        b.CreateVector(std::vector<Offset<Image>>{image}), source);
    const auto row = CreateDispatch(b, text, b.CreateVector(std::vector<uint16_t>{dispatch_kernel}));
    return CreateOperator(b, b.CreateString(name), text, text, none,
                          b.CreateVector(std::vector<Offset<FixedVariable>>{}),
                          b.CreateVector(std::vector<Offset<Tensor>>{tensor}),
                          b.CreateVector(std::vector<Offset<Kernel>>{kernel}),
                          b.CreateVector(std::vector<Offset<Dispatch>>{row}), text, false,
                          b.CreateVector(std::vector<Offset<Fact>>{}), spec, plan);
  }
};

struct Rule {
  const char *text;  ///< the whole message
  void (*break_it)(Draft &);
};

const Rule kRules[] = {
    {"blob 1: unknown kind", [](Draft &d) { d.blobs[1].kind = static_cast<BlobKind>(9); }},
    {"blob 1: offset is not a multiple of 4096", [](Draft &d) { d.blobs[1].offset = 8191; }},
    {"blob 1: overlaps what lies before it", [](Draft &d) { d.blobs[0].bytes = 4097; }},
    {"blob 0: overlaps what lies before it", [](Draft &d) { d.blobs_begin = 4097; }},
    {"blob 3: reaches past the file", [](Draft &d) { d.blobs[3].bytes = ~uint64_t{0}; }},
    {"blob 4: reaches past the file", [](Draft &d) { d.blobs[4].offset = 28672; }},
    {"blob 0: a gap of a page or more lies before it", [](Draft &d) { d.blobs_begin = 0; }},
    {"file: bytes follow the last blob", [](Draft &d) { d.file_bytes = 24577; }},
    {"operator : has no name", [](Draft &d) { d.operators[0] = ""; }},
    {"operator a: operators are not sorted by unique names", [](Draft &d) { d.operators = {"b", "a"}; }},
    {"operator a: operators are not sorted by unique names", [](Draft &d) { d.operators = {"a", "a"}; }},
    {"operator a: names a blob that does not exist or is of another kind", [](Draft &d) { d.spec = 5; }},
    {"operator a: names a blob that does not exist or is of another kind", [](Draft &d) { d.plan = 0; }},
    {"operator a: a tensor's alignment is not a power of two up to 1 MiB", [](Draft &d) { d.align_bytes = 24; }},
    {"operator a: a tensor's alignment is not a power of two up to 1 MiB", [](Draft &d) { d.align_bytes = 0; }},
    {"operator a: a tensor's alignment is not a power of two up to 1 MiB", [](Draft &d) { d.align_bytes = 1 << 21; }},
    {"operator a: the dispatch table names a kernel that does not exist", [](Draft &d) { d.dispatch_kernel = 1; }},
    {"operator a, kernel t: names a blob that does not exist or is of another kind", [](Draft &d) { d.source = 3; }},
    {"operator a, kernel t: names a blob that does not exist or is of another kind", [](Draft &d) { d.cubin = 4; }},
    {"operator a, kernel t: names a blob that does not exist or is of another kind", [](Draft &d) { d.ptx = 99; }},
    {"operator a, kernel t: cluster edges are 1 to 16", [](Draft &d) { d.cluster_x = 0; }},
    {"operator a, kernel t: cluster edges are 1 to 16", [](Draft &d) { d.cluster_y = 0x80000000; }},
    {"operator a, kernel t: a cluster has at most 16 CTAs", [](Draft &d) { d.cluster_x = 9; }},
    {"operator a, kernel t: threads are 1 to 1024", [](Draft &d) { d.threads = 1025; }},
    {"operator a, kernel t: threads are 1 to 1024", [](Draft &d) { d.threads = 0; }},
    {"operator a, kernel t: shared memory beyond any device", [](Draft &d) { d.smem_bytes = ~0u; }},
    {"operator a, kernel t: the grid has three expressions", [](Draft &d) { d.grid = {"1", "1"}; }},
    {"operator a, kernel t: a tensor map names a tensor that does not exist", [](Draft &d) { d.map_tensor = 1; }},
    {"operator a, kernel t: a tensor map has an unknown element type",
     [](Draft &d) { d.element = static_cast<Element>(77); }},
    {"operator a, kernel t: a tensor map has 1 to 5 dimensions", [](Draft &d) { d.dims = {}; }},
    {"operator a, kernel t: a tensor map has 1 to 5 dimensions", [](Draft &d) { d.dims = Words(6, "8"); }},
    {"operator a, kernel t: a tensor map's strides or box do not fit its rank", [](Draft &d) { d.strides = {}; }},
    {"operator a, kernel t: a tensor map's strides or box do not fit its rank", [](Draft &d) { d.box = {8}; }},
    {"operator a, kernel t: box edges are 1 to 256", [](Draft &d) { d.box[1] = 257; }},
    {"operator a, kernel t: box edges are 1 to 256", [](Draft &d) { d.box[0] = 0; }},
    {"operator a, kernel t: a swizzle is 0, 32, 64 or 128", [](Draft &d) { d.swizzle = 96; }},
    {"operator a, kernel t: an L2 promotion is 0, 64, 128 or 256", [](Draft &d) { d.promotion = 32; }},
    {"operator a, kernel t: a parameter has no expression", [](Draft &d) { d.has_expression = false; }},
    {"operator a, kernel t: a parameter has an unknown kind", [](Draft &d) { d.param = static_cast<ParamKind>(4); }},
    {"operator a, kernel t: a parameter names a tensor that does not exist",
     [](Draft &d) {
       d.param = ParamKind::Tensor;
       d.param_index = 1;
     }},
    {"operator a, kernel t: a parameter names a tensor map that does not exist",
     [](Draft &d) {
       d.param = ParamKind::TensorMap;
       d.param_index = 1;
     }},
};

}  // namespace

TEST_CASE("manifest: a sound one passes") {
  std::string problem;
  CHECK(Draft().check(&problem));
  INFO(problem);
  Draft other;
  other.param = ParamKind::Workspace;
  other.has_expression = false;
  CHECK(other.check(&problem));
}

TEST_CASE("manifest: each broken rule is named") {
  for (const Rule &rule : kRules) {
    Draft draft;
    rule.break_it(draft);
    std::string problem;
    CHECK_FALSE(draft.check(&problem));
    CHECK(problem == rule.text);
  }
}
