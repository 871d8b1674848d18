// SPDX-License-Identifier: Apache-2.0
// Layout of shared and tensor memory, operand tiles, and kernel names.
#include "generator/plan/family_plan.h"
#include "generator/plan/kernel_name.h"
#include "generator/plan/operand.h"
#include "generator/plan/tmem.h"
#include "tests/catch.h"

using namespace warpwright::plan;
using warpwright::support::InternalError;

namespace {

SmemRegion make_region(const std::string &name, int64_t stage_bytes, int64_t stages, int64_t align_bytes,
                       const std::string &overlay = "") {
  SmemRegion region;
  region.name = name;
  region.stage_bytes = stage_bytes;
  region.stages = stages;
  region.align_bytes = align_bytes;
  region.overlay_group = overlay;
  return region;
}

const SmemRegion &named(const SmemPlan &plan, const std::string &name) {
  for (const SmemRegion &region : plan.regions)
    if (region.name == name) return region;
  throw std::runtime_error("no region " + name);
}

}  // namespace

TEST_CASE("smem plan: larger alignments come first and stages are padded to their alignment") {
  const SmemPlan plan = plan_smem(
      {make_region("barriers", 8, 3, 8), make_region("scales", 100, 3, 128), make_region("tile", 1500, 2, 1024)},
      10000);
  CHECK(named(plan, "tile").offset_bytes == 0);
  CHECK(named(plan, "tile").stride_bytes == 2048);
  CHECK(named(plan, "scales").offset_bytes == 4096);
  CHECK(named(plan, "scales").stride_bytes == 128);
  CHECK(named(plan, "barriers").offset_bytes == 4096 + 3 * 128);
  CHECK(plan.used_bytes == 4096 + 3 * 128 + 24);
  CHECK(plan.slack_bytes() == 10000 - plan.used_bytes);
}

TEST_CASE("smem plan: equal alignments keep their order of arrival") {
  const SmemPlan plan = plan_smem({make_region("b", 128, 1, 128), make_region("a", 128, 1, 128)}, 1000);
  CHECK(plan.regions[0].name == "b");
  CHECK(plan.regions[1].name == "a");
}

TEST_CASE("smem plan: overlay groups share the largest member's bytes at the strictest alignment") {
  const SmemPlan plan = plan_smem({make_region("first", 64, 1, 16), make_region("small", 100, 1, 16, "shared"),
                                   make_region("large", 300, 2, 512, "shared"), make_region("last", 8, 1, 8)},
                                  10000);
  CHECK(named(plan, "small").offset_bytes == named(plan, "large").offset_bytes);
  CHECK(named(plan, "large").offset_bytes % 512 == 0);
  CHECK(named(plan, "first").offset_bytes == 1024);
  CHECK(plan.used_bytes == 1024 + 64 + 8);
}

TEST_CASE("smem plan: what does not fit is planned all the same, with negative slack") {
  CHECK(plan_smem({make_region("tile", 5000, 1, 1024)}, 4096).slack_bytes() == 4096 - 5000);
}

TEST_CASE("smem plan: alignments that are no power of two up to 1024 and empty regions are bugs of ours") {
  CHECK_THROWS_AS(plan_smem({make_region("tile", 8, 1, 12)}, 100), InternalError);
  CHECK_THROWS_AS(plan_smem({make_region("tile", 8, 1, 2048)}, 100), InternalError);
  CHECK_THROWS_AS(plan_smem({make_region("tile", 8, 1, 0)}, 100), InternalError);
  CHECK_THROWS_AS(plan_smem({make_region("tile", 0, 1, 8)}, 100), InternalError);
}

TEST_CASE("tmem plan: the allocation is the next power of two, at least 32") {
  const auto alloc = [](int64_t cols) { return plan_tmem({{"acc", "", 0, cols, "", {}}}, {}, 512).alloc_cols; };
  CHECK(alloc(8) == 32);
  CHECK(alloc(32) == 32);
  CHECK(alloc(33) == 64);
  CHECK(alloc(464) == 512);
  CHECK(alloc(513) == 1024);
}

TEST_CASE("tmem plan: ranges overlap in the parts that both name, and nowhere else") {
  const std::vector<TmemPart> parts = {{"left", 0, 200}, {"shared", 200, 56}, {"right", 256, 200}};
  const TmemRange first{"acc0", "", 0, 256, "", {"left", "shared"}};
  const TmemRange second{"acc1", "", 200, 256, "", {"shared", "right"}};
  CHECK(plan_tmem({first, second}, parts, 512).used_cols == 456);

  TmemRange undeclared = second;
  undeclared.parts.clear();
  CHECK_THROWS_AS(plan_tmem({first, undeclared}, parts, 512), InternalError);
  TmemRange gap = first;
  gap.parts = {"left", "right"};
  CHECK_THROWS_AS(plan_tmem({gap, second}, parts, 512), InternalError);
  TmemRange unfilled = first;
  unfilled.cols = 255;
  CHECK_THROWS_AS(plan_tmem({unfilled, second}, parts, 512), InternalError);
  TmemRange unknown = first;
  unknown.parts = {"left", "middle"};
  CHECK_THROWS_AS(plan_tmem({unknown}, parts, 512), InternalError);
}

TEST_CASE("operand: the split decides the rows of a CTA, and whole blocks hold them") {
  TileOperand operand{"map_b", "b_tile", "load", Split::kHalfN, 192, 1, 128, 1};
  CHECK(cta_rows(operand, 1) == 192);
  CHECK(cta_rows(operand, 2) == 96);
  operand.split = Split::kAllN;
  CHECK(cta_rows(operand, 2) == 192);
  operand.row_block = 128;
  CHECK(cta_rows(operand, 2) == 256);
  CHECK(make_copy(operand, 2).bytes() == 256 * 128);
  operand.boxes = 3;
  CHECK(make_copy(operand, 2).box_bytes == 256 * 128);
  CHECK(make_copy(operand, 2).bytes() == 3 * 256 * 128);
  operand.split = Split::kHalfN;
  operand.group_rows = 3;
  CHECK_THROWS_AS(cta_rows(operand, 2), InternalError);
}

TEST_CASE("operand: the bytes of a turn are those of its copy") {
  TileOperand operand{"map_b", "b_tile", "load", Split::kHalfN, 192, 1, 128, 3};
  CHECK(turn_bytes(operand, 2) == 3 * 96 * 128);
  CHECK(turn_bytes(operand, 2) == make_copy(operand, 2).bytes());
}

TEST_CASE("smem: bytes of extents are those of the regions that have them, padding and order included") {
  const std::vector<SmemRegion> regions = {make_region("odd", 100, 3, 16), make_region("tile", 1000, 2, 1024),
                                           make_region("word", 4, 1, 4), make_region("late", 24, 2, 512)};
  std::vector<SmemExtent> extents;
  for (const SmemRegion &region : regions) extents.push_back({region.stage_bytes, region.stages, region.align_bytes});
  // 2 x 1024, then 2 x 512, then 3 x 112, then 4.
  CHECK(smem_bytes(extents) == 2048 + 1024 + 336 + 4);
  CHECK(plan_smem(regions, 4096).used_bytes == smem_bytes(extents));
  CHECK_THROWS_AS(smem_bytes({{0, 1, 16}}), InternalError);
  CHECK_THROWS_AS(smem_bytes({{16, 1, 24}}), InternalError);
}

TEST_CASE("kernel name: parses back to its key and to nothing else") {
  KernelNameKey key;
  key.family = "w4a4_lora_gemm";
  key.formats = {"nvf4", "nvf4", "bf16"};
  key.traits = {"r32", "scale", "bias"};
  key.tile_m = 256;
  key.tile_n = 256;
  key.tile_k = 256;
  key.cta_group = 2;
  key.stages = 5;
  key.arch = "sm_100a";
  const std::string name = "w4a4_lora_gemm__nvf4_nvf4_bf16__r32_scale_bias__m256n256k256_c2_s5__sm100a";
  CHECK(format_kernel_name(key) == name);
  REQUIRE(parse_kernel_name(name).has_value());
  CHECK(*parse_kernel_name(name) == key);
  key.traits.clear();
  CHECK(*parse_kernel_name(format_kernel_name(key)) == key);

  for (const char *wrong :
       {"", "x", "a__b__c__d__e", "f__b__t__m256n256k256_c2__sm100a", "f__b__t__m256n256k256_c2_s5__sm",
        "f__b__t__m256n256k256_c2_s05__sm100a", "f__b__t__m256n256k256_c2_s5__sm100a__x",
        "f__B__t__m256n256k256_c2_s5__sm100a", "f____t__m256n256k256_c2_s5__sm100a",
        "f__b__t__m256n256k256_c2_s5_x__sm100a", "f__b__t__m1234567890n256k256_c2_s5__sm100a"}) {
    INFO(wrong);
    CHECK_FALSE(parse_kernel_name(wrong).has_value());
  }
}

TEST_CASE("kernel name: words that would not parse back are bugs of ours") {
  KernelNameKey key{"family", {"bf16"}, {}, 128, 128, 64, 1, 2, "sm_90a"};
  CHECK(parse_kernel_name(format_kernel_name(key)).has_value());
  for (const char *word : {"", "Bias", "two_words", "9lives", "plain"}) {
    INFO(word);
    KernelNameKey bad = key;
    bad.traits = {word};
    CHECK_THROWS_AS(format_kernel_name(bad), InternalError);
  }
  key.arch = "90a";
  CHECK_THROWS_AS(format_kernel_name(key), InternalError);
}
