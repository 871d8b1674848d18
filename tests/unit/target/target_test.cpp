// SPDX-License-Identifier: Apache-2.0
// The targets: what is listed, and relations between numbers that an editing slip would break.
#include "generator/target/target.h"
#include "tests/catch.h"

#include <algorithm>

using namespace warpwright::target;

TEST_CASE("targets: three tcgen05 targets and one with wgmma are listed by name and found by name") {
  std::vector<std::string> names;
  for (const SmTarget *target : all_targets()) names.push_back(target->arch);
  CHECK(names == std::vector<std::string>{"sm_100a", "sm_100f", "sm_103a", "sm_90a"});
  for (const std::string &name : names) {
    REQUIRE(find_target(name) != nullptr);
    CHECK(find_target(name)->arch == name);
  }
  CHECK(find_target("sm_100") == nullptr);
  CHECK(find_target("sm_90") == nullptr);
  CHECK(find_target("") == nullptr);
}

TEST_CASE("targets: the gencode asks for the arch-specific target and nothing else") {
  CHECK(find_target("sm_100a")->gencode == "arch=compute_100a,code=sm_100a");
  CHECK(find_target("sm_100f")->gencode == "arch=compute_100f,code=sm_100f");
  CHECK(find_target("sm_103a")->gencode == "arch=compute_103a,code=sm_103a");
  CHECK(find_target("sm_90a")->gencode == "arch=compute_90a,code=sm_90a");
}

TEST_CASE("targets: one CTA may use 232,448 bytes of shared memory, and 512 tensor-memory columns where there are any") {
  for (const SmTarget *target : all_targets()) {
    CAPTURE(target->arch);
    CHECK(target->smem_optin_bytes == 232448);
    CHECK(target->has_tcgen05 != target->has_wgmma);
    CHECK(target->has_wgmma == (target->arch == "sm_90a"));
    CHECK(target->tmem_cols == (target->has_tcgen05 ? 512 : 0));
    CHECK((target->tmem_read_bytes_per_clk > 0) == target->has_tcgen05);
  }
}

TEST_CASE("targets: 148 SMs at the reference clock come to the data sheet's 9 PFLOP/s of dense FP4") {
  const SmTarget &b200 = *find_target("sm_100a");
  // A pair's 256 x N x 64 MMA in N / 2 clocks.
  const double flop_per_clk_per_sm = 2.0 * 256 * 64 * static_cast<double>(b200.mma_cols_per_clk) / 2;
  const double petaflops = flop_per_clk_per_sm * static_cast<double>(b200.sm_count) * b200.reference_clock_ghz * 1e-6;
  CHECK(petaflops == Approx(9.0).epsilon(0.01));
}

TEST_CASE("targets: 132 SMs at the reference clock come to the data sheet's 1,979 TOP/s of dense bytes") {
  const SmTarget &h200 = *find_target("sm_90a");
  // 128 x N x 32 multiply-adds in N clocks.
  const double op_per_clk_per_sm = 2.0 * 128 * 32 * static_cast<double>(h200.mma_cols_per_clk);
  const double tera = op_per_clk_per_sm * static_cast<double>(h200.sm_count) * h200.reference_clock_ghz * 1e-3;
  CHECK(tera == Approx(1979).epsilon(0.01));
}
