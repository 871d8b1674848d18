// SPDX-License-Identifier: Apache-2.0
// The cost rows of device functions, measured again from compiled PTX and from the assembler's register counts.
#include "tests/assemble/isa/probes.h"

#include "tests/catch.h"

#include <map>
#include <regex>

using namespace warpwright;
using tests::CudaWorkshop;

namespace {

/// A call to measure, and the elements its costs are counted for.
struct Measured {
  std::string name;
  std::string call;
  int fragment_elems;
  int elems;
};

const std::vector<Measured> kMeasured = {
    {"tile_along_m", "const Tile t = tile_along_m<36, 8>(index, count); word += t.m ^ t.n;", 32, 0},
    {"tile_along_n", "const Tile t = tile_along_n<36, 8>(index, count); word += t.m ^ t.n;", 32, 0},
    {"operand_descriptor", "word += operand_descriptor<128>(index);", 32, 0},
    {"scale_descriptor", "word += scale_descriptor(index);", 32, 0},
    {"swizzled_offset", "word += swizzled_offset<64>(index, count);", 32, 0},
    {"scale_uniform", "scale_uniform(f, alpha);", 32, 32},
    {"scale_uniform", "scale_uniform(f, alpha);", 64, 64},
    {"scale_columns", "scale_columns(f, alpha, column, index);", 32, 32},
    {"scale_columns", "scale_columns(f, alpha, column, index);", 64, 64},
    {"add_bias", "add_bias(f, column, index);", 32, 32},
    {"add_bias", "add_bias(f, column, index);", 64, 64},
    {"silu", "silu(f);", 32, 32},
    {"silu", "silu(f);", 64, 64},
    {"gelu", "gelu(f);", 32, 32},
    {"gelu", "gelu(f);", 64, 64},
    {"stage_rows_bf16", "stage_rows_bf16<64>(index, count, f);", 32, 32},
    {"stage_rows_bf16", "stage_rows_bf16<128>(index, count, f);", 64, 64},
    {"stage_rows_fp16", "stage_rows_fp16<64>(index, count, f);", 32, 32},
    {"stage_rows_fp16", "stage_rows_fp16<128>(index, count, f);", 64, 64},
    {"stage_rows_fp32", "stage_rows_fp32<128>(index, count, f);", 32, 32},
    {"stage_rows_fp32", "stage_rows_fp32<128, 32>(index, count, f);", 64, 32},
};

/// On 32 tokens of a warpgroup's 64 channels: 16 sums a thread.
const std::vector<Measured> kMeasuredOfSums = {
    {"bulk_load_chunks", "bulk_load_chunks(index, out, count, index, 4352, index);", 16, 0},
    {"wgmma_descriptor", "count += int(wgmma_descriptor(index));", 16, 0},
    {"clear_accumulator", "Accumulator<32, 1> sums_of_next; clear_accumulator(sums_of_next); store(out + 96, sums_of_next.slab[0]);", 16, 0},
    {"dequantise", "Words<4> a, b; dequantise<64, false>(a, b, codes, index); store(out, a); store(out + 4, b);", 16, 0},
    {"dequantise", "Words<4> a, b; dequantise<128, true>(a, b, codes, index); store(out, a); store(out + 4, b);", 16, 0},
    {"multiply_w4a8", "multiply_w4a8<1, 2, 64, false, 4096, 4352>(acc, index, count);", 16, 0},
    {"multiply_w4a8", "multiply_w4a8<1, 2, 128, true, 4096, 4224>(acc, index, count);", 16, 0},
    {"sums_of", "const int4 v = sums_of(acc.slab[0], 1); out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w;", 16, 0},
    {"column_affine", "const float v = column_affine(__int_as_float(count), index, {count, column, sums, column, nullptr, column, column}); out[0] = __float_as_uint(v);", 16, 1},
    {"tokens_to_values_lora",
     "const float4 v = tokens_to_values_lora<128, 32, mma_bf16>(sums_of(acc.slab[0], 1), index, index, "
     "{count, column, sums, column, nullptr, nullptr, nullptr, to, to}); "
     "out[0] = __float_as_uint(v.x); out[1] = __float_as_uint(v.y); out[2] = __float_as_uint(v.z); out[3] = __float_as_uint(v.w);",
     16, 4},
    {"tokens_to_values",
     "const float4 v = tokens_to_values<128>(sums_of(acc.slab[0], 1), index, index, {count, column, sums, column}); "
     "out[0] = __float_as_uint(v.x); out[1] = __float_as_uint(v.y); out[2] = __float_as_uint(v.z); out[3] = __float_as_uint(v.w);",
     16, 4},
    {"stage_tokens", "stage_tokens<pack_bf16, tokens_to_values<128>, 0, 0, 32>(acc, index, index, index, 960, {count, column, sums, column});", 16, 16},
    {"stage_tokens", "stage_tokens<pack_fp16, tokens_to_values<128>, 0, 0, 32>(acc, index, index, index, 960, {count, column, sums, column});", 16, 16},
    {"join_splits", "if (!join_splits<4, 8>(acc, index, count, out, partials)) return;", 16, 16},
    {"finish_split",
     "finish_split<pack_bf16, tokens_to_values<128>, 4, 8, 1024>(acc, index, count, index, index, {count, column, sums, column}, to, out, partials);", 16, 16},
    {"finish_split",
     "finish_split<pack_fp16, tokens_to_values<128>, 4, 8, 1024>(acc, index, count, index, index, {count, column, sums, column}, to, out, partials);", 16, 16},
};

/// One instruction that takes a whole fragment, so that the assembler keeps all of it in registers at once.
std::string keep_text(int elems) {
  std::string registers, operands;
  for (int i = 0; i < elems; ++i) {
    registers += (i ? ", %" : "%") + std::to_string(i + 1);
    operands += ", \"f\"(f.v[" + std::to_string(i) + "])";
  }
  const std::string n = std::to_string(elems);
  return "WW_DEVICE void keep(const Fragment<" + n + "> &f, u32 addr) {\n" +
         "  asm volatile(\"tcgen05.st.sync.aligned.32x32b.x" + n + ".b32 [%0], {" + registers + "};\" :: \"r\"(addr)" + operands + ");\n}\n";
}

/// A kernel around `call` in which every element of the fragment is live before and after it.
std::string kernel_text(const std::string &name, const std::string &call, int elems) {
  const std::string n = std::to_string(elems);
  return "extern \"C\" __global__ void " + name +
         "(u64 *out, float alpha, const float *column, int index, int count) {\n  Fragment<" + n +
         "> f;\n  u64 word = 0;\n  tcgen05_ld_x" + n + "(f, index);\n  tcgen05_wait_ld(f);\n  " + call +
         "\n  keep(f, index);\n  out[0] = word;\n}\n";
}

std::string measured_name(size_t i) { return "measured_" + std::to_string(i); }

/// A kernel around `call` in which every sum is live before and after it.
std::string kernel_of_sums(const std::string &name, const std::string &call) {
  return "extern \"C\" __global__ void " + name +
         "(u32 *out, const float *column, const int *sums, u16 *to, int4 *partials, int index, int count) {\n"
         "  Accumulator<32, 1> acc;\n  Words<4> codes;\n  load(acc.slab[0], out);\n  load(codes, out + 16);\n  keep(acc.slab[0]);\n  " +
         call + "\n  keep(acc.slab[0]);\n  store(out + 32, acc.slab[0]);\n  out[64] = count;\n}\n";
}

std::string file_of_sums() {
  std::vector<std::string> names = {"wgmma_fence_n32", "wgmma_u8_s8_n32", "wgmma_s8_s8_n32", "wgmma_wait_all_n32", "pack_bf16", "pack_fp16", "mma_bf16"};
  for (const Measured &measured : kMeasuredOfSums) names.push_back(measured.name);
  std::string keep;
  for (int i = 0; i < 16; ++i) keep += std::string(i ? ", " : "") + "\"+r\"(w.v[" + std::to_string(i) + "])";
  std::string text = isa::collect_device_text(names) +
                     "WW_DEVICE void keep(Words<16> &w) { asm volatile(\"\" : " + keep + "); }\n" +
                     "template <int n> WW_DEVICE void load(Words<n> &w, const u32 *from) {\n#pragma unroll\n"
                     "  for (int i = 0; i < n; ++i) w.v[i] = __ldcv(from + i);\n}\n"
                     "template <int n> WW_DEVICE void store(u32 *to, const Words<n> &w) {\n#pragma unroll\n"
                     "  for (int i = 0; i < n; ++i) __stwt(to + i, w.v[i]);\n}\n" +
                     kernel_of_sums("baseline_16", "");
  for (size_t i = 0; i < kMeasuredOfSums.size(); ++i) text += kernel_of_sums(measured_name(i), kMeasuredOfSums[i].call);
  return text;
}

std::string measured_file() {
  std::vector<std::string> names = {"tcgen05_ld_x32", "tcgen05_ld_x64", "tcgen05_wait_ld"};
  for (const Measured &measured : kMeasured) names.push_back(measured.name);
  std::string text = isa::collect_device_text(names);
  text += keep_text(32) + keep_text(64);
  text += kernel_text("baseline_32", "", 32) + kernel_text("baseline_64", "", 64);
  for (size_t i = 0; i < kMeasured.size(); ++i)
    text += kernel_text(measured_name(i), kMeasured[i].call, kMeasured[i].fragment_elems);
  return text;
}

/// The PTX of one entry.
std::string entry_text(const std::string &ptx, const std::string &entry) {
  const size_t begin = ptx.find(".entry " + entry + "(");
  REQUIRE(begin != std::string::npos);
  return ptx.substr(begin, ptx.find(".entry ", begin + 1) - begin);
}

/// How many results the instructions that match `pattern` give; a form on .f32x2 gives two.
int count_results(const std::string &ptx, const std::string &pattern) {
  const std::regex regex("\\b" + pattern);
  int count = 0;
  for (std::sregex_iterator match(ptx.begin(), ptx.end(), regex), end; match != end; ++match)
    count += match->str().find("f32x2") != std::string::npos ? 2 : 1;
  return count;
}

std::map<std::string, int> registers_by_kernel(const std::string &log) {
  std::map<std::string, int> registers;
  const std::regex report("entry function '(\\w+)'[\\s\\S]*?Used (\\d+) registers");
  for (std::sregex_iterator match(log.begin(), log.end(), report), end; match != end; ++match)
    registers[(*match)[1]] = std::stoi((*match)[2]);
  return registers;
}

/// Instructions and registers of `measured`, the kernel `index` of a file, against its cost row.
void check_cost(const Measured &measured, size_t index, const std::string &ptx, const std::map<std::string, int> &registers) {
  INFO(measured.name << " on " << measured.fragment_elems << " elements");
  const isa::DeviceCost &cost = isa::find_device_function(measured.name)->cost;
  const std::string text = entry_text(ptx, measured_name(index));
  CHECK(count_results(text, "(fma|mul|add|sub)(\\.rn)?(\\.ftz)?\\.f32(x2)?\\b") == cost.fma_per_elem * measured.elems);
  CHECK(count_results(text, "(ex2|rcp|tanh|lg2|sqrt|rsqrt|sin|cos)\\.") == cost.mufu_per_elem * measured.elems);
  CHECK(count_results(text, "cvt\\.rn\\.(bf16|f16)x2\\.f32\\b") == cost.conversions_per_elem * measured.elems);
  CHECK(count_results(text, "ld\\.global\\.(nc|cg)\\.v4\\b") == cost.global_loads_per_elem * measured.elems);
  CHECK(count_results(text, "st\\.shared::cta\\.v4\\b") == cost.shared_stores_per_elem * measured.elems);
  CHECK(count_results(text, "(ld|st)\\.local\\b") == 0);
  const int extra = registers.at(measured_name(index)) - registers.at("baseline_" + std::to_string(measured.fragment_elems));
  INFO("registers beyond the baseline: " << extra);
  const double row = cost.registers + cost.registers_per_elem * measured.elems;
  CHECK(extra <= row);
  CHECK(extra > row - 20);
}

}  // namespace

TEST_CASE("every device function is measured") {
  for (const isa::DeviceFunction &row : isa::all_device_functions()) {
    if (row.is_type) continue;
    INFO(row.name);
    const auto is_row = [&](const Measured &m) { return m.name == row.name; };
    CHECK((std::any_of(kMeasured.begin(), kMeasured.end(), is_row) || std::any_of(kMeasuredOfSums.begin(), kMeasuredOfSums.end(), is_row)));
  }
}

TEST_CASE("cost rows of device functions are what the compiler makes of them") {
  const CudaWorkshop workshop;
  const auto ptx = workshop.make_ptx(measured_file(), "sm_100a");
  INFO(ptx.text);
  REQUIRE(ptx.ok);
  const auto cubin = workshop.assemble(ptx.product, "sm_100a");
  if (!cubin.ok) FAIL(cubin.text);
  const auto registers = registers_by_kernel(cubin.text);
  for (size_t i = 0; i < kMeasured.size(); ++i) {
    check_cost(kMeasured[i], i, ptx.product, registers);
    const std::string text = entry_text(ptx.product, measured_name(i));
    CHECK(count_results(text, "ld\\.global\\b") == count_results(text, "ld\\.global\\.nc\\.v4\\b"));
  }
}

TEST_CASE("cost rows of device functions on a warpgroup's sums are what the compiler makes of them") {
  const CudaWorkshop workshop;
  const auto ptx = workshop.make_ptx(file_of_sums(), "sm_90a");
  INFO(ptx.text);
  REQUIRE(ptx.ok);
  const auto cubin = workshop.assemble(ptx.product, "sm_90a");
  if (!cubin.ok) FAIL(cubin.text);
  const auto registers = registers_by_kernel(cubin.text);
  for (size_t i = 0; i < kMeasuredOfSums.size(); ++i) check_cost(kMeasuredOfSums[i], i, ptx.product, registers);
}
