// SPDX-License-Identifier: Apache-2.0
// The other operands of tcgen05.mma: masks, scaled input, scale copies, footprints, pairs against single CTAs,
// refusals.
#include "tests/catch.h"
#include "tests/emulator/tensor/mma_fixture.h"

#include <bit>
#include <cstring>

using namespace warpwright::emulator;
using namespace warpwright::emulator::tensor;
using namespace warpwright::emulator::tensor::test;

namespace {

Setup nvf4_pair() {
  Setup setup;
  setup.kind = MmaKind::kMxF4Nvf4;
  setup.ctas = 2;
  setup.m = 256;
  setup.n = 128;
  setup.a_format = setup.b_format = Format::kE2M1;
  setup.scale_format = Format::kUe4m3;
  setup.scale_block = 16;
  return setup;
}

struct Inputs {
  Matrix a, b, sa, sb;
};

Inputs inputs_of(const Setup &setup, uint32_t seed) {
  std::mt19937 random(seed);
  return {random_matrix(setup.m, 64, 4, random), random_matrix(setup.n, 64, 4, random),
          random_matrix(setup.m, 4, 6, random), random_matrix(setup.n, 4, 6, random)};
}

Bench filled(const Setup &setup, const Inputs &inputs) {
  Bench bench(setup);
  bench.place(inputs.a, inputs.b);
  bench.place_scales(inputs.sa, inputs.sb);
  return bench;
}

}  // namespace

TEST_CASE("a pair computes what two CTAs compute apart") {
  const Setup pair = nvf4_pair();
  const Inputs inputs = inputs_of(pair, 1);
  Bench both = filled(pair, inputs);
  REQUIRE_FALSE(both.run());
  for (uint32_t cta = 0; cta < 2; ++cta) {
    Setup one = pair;
    one.ctas = 1;
    one.m = 128;
    const auto rows = [&](const Matrix &matrix) {
      const auto first = matrix.codes.begin() + cta * 128 * matrix.k;
      return Matrix{128, matrix.k, {first, first + 128 * matrix.k}};
    };
    Bench single = filled(one, {rows(inputs.a), inputs.b, rows(inputs.sa), inputs.sb});
    REQUIRE_FALSE(single.run());
    for (uint32_t row = 0; row < 128; ++row) {
      for (uint32_t col = 0; col < 128; ++col) REQUIRE(single.d(row, col) == both.d(cta * 128 + row, col));
    }
  }
}

TEST_CASE("scales must be the same in each partition, those bytes that are used") {
  const Setup setup = nvf4_pair();
  const Inputs inputs = inputs_of(setup, 2);
  Bench bench = filled(setup, inputs);
  bench.tensor[1].row(70)[setup.scale_b_col + 2] ^= 0x100;
  const Error error = bench.run();
  CHECK(error.slug == "mma.scale-copies");
  CHECK(error.text.find("the scales of B") == 0);
  CHECK(error.text.find("lane 70") != std::string::npos);
  Setup two = setup;
  two.scale_block = 32;
  two.scale_format = Format::kUe8m0;
  std::mt19937 random(5);
  const Matrix sa = random_matrix(256, 2, 7, random);
  Bench half = filled(two, {inputs.a, inputs.b, sa, random_matrix(128, 2, 7, random)});
  half.tensor[0].row(40)[two.scale_a_col] ^= 0x10000;  // the unused half word
  CHECK_FALSE(half.run());
  half.tensor[0].row(40)[two.scale_a_col] ^= 0x100;
  CHECK(half.run().slug == "mma.scale-copies");
}

TEST_CASE("CUTLASS's scale ids in the address's upper bits are ignored") {
  const Setup setup = nvf4_pair();
  Bench bench = filled(setup, inputs_of(setup, 3));
  bench.request.scale_a_address |= 0x80000000;
  CHECK_FALSE(bench.run());
  bench.request.scale_a_address |= 1 << 16;
  CHECK(bench.run().slug == "mma.lane-alignment");
}

TEST_CASE("disabled lanes keep D") {
  Setup setup;
  setup.ctas = 2;
  setup.m = 256;
  std::mt19937 random(4);
  Bench bench(setup);
  bench.place(integer_matrix(256, 16, Format::kF16, random), integer_matrix(64, 16, Format::kF16, random));
  bench.request.disable_output_lane = {0, 0x80000000, 0, 0, 1, 0, 0, 0};
  REQUIRE_FALSE(bench.run());
  for (uint32_t row = 0; row < 256; ++row) {
    CHECK((bench.d(row, 7) == TensorMemory::kPoison) == (row == 63 || row == 128));
  }
}

TEST_CASE("scale-input-d divides D by a power of two") {
  Setup setup;
  std::mt19937 random(6);
  Bench bench(setup);
  const Matrix zero{128, 16, std::vector<uint32_t>(128 * 16)};
  bench.place(zero, integer_matrix(64, 16, Format::kF16, random));
  bench.set_d({128, 64, std::vector<uint32_t>(128 * 64, std::bit_cast<uint32_t>(48.0f))});
  bench.request.scale_input_d = 4;
  REQUIRE_FALSE(bench.run());
  CHECK(std::bit_cast<float>(bench.d(100, 63)) == 3.0f);
  bench.request.scale_input_d = 16;
  CHECK(bench.run().slug == "mma.scale-input");
}

TEST_CASE("an accumulator never written is NaN and stays so") {
  Setup setup;
  std::mt19937 random(8);
  Bench bench(setup);
  bench.place(integer_matrix(128, 16, Format::kF16, random), integer_matrix(64, 16, Format::kF16, random));
  bench.request.enable_input_d = true;
  REQUIRE_FALSE(bench.run());
  CHECK(bench.d(5, 5) == 0x7FFFFFFF);
}

TEST_CASE("integers wrap or saturate") {
  Setup setup;
  setup.kind = MmaKind::kI8;
  setup.a_format = setup.b_format = Format::kU8;
  setup.d_format = Format::kS32;
  for (const bool is_saturating : {false, true}) {
    Bench bench(setup);
    if (is_saturating) bench.request.instruction_descriptor |= 8;
    bench.place({128, 32, std::vector<uint32_t>(128 * 32, 255)}, {64, 32, std::vector<uint32_t>(64 * 32, 255)});
    bench.set_d({128, 64, std::vector<uint32_t>(128 * 64, 0x7FFFFFFF)});
    REQUIRE_FALSE(bench.run());
    CHECK(bench.d(0, 0) == (is_saturating ? 0x7FFFFFFF : 0x7FFFFFFF + 255u * 255 * 32));
  }
}

TEST_CASE("footprints") {
  const Setup setup = nvf4_pair();
  Bench bench = filled(setup, inputs_of(setup, 9));
  MmaFootprint touched;
  bench.request.enable_input_d = true;
  REQUIRE_FALSE(footprint(bench.request, 192 * 1024, &touched));
  uint32_t a = 0, b = 0;
  for (const ByteRange &range : touched.a) a += range.bytes;
  for (const ByteRange &range : touched.b) b += range.bytes;
  CHECK(a == 128 * 32);
  CHECK(b == 64 * 32);
  CHECK(touched.writes == std::vector<TensorRange>{{0, 128, 0, 128}});
  CHECK(touched.reads ==
        std::vector<TensorRange>{{0, 128, 0, 128}, {0, 128, setup.scale_a_col, 4}, {0, 128, setup.scale_b_col, 4}});
  // Dense rows of 32 bytes in 32-byte swizzle are one range.
  Setup dense = setup;
  dense.b.mode = 6;
  Bench other = filled(dense, inputs_of(dense, 9));
  REQUIRE_FALSE(footprint(other.request, 192 * 1024, &touched));
  REQUIRE(touched.b.size() == 1);
  CHECK(touched.b[0].offset == dense.b.address);
  CHECK(touched.b[0].bytes == 64 * 32);
}

TEST_CASE("refused operands") {
  Setup setup;
  std::mt19937 random(7);
  Bench bench(setup);
  bench.place(integer_matrix(128, 16, Format::kF16, random), integer_matrix(64, 16, Format::kF16, random));
  const auto slug = [&](auto change) {
    Bench copy = bench;
    change(copy.request);
    return copy.run().slug;
  };
  CHECK(slug([](MmaRequest &r) { r.d_address = 1 << 16; }) == "mma.lane-alignment");
  CHECK(slug([](MmaRequest &r) { r.d_address = 16 << 16; }) == "mma.lane-alignment");
  CHECK(slug([](MmaRequest &r) { r.d_address = 449; }) == "mma.column-range");
  CHECK(slug([](MmaRequest &r) { r.b_descriptor |= 0x3FFF; }) == "mma.shared-range");
  CHECK(slug([](MmaRequest &r) {
          r.instruction_descriptor |= 1 << 15;
          r.is_a_in_tensor_memory = true;
        }) == "mma.a-major");
  CHECK(slug([](MmaRequest &r) {
          r.instruction_descriptor |= 1 << 15;
          r.a_descriptor ^= uint64_t{3} << 61;
        }) == "mma.swizzle");
  CHECK(slug([](MmaRequest &r) {
          r.is_a_in_tensor_memory = true;
          r.a_address = 505;
        }) == "mma.column-range");
  CHECK(slug([](MmaRequest &) {}).empty());
}
