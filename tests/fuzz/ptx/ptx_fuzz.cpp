// SPDX-License-Identifier: Apache-2.0
// Damaged and random PTX into the front end: no crash, no endless work, and always either a module whose every index holds
// or an error with a place. WARPWRIGHT_FUZZ_SECONDS (5) bounds it; WARPWRIGHT_FUZZ_SEED repeats a run.
#include "tests/catch.h"
#include "tools/emulator/ptx/parser.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace warpwright::emulator::ptx;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const std::vector<std::string> &seeds() {
  static const std::vector<std::string> texts = {
      R"(.version 9.0
.target sm_100a, debug
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;
.func (.param .align 8 .b8 r[16]) own (.param .b32 a) ;
.extern .shared .align 1024 .b8 smem[];
.global .align 4 .b8 x[8] = {1, 0xFF, -1};
.const .f64 list[] = {0d4000000000000000, 1.5};
.global .u16 rows[2][2] = {{1}, {2, 3}};
.global .u64 target = x+4, other[2] = {own, generic(rows)+2};
.global .b8 packed[3] = {7, 0xFF(x), 0xFF00(x)};
.func (.param .align 8 .b8 r[16]) own (.param .b32 a) { .reg .b32 v; ld.param.b32 v, [a]; st.param.b32 [r+12], v; ret; }
.visible .entry k(.param .align 128 .b8 map[128], .param .u64 .ptr .align 1 p, .param .u32 n)
.maxntid 224 .minnctapersm 1 .explicitcluster .reqnctapercluster 2, 1, 1
{ .local .align 16 .b8 depot[32]; .reg .b64 %SP; .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<8>;
	.shared .align 4 .b8 tile[512];
	.loc	2 549 1, function_name $L__info_string0, inlined_at 1 41 3
	mov.u64 	%SP, depot;
	mov.b64 %rd2, map; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shfl.sync.idx.b32	%r2|%p1, %r1, 0, 31, -1;
	{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %r3, 1, 0, p; }
	{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%r4], %r5; @!p bra WAIT; }
	{ .reg .v2 .b32 v; mov.b32 v.x, %r1; st.shared.v2.b32 [tile+-8], v; }
$L__BB0_1: .pragma "nounroll"; setp.eq.and.s32 %p2|_, %r1, (2+3)*4, !%p1; @%p2 bra $L__BB0_2;
	cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r1, %r2}], [%r3]; fma.rn.f32 %f1, %f2, 0f3F800000, %f3;
	bra.uni $L__BB0_1;
$L__BB0_2: ts: .branchtargets $L__BB0_1, END; brx.idx %r1, ts;
	{ .param .b64 param0; .param .b32 retval0; call.uni (retval0), vprintf, (param0, param0);
	proto : .callprototype (.param .b32 _) _ (.param .b32 _); call (_), %rd1, (param0), proto; }
	tcgen05.wait::ld.sync.aligned;
END: ret; }
	.file	1 "a.cu"
	.section	.debug_str
	{
$L__info_string0:
.b8 95,90,0
	}
)",
      ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k { { L: { bra L; bra M; } M: bra L; } }\n"};
  return texts;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string text() {
    if (pick(30) == 0) return random_bytes(pick(300));
    std::string out = seeds()[pick(4) == 0 ? 1 : 0];
    for (size_t steps = 1 + pick(4); steps > 0; --steps) mutate_once(out);
    return out;
  }

 private:
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  std::string random_bytes(size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += static_cast<char>(pick(256));
    return out;
  }

  std::string token() {
    static const std::vector<std::string> tokens = {
        "{", "}", "[", "]", "(", ")", "<", ">", ",", ";", ":", "|", "!", "@", "+", "-", "?", "%", "$", "_", "=", ".", "\"",
        "/*", "*/", "//", "\n", "::", "%r1", "%r19", "%r20", "%rd1", "%p1", "%tid.x", "%laneid", "tile", "smem", "map", "k",
        "own", "L", "M", "END", "WAIT", "ts", "0", "1", "-1", "08", "0x", "0xFFFFFFFFFFFFFFFFF", "18446744073709551615",
        "18446744073709551616", "1.5", "1e999", "0f3F800000", "0f3F8", "WARP_SZ", ".reg", ".b8", ".b128", ".v4", ".pred",
        ".align", ".param", ".shared", ".global", ".local", ".entry", ".func", ".visible", ".loc 1 2 3", ".pragma \"x\";",
        ".reg .b32 %x<999999>;", ".reg .b32 %y<5>;", ".reg .v4 .b32 w;", ".local .b8 z[1099511627776];", ".version 9.0",
        ".global .b8 big[4294967296] = {1};", ".global .b8 deep[9][9][9] = {{{1}}};", "bra END;", "ret;", "{ { { {", "} } } }",
        "q: .branchtargets END, END;", "\xff", "\xc3\xa9", std::string(1, '\0'), std::string(70, '{'), std::string(90, '('),
        std::string(90, '-'), std::string(300, '9'), std::string(500, 'x')};
    return tokens[pick(tokens.size())];
  }

  void mutate_once(std::string &text) {
    const size_t at = pick(text.size() + 1);
    const size_t length = std::min(text.size() - at, pick(24));
    switch (pick(8)) {
      case 0: text.insert(at, token()); break;
      case 1: text.replace(at, length, token()); break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, text.substr(at, length)); break;
      case 4: if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << pick(8))); break;
      case 5: if (pick(4) == 0) text.resize(at); break;
      case 6: replace_word(text, at); break;
      default: copy_line(text, at); break;
    }
  }

  /// Keeps the text well formed more often, so that what stands behind the lexer is reached.
  void replace_word(std::string &text, size_t at) {
    const size_t begin = text.find_first_of(" \t,;", at);
    if (begin == std::string::npos) return;
    const size_t end = text.find_first_of(" \t\n,;", begin + 1);
    text.replace(begin + 1, (end == std::string::npos ? text.size() : end) - begin - 1, token());
  }

  /// A statement twice, or somewhere else.
  void copy_line(std::string &text, size_t at) {
    const size_t begin = text.find(';', at);
    if (begin == std::string::npos) return;
    const size_t end = text.find(';', begin + 1);
    if (end == std::string::npos) return;
    const std::string statement = text.substr(begin + 1, end - begin);
    const size_t other = text.find(';', pick(text.size()));
    if (other != std::string::npos) text.insert(other + 1, statement);
  }

  std::mt19937 random_;
};

bool holds(const Module &module, const Kernel &kernel, const Operand &operand, int depth) {
  const size_t num_variables = kernel.variables.size() + kernel.parameters.size() + kernel.returns.size();
  switch (operand.kind) {
    case Operand::Kind::kRegister: return operand.index < kernel.registers.size();
    case Operand::Kind::kVariable: return operand.index < num_variables;
    case Operand::Kind::kSpecial: return operand.index < kernel.specials.size();
    case Operand::Kind::kLabel: return operand.index <= kernel.instructions.size();
    case Operand::Kind::kLabelList: return operand.index < kernel.label_lists.size();
    case Operand::Kind::kFunction: return operand.index < module.functions.size();
    case Operand::Kind::kPair:
      if (operand.parts.size() != 2) return false;
      break;
    case Operand::Kind::kAddress:
      if (operand.parts.empty()) return false;
      break;
    default: break;
  }
  return depth < 3 && std::all_of(operand.parts.begin(), operand.parts.end(), [&](const Operand &part) {
           return holds(module, kernel, part, depth + 1);
         });
}

/// What holds for every kernel, or a sentence about what does not.
std::string violation_of(const Module &module, const Kernel &kernel) {
  for (const Variable &variable : kernel.variables)
    if (variable.module_index && module.variables.at(*variable.module_index).name != variable.name) return "a wrong variable";
  for (const std::vector<uint32_t> &list : kernel.label_lists)
    for (const uint32_t target : list)
      if (target > kernel.instructions.size()) return "a label outside";
  for (const Instruction &instruction : kernel.instructions) {
    if (instruction.opcode.empty()) return "no opcode";
    if (instruction.guard && kernel.registers.at(*instruction.guard).width != Width::kPredicate) return "a guard of bits";
    for (const Operand &operand : instruction.operands)
      if (!holds(module, kernel, operand, 0)) return "an operand's index of " + instruction.opcode;
  }
  return "";
}

std::string violation(const std::string &text, bool &is_module) {
  const auto started = std::chrono::steady_clock::now();
  const ParseResult result = parse(text);
  if (seconds_since(started) > 1) return "took longer than a second";
  is_module = result.module.has_value();
  if (!is_module) {
    const auto lines = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n') + 1);
    if (result.error.slug.rfind("ptx.", 0) != 0 || result.error.text.empty()) return "an error without a slug or text";
    if (result.error.line < 1 || result.error.line > lines || result.error.column < 1) return "a place outside the text";
    return "";
  }
  for (const Variable &variable : result.module->variables) {
    if (variable.initial.size() > variable.bytes) return "more initial bytes than bytes";
    for (const Relocation &item : variable.relocations)
      if (item.offset + item.bytes > variable.initial.size()) return "an address outside its variable";
  }
  for (const std::vector<Kernel> &list : {result.module->kernels, result.module->functions})
    for (const Kernel &kernel : list)
      if (const std::string problem = violation_of(*result.module, kernel); !problem.empty()) return problem;
  return "";
}

}  // namespace

TEST_CASE("ptx fuzz: every text gives a module or a reason") {
  const char *seed_text = std::getenv("WARPWRIGHT_FUZZ_SEED");
  const char *seconds_text = std::getenv("WARPWRIGHT_FUZZ_SECONDS");
  const unsigned seed =
      seed_text ? static_cast<unsigned>(std::strtoul(seed_text, nullptr, 10)) : std::random_device{}();
  const double limit_seconds = seconds_text ? std::atof(seconds_text) : 5.0;
  std::cout << "WARPWRIGHT_FUZZ_SEED=" << seed << std::endl;
  for (const std::string &text : seeds()) {
    bool is_module = false;
    REQUIRE(violation(text, is_module).empty());
    REQUIRE(is_module);
  }
  Mutator mutator(seed);
  const auto started = std::chrono::steady_clock::now();
  int64_t runs = 0, modules = 0;
  while (seconds_since(started) < limit_seconds) {
    const std::string text = mutator.text();
    bool is_module = false;
    const std::string problem = violation(text, is_module);
    ++runs;
    modules += is_module ? 1 : 0;
    if (!problem.empty()) FAIL("seed " << seed << ", run " << runs << ": " << problem << "\n" << text);
  }
  std::cout << runs << " texts, " << modules << " of them modules" << std::endl;
  CHECK(runs > 1000);
  CHECK(modules > runs / 100);
}
