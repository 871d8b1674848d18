// SPDX-License-Identifier: Apache-2.0
// Every PTX form on every target that its row lists, and refused on those it does not.
#include "tests/assemble/isa/probes.h"

#include "generator/compile/compile.h"
#include "generator/target/target.h"
#include "tests/catch.h"

#include <algorithm>

using namespace warpwright;
using tests::CudaWorkshop;

namespace {

const std::vector<std::string> kArchs = {"sm_90a", "sm_100a", "sm_100f", "sm_103a"};

bool lists(const isa::Instruction &instruction, const std::string &arch) {
  return std::count(instruction.archs.begin(), instruction.archs.end(), arch) != 0;
}

std::vector<const isa::Instruction *> instructions_where(bool is_listed, const std::string &arch) {
  std::vector<const isa::Instruction *> found;
  for (const isa::Instruction &row : isa::all_instructions())
    if (lists(row, arch) == is_listed) found.push_back(&row);
  return found;
}

/// Checks that each of `forms` is refused by the assembler of `arch`, for what its form says and nothing else.
void check_refused(const std::vector<const isa::Instruction *> &forms, const std::string &arch) {
  const CudaWorkshop workshop;
  for (const isa::Instruction *row : forms) {
    const auto ptx = workshop.make_ptx(tests::probe_file({row}), arch);
    INFO(row->name << " on " << arch << "\n" << ptx.text);
    CHECK_FALSE(ptx.ok);
    const auto features = tests::unsupported_features(ptx.text);
    CHECK_FALSE(features.empty());
    // "wgmma.mma_async with integer types": the words behind the name are the assembler's own.
    for (const std::string &feature : features) CHECK(row->form.find(feature.substr(0, feature.find(" with "))) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("instruction rows assemble on every target they list") {
  const CudaWorkshop workshop;
  for (const std::string &arch : kArchs) {
    const auto rows = instructions_where(true, arch);
    REQUIRE(rows.size() > 20);
    const auto ptx = workshop.make_ptx(tests::probe_file(rows), arch);
    INFO(arch << "\n" << ptx.text);
    REQUIRE(ptx.ok);
    for (const isa::Instruction *row : rows)
      for (const std::string &opcode : tests::opcodes_of(row->form)) {
        INFO(row->name << ": " << opcode);
        CHECK(ptx.product.find(opcode + (row->form.find(opcode + ";") == std::string::npos ? " " : ";")) !=
              std::string::npos);
      }
    const auto cubin = workshop.assemble(ptx.product, arch);
    INFO(cubin.text);
    CHECK(cubin.ok);
  }
}

TEST_CASE("instruction rows are refused on the targets they do not list") {
  size_t refused = 0;
  for (const std::string &arch : kArchs) {
    const auto rows = instructions_where(false, arch);
    check_refused(rows, arch);
    refused += rows.size();
  }
  CHECK(refused > 0);
}

TEST_CASE("block-scaled MMAs need an architecture-specific target, not plain sm_100") {
  check_refused({isa::find_instruction("tcgen05_mma_nvf4_pair"), isa::find_instruction("tcgen05_mma_mxf4")}, "sm_100");
}

TEST_CASE("all texts together compile under NVRTC as well, without an include") {
  support::Diagnostics diagnostics;
  const target::SmTarget *target = target::find_target("sm_100a");
  REQUIRE(target != nullptr);
  std::vector<const isa::Instruction *> rows = instructions_where(true, "sm_100a");
  std::vector<std::string> names;
  for (const isa::Instruction *row : rows) names.push_back(row->name);
  for (const isa::DeviceFunction &row : isa::all_device_functions()) names.push_back(row.name);
  std::string source = isa::collect_device_text(names) + R"(
extern "C" __global__ void all_functions(float *out, u32 panel, int index) {
  Fragment64 f;
  tcgen05_ld_x64(f, panel);
  tcgen05_wait_ld(f);
  scale_columns(f, out[0], out, 4);
  scale_uniform(f, out[1]);
  add_bias(f, out, 8);
  silu(f);
  gelu(f);
  stage_rows_bf16<128>(panel, threadIdx.x, f);
  stage_rows_fp16<64, 32>(panel, threadIdx.x, f);
  stage_rows_fp32<128, 32>(panel, threadIdx.x, f);
  const Tile a = tile_along_m<36, 8>(index, 17), b = tile_along_n<36, 8>(index, 17);
  Slot slot{0, 1};
  slot.next<3>();
  out[2] = static_cast<float>(a.m + a.n + b.m + b.n + slot.index + slot.parity + operand_descriptor<128>(panel) +
                              operand_descriptor<64>(panel) + scale_descriptor(panel));
}
)";
  compile::CompileOptions options;
  options.backend = compile::Backend::kNvrtc;
  options.kernel_name = "all_functions";
  const auto kernel = compile::compile_kernel(source, *target, compile::CompilePolicy{}, options, diagnostics);
  INFO(diagnostics.render());
  CHECK_FALSE(diagnostics.has_errors());
  CHECK(kernel.has_value());
}
