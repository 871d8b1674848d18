// SPDX-License-Identifier: Apache-2.0
// Names in blocks: the innermost holds, wherever a label stands.
#include "tests/catch.h"
#include "tests/emulator/ptx/ptx_texts.h"

using namespace warpwright::emulator::ptx;

namespace {

std::vector<uint32_t> jumps(const std::string &body) {
  const Module module = parse_or_fail(with_body(body));
  std::vector<uint32_t> out;
  for (const Instruction &instruction : module.kernels.at(0).instructions)
    if (instruction.opcode == "bra") out.push_back(instruction.operands.at(0).index);
  return out;
}

}  // namespace

TEST_CASE("ptx scopes: a label of each block is its own") {
  CHECK(jumps("{ WAIT: bra WAIT; }\n{ WAIT: bra WAIT; }") == std::vector<uint32_t>{0, 1});
}

TEST_CASE("ptx scopes: an inner label further down hides an outer one above") {
  CHECK(jumps("L: mov.u32 %r1, 1; { bra L; mov.u32 %r1, 2; L: mov.u32 %r1, 3; } bra L;") == std::vector<uint32_t>{3, 0});
}

TEST_CASE("ptx scopes: a label of an outer block is seen from inside, before and after") {
  CHECK(jumps("{ bra AFTER; { bra AFTER; } } mov.u32 %r1, 1; AFTER: ret;") == std::vector<uint32_t>{3, 3});
  CHECK(jumps("BEFORE: { bra BEFORE; }") == std::vector<uint32_t>{0});
}

TEST_CASE("ptx scopes: a label at the end is one past the last instruction") {
  CHECK(jumps("bra END; END:") == std::vector<uint32_t>{1});
}

TEST_CASE("ptx scopes: registers of a block hide those around it") {
  const Module module = parse_or_fail(
      with_body("mov.u32 %r1, 0; { .reg .b64 %r1; .reg .b32 t<3>; mov.b64 %r1, 0; mov.b32 t2, 0; } mov.u32 %r1, 0;"
                "{ .reg .b16 t<3>; mov.b16 t2, 0; }"));
  const Kernel &kernel = module.kernels.at(0);
  std::string widths;
  for (const Instruction &instruction : kernel.instructions)
    widths += std::to_string(int(kernel.registers.at(instruction.operands.at(0).index).width)) + " ";
  CHECK(widths == "3 4 3 3 2 ");
  CHECK(kernel.instructions[0].operands[0].index == kernel.instructions[3].operands[0].index);
}

TEST_CASE("ptx scopes: variables of blocks of one name are distinct") {
  const Module module = parse_or_fail(with_body("{ .param .b64 param0; st.param.b64 [param0], %rd1; }\n"
                                                "{ .param .b32 param0; st.param.b32 [param0], %r1; }"));
  const Kernel &kernel = module.kernels.at(0);
  REQUIRE(kernel.variables.size() == 3);  // with `tile`
  CHECK(kernel.instructions.at(0).operands.at(0).parts.at(0).index == 1);
  CHECK(kernel.instructions.at(1).operands.at(0).parts.at(0).index == 2);
  CHECK(kernel.variables[2].bytes == 4);
}

TEST_CASE("ptx scopes: kernels share no names") {
  parse_or_fail(header() + ".entry a(.param .u32 p) { .reg .b32 %r<2>; L: mov.u32 %r1, 0; bra L; }\n"
                           ".entry b(.param .u32 p) { .reg .b64 %r<2>; L: mov.u64 %r1, 0; bra L; }");
}
