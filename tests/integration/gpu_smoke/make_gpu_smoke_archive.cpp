// SPDX-License-Identifier: Apache-2.0
// Packs the row-scale kernel for the GPU test: make_gpu_smoke_archive OUT SOURCE CUBIN PTX NVCC_VERSION.
#include "generator/archive/archive.h"
#include "generator/support/files.h"

#include <cstdio>

using namespace warpwright;
using Kind = plan::KernelParam::Kind;

namespace {

constexpr int64_t kDynamicSmemBytes = 80 * 1024 + 64 * 128;  // row_scale.cu: kTileOffsetBytes and the tile

plan::KernelPlan kernel(const std::string &name) {
  plan::KernelPlan kernel;
  kernel.name = name;
  kernel.arch = "sm_90a";
  plan::TensorMap map;
  map.name = "map_x";
  map.tensor = "x";
  map.element = "fp32";
  map.dims = {"n", "m"};
  map.strides_bytes = {"n * 4"};
  map.box = {32, 64};
  map.swizzle = plan::Swizzle::k128;
  kernel.tensor_maps = {map};
  kernel.params = {{"map_x", Kind::kTensorMap, "const __grid_constant__ CUtensorMap", "map_x", ""},
                   {"scale", Kind::kPointer, "const float *", "scale", ""},
                   {"y", Kind::kPointer, "float *", "y", ""},
                   {"m", Kind::kInt32, "int", "m", ""},
                   {"n", Kind::kInt32, "int", "n", ""}};
  kernel.launch.grid_x = "ceil_div(m, 64)";
  kernel.launch.grid_y = "n / 32";
  kernel.launch.threads = 128;
  kernel.launch.dynamic_smem_bytes = kDynamicSmemBytes;
  kernel.launch.requires_true = {"m >= 1"};
  return kernel;
}

archive::PackedOperator row_scale(const std::string &name) {
  archive::PackedOperator packed;
  packed.plan.name = name;
  packed.plan.spec.family = "gpu_smoke";
  packed.plan.spec.arch = "sm_90a";
  packed.plan.variables = {"m"};
  packed.plan.fixed_variables = {{"n", 96}};
  packed.plan.tensors = {
      {"x", "input", false, spec::NumberFormat::kFp32, {"m", "n"}, "row_major", "m * n * 4", 16},
      {"scale", "one factor a row", false, spec::NumberFormat::kFp32, {"m"}, "vector", "m * 4", 4},
      {"y", "result", true, spec::NumberFormat::kFp32, {"m", "n"}, "row_major", "m * n * 4", 16}};
  packed.spec_json = packed.plan_json = "{}\n";
  return packed;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  std::string why;
  const auto source = support::read_file(argv[2], why);
  const auto cubin = support::read_file(argv[3], why);
  const auto ptx = support::read_file(argv[4], why);
  if (!source || !cubin || !ptx) {
    std::fprintf(stderr, "%s\n", why.c_str());
    return 1;
  }
  compile::CompiledKernel image;
  image.cubin.assign(cubin->begin(), cubin->end());
  image.ptx = *ptx;
  image.tool_version = argv[5];
  archive::PackedOperator scale = row_scale("row_scale");
  scale.plan.kernels = {kernel("row_scale_single"), kernel("row_scale_pair")};
  scale.plan.kernels[1].launch.grid_x = "ceil_div(m, 128) * 2";
  scale.plan.kernels[1].launch.cluster_x = 2;
  scale.plan.kernels[1].launch.programmatic_dependent_launch = true;
  scale.plan.dispatch = {{"m <= 64", {0}}, {"1", {1}}};
  scale.sources = {*source, *source};
  scale.images = {{{"sm_90a", image}}, {{"sm_90a", image}}};
  archive::PackedOperator counted = row_scale("row_scale_counted");
  counted.plan.kernels = {kernel("row_scale_counted")};
  counted.plan.kernels[0].params.insert(counted.plan.kernels[0].params.begin() + 3,
                                        {"counter", Kind::kPointer, "unsigned *", "workspace", ""});
  counted.plan.dispatch = {{"1", {0}}};
  counted.plan.workspace_bytes = "256";
  counted.plan.workspace_must_be_zero = true;
  counted.sources = {*source};
  counted.images = {{{"sm_90a", image}}};
  support::Diagnostics diagnostics;
  if (archive::write_archive(argv[1], {scale, counted}, diagnostics)) return 0;
  std::fputs(diagnostics.render().c_str(), stderr);
  return 1;
}
