// SPDX-License-Identifier: Apache-2.0
// Variables of modules and threads, and calls of functions.
#include "tests/catch.h"
#include "tests/emulator/machine/machine_fixture.h"

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

const Schedule kSchedules[] = {Schedule::kLazy, Schedule::kEager, Schedule::kRandom, Schedule::kAdversarial};

/// `%r9`, the lane's result, is stored to its word. `%r1` is the lane.
std::vector<uint32_t> results(const std::string &before, const std::string &body, uint32_t lanes = 32) {
  std::vector<uint32_t> values;
  for (const Schedule schedule : kSchedules) {
    Machine machine("ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\n" + body +
                        "\nmul.wide.u32 %d15, %r1, 4;\nadd.u64 %d15, %d1, %d15;\nst.global.u32 [%d15], %r9;\nret;",
                    32, before);
    REQUIRE(machine.error == "");
    machine.launch.kernel = machine.launch.module->find_kernel("k");
    machine.launch.block = {lanes, 1, 1};
    machine.options.schedule = schedule;
    const Report report = machine.run();
    for (const Finding &finding : report.findings) FAIL_CHECK(finding.slug + ": " + finding.text + " " + finding.where);
    if (!values.empty()) CHECK(machine.output() == values);
    values = machine.output();
  }
  return values;
}

std::string first_slug(const std::string &before, const std::string &body) {
  Machine machine(body, 32, before);
  REQUIRE(machine.error == "");
  const Report report = machine.run();
  return report.findings.empty() ? "" : report.findings.front().slug;
}

/// 2 x, and 3 x from 11 on, by a branch; what calls it twice; a sum of six words that come as one argument.
const std::string kFunctions = R"(
.func (.param .b32 result) twice(.param .b32 x)
{
.reg .pred %p<2>;
.reg .b32 %r<4>;
ld.param.u32 %r1, [x];
setp.gt.u32 %p1, %r1, 10;
@%p1 bra LARGE;
add.u32 %r2, %r1, %r1;
st.param.b32 [result], %r2;
ret;
LARGE:
mul.lo.u32 %r2, %r1, 3;
st.param.b32 [result+0], %r2;
ret.uni;
}
.func (.param .b32 result) nest(.param .b32 x)
{
.reg .b32 %r<4>;
ld.param.u32 %r1, [x];
{
.param .b32 param0;
st.param.b32 [param0], %r1;
.param .b32 retval0;
call.uni (retval0), twice, (param0);
ld.param.b32 %r2, [retval0];
}
add.u32 %r1, %r1, 1;
{
.param .b32 param0;
st.param.b32 [param0], %r1;
.param .b32 retval0;
call (retval0), twice, (param0);
ld.param.b32 %r3, [retval0];
}
add.u32 %r2, %r2, %r3;
st.param.b32 [result], %r2;
}
.func (.param .align 16 .b8 result[8]) sum(.param .align 16 .b8 list[24], .param .b64 wide)
{
.reg .b32 %r<8>;
.reg .b64 %d<2>;
ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [list];
ld.param.v2.u32 {%r5, %r6}, [list+16];
ld.param.u64 %d1, [wide];
cvt.u32.u64 %r7, %d1;
add.u32 %r1, %r1, %r2;
add.u32 %r1, %r1, %r3;
add.u32 %r1, %r1, %r4;
add.u32 %r1, %r1, %r5;
add.u32 %r1, %r1, %r6;
st.param.v2.b32 [result], {%r1, %r7};
ret;
}
)";

std::string call(const std::string &function, const std::string &from, const std::string &to, const std::string &guard = "") {
  return "{\n.param .b32 param0;\nst.param.b32 [param0], " + from + ";\n.param .b32 retval0;\n" + guard + "call (retval0), " + function +
         ", (param0);\n" + guard + "ld.param.b32 " + to + ", [retval0];\n}\n";
}

uint32_t twice(uint32_t x) { return x > 10 ? 3 * x : 2 * x; }

}  // namespace

TEST_CASE("variables: initial values, addresses of others, and what has none is zero") {
  const std::string before = ".global .align 4 .u32 counter = 5;\n.global .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3};\n"
                             ".const .align 8 .u32 scale[2] = {7, 11};\n.global .u64 pointer = generic(table)+8;\n.global .u64 other = counter;\n";
  const auto values = results(before, R"(
.global .u32 inner = 9;
ld.global.u32 %r9, [counter];
mov.u64 %d2, table;
and.b32 %r2, %r1, 3;
mul.wide.u32 %d3, %r2, 4;
add.u64 %d3, %d2, %d3;
ld.global.u32 %r3, [%d3];
mad.lo.u32 %r9, %r3, 100, %r9;
ld.const.u32 %r3, [scale+4];
mad.lo.u32 %r9, %r3, 1000, %r9;
ld.global.u64 %d4, [pointer];
ld.u32 %r3, [%d4];
mad.lo.u32 %r9, %r3, 100000, %r9;
ld.global.u64 %d4, [other];
cvta.global.u64 %d4, %d4;
ld.u32 %r4, [%d4];
ld.global.u32 %r3, [inner];
add.u32 %r3, %r3, %r4;
mad.lo.u32 %r9, %r3, 1000000, %r9;
)");
  CHECK(values[0] == 14311105);
  CHECK(values[1] == 14311205);
  CHECK(values[3] == 14311005);
}

TEST_CASE("variables: they last as long as the module, where the launch has its memory") {
  Machine machine("ld.param.u64 %d1, [p];\natom.global.add.u32 %r1, [counter], 1;\nst.global.u32 [%d1], %r1;\nret;", 4, ".global .u32 counter = 5;\n");
  REQUIRE(machine.error == "");
  machine.launch.block = {1, 1, 1};
  const auto next = [&] {
    CHECK(machine.run().is_clean());
    return machine.output()[0];
  };
  CHECK(next() == 5);
  CHECK(next() == 5);
  ModuleMemory variables;
  REQUIRE_FALSE(variables.place(*machine.launch.module, machine.memory));
  machine.launch.variables = &variables;
  CHECK(next() == 5);
  CHECK(next() == 6);
  variables.release(machine.memory);
}

TEST_CASE("variables: each thread has .local memory of its own, as such and by generic addresses") {
  const auto values = results("", R"(
.local .align 16 .b8 depot[32];
mov.u64 %d2, depot;
cvta.local.u64 %d3, %d2;
mov.u32 %r2, 7;
st.local.v4.u32 [%d2], {%r1, %r2, %r1, %r2};
st.u32 [%d3+16], %r1;
st.local.u32 [depot+20], %r2;
and.b32 %r3, %r1, 1;
mul.wide.u32 %d4, %r3, 4;
cvta.to.local.u64 %d5, %d3;
add.u64 %d5, %d5, %d4;
ld.local.u32 %r4, [%d5+16];
add.u64 %d6, %d3, %d4;
ld.u32 %r5, [%d6];
mad.lo.u32 %r9, %r4, 1000, %r5;
)");
  for (uint32_t i = 0; i < 32; ++i) CHECK(values[i] == (i % 2 ? 7007 : 1001 * i));
}

TEST_CASE("variables: misuse") {
  CHECK(first_slug(".extern .global .u32 elsewhere;\n", "ld.global.u32 %r1, [elsewhere];\nret;") == "ptx.unsupported-variable");
  CHECK(first_slug(".func f() { ret; }\n.global .u64 code = f;\n", "ret;") == "ptx.unsupported-variable");
  CHECK(first_slug(".global .b8 huge[1099511627776];\n", "ret;") == "memory.out-of-memory");
  CHECK(first_slug(".global .u32 word;\n", "ld.global.u32 %r1, [word+4];\nret;") == "memory.out-of-bounds");
  CHECK(first_slug(".global .u32 word;\n", "mov.u32 %r1, word;\nret;") == "ptx.operand-width");
  CHECK(first_slug("", ".local .align 4 .b8 own[16];\nst.local.u32 [own+16], %r1;\nret;") == "memory.out-of-bounds");
  CHECK(first_slug("", ".local .align 4 .b8 own[16];\nmov.u64 %d2, own;\nst.local.u32 [%d2+-4], %r1;\nret;") == "memory.out-of-bounds");
  CHECK(first_slug("", ".local .align 4 .b8 own[600000];\nst.local.u32 [own], %r1;\nret;") == "ptx.local-size");
  CHECK(first_slug("", "st.param.u64 [p], %d1;\nret;") == "memory.out-of-bounds");
}

TEST_CASE("calls: arguments, results, and lanes that come from different places") {
  const auto values = results(kFunctions, "setp.lt.u32 %p1, %r1, 9;\n@%p1 bra ONE;\n" + call("nest", "%r1", "%r9") + "bra.uni DONE;\nONE:\n" +
                                              call("twice", "%r1", "%r9") + "DONE:\nshfl.sync.bfly.b32 %r4, %r9, 0, 31, 0xFFFFFFFF;\nmov.u32 %r9, %r4;\n");
  for (uint32_t i = 0; i < 32; ++i) CHECK(values[i] == (i < 9 ? twice(i) : twice(i) + twice(i + 1)));
}

TEST_CASE("calls: under a guard, and in a loop") {
  const auto guarded = results(kFunctions, "setp.eq.u32 %p1, %r1, 12;\nmov.u32 %r9, 1;\n" + call("twice", "%r1", "%r9", "@%p1 "));
  for (uint32_t i = 0; i < 32; ++i) CHECK(guarded[i] == (i == 12 ? 36 : 1));
  const auto looped = results(kFunctions, "mov.u32 %r9, 1;\nmov.u32 %r2, 0;\nAGAIN:\n" + call("twice", "%r9", "%r9") +
                                              "add.u32 %r2, %r2, 1;\nsetp.le.u32 %p1, %r2, %r1;\n@%p1 bra AGAIN;\n", 5);
  CHECK(std::vector<uint32_t>(looped.begin(), looped.begin() + 5) == std::vector<uint32_t>{2, 4, 8, 16, 48});
}

TEST_CASE("calls: structures") {
  const auto values = results(kFunctions, R"({
.param .align 16 .b8 param0[24];
st.param.v4.b32 [param0], {1, 2, 3, 4};
st.param.v2.b32 [param0+16], {5, %r1};
.param .b64 param1;
mov.b64 %d2, 700;
st.param.b64 [param1], %d2;
.param .align 16 .b8 retval0[8];
call.uni (retval0), sum, (param0, param1);
ld.param.v2.b32 {%r3, %r4}, [retval0];
}
add.u32 %r9, %r3, %r4;
)");
  for (uint32_t i = 0; i < 32; ++i) CHECK(values[i] == 715 + i);
}

TEST_CASE("calls: misuse") {
  const std::string simple = ".param .b32 param0;\nst.param.b32 [param0], %r1;\n";
  CHECK(first_slug(".func f() { call f; ret; }\n", "call f;\nret;") == "ptx.unsupported-call");
  CHECK(first_slug(".func g();\n.func f() { call g; ret; }\n.func g() { call f; ret; }\n", "call f;\nret;") == "ptx.unsupported-call");
  CHECK(first_slug(".extern .func f();\n", "call f;\nret;") == "ptx.unsupported-call");
  CHECK(first_slug(".func f(.param .b32 x) { ret; }\n", "call f;\nret;") == "ptx.operand");
  CHECK(first_slug(".func f(.param .b64 x) { ret; }\n", simple + "call f, (param0);\nret;") == "ptx.operand");
  CHECK(first_slug(".func f(.param .b32 x) { ret; }\n", "call f, (%r1);\nret;") == "ptx.unsupported-call");
  CHECK(first_slug(".func f(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x+4096]; ret; }\n", simple + "call f, (param0);\nret;") ==
        "memory.out-of-bounds");
  CHECK(first_slug(".func f(.param .b32 x) { ret; }\n", simple + "bra NEXT;\nNEXT:\ncall f, (param0);\nret;") == "ptx.unsupported-call");
  std::string chain = ".func f0() { ret; }\n";
  for (int i = 1; i <= 300; ++i) chain += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
  CHECK(first_slug(chain, "call f200;\nret;") == "");
  CHECK(first_slug(chain, "call f300;\nret;") == "ptx.unsupported-call");
  CHECK(first_slug(".func f() { trap; }\n", "call f;\nret;") == "kernel.trap");
}
