// SPDX-License-Identifier: Apache-2.0
// What the front end makes of headers, signatures, registers and variables.
#include "tests/catch.h"
#include "tests/emulator/ptx/ptx_texts.h"

using namespace warpwright::emulator::ptx;
using Kind = Operand::Kind;
using Bytes = std::vector<uint8_t>;

TEST_CASE("ptx: header, comments and an entry without parameters") {
  const Module module = parse_or_fail(
      "// made by hand\n.version 8.7 /* over\ntwo lines */\n.target sm_90a, debug\n.address_size 64\n"
      ".visible .entry k() .maxntid 128, 2 .reqntid 128, 2, 1 .minnctapersm 1 .maxnreg 32 .noreturn "
      ".pragma \"nounroll\"; { ret; }\n.weak .entry other { ret; } .entry later(.param .u32 a);");
  CHECK(module.version_major == 8);
  CHECK(module.version_minor == 7);
  CHECK(module.target == "sm_90a");
  REQUIRE(module.kernels.size() == 2);  // a declaration is no kernel
  const Kernel &kernel = module.kernels[0];
  CHECK(kernel.name == "k");
  CHECK(kernel.max_threads.x == 128);
  CHECK(kernel.max_threads.y == 2);
  CHECK(kernel.required_threads.z == 1);
  CHECK(kernel.max_registers == 32);
  CHECK(kernel.min_ctas_per_sm == 1);
  CHECK(kernel.instructions.at(0).opcode == "ret");
  CHECK(kernel.instructions[0].place.line == 6);
  CHECK(module.kernels[1].max_threads.x == 0);
  CHECK(module.kernels[1].cluster.x == 0);
  CHECK(module.find_kernel("other") == &module.kernels[1]);
  CHECK(module.find_kernel("absent") == nullptr);
}

TEST_CASE("ptx: clusters") {
  const Module module = parse_or_fail(header() + ".entry k() .explicitcluster .reqnctapercluster 2, 1, 1 {}\n"
                                                 ".entry l() .maxclusterrank 8 .pragma \"a\", \"b\"; {}");
  CHECK(module.kernels.at(0).has_explicit_cluster);
  CHECK(module.kernels[0].cluster.x == 2);
  CHECK(module.kernels[0].cluster.count() == 2);
  CHECK_FALSE(module.kernels.at(1).has_explicit_cluster);
  CHECK(module.kernels[1].max_cluster_rank == 8);
}

TEST_CASE("ptx: parameters lie as in a C struct") {
  const Module module = parse_or_fail(header() +
                                      ".entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .u16 c,\n"
                                      ".param .align 64 .b8 d[100], .param .f64 e, .param .v2 .f32 f) {}");
  const Kernel &kernel = module.kernels.at(0);
  std::vector<uint64_t> offsets, sizes;
  for (const Variable &parameter : kernel.parameters) {
    offsets.push_back(parameter.offset);
    sizes.push_back(parameter.bytes);
    CHECK(parameter.space == Space::kParam);
  }
  CHECK(offsets == std::vector<uint64_t>{0, 8, 16, 64, 168, 176});
  CHECK(sizes == std::vector<uint64_t>{1, 8, 2, 100, 8, 8});
  CHECK(kernel.parameter_bytes == 184);
}

TEST_CASE("ptx: registers of every width, ranges, lists and vectors") {
  const Module module = parse_or_fail(header() + ".entry k() { .reg .pred %p<3>; .reg .b16 a, b; .reg .f32 %f<1>;\n"
                                                 ".reg .b128 q; .reg .s64 %rd<2>; .reg .b8 c; .reg .v2 .u32 v; .reg .f16x2 h;\n"
                                                 "st.v2.u32 [%rd1], v; mov.u32 v.y, v.r; }");
  const Kernel &kernel = module.kernels.at(0);
  std::string names;
  for (const Register &item : kernel.registers) names += item.name + ":" + std::to_string(int(item.width)) + " ";
  CHECK(names == "%p0:0 %p1:0 %p2:0 a:2 b:2 %f0:3 q:5 %rd0:4 %rd1:4 c:1 v.x:3 v.y:3 h:3 ");
  CHECK(kernel.instructions.at(0).operands.at(1).kind == Kind::kVector);
  CHECK(kernel.instructions[0].operands[1].parts.at(1).index == 11);
  CHECK(kernel.instructions.at(1).operands.at(0).index == 11);
  CHECK(kernel.instructions[1].operands.at(1).index == 10);
}

TEST_CASE("ptx: variables of the module come first, parameters last") {
  const Module module = parse_or_fail(header() +
                                      ".global .u32 unused;\n.extern .shared .align 1024 .b8 dynamic[];\n.global .u32 used[4] = {9};\n"
                                      ".entry k(.param .u64 first, .param .u32 second) {\n.reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
                                      ".local .align 16 .b8 depot[32]; .shared .f32 tile[8][4];\n"
                                      "mov.u64 %rd1, used+8; mov.u32 %r1, dynamic; mov.u32 %r2, tile;\n"
                                      "ld.param.u32 %r3, [second+0]; st.local.u32 [depot+4], %r3; }");
  const Kernel &kernel = module.kernels.at(0);
  REQUIRE(kernel.variables.size() == 4);  // not `unused`
  CHECK(kernel.variables[0].name == "dynamic");
  CHECK(kernel.variables[0].is_extern);
  CHECK(kernel.variables[0].bytes == 0);
  CHECK(kernel.variables[0].align == 1024);
  CHECK(kernel.variables[0].module_index == 1u);
  CHECK(kernel.variables[1].module_index == 2u);
  CHECK(kernel.variables[1].initial.empty());
  CHECK(module.variables.at(2).initial == Bytes{9, 0, 0, 0});
  CHECK(kernel.variables[2].name == "depot");
  CHECK(kernel.variables[2].space == Space::kLocal);
  CHECK_FALSE(kernel.variables[2].module_index.has_value());
  CHECK(kernel.variables[3].bytes == 128);
  CHECK(kernel.variables[3].align == 4);
  const auto operand = [&](size_t instruction) { return kernel.instructions.at(instruction).operands.at(1); };
  CHECK(operand(0).kind == Kind::kVariable);
  CHECK(operand(0).index == 1);
  CHECK(operand(0).value == 8);
  CHECK(operand(1).index == 0);
  CHECK(operand(2).index == 3);
  CHECK(operand(3).parts.at(0).index == 5);  // behind four variables, the second parameter
  CHECK(kernel.instructions[4].operands[0].value == 4);
  CHECK(kernel.instructions[4].operands[0].parts.at(0).value == 0);
}

TEST_CASE("ptx: initial values") {
  const Module module = parse_or_fail(
      header() + ".global .align 4 .b8 bytes[8] = {1, 0xFF, -1};\n.const .f32 one = 0f3F800000;\n"
                 ".const .f64 list[] = {0d4000000000000000, 1.5};\n.global .f32 narrow = 1.5;\n"
                 ".global .u16 rows[2][2] = {{1}, {2, 3}};\n.global .v4 .u8 pixel[2] = {{1, 2, 3, 4}, {5}};\n"
                 ".func f();\n.global .u64 target = bytes+4, other[2] = {f, generic(rows)+2};\n"
                 ".global .b8 packed[3] = {7, 0xFF(bytes), 0xFF00(bytes)};\n.global .u64 zero;\n.global .s64 sum = 2+3*4;");
  const auto initial = [&](const std::string &name) {
    for (const Variable &variable : module.variables)
      if (variable.name == name) return variable.initial;
    FAIL(name);
    return Bytes{};
  };
  CHECK(initial("bytes") == Bytes{1, 0xFF, 0xFF});
  CHECK(initial("one") == Bytes{0, 0, 0x80, 0x3F});
  CHECK(initial("list") == Bytes{0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F});
  CHECK(initial("narrow") == Bytes{0, 0, 0xC0, 0x3F});
  CHECK(initial("rows") == Bytes{1, 0, 0, 0, 2, 0, 3, 0});
  CHECK(initial("pixel") == Bytes{1, 2, 3, 4, 5});
  CHECK(initial("zero").empty());
  CHECK(initial("sum").at(0) == 14);
  CHECK(module.variables.at(2).bytes == 16);
  const Variable &target = module.variables.at(6);
  CHECK(target.relocations.at(0).addend == 4);
  CHECK(target.relocations[0].bytes == 8);
  CHECK_FALSE(target.relocations[0].is_generic);
  const Variable &other = module.variables.at(7);
  CHECK(other.relocations.at(0).is_function);
  CHECK(other.relocations.at(1).is_generic);
  CHECK(other.relocations[1].index == 4);
  CHECK(other.relocations[1].offset == 8);
  const Variable &packed = module.variables.at(8);
  CHECK(packed.relocations.at(1).shift == 8);
  CHECK(packed.relocations[1].bytes == 1);
  CHECK(packed.relocations[1].offset == 2);
}

TEST_CASE("ptx: line information and debug sections") {
  const Module module = parse_or_fail(
      header() + ".entry k() { .loc 2 549 1, function_name $L__info_string0, inlined_at 1 41 3\n$L__tmp0: ret;\n"
                 ".loc 1 7 0\nret; }\n.file 1 \"a.cu\"\n.file 2 \"b.h\", 1700000000, 123\n"
                 ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,0\n.b32 .debug_abbrev\n.b64 a+4\n}");
  CHECK(module.files == std::vector<std::string>{"", "a.cu", "b.h"});
  const std::vector<Instruction> &all = module.kernels.at(0).instructions;
  CHECK(all.at(0).place.file == 2);
  CHECK(all[0].place.source_line == 549);
  CHECK(all.at(1).place.file == 1);
  CHECK(all[1].place.source_line == 7);
  CHECK(all[1].place.line == 7);
}
