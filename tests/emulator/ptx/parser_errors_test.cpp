// SPDX-License-Identifier: Apache-2.0
// Every error of the front end, with the place that it names.
#include "tests/catch.h"
#include "tests/emulator/ptx/ptx_texts.h"

using namespace warpwright::emulator::ptx;

namespace {

std::string error_of(const std::string &text) {
  const ParseResult result = parse(text);
  CHECK_FALSE(result.module.has_value());
  CHECK_FALSE(result.error.text.empty());
  return result.error.slug + " " + std::to_string(result.error.line) + ":" + std::to_string(result.error.column);
}

/// With the body on line 7.
std::string error_in_body(const std::string &body) { return error_of(with_body(body)); }

/// With the item on line 4.
std::string error_in_module(const std::string &item) { return error_of(header() + item); }

std::string repeated(const std::string &text, size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("ptx errors: syntax") {
  CHECK(error_of("") == "ptx.syntax 1:1");
  CHECK(error_of("hello") == "ptx.syntax 1:1");
  CHECK(error_of(".version 9\n") == "ptx.syntax 1:10");
  CHECK(error_of(".version 9.0\n.target compute_90\n") == "ptx.syntax 2:9");
  CHECK(error_of(".version 9.0\n  .entry") == "ptx.syntax 2:3");
  CHECK(error_in_module("/* open") == "ptx.syntax 4:1");
  CHECK(error_in_module(".file 1 \"open\n") == "ptx.syntax 4:9");
  CHECK(error_in_module("\x01") == "ptx.syntax 4:1");
  CHECK(error_in_module(".") == "ptx.syntax 4:1");
  CHECK(error_in_module("k") == "ptx.syntax 4:1");
  CHECK(error_in_module(".entry k(") == "ptx.unsupported-directive 4:10");
  CHECK(error_in_module(".entry k() { ret;") == "ptx.syntax 4:18");
  CHECK(error_in_module(".loc 1 2 3, inlined_on 1 2 3\n") == "ptx.syntax 4:13");
  CHECK(error_in_module(".section .debug_str { 1") == "ptx.syntax 4:24");
  CHECK(error_in_module(".global .u32 x") == "ptx.syntax 4:15");
  CHECK(error_in_module(".global .u32 x[];") == "ptx.syntax 4:14");
  CHECK(error_in_module(".shared .u32 x = 1;") == "ptx.syntax 4:16");
  CHECK(error_in_module(".global .u32 x[2] = {1, 2, 3};") == "ptx.syntax 4:28");
  CHECK(error_in_module(".global .u32 x[2] = {{1}};") == "ptx.syntax 4:22");
  CHECK(error_in_module(".global .pred x;") == "ptx.syntax 4:15");
  CHECK(error_in_body("mov.u32 %r1 %r2;") == "ptx.syntax 7:13");
  CHECK(error_in_body(";") == "ptx.syntax 7:1");
  CHECK(error_in_body("@%r1 ret;") == "ptx.syntax 7:2");
  CHECK(error_in_body("mov.u32 %r1, !tile;") == "ptx.syntax 7:14");
  CHECK(error_in_body("mov.b32 %r1, {%r1, {%r2}};") == "ptx.syntax 7:20");
  CHECK(error_in_body("st.u32 [%rd1-8], %r1;") == "ptx.syntax 7:13");
  CHECK(error_in_body(".reg .b32 x1<3>;") == "ptx.syntax 7:11");
  CHECK(error_in_body(".reg .v8 .b32 v;") == "ptx.syntax 7:10");
  CHECK(error_in_body(".pragma nounroll;") == "ptx.syntax 7:9");
}

TEST_CASE("ptx errors: directives") {
  CHECK(error_in_module(".banana") == "ptx.unknown-directive 4:1");
  CHECK(error_in_module(".alias a, b;") == "ptx.unknown-directive 4:1");
  CHECK(error_in_module(".global .align 4 .u32 .u32 x;") == "ptx.unknown-directive 4:23");
  CHECK(error_in_module(".entry k() .banana {}") == "ptx.unknown-directive 4:12");
  CHECK(error_in_body(".banana;") == "ptx.unknown-directive 7:1");
  CHECK(error_in_module(".global .texref t;") == "ptx.unsupported-directive 4:9");
  CHECK(error_in_module(".func (.reg .b32 r) f (.reg .b32 a);") == "ptx.unsupported-directive 4:8");
  CHECK(error_in_module(".global .attribute(.unified(1, 2)) .u32 x;") == "ptx.unsupported-directive 4:20");
  CHECK(error_of(".version 9.0\n.target sm_90a, map_f64_to_f32\n") == "ptx.unsupported-directive 2:17");
  CHECK(error_of(".version 9.0\n.target sm_90a\n.address_size 32\n") == "ptx.unsupported-directive 3:15");
}

TEST_CASE("ptx errors: names") {
  CHECK(error_in_body("mov.u32 %r10, 0;") == "ptx.unknown-name 7:9");
  CHECK(error_in_body("mov.u32 %r01, 0;") == "ptx.unknown-name 7:9");
  CHECK(error_in_body("mov.u32 %r1, nothing;") == "ptx.unknown-name 7:14");
  CHECK(error_in_body("mov.u32 %r1, %tid.q;") == "ptx.unknown-name 7:18");
  CHECK(error_in_body("mov.u32 %r1, %laneid.x;") == "ptx.unknown-name 7:21");
  CHECK(error_in_body("mov.u32 %r1, %envreg32;") == "ptx.unknown-name 7:14");
  CHECK(error_in_body("mov.u32 %r1, k;") == "ptx.unknown-name 7:14");
  CHECK(error_in_body("@p ret;") == "ptx.unknown-name 7:2");
  CHECK(error_in_body("ret;\n  bra NOWHERE;") == "ptx.unknown-name 8:7");
  CHECK(error_in_body("{ L: }\n{ bra L; }") == "ptx.unknown-name 8:7");
  CHECK(error_in_body("bra %r1;") == "ptx.unknown-name 7:5");
  CHECK(error_in_body("ts: .branchtargets tile;") == "ptx.unknown-name 7:20");
  CHECK(error_in_body("{ .reg .b32 x; } mov.u32 x, 0;") == "ptx.unknown-name 7:26");
  CHECK(error_in_body(".reg .v2 .b32 v; mov.u32 v.z, 0;") == "ptx.unknown-name 7:27");
  CHECK(error_in_module(".global .u64 x = y;") == "ptx.unknown-name 4:18");
  CHECK(error_in_body("{ .reg .b32 a; }\n.reg .b32 a, a;") == "ptx.duplicate-name 8:14");
  CHECK(error_in_body(".reg .b32 %r<2>;") == "ptx.duplicate-name 7:11");
  CHECK(error_in_body(".reg .b32 %r4;") == "ptx.duplicate-name 7:11");
  CHECK(error_in_body("{ .reg .b32 t2; .reg .b32 t<3>; }") == "ptx.duplicate-name 7:27");
  CHECK(error_in_body("{ .reg .b32 t2, u0, u1; .reg .b32 t<3>; }") == "ptx.duplicate-name 7:35");
  CHECK(error_in_body("L: ret; L: ret;") == "ptx.duplicate-name 7:9");
  CHECK(error_in_module(".entry k() {}\n.entry k() {}") == "ptx.duplicate-name 5:12");
  CHECK(error_in_module(".global .u32 k;\n.entry k() {}") == "ptx.duplicate-name 5:8");
  CHECK(error_in_module(".func f() {}\n.func f() {}") == "ptx.duplicate-name 5:11");
  CHECK(error_in_module(".entry k(.param .u32 a, .param .u32 a) {}") == "ptx.duplicate-name 4:37");
}

TEST_CASE("ptx errors: numbers") {
  for (const char *text : {"08", "0x", "12ab", "18446744073709551616", "0f3F8000000", "0d3F800000", "1.5.5", "0b2", "3u",
                           "1/0", "1 % 0", "1<<64", "1+1.5", "~1.5", "!1.5", "-0f3F800000", "1e999"}) {
    INFO(text);
    const ParseResult result = parse(with_body("mov.b32 %r1, " + std::string(text) + ";"));
    CHECK_FALSE(result.module.has_value());
    CHECK(result.error.slug == "ptx.number");
    CHECK(result.error.line == 7);
  }
  CHECK(error_in_body("mov.u32 %r1, 12ab;") == "ptx.number 7:14");
  CHECK(error_in_body("mov.u32 %r1, 7/0;") == "ptx.number 7:15");
  CHECK(error_in_body("ld.u32 %r1, [%rd1+1.5];") == "ptx.number 7:19");
  CHECK(error_in_module(".global .align 3 .u32 x;") == "ptx.number 4:16");
  CHECK(error_in_module(".global .b8 x[2] = {256};") == "ptx.number 4:21");
  CHECK(error_in_module(".global .b8 x[2] = {-129};") == "ptx.number 4:21");
  CHECK(error_in_module(".global .u32 x = 1.5;") == "ptx.number 4:18");
  CHECK(error_in_module(".global .f32 x = 1;") == "ptx.number 4:18");
  CHECK(error_in_module(".global .f64 x = 0f3F800000;") == "ptx.number 4:18");
  CHECK(error_in_module(".global .u32 x[0];") == "ptx.number 4:16");
  CHECK(error_in_module(".global .u16 x = y;") == "ptx.number 4:18");
  CHECK(error_in_module(".global .u32 y;\n.global .b8 x[2] = {0xFE(y)};") == "ptx.number 5:21");
  CHECK(error_in_module(".entry k() .maxntid 4294967296 {}") == "ptx.number 4:21");
  CHECK(error_in_module(".loc 1.5 2 3\n") == "ptx.number 4:6");
}

TEST_CASE("ptx errors: bounds") {
  CHECK(error_of(std::string((size_t{64} << 20) + 1, ' ')) == "ptx.too-large 1:1");
  CHECK(error_in_body(".reg .b32 x<999999>;") == "ptx.too-large 7:13");
  CHECK(error_in_body(".reg .b32 x<18446744073709551615>;") == "ptx.too-large 7:13");
  CHECK(error_in_body(std::string(100, '{')) == "ptx.too-large 7:62");
  CHECK(error_in_body("mov.b32 %r1, " + std::string(100, '(')).substr(0, 13) == "ptx.too-large");
  CHECK(error_in_body("mov.b32 %r1, " + std::string(100, '-')).substr(0, 13) == "ptx.too-large");
  CHECK(error_in_body("mov.b32 %r1, " + repeated("1?", 100)).substr(0, 13) == "ptx.too-large");
  CHECK(error_in_module(".global .b8 x[1099511627777];") == "ptx.too-large 4:15");
  CHECK(error_in_module(".global .u64 x[1099511627776];") == "ptx.too-large 4:16");
  CHECK(error_in_module(".global .b8 x[2][67108864] = {{1}, {1}};") == "ptx.too-large 4:37");
  CHECK(error_in_module(".file 65536 \"a\"") == "ptx.number 4:7");
  CHECK(error_in_module(".global .b8 x" + repeated("[1]", 65) + ";").substr(0, 13) == "ptx.too-large");
}

TEST_CASE("ptx errors: as many registers as are allowed are read") {
  const ParseResult result = parse(header() + ".entry k() { .reg .b32 %x<999999>; .reg .pred p; }");
  REQUIRE(result.module.has_value());
  CHECK(result.module->kernels.at(0).registers.size() == 1000000);
}
