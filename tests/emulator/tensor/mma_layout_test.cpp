// SPDX-License-Identifier: Apache-2.0
// tcgen05.mma on integers, where every order of summation agrees: layouts, shapes and kinds against plain products.
#include "tests/catch.h"
#include "tests/emulator/tensor/mma_fixture.h"

#include <bit>
#include <cmath>
#include <string>

using namespace warpwright::emulator::tensor;
using namespace warpwright::emulator::tensor::test;

namespace {

double d_value(const Setup &setup, uint32_t cell) {
  if (setup.d_format == Format::kS32) return static_cast<int32_t>(cell);
  return setup.d_format == Format::kF32 ? std::bit_cast<float>(cell) : value_of(Format::kF16, cell);
}

/// Powers of two near one, so that scaled sums stay exact.
Matrix small_scales(uint32_t rows, uint32_t k, Format format, std::mt19937 &random) {
  Matrix out{rows, k, std::vector<uint32_t>(size_t{rows} * k)};
  const bool is_ue8m0 = format == Format::kUe8m0;
  // UE4M3: 0.5, 1, 1.5, 2, 0; UE8M0: 2^-2 … 2^2.
  const uint32_t ue4m3[] = {0x30, 0x38, 0x3C, 0x40, 0};
  for (uint32_t &code : out.codes) code = is_ue8m0 ? 125 + random() % 5 : ue4m3[random() % 5];
  return out;
}

/// Elements times their scales.
std::vector<double> values_of(const Setup &setup, Format format, const Matrix &matrix, const Matrix &scales) {
  std::vector<double> values(matrix.codes.size());
  for (uint32_t row = 0; row < matrix.rows; ++row) {
    for (uint32_t i = 0; i < matrix.k; ++i) {
      double value = value_of(format, matrix.at(row, i));
      if (setup.scale_block != 0) value *= value_of(setup.scale_format, scales.at(row, i / setup.scale_block));
      values[row * matrix.k + i] = value;
    }
  }
  return values;
}

/// Runs D = A·B, then D = A·B + D, on random integers.
void check_products(const Setup &setup, uint32_t seed) {
  std::mt19937 random(seed);
  Bench bench(setup);
  const uint32_t k = k_of(setup.kind);
  const Matrix a = integer_matrix(setup.m, k, setup.a_format, random);
  const Matrix b = integer_matrix(setup.n, k, setup.b_format, random);
  const uint32_t scales = scales_a_row(setup);
  const Matrix sa = small_scales(setup.m, scales, setup.scale_format, random);
  const Matrix sb = small_scales(setup.n, scales, setup.scale_format, random);
  const std::vector<double> a_values = values_of(setup, setup.a_format, a, sa);
  const std::vector<double> b_values = values_of(setup, setup.b_format, b, sb);
  bench.place(a, b);
  if (scales != 0) bench.place_scales(sa, sb);
  for (const int times : {1, 2}) {
    bench.request.enable_input_d = times == 2;
    const auto error = bench.run();
    INFO(error.slug << ": " << error.text);
    REQUIRE_FALSE(error);
    for (uint32_t row = 0; row < setup.m; ++row) {
      for (uint32_t col = 0; col < setup.n; ++col) {
        double expected = 0;
        for (uint32_t i = 0; i < k; ++i) expected += a_values[row * k + i] * b_values[col * k + i];
        if (d_value(setup, bench.d(row, col)) != times * expected) {
          FAIL("D[" << row << "][" << col << "] is " << d_value(setup, bench.d(row, col)) << ", not "
                    << times * expected << "; M " << setup.m << " N " << setup.n << " ctas " << setup.ctas << " kind "
                    << name_of(setup.kind));
        }
      }
    }
  }
}

Setup nvf4(uint32_t ctas, uint32_t m, uint32_t n) {
  Setup setup;
  setup.kind = MmaKind::kMxF4Nvf4;
  setup.ctas = ctas;
  setup.m = m;
  setup.n = n;
  setup.a_format = setup.b_format = Format::kE2M1;
  setup.scale_format = Format::kUe4m3;
  setup.scale_block = 16;
  return setup;
}

}  // namespace

TEST_CASE("NVFP4 with block16 UE4M3 scales, one CTA and pairs, with every K step of a swizzled row") {
  uint32_t seed = 1;
  for (const uint32_t n : {256u, 192u, 128u, 64u, 16u}) {
    check_products(nvf4(2, 256, n), seed++);
    check_products(nvf4(1, 128, n), seed++);
    check_products(nvf4(2, 128, n), seed++);
  }
  for (const uint32_t mode : {2u, 4u, 6u, 1u, 0u}) {
    for (uint32_t step = 0; step < (mode == 2 || mode == 1 ? 4u : mode == 4 ? 2u : 1u); ++step) {
      Setup setup = nvf4(2, 256, 64);
      setup.a.mode = setup.b.mode = mode;
      setup.a.step = setup.b.step = step;
      check_products(setup, seed++);
    }
  }
}

TEST_CASE("4-bit kinds with UE8M0 scales, block 32 with either id, block 16") {
  uint32_t seed = 50;
  for (const MmaKind kind : {MmaKind::kMxF4, MmaKind::kMxF4Nvf4}) {
    for (const uint32_t ids : {0u, 1u, 2u, 3u}) {
      Setup setup = nvf4(ids % 2 + 1, ids % 2 == 0 ? 128 : 256, 96);
      setup.kind = kind;
      setup.scale_format = Format::kUe8m0;
      setup.scale_block = 32;
      setup.scale_a_id = ids % 2 * 2;
      setup.scale_b_id = ids / 2 * 2;
      check_products(setup, seed++);
    }
  }
  Setup setup = nvf4(1, 128, 32);
  setup.scale_format = Format::kUe8m0;
  check_products(setup, seed);
}

TEST_CASE("mxf8f6f4: element types in padded containers, scale bytes 0 to 3") {
  uint32_t seed = 80;
  for (const Format format : {Format::kE4M3, Format::kE5M2, Format::kE2M3, Format::kE3M2, Format::kE2M1}) {
    for (const uint32_t id : {0u, 1u, 2u, 3u}) {
      Setup setup;
      setup.kind = MmaKind::kMxF8F6F4;
      setup.ctas = id % 2 + 1;
      setup.m = id == 3 ? 256 : 128;
      setup.n = 48;
      setup.a_format = format;
      setup.b_format = id < 2 ? Format::kE4M3 : format;
      setup.scale_block = 32;
      setup.scale_a_id = id;
      setup.scale_b_id = 3 - id;
      check_products(setup, seed++);
    }
  }
}

TEST_CASE("kinds without scales: formats, shapes, K- and MN-major, every swizzle") {
  uint32_t seed = 200;
  struct Types {
    MmaKind kind;
    Format a, b, d;
  };
  const Types types[] = {{MmaKind::kF16, Format::kF16, Format::kF16, Format::kF32},
                         {MmaKind::kF16, Format::kBf16, Format::kBf16, Format::kF32},
                         {MmaKind::kF16, Format::kBf16, Format::kF16, Format::kF32},
                         {MmaKind::kF16, Format::kF16, Format::kF16, Format::kF16},
                         {MmaKind::kTf32, Format::kTf32, Format::kTf32, Format::kF32},
                         {MmaKind::kF8F6F4, Format::kE4M3, Format::kE5M2, Format::kF32},
                         {MmaKind::kF8F6F4, Format::kE5M2, Format::kE4M3, Format::kF16},
                         {MmaKind::kI8, Format::kU8, Format::kS8, Format::kS32},
                         {MmaKind::kI8, Format::kS8, Format::kU8, Format::kS32}};
  const std::pair<uint32_t, uint32_t> shapes[] = {{1, 64}, {1, 128}, {2, 128}, {2, 256}};
  for (const Types &type : types) {
    for (const auto &[ctas, m] : shapes) {
      for (const uint32_t majors : {0u, 1u, 2u, 3u}) {
        for (const uint32_t mode : {0u, 1u, 2u, 4u, 6u}) {
          const bool is_tf32 = type.kind == MmaKind::kTf32;
          if (majors != 0 && (mode == 1) != is_tf32) continue;
          Setup setup;
          setup.kind = type.kind;
          setup.ctas = ctas;
          setup.m = m;
          setup.n = 32 << (seed % 2);
          setup.a_format = type.a;
          setup.b_format = type.b;
          setup.d_format = type.d;
          setup.a.is_mn_major = (majors & 1) != 0;
          setup.b.is_mn_major = (majors & 2) != 0;
          setup.a.mode = setup.b.mode = mode;
          if (m == 64) setup.d_lane = seed % 2 * 16;
          check_products(setup, seed++);
        }
      }
    }
  }
}

TEST_CASE("A in tensor memory, for each kind and shape") {
  uint32_t seed = 900;
  const std::pair<MmaKind, Format> kinds[] = {{MmaKind::kF16, Format::kBf16},     {MmaKind::kTf32, Format::kTf32},
                                              {MmaKind::kF8F6F4, Format::kE4M3},  {MmaKind::kF8F6F4, Format::kE2M1},
                                              {MmaKind::kF8F6F4, Format::kE3M2},  {MmaKind::kMxF8F6F4, Format::kE2M3},
                                              {MmaKind::kMxF4Nvf4, Format::kE2M1}};
  for (const auto &[kind, format] : kinds) {
    for (const auto &[ctas, m] : {std::pair(1u, 64u), std::pair(1u, 128u), std::pair(2u, 128u), std::pair(2u, 256u)}) {
      if (m == 64 && is_block_scaled(kind)) continue;
      Setup setup;
      setup.kind = kind;
      setup.ctas = ctas;
      setup.m = m;
      setup.n = 64;
      setup.a_format = format;
      setup.b_format = format;
      setup.is_a_in_tensor_memory = true;
      if (is_block_scaled(kind)) setup.scale_block = kind == MmaKind::kMxF8F6F4 ? 32 : 16;
      if (m == 64) setup.d_lane = 16;
      check_products(setup, seed++);
    }
  }
}

TEST_CASE("one-hot rows of A bring out the rows of B, a permutation of K permutes them") {
  Setup setup;
  setup.ctas = 2;
  setup.m = 256;
  setup.n = 256;
  Bench bench(setup);
  Matrix a{256, 16, std::vector<uint32_t>(256 * 16)};
  Matrix b{256, 16, std::vector<uint32_t>(256 * 16)};
  constexpr uint32_t kOne = 0x3C00;
  const auto permuted = [](uint32_t row) { return (row * 7 + 3) % 16; };
  for (uint32_t row = 0; row < 256; ++row) a.codes[row * 16 + permuted(row)] = kOne;
  for (uint32_t i = 0; i < b.codes.size(); ++i) b.codes[i] = 0x400 + i;  // distinct normal numbers
  bench.place(a, b);
  REQUIRE_FALSE(bench.run());
  for (uint32_t row = 0; row < 256; ++row) {
    for (uint32_t col = 0; col < 256; ++col) {
      REQUIRE(std::bit_cast<float>(bench.d(row, col)) == value_of(Format::kF16, b.at(col, permuted(row))));
    }
  }
}
