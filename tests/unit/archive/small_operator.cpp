// SPDX-License-Identifier: Apache-2.0
// Builds plan records by hand, so that these tests depend on no family.
#include "tests/unit/archive/small_operator.h"

#include "runtime/format/container.h"
#include "runtime/format/digest.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace warpwright::testing {

namespace {

using Kind = plan::KernelParam::Kind;

plan::TensorMap x_map() {
  plan::TensorMap map;
  map.name = "map_x";
  map.tensor = "x";
  map.element = "u8";
  map.dims = {"k", "m"};
  map.strides_bytes = {"k"};
  map.box = {128, 64};
  map.swizzle = plan::Swizzle::k128;
  map.l2_promotion_bytes = 256;
  return map;
}

plan::TensorMap y_map() {
  plan::TensorMap map;
  map.name = "map_y";
  map.tensor = "y";
  map.element = "bf16";
  map.dims = {"n", "m", "1"};
  map.strides_bytes = {"n * 2", "n * m * 2"};
  map.box = {32, 64, 1};
  map.swizzle = plan::Swizzle::k64;
  map.is_store = true;
  return map;
}

plan::KernelPlan kernel(const std::string &name) {
  plan::KernelPlan kernel;
  kernel.name = name;
  kernel.arch = "sm_100a";
  kernel.tensor_maps = {x_map(), y_map()};
  kernel.params = {{"map_x", Kind::kTensorMap, "const __grid_constant__ CUtensorMap", "map_x", ""},
                   {"map_y", Kind::kTensorMap, "const __grid_constant__ CUtensorMap", "map_y", ""},
                   {"scale", Kind::kPointer, "const float *", "scale", ""},
                   {"m", Kind::kInt32, "int", "m", ""}};
  kernel.launch.threads = 224;
  kernel.launch.dynamic_smem_bytes = 100000;
  kernel.launch.requires_true = {"m >= 1"};
  return kernel;
}

plan::KernelPlan combine_kernel(const std::string &name) {
  plan::KernelPlan kernel;
  kernel.name = name;
  kernel.arch = "sm_100a";
  kernel.params = {{"partial", Kind::kPointer, "const float *", "workspace", ""},
                   {"y", Kind::kPointer, "void *", "y", ""},
                   {"blocks", Kind::kInt32, "int", "ceil_div(m, 128)", ""}};
  kernel.launch.threads = 128;
  kernel.launch.grid_x = "ceil_div(m, 128)";
  kernel.launch.grid_y = "2";
  return kernel;
}

compile::CompiledKernel compiled(const std::string &name, const std::string &arch) {
  compile::CompiledKernel image;
  image.ptx = ".version 9.0\n.target " + arch + "\n// " + name + "\n";
  image.cubin = fake_cubin(name + " for " + arch);
  image.registers = 168;
  image.tool_version = "nvcc 13.0.88";
  image.findings = {{"compile.advisory", "a line of ptxas", false}};
  image.from_cache = true;
  image.seconds = 0.25;
  return image;
}

}  // namespace

std::vector<uint8_t> fake_cubin(const std::string &payload) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 190;  // EM_CUDA
  std::vector<uint8_t> bytes(sizeof(header) + payload.size());
  std::memcpy(bytes.data(), &header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), payload.data(), payload.size());
  return bytes;
}

archive::PackedOperator small_operator(const std::string &name) {
  archive::PackedOperator packed;
  plan::OperatorPlan &plan = packed.plan;
  plan.name = name;
  plan.spec.family = "test_family";
  plan.spec.arch = "sm_100a";
  plan.variables = {"m"};
  plan.fixed_variables = {{"k", 512}, {"n", 256}};
  plan.tensors = {
      {"x", "activations", false, spec::NumberFormat::kU8, {"m", "k"}, "row_major", "m * k", 128},
      {"scale", "one factor a column", false, spec::NumberFormat::kFp32, {"n"}, "vector", "n * 4", 4},
      {"y", "result", true, spec::NumberFormat::kBf16, {"m", "n"}, "row_major", "m * n * 2", 16}};
  plan.kernels = {kernel(name + "_small"), kernel(name + "_main"), combine_kernel(name + "_combine")};
  plan.kernels[0].launch.grid_x = "min(num_sms, ceil_div(m, 16))";
  plan.kernels[1].launch.grid_x = "min(num_sms / 2, ceil_div(m, 128)) * 2";
  plan.kernels[1].launch.cluster_x = 2;
  plan.kernels[1].launch.programmatic_dependent_launch = true;
  plan.kernels[1].cta_group = 2;
  plan.dispatch = {{"m <= 64", {0}}, {"m <= 4096", {1, 2}}};
  plan.workspace_bytes = "(m > 64) * m * n * 4";
  plan.workspace_must_be_zero = true;
  plan.facts = {{"depth", "5"}, {"tile", "256x256x256"}};
  packed.plan_json = "{\"plan\": \"" + name + "\"}\n";
  packed.spec_json = "{\"family\": \"test_family\"}\n";
  for (const plan::KernelPlan &each : plan.kernels) {
    packed.sources.push_back("// kernel " + each.name + "\n");
    packed.images.push_back({{"sm_100a", compiled(each.name, "sm_100a")}, {"sm_103a", compiled(each.name, "sm_103a")}});
  }
  return packed;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "warpwright-test-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
  folder_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string read_bytes(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string &file, const std::string &bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw std::runtime_error("cannot write " + file);
}

std::string small_archive_bytes(const std::vector<std::string> &names) {
  const ScratchFolder scratch;
  std::vector<archive::PackedOperator> operators;
  for (const std::string &name : names) operators.push_back(small_operator(name));
  support::Diagnostics diagnostics;
  if (!archive::write_archive(scratch.path("small.wwa"), operators, diagnostics))
    throw std::runtime_error(diagnostics.render());
  return read_bytes(scratch.path("small.wwa"));
}

void repair_digests(std::string &bytes) {
  format::Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.manifest_offset <= bytes.size() && header.manifest_bytes <= bytes.size() - header.manifest_offset) {
    const auto manifest = format::xxh3_of(bytes.data() + header.manifest_offset, header.manifest_bytes);
    header.manifest_xxh3[0] = manifest.low;
    header.manifest_xxh3[1] = manifest.high;
  }
  const auto digest = format::xxh3_of(&header, offsetof(format::Header, header_xxh3));
  header.header_xxh3[0] = digest.low;
  header.header_xxh3[1] = digest.high;
  std::memcpy(bytes.data(), &header, sizeof(header));
}

}  // namespace warpwright::testing
