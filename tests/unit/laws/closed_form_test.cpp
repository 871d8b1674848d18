// SPDX-License-Identifier: Apache-2.0
// The closed-form law against arithmetic done by hand and against the order of published kernels.
#include "generator/laws/closed_form.h"
#include "tests/catch.h"
#include "tests/unit/plan/plan_fixture.h"

namespace laws = warpwright::laws;
using warpwright::plan::work_of;
using warpwright::test::b200;
using warpwright::test::make_plan;
using warpwright::test::make_spec;

namespace {

using Sets = std::vector<std::string>;
using Shape = std::map<std::string, int64_t>;

struct Tile {
  const char *name;
  Sets sets;
};

const Tile kPair256{"pair 256x256", {"pipeline_depth=5"}};
const Tile kPair128{"pair 256x128", {"tile.n=128", "accumulators=\"double\"", "pipeline_depth=6"}};
const Tile kOneCta{"one CTA 128x256", {"tile.m=128", "cta_pairing=1", "cluster=[1,1]", "pipeline_depth=3"}};

double share_of_tensor_pipe(const Tile &tile) {
  const auto op = make_plan(tile.sets);
  const auto clocks = laws::tile_clocks(work_of(op.kernels[0]), b200(), laws::Reading::kCentral);
  return clocks.tensor / clocks.smem_port;
}

double predict(const Tile &tile, int64_t m, int64_t n, int64_t k) {
  Sets sets = tile.sets;
  sets.push_back("problem.n=" + std::to_string(n));
  sets.push_back("problem.k=" + std::to_string(k));
  return laws::ClosedForm().score(work_of(make_plan(sets)), b200(), {{"m", m}}).us;
}

}  // namespace

// Operand reads and fill share 128 bytes a clock: 64 + 76 = 140 for 256x256 (tensor pipe at most 91 %), 96 + 112 = 208
// for 256x128 (62 %), 96 + 108 = 204 for one CTA (63 %).
TEST_CASE("laws: the shared-memory port caps the tensor pipe at 91, 62 and 63 per cent for the three tiles") {
  CHECK(share_of_tensor_pipe(kPair256) == Approx(128.0 / 140.0));
  CHECK(share_of_tensor_pipe(kPair128) == Approx(128.0 / 208.0));
  CHECK(share_of_tensor_pipe(kOneCta) == Approx(128.0 / 204.0));
}

TEST_CASE("laws: LoRA of rank 128 adds 13.3 % to the tensor pipe at K 3840") {
  const auto plain = make_plan({"problem.k=3840"});
  const auto lora = make_plan({"problem.k=3840", "lora.rank=128", "lora.placement=\"ring\""});
  const auto tensor = [](const auto &op) {
    return laws::tile_clocks(work_of(op.kernels[0]), b200(), laws::Reading::kCentral).tensor;
  };
  CHECK(tensor(lora) / tensor(plain) == Approx(1.0 + 8.0 / 60.0));
}

// CUTLASS CuTe-DSL NVFP4 kernels on B200, ultism/svdquant-kernels docs/gpu.md: TFLOP/s of one CTA 128x256, pair
// 256x128, pair 256x256 at M = 4352 are 3847 < 4202 < 4545, 4167 < 5181 < 5836, 4096 < 5903 < 6339, 4174 < 5375 < 6074.
TEST_CASE("laws: the pair's 256x256 tile is predicted fastest on the four published shapes, as measured") {
  struct Problem {
    int64_t k, n;
  };
  for (const Problem p : {Problem{3840, 3072}, {3840, 15360}, {15360, 3840}, {10240, 3072}}) {
    INFO("n " << p.n << " k " << p.k);
    const double pair256 = predict(kPair256, 4352, p.n, p.k);
    CHECK(pair256 < predict(kPair128, 4352, p.n, p.k));
    CHECK(pair256 < predict(kOneCta, 4352, p.n, p.k));
  }
}

TEST_CASE("laws: a prediction lies inside its interval, names its clock and its bound") {
  for (const Tile &tile : {kPair256, kPair128, kOneCta}) {
    const auto score = laws::ClosedForm().score(work_of(make_plan(tile.sets)), b200(), {{"m", 4096}});
    INFO(tile.name);
    CHECK(score.low_us <= score.us);
    CHECK(score.us <= score.high_us);
    CHECK(score.low_us > 0);
    CHECK(score.clock_ghz == b200().reference_clock_ghz);
    CHECK(score.parts_us.count("tensor pipe") == 1);
  }
}

TEST_CASE("laws: 4352 x 3072 in 256x256 tiles is 204 tiles on 74 pairs: 2.76 waves, 3 rounds") {
  const auto op = make_plan({"problem.n=3072"});
  const auto waves = laws::count_waves(op, 0, b200(), {{"m", 4352}});
  CHECK(waves.tiles == 204);
  CHECK(waves.groups == 74);
  CHECK(waves.rounds == 3);
  CHECK(waves.waves == Approx(204.0 / 74.0));
  // Fewer tiles than pairs: the grid shrinks to the tiles.
  CHECK(laws::count_waves(op, 0, b200(), {{"m", 256}}).groups == 12);
}

TEST_CASE("laws: a two-stage ring is bound by load latency and a deep one is not") {
  const auto bound = [](const std::string &depth) {
    return laws::ClosedForm().score(work_of(make_plan({"pipeline_depth=" + depth})), b200(), {{"m", 4096}}).bound;
  };
  CHECK(bound("2") == "load latency");
  CHECK(bound("5") == "smem port");
}

TEST_CASE("laws: one accumulator exposes the whole epilogue, two whole ones none, overlapped ones a quarter") {
  const auto exposed = [](const Sets &sets) {
    const auto clocks = laws::tile_clocks(work_of(make_plan(sets).kernels[0]), b200(), laws::Reading::kCentral);
    return clocks.exposed / clocks.epilogue;
  };
  CHECK(exposed({"accumulators=\"single\""}) == Approx(1.0));
  CHECK(exposed({"tile.n=192", "accumulators=\"double\""}) == Approx(0.0));
  CHECK(exposed({}) == Approx(0.25));
}

// Base: K 3840 in tiles of 128 is 30 turns, each with two copies a load role and two MMAs. Kind 29 + 64 = 93 clocks a
// turn, central 54 + 64 = 118, harsh 123 + 66 = 189. The port needs 88 where reads and fill have one each: 11,264 bytes
// of fill are 128 + 32 rows of 64 bytes and two scale atoms of 512 bytes.
TEST_CASE("laws: issuing a turn costs its hand-overs and copies, and binds the narrowest MXFP4 tile at the kind end") {
  const auto work = work_of(make_plan({"problem.k=3840", "quant.scheme=\"mxfp4\"", "tile.n=64", "tile.k=128",
                                       "accumulators=\"double\"", "pipeline_depth=16"}));
  const auto clocks = [&](laws::Reading reading) { return laws::tile_clocks(work.kernels[0], b200(), reading); };
  CHECK(clocks(laws::Reading::kKind).issue == Approx(30 * 93));
  CHECK(clocks(laws::Reading::kCentral).issue == Approx(30 * 118));
  CHECK(clocks(laws::Reading::kHarsh).issue == Approx(30 * 189));
  CHECK(clocks(laws::Reading::kKind).smem_port == Approx(30 * 88));
  CHECK(clocks(laws::Reading::kCentral).smem_port > clocks(laws::Reading::kCentral).issue);
  const auto score = laws::ClosedForm().score(work, b200(), {{"m", 4096}});
  CHECK(score.parts_us.count("issue") == 1);
  CHECK(score.bound != "issue");
}

TEST_CASE("laws: a few rows of a large matrix are bound by memory") {
  const auto op = make_plan({"problem.n=57344", "problem.k=8192", "pipeline_depth=5"});
  const auto score = laws::ClosedForm().score(work_of(op), b200(), {{"m", 16}});
  CHECK(score.parts_us.at("hbm") > 0);
  CHECK(laws::tensor_bytes(op, b200(), {{"m", 16}}) > 57344 * 8192 / 2);
}

TEST_CASE("laws: a target without tensor memory has a finite epilogue") {
  warpwright::plan::KernelWork kernel;
  warpwright::plan::TileWork epilogue;
  epilogue.fp32_results = 1280;
  epilogue.steps = 1;
  kernel.tile_work.push_back(epilogue);
  const auto &h200 = *warpwright::target::find_target("sm_90a");
  CHECK(laws::tile_clocks(kernel, h200, laws::Reading::kCentral).epilogue >= 10);
  CHECK(laws::tile_clocks(kernel, h200, laws::Reading::kCentral).epilogue < 1000);
}

TEST_CASE("laws: an expression that names an unknown variable is our bug") {
  CHECK_THROWS_AS(laws::evaluate("q + 1", make_plan({}), b200(), {}), warpwright::support::InternalError);
}
