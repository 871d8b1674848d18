// SPDX-License-Identifier: Apache-2.0
// The instruction table is closed, free of repetitions, and gives the same text however it is asked.
#include "generator/isa/isa.h"
#include "generator/support/diagnostics.h"
#include "tests/catch.h"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

using namespace warpwright;

namespace {

size_t count_of(const std::string &text, const std::string &part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto &row : isa::all_instructions()) names.push_back(row.name);
  for (const auto &row : isa::all_device_functions()) names.push_back(row.name);
  return names;
}

bool exists(const std::string &name) { return isa::find_instruction(name) || isa::find_device_function(name); }

}  // namespace

TEST_CASE("names of instructions and device functions are unique, and lead to their rows") {
  const auto names = all_names();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const auto &row : isa::all_instructions()) CHECK(isa::find_instruction(row.name) == &row);
  for (const auto &row : isa::all_device_functions()) CHECK(isa::find_device_function(row.name) == &row);
  CHECK(isa::find_instruction("gelu") == nullptr);
  CHECK(isa::find_device_function("mbarrier_init") == nullptr);
}

TEST_CASE("every instruction row says what it is and where the manual describes it") {
  for (const auto &row : isa::all_instructions()) {
    INFO(row.name);
    CHECK(!row.summary.empty());
    CHECK(!row.section.empty());
    CHECK(!row.archs.empty());
    CHECK(row.form.back() == ';');
    const std::string function = std::regex_replace(row.name, std::regex("^(wgmma_.*)_n[0-9]+$"), "$1");
    CHECK(count_of(row.wrapper_text, " " + function + "(") >= 1);
    CHECK(count_of(row.wrapper_text, "/// " + row.summary + ".\n") == 1);
    CHECK(row.is_aligned == (row.form.find(".aligned") != std::string::npos));
    if (row.is_async_proxy) CHECK(!row.completes_on.empty());
  }
}

TEST_CASE("the text of a wrapper contains the opcodes of its form") {
  for (const auto &row : isa::all_instructions()) {
    INFO(row.name);
    std::stringstream statements(row.form);
    for (std::string statement; std::getline(statements, statement, ';');) {
      std::stringstream words(statement);
      std::string opcode;
      if (words >> opcode) CHECK(row.wrapper_text.find("\"" + opcode) != std::string::npos);
    }
  }
}

TEST_CASE("a CTA pair's row differs from its partner in the CTA group") {
  size_t pairs = 0;
  for (const auto &row : isa::all_instructions()) {
    INFO(row.name);
    const size_t suffix = row.name.rfind("_pair");
    const bool is_pair = suffix != std::string::npos;
    CHECK(is_pair == (row.form.find(".cta_group::2") != std::string::npos));
    if (!is_pair) continue;
    ++pairs;
    const auto *single = isa::find_instruction(row.name.substr(0, suffix));
    REQUIRE(single != nullptr);
    CHECK(single->form.find(".cta_group::2") == std::string::npos);
    CHECK(single->operands.size() == row.operands.size());
  }
  CHECK(pairs == 12);
}

TEST_CASE("tcgen05_wait_ld takes the loaded registers as in/out operands, for 32 and for 64") {
  const std::string &text = isa::find_instruction("tcgen05_wait_ld")->wrapper_text;
  CHECK(count_of(text, "\"+f\"(f.v[") == 32 + 64);
  CHECK(count_of(text, "asm volatile(") == 2);
  CHECK(count_of(text, "\"=f\"") == 0);
  CHECK(count_of(text, "Fragment<32> &f") == 1);
  CHECK(count_of(text, "Fragment<64> &f") == 1);
}

TEST_CASE("dependencies are in the table, and stand before what uses them") {
  std::set<std::string> seen;
  for (const auto &row : isa::all_device_functions())
    if (row.is_type) seen.insert(row.name);
  for (const auto &row : isa::all_instructions()) {
    for (const auto &dependency : row.dependencies) CHECK(seen.count(dependency) == 1);
    seen.insert(row.name);
  }
  for (const auto &row : isa::all_device_functions()) {
    INFO(row.name);
    for (const auto &dependency : row.dependencies) {
      CHECK(exists(dependency));
      CHECK(seen.count(dependency) == 1);
    }
    seen.insert(row.name);
    if (!row.is_type) CHECK(row.cost.registers > 0);
  }
}

TEST_CASE("collected text holds each needed piece once, after what it uses, and nothing else") {
  const std::string text = isa::collect_device_text({"stage_rows_bf16", "elect_one", "tcgen05_ld_x64"});
  CHECK(text.rfind(isa::prelude_text(), 0) == 0);
  for (const char *definition : {"u32 pack_bf16(", "void store_shared_v4(", "u32 swizzled_offset(", "bool elect_one(",
                                 "struct Fragment {", "void stage_rows_bf16(", "void tcgen05_ld_x64("}) {
    INFO(definition);
    CHECK(count_of(text, definition) == 1);
  }
  CHECK(text.find("u32 pack_bf16(") < text.find("void stage_rows_bf16("));
  CHECK(text.find("struct Fragment {") < text.find("void tcgen05_ld_x64("));
  for (const char *other : {"mbarrier", "pack_fp16", "silu", "struct Slot", "tcgen05_ld_x32"}) {
    INFO(other);
    CHECK(count_of(text, other) == 0);
  }
}

TEST_CASE("collected text does not depend on order or repetition of the names") {
  auto names = all_names();
  const std::string text = isa::collect_device_text(names);
  std::reverse(names.begin(), names.end());
  names.push_back(names.front());
  CHECK(isa::collect_device_text(names) == text);
  CHECK(isa::collect_device_text({}) == isa::prelude_text());
}

TEST_CASE("a name that the table does not have is our own bug") {
  CHECK_THROWS_AS(isa::collect_device_text({"tcgen05_mma_fp64"}), support::InternalError);
  CHECK_THROWS_WITH(isa::collect_device_text({"tcgen05_mma_fp64"}), Catch::Matchers::Contains("'tcgen05_mma_fp64'"));
}

TEST_CASE("collected text needs no include, defines no symbol of internal linkage, and fits 120 columns") {
  const std::string text = isa::collect_device_text(all_names());
  CHECK(text.find("#include") == std::string::npos);
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 120);
    CHECK((line.empty() || line.back() != ' '));
    // At namespace scope lines are not indented; `static` and variables there would be internal.
    CHECK(line.rfind("static ", 0) != 0);
    CHECK(line.rfind("constexpr ", 0) != 0);
    CHECK(line.rfind("__device__ ", 0) != 0);
  }
}
