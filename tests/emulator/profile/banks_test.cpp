// SPDX-License-Identifier: Apache-2.0
// Passes through the banks and sectors of global memory: what an H200 took, and counts that follow from the rules by hand.
#include "tools/emulator/profile/access.h"

#include "tests/catch.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace warpwright::emulator::profile;

namespace {

constexpr uint32_t kAll = ~0u;

template <class Place> LaneAddresses addresses(Place place) {
  LaneAddresses all{};
  for (uint32_t lane = 0; lane < 32; ++lane) all[lane] = 4096 + place(lane);
  return all;
}

Wavefronts strided(const char *opcode, uint32_t words, uint32_t mask = kAll) {
  return count_wavefronts(access_of(opcode), addresses([&](uint32_t lane) { return lane * words * 4; }), mask);
}

}  // namespace

TEST_CASE("profile: passes through the banks are those of an H200") {
  std::ifstream file(BANKS_FILE);
  std::string line;
  std::set<std::string> opcodes;
  size_t rows = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string opcode;
    uint32_t mask = 0, passes = 0;
    words >> opcode >> std::hex >> mask >> std::dec >> passes;
    LaneAddresses offsets{};
    for (uint64_t &offset : offsets) words >> offset;
    REQUIRE(words);
    const Access access = access_of(opcode);
    INFO(line);
    REQUIRE(access.space == Access::Space::kShared);
    CHECK(count_wavefronts(access, offsets, mask).taken == passes);
    opcodes.insert(opcode);
    ++rows;
  }
  CHECK(rows == 338);
  CHECK(opcodes.size() == 15);
}

TEST_CASE("profile: conflicts are what passes come to beyond the least") {
  CHECK(strided("ld.shared.u32", 1).extra() == 0);
  CHECK(strided("ld.shared.u32", 2).extra() == 1);
  CHECK(strided("ld.shared.u32", 32).extra() == 31);
  CHECK(strided("ld.shared.u32", 33).extra() == 0);
  CHECK(strided("ld.shared.u32", 0).extra() == 0);
  CHECK(strided("st.shared.f32", 0).extra() == 0);
  // 128 bits: four quarters of a warp, each without a conflict when its lanes are side by side.
  CHECK(strided("ld.shared.v4.u32", 4).taken == 4);
  CHECK(strided("ld.shared.v4.u32", 4).extra() == 0);
  CHECK(strided("st.shared.v2.b64", 8).extra() == 4);
  CHECK(strided("st.shared.v4.b32", 32).extra() == 28);
  CHECK(strided("st.shared.v2.u32", 2, 0xFFFF).taken == 1);
  CHECK(strided("ld.shared.v2.u32", 2, 0xFFFF).taken == 2);
  CHECK(strided("ld.shared.v2.u32", 2, 0xFFFF).extra() == 0);
  // Eight rows of 128 bytes each begin in one bank; a swizzle of 16 bytes takes them apart.
  const Access rows = access_of("ldmatrix.sync.aligned.m8n8.x4.shared.b16");
  CHECK(count_wavefronts(rows, addresses([](uint32_t lane) { return lane * 128; }), kAll).extra() == 28);
  CHECK(count_wavefronts(rows, addresses([](uint32_t lane) { return lane * 128 + lane % 8 * 16; }), kAll).extra() == 0);
}

TEST_CASE("profile: sectors and the bytes wanted of them") {
  const auto count = [](const char *opcode, uint32_t stride_bytes, uint32_t mask = kAll) {
    return count_sectors(access_of(opcode), addresses([&](uint32_t lane) { return lane * stride_bytes; }), mask);
  };
  struct Row {
    Sectors found;
    uint32_t sectors, wanted;
  };
  for (const Row &row : {Row{count("ld.global.u32", 4), 4, 128}, Row{count("ld.global.u32", 8), 8, 128}, Row{count("ld.global.u32", 128), 32, 128},
                         Row{count("ld.global.u32", 0), 1, 4}, Row{count("st.global.v4.b32", 16), 16, 512}, Row{count("st.global.u8", 1, 0xFF), 1, 8},
                         Row{count("ld.global.nc.v8.b32", 64), 32, 1024}}) {
    CHECK(row.found.sectors == row.sectors);
    CHECK(row.found.bytes_wanted == row.wanted);
  }
}

TEST_CASE("profile: what counts as an access") {
  using Space = Access::Space;
  CHECK(access_of("ld.global.nc.L1::no_allocate.v2.f64").bytes == 16);
  CHECK(access_of("st.release.gpu.global.s16").bytes == 2);
  CHECK(access_of("ld.acquire.cluster.b64").space == Space::kGeneric);
  CHECK(access_of("st.shared::cluster.b128").bytes == 16);
  CHECK(access_of("stmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16").matrices == 2);
  for (const char *none : {"ld.param.u64", "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32", "atom.shared.add.u32", "red.global.add.u32",
                           "cp.async.ca.shared.global", "mov.u32", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8"})
    CHECK(access_of(none).space == Space::kNone);
}
