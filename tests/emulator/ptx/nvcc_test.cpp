// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of forms.cu, with and without line and debug information, and for separate compilation.
#include "tests/catch.h"
#include "tools/emulator/ptx/parser.h"

#include <algorithm>
#include <fstream>
#include <iterator>

using namespace warpwright::emulator::ptx;

namespace {

std::string read_form(const std::string &name) {
  std::ifstream file(WARPWRIGHT_FORMS + name + ".ptx", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Module parse_form(const std::string &name) {
  const std::string text = read_form(name);
  REQUIRE_FALSE(text.empty());
  ParseResult result = parse(text);
  INFO(name << ".ptx:" << result.error.line << ":" << result.error.column << ": " << result.error.slug << ": "
            << result.error.text);
  REQUIRE(result.module.has_value());
  return std::move(*result.module);
}

const Variable &variable(const Module &module, const std::string &name) {
  const auto found = std::find_if(module.variables.begin(), module.variables.end(),
                                  [&](const Variable &item) { return item.name == name; });
  REQUIRE(found != module.variables.end());
  return *found;
}

const Kernel *kernel_with(const Module &module, const std::string &part) {
  for (const Kernel &kernel : module.kernels)
    if (kernel.name.find(part) != std::string::npos) return &kernel;
  return nullptr;
}

}  // namespace

TEST_CASE("nvcc: every option gives a module with every kernel and function") {
  for (const std::string name : {"plain", "lines", "debug", "parts"}) {
    const Module module = parse_form(name);
    CHECK(module.version_major == 9);
    CHECK(module.kernels.size() == 5);
    const Kernel *switches = module.find_kernel("switches");
    REQUIRE(switches);
    REQUIRE(switches->parameters.size() == 3);
    CHECK(switches->parameters[2].offset == 16);
    CHECK(switches->parameters[2].bytes == 24);
    CHECK(switches->parameter_bytes == 40);
    CHECK(switches->max_threads.x == 256);
    CHECK(switches->min_ctas_per_sm == 2);
    const auto is_defined = [&](const std::string &part) {
      return std::any_of(module.functions.begin(), module.functions.end(), [&](const Kernel &function) {
        return function.name.find(part) != std::string::npos && !function.is_declaration && !function.instructions.empty();
      });
    };
    CHECK(is_defined("scaled"));
    CHECK(is_defined("changed"));
    CHECK_FALSE(is_defined("vprintf"));
    REQUIRE(kernel_with(module, "paired"));
    CHECK(kernel_with(module, "paired")->cluster.x == 2);
    CHECK(kernel_with(module, "paired")->has_explicit_cluster);
    CHECK(kernel_with(module, "ranked")->max_cluster_rank == 4);
    CHECK(kernel_with(module, "limited")->max_registers == 64);
  }
}

TEST_CASE("nvcc: initial values have the bytes and the addresses of the source") {
  const Module module = parse_form("plain");
  CHECK(variable(module, "floats").space == Space::kConst);
  CHECK(variable(module, "floats").bytes == 32);
  CHECK(variable(module, "floats").initial[3] == 0x3f);
  CHECK(variable(module, "counters").initial[12] == 0xfc);
  CHECK(variable(module, "counters").bytes == 64);
  const Variable &pointer = variable(module, "pointer_to_counter");
  REQUIRE(pointer.relocations.size() == 1);
  CHECK(module.variables[pointer.relocations[0].index].name == "counters");
  CHECK(pointer.relocations[0].addend == 12);
  CHECK(pointer.relocations[0].is_generic);
  const Variable &record = variable(module, "record");
  REQUIRE(record.relocations.size() == 1);
  CHECK(record.relocations[0].offset == 16);
  CHECK(record.relocations[0].addend == 8);
  const Variable &functions = variable(module, "functions");
  REQUIRE(functions.relocations.size() == 2);
  CHECK(functions.relocations[1].is_function);
  CHECK(module.functions[functions.relocations[1].index].name.find("twice") != std::string::npos);
  CHECK(variable(module, "managed_one").is_managed);
  CHECK(variable(module, "one_float").initial == std::vector<uint8_t>{0, 0, 0xc0, 0x3f});
  CHECK(variable(module, "matrix").bytes == 96);
}

TEST_CASE("nvcc: line information names files and lines") {
  const Module module = parse_form("lines");
  const Kernel *waits = module.find_kernel("waits");
  REQUIRE(waits);
  REQUIRE(module.files.size() > 1);
  CHECK(module.files[1].find("forms.cu") != std::string::npos);
  const auto is_placed = [](const Instruction &item) { return item.place.file == 1 && item.place.source_line > 0; };
  CHECK(std::count_if(waits->instructions.begin(), waits->instructions.end(), is_placed) > 5);
}

TEST_CASE("nvcc: labels of inline assembly are those of their own block") {
  const Module module = parse_form("plain");
  const Kernel *waits = module.find_kernel("waits");
  REQUIRE(waits);
  size_t waits_found = 0;
  for (size_t i = 0; i + 1 < waits->instructions.size(); ++i) {
    if (waits->instructions[i].opcode != "mbarrier.try_wait.parity.shared::cta.b64") continue;
    ++waits_found;
    const Instruction &branch = waits->instructions[i + 1];
    CHECK(branch.opcode == "bra");
    CHECK(branch.guard_is_negated);
    REQUIRE(branch.operands.size() == 1);
    CHECK(branch.operands[0].index == i);
  }
  CHECK(waits_found >= 1);
}
