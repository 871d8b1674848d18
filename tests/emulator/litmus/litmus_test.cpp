// SPDX-License-Identifier: Apache-2.0
// Every rule: the broken kernel is found under each schedule, the repaired one is silent.
#include "tests/emulator/litmus/litmus.h"
#include "tests/emulator/machine/machine_fixture.h"

#include <sstream>
#include <vector>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tests;

namespace {

const char *const kPrologue = R"(
.shared .align 1024 .b8 data[8192];
.shared .align 16 .b8 barriers[16];
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
and.b32 %r3, %r1, 31;
setp.ne.u32 %p1, %r2, 0;
setp.ne.u32 %p2, %r3, 0;
mov.u32 %r10, data;
mov.u32 %r11, barriers;
add.u32 %r12, %r11, 8;
)";

std::string text_of(const LitmusRow &row, bool is_repaired) {
  std::istringstream lines(row.body);
  std::string text = kPrologue, line;
  while (std::getline(lines, line)) {
    const bool is_marked = line.ends_with("//R") || line.ends_with("//B");
    if (!is_marked || line.ends_with("//R") == is_repaired) text += line + "\n";
  }
  return text + "ret;\n";
}

Report run(const LitmusRow &row, bool is_repaired, Schedule schedule) {
  Machine machine(text_of(row, is_repaired), 1024, "", row.tuning);
  INFO(row.name << ": " << machine.error);
  REQUIRE(machine.error.empty());
  machine.launch.block = {row.threads, 1, 1};
  machine.launch.grid = {row.ctas, 1, 1};
  machine.launch.cluster = {row.ctas, 1, 1};
  machine.options.schedule = schedule;
  if (row.listed_pairs) machine.options.tensor_order = race::TensorOrder::kListedPairs;
  return machine.run();
}

bool has_finding(const Report &report, const std::string &slug) {
  for (const Finding &finding : report.findings)
    if (finding.slug == slug) return true;
  return false;
}

std::string text_of(const Report &report) {
  std::string text;
  for (const Finding &finding : report.findings) text += finding.slug + ": " + finding.text + " [" + finding.where + "]\n";
  return text;
}

}  // namespace

TEST_CASE("each broken rule is found whatever the schedule, and its repaired twin is silent") {
  size_t count = 0;
  for (const auto rows : {memory_rows(), copy_rows(), mbarrier_rows(), tensor_rows(), register_rows(), async_rows()})
    for (const LitmusRow &row : rows) {
      ++count;
      for (const Schedule schedule : {Schedule::kLazy, Schedule::kEager, Schedule::kRandom}) {
        const Report broken = run(row, false, schedule), repaired = run(row, true, schedule);
        INFO(row.name << ", schedule " << static_cast<int>(schedule) << "\nbroken: " << text_of(broken) << "repaired: " << text_of(repaired));
        CHECK(has_finding(broken, row.slug));
        CHECK(repaired.is_clean());
      }
    }
  CHECK(count == 82);
}
