// SPDX-License-Identifier: Apache-2.0
// What the front end makes of statements and operands.
#include "tests/catch.h"
#include "tests/emulator/ptx/ptx_texts.h"

#include <cstring>

using namespace warpwright::emulator::ptx;
using Kind = Operand::Kind;

namespace {

std::vector<Operand> operands_of(const std::string &instruction) {
  const Module module = parse_or_fail(with_body(instruction));
  REQUIRE(module.kernels.at(0).instructions.size() == 1);
  return module.kernels[0].instructions[0].operands;
}

Operand operand_of(const std::string &text) {
  const std::vector<Operand> all = operands_of("mov.b32 " + text + ";");
  REQUIRE(all.size() == 1);
  return all[0];
}

int64_t value_of(const std::string &text) {
  const Operand operand = operand_of(text);
  CHECK(operand.kind == Kind::kImmediate);
  CHECK_FALSE(operand.is_float);
  return operand.value;
}

}  // namespace

TEST_CASE("ptx: literals") {
  CHECK(value_of("12") == 12);
  CHECK(value_of("-1") == -1);
  CHECK(value_of("0xFFFFFFFF") == 0xFFFFFFFF);
  CHECK(value_of("0x1fU") == 31);
  CHECK(value_of("0b1010") == 10);
  CHECK(value_of("017") == 15);
  CHECK(value_of("18446744073709551615") == -1);
  CHECK(value_of("0") == 0);
  CHECK(value_of("WARP_SZ") == 32);
  const Operand single = operand_of("0f3F800000");
  CHECK(single.is_float);
  CHECK(single.float_bits == 32);
  CHECK(single.value == 0x3F800000);
  const Operand wide = operand_of("0dBFF0000000000000");
  CHECK(wide.float_bits == 64);
  CHECK(static_cast<uint64_t>(wide.value) == 0xBFF0000000000000);
  const Operand decimal = operand_of("-1.5e1");
  double value = 0;
  std::memcpy(&value, &decimal.value, sizeof(value));
  CHECK(decimal.float_bits == 64);
  CHECK(value == -15.0);
}

TEST_CASE("ptx: constant expressions bind as in C") {
  CHECK(value_of("2+3*4") == 14);
  CHECK(value_of("(2+3)*4") == 20);
  CHECK(value_of("1<<4|3") == 19);
  CHECK(value_of("10-3-2") == 5);
  CHECK(value_of("-7/2") == -3);
  CHECK(value_of("(-8)>>1") == -4);
  CHECK(value_of("(.u64)(-1)>>60") == 15);
  CHECK(value_of("~0") == -1);
  CHECK(value_of("!3") == 0);
  CHECK(value_of("3>2?5:6") == 5);
  CHECK(value_of("1>=2||4!=4&&1") == 0);
  CHECK(value_of("7 % 4^1") == 2);
  CHECK(value_of("(-9223372036854775807-1)/-1") == INT64_MIN);
  CHECK(value_of("(-9223372036854775807-1) % -1") == 0);
  CHECK(value_of("0xFFFFFFFFFFFFFFFF/2") == INT64_MAX);
  CHECK(value_of("1 == 1") == 1);
}

TEST_CASE("ptx: operands") {
  CHECK(operand_of("%r3").kind == Kind::kRegister);
  CHECK(operand_of("_").kind == Kind::kSink);
  CHECK(operand_of("!%p1").is_negated);
  const std::vector<Operand> pair = operands_of("shfl.sync.idx.b32\t%r2|%p1, %r1, 0, 31, -1;");
  REQUIRE(pair.size() == 5);
  CHECK(pair[0].kind == Kind::kPair);
  CHECK(pair[0].parts.at(0).index == 2);
  CHECK(pair[0].parts.at(1).index == 21);  // %p1 stands behind ten %r and ten %rd
  CHECK(operands_of("elect.sync _|%p2, 0xffffffff;").at(0).parts.at(0).kind == Kind::kSink);
  const std::vector<Operand> copy = operands_of("ld.global.v4.f32 {%f0, _, %f2,%f3}, [%rd1+-8];");
  CHECK(copy.at(0).kind == Kind::kVector);
  CHECK(copy[0].parts.size() == 4);
  CHECK(copy[0].parts[1].kind == Kind::kSink);
  CHECK(copy.at(1).kind == Kind::kAddress);
  CHECK(copy[1].value == -8);
  CHECK(copy[1].parts.at(0).kind == Kind::kRegister);
  const Operand map = operands_of("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {%r3, 4}], [%r5];"
                                  ).at(0);
  CHECK(map.parts.size() == 2);
  CHECK(map.parts[1].kind == Kind::kVector);
  CHECK(map.parts[1].parts.at(1).value == 4);
  CHECK(operands_of("mov.b128 q, {%rd1, %rd2};").size() == 2);
  const Operand numbered = operands_of("st.local.u32 [4096], %r1;").at(0);
  CHECK(numbered.parts.at(0).kind == Kind::kImmediate);
  CHECK(numbered.parts[0].value == 4096);
}

TEST_CASE("ptx: vectors as wide as a tensor load") {
  std::string list, registers = ".reg .b32 %w<128>; ";
  for (int i = 0; i < 128; ++i) list += (i == 0 ? "%w" : ", %w") + std::to_string(i);
  const Module module = parse_or_fail(with_body(registers + "tcgen05.ld.sync.aligned.32x32b.x128.b32 {" + list + "}, [%r1];"));
  const Operand &vector = module.kernels.at(0).instructions.at(0).operands.at(0);
  REQUIRE(vector.parts.size() == 128);
  CHECK(module.kernels[0].registers.at(vector.parts[127].index).name == "%w127");
}

TEST_CASE("ptx: opcodes are kept whole") {
  const Module module =
      parse_or_fail(with_body("tcgen05.wait::ld.sync.aligned;\n mov .u32\t%r1, %r2;\n@!%p1 bra L; L: @%p2 ret;"));
  const std::vector<Instruction> &all = module.kernels.at(0).instructions;
  REQUIRE(all.size() == 4);
  CHECK(all[0].opcode == "tcgen05.wait::ld.sync.aligned");
  CHECK(all[0].place.line == 7);
  CHECK(all[1].opcode == "mov.u32");
  CHECK(all[2].place.line == 9);
  CHECK(all[2].guard_is_negated);
  CHECK(all[2].operands.at(0).kind == Kind::kLabel);
  CHECK(all[2].operands[0].index == 3);
  CHECK(all[3].guard.has_value());
  CHECK_FALSE(all[3].guard_is_negated);
}

TEST_CASE("ptx: special registers stand once each") {
  const Module module = parse_or_fail(with_body("mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid; mov.u32 %r3, %tid.x; "
                                                "mov.u64 %rd1, %clock64; mov.u32 %r3, %envreg31; mov.u64 %rd1, %pm3_64;"));
  CHECK(module.kernels.at(0).specials ==
        std::vector<std::string>{"%tid.x", "%laneid", "%clock64", "%envreg31", "%pm3_64"});
  CHECK(module.kernels[0].instructions.at(2).operands.at(1).kind == Kind::kSpecial);
  CHECK(module.kernels[0].instructions[2].operands[1].index == 0);
}

TEST_CASE("ptx: calls keep their lists") {
  const Module module = parse_or_fail(
      header() + ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;\n"
                 ".func (.param .align 8 .b8 r[16]) own (.param .b32 a) ;\n"
                 ".func (.param .align 8 .b8 r[16]) own (.param .b32 a) { .reg .b32 x; ld.param.b32 x, [a];\n"
                 "st.param.b32 [r+12], x; ret; }\n"
                 ".entry k() { .reg .b64 t; { .param .b64 param0; .param .b64 param1; .param .b32 retval0;\n"
                 "call (retval0), vprintf, (param0, param1);\n"
                 "p0 : .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn;\ncall (_), t, (param0), p0;\ncall.uni own; } }");
  REQUIRE(module.functions.size() == 2);
  CHECK(module.functions[0].is_declaration);
  CHECK(module.functions[0].name == "vprintf");
  const Kernel &own = module.functions[1];
  CHECK_FALSE(own.is_declaration);
  CHECK(own.returns.at(0).bytes == 16);
  CHECK(own.instructions.at(0).operands.at(1).parts.at(0).index == 0);  // no variables, so the first parameter
  CHECK(own.instructions[1].operands.at(0).parts.at(0).index == 1);     // then what it returns
  const std::vector<Instruction> &calls = module.kernels.at(0).instructions;
  REQUIRE(calls.at(0).operands.size() == 3);
  CHECK(calls[0].operands[0].parts.at(0).index == 2);
  CHECK(calls[0].operands[1].kind == Kind::kFunction);
  CHECK(calls[0].operands[1].index == 0);
  CHECK(calls[0].operands[2].parts.size() == 2);
  CHECK(calls[1].operands.at(3).kind == Kind::kPrototype);
  CHECK(calls[1].operands[0].parts.at(0).kind == Kind::kSink);
  CHECK(calls[2].operands.at(0).index == 1);
}

TEST_CASE("ptx: branches by a list of labels") {
  const Module module = parse_or_fail(
      with_body("ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: ret;\nB: mov.u32 %r1, 0;\nEND:\nbra.uni END;"));
  const Kernel &kernel = module.kernels.at(0);
  const Operand &list = kernel.instructions.at(0).operands.at(1);
  CHECK(list.kind == Kind::kLabelList);
  CHECK(kernel.label_lists.at(list.index) == std::vector<uint32_t>{1, 2, 1});
  CHECK(kernel.instructions.at(3).operands.at(0).index == 3);
}
