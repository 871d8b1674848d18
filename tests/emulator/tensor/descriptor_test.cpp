// SPDX-License-Identifier: Apache-2.0
// Every bit of every descriptor: flipped, the MMA is refused or does something else.
#include "tests/catch.h"
#include "tests/emulator/tensor/mma_fixture.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>
#include <string>

using namespace warpwright::emulator::tensor;
using namespace warpwright::emulator::tensor::test;
using warpwright::emulator::TensorMemory;

namespace {

/// Both tensor memories after the MMA, or the slug.
struct Outcome {
  std::string slug;
  std::array<TensorMemory, 2> tensor;

  bool same_as(const Outcome &other) const {
    if (slug != other.slug) return false;
    for (size_t cta = 0; cta < 2; ++cta) {
      if (std::memcmp(tensor[cta].row(0), other.tensor[cta].row(0), size_t{128} * 512 * 4) != 0) return false;
    }
    return true;
  }
};

Outcome outcome_of(const Bench &bench, const std::function<void(MmaRequest &)> &change) {
  Bench copy = bench;
  change(copy.request);
  Outcome outcome;
  outcome.slug = copy.run().slug;
  outcome.tensor = copy.tensor;
  return outcome;
}

Setup setup_of(MmaKind kind, Format format) {
  Setup setup;
  setup.kind = kind;
  setup.ctas = 2;
  setup.m = 256;
  setup.n = 96;
  setup.a_format = setup.b_format = format;
  if (kind == MmaKind::kI8) setup.d_format = Format::kS32;
  if (is_block_scaled(kind)) setup.scale_block = 32;
  return setup;
}

/// Finite random operands everywhere, so that a wrong address, format or scale gives other numbers.
Bench bench_of(const Setup &setup, uint32_t seed) {
  std::mt19937 random(seed);
  Bench bench(setup);
  for (auto &bytes : bench.shared) {
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random() & 0xB7);
  }
  for (auto &tensor : bench.tensor) {
    // Each partition holds the same, as scales must; exponents near that of 1.
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (uint32_t col = 0; col < 512; ++col) {
        uint32_t cell = 0;
        for (int i = 0; i < 4; ++i) cell = cell << 8 | (120 + random() % 16);
        for (uint32_t copy = lane; copy < 128; copy += 32) tensor.row(copy)[col] = cell;
      }
    }
  }
  const uint32_t k = k_of(setup.kind);
  // Integers of both signs, so that a sign shows.
  const bool is_i8 = setup.kind == MmaKind::kI8;
  const auto matrix = [&](uint32_t rows, Format format) {
    return is_i8 ? random_matrix(rows, k, 8, random) : integer_matrix(rows, k, format, random);
  };
  const Matrix a = matrix(setup.m, setup.a_format);
  bench.place(a, matrix(setup.n, setup.b_format));
  bench.request.enable_input_d = true;
  return bench;
}

void check_descriptor_bits(const Bench &bench, bool is_a, const std::set<uint32_t> &unused) {
  const Outcome base = outcome_of(bench, [](MmaRequest &) {});
  REQUIRE(base.slug == "");
  for (uint32_t bit = 0; bit < 64; ++bit) {
    const Outcome flipped = outcome_of(bench, [&](MmaRequest &request) {
      (is_a ? request.a_descriptor : request.b_descriptor) ^= uint64_t{1} << bit;
    });
    INFO("descriptor of " << (is_a ? "A" : "B") << ", bit " << bit << ": " << flipped.slug);
    CHECK(flipped.same_as(base) == (unused.count(bit) != 0));
  }
}

}  // namespace

TEST_CASE("every bit of the matrix descriptors") {
  std::set<uint32_t> leading;
  for (uint32_t bit = 16; bit < 30; ++bit) leading.insert(bit);
  for (const bool is_a : {true, false}) {
    Setup setup = setup_of(MmaKind::kF16, Format::kF16);
    // K-major with a swizzle: the leading offset is not used.
    check_descriptor_bits(bench_of(setup, 1), is_a, leading);
    setup.a.mode = setup.b.mode = 4;
    std::set<uint32_t> unused = leading;
    unused.insert(51);  // a pattern of four lines
    check_descriptor_bits(bench_of(setup, 2), is_a, unused);
    // Without a swizzle there is no pattern.
    setup.a.mode = setup.b.mode = 0;
    check_descriptor_bits(bench_of(setup, 3), is_a, {49, 50, 51});
    // MN-major uses both offsets.
    setup.a.mode = setup.b.mode = 4;
    setup.a.is_mn_major = setup.b.is_mn_major = true;
    check_descriptor_bits(bench_of(setup, 4), is_a, {51});
  }
}

TEST_CASE("every bit of the instruction descriptor, for each kind") {
  const std::pair<MmaKind, Format> kinds[] = {{MmaKind::kF16, Format::kF16},       {MmaKind::kTf32, Format::kTf32},
                                              {MmaKind::kF8F6F4, Format::kE4M3},   {MmaKind::kI8, Format::kU8},
                                              {MmaKind::kMxF8F6F4, Format::kE4M3}, {MmaKind::kMxF4, Format::kE2M1},
                                              {MmaKind::kMxF4Nvf4, Format::kE2M1}};
  uint32_t seed = 10;
  for (const auto &[kind, format] : kinds) {
    Bench bench = bench_of(setup_of(kind, format), seed++);
    if (kind == MmaKind::kI8) {
      // Near the largest number, so that saturation shows.
      for (uint32_t lane = 0; lane < 128; ++lane) std::fill_n(bench.tensor[0].row(lane), 96, 0x7FFFFFF0u);
    }
    const Outcome base = outcome_of(bench, [](MmaRequest &) {});
    REQUIRE(base.slug == "");
    for (uint32_t bit = 0; bit < 32; ++bit) {
      const Outcome flipped =
          outcome_of(bench, [&](MmaRequest &request) { request.instruction_descriptor ^= 1u << bit; });
      INFO("kind::" << name_of(kind) << ", bit " << bit << ": " << flipped.slug);
      CHECK_FALSE(flipped.same_as(base));
    }
  }
}

TEST_CASE("refusals of descriptors have their own slugs") {
  MatrixDescriptor matrix;
  const uint64_t good = uint64_t{1} << 46 | uint64_t{2} << 61;
  CHECK_FALSE(decode_matrix(good, &matrix));
  CHECK(decode_matrix(good ^ uint64_t{1} << 47, &matrix).slug == "descriptor.constant");
  CHECK(decode_matrix(good ^ uint64_t{1} << 55, &matrix).slug == "descriptor.reserved");
  CHECK(decode_matrix(good ^ uint64_t{1} << 52, &matrix).slug == "descriptor.leading-mode");
  CHECK(decode_matrix(good ^ uint64_t{1} << 61, &matrix).slug == "descriptor.swizzle");
  const auto slug = [](MmaKind kind, uint32_t ctas, uint32_t block, uint32_t bits) {
    InstructionDescriptor out;
    return decode_instruction(kind, ctas, block, bits, &out).slug;
  };
  constexpr uint32_t kNvf4 = 0x10400480, kBf16 = 0x10400490;
  CHECK(slug(MmaKind::kMxF4Nvf4, 2, 16, kNvf4).empty());
  CHECK(slug(MmaKind::kF16, 2, 0, kBf16).empty());
  CHECK(slug(MmaKind::kF16, 1, 0, kBf16) == "idesc.shape");
  CHECK(slug(MmaKind::kF16, 3, 0, kBf16) == "idesc.cta-group");
  CHECK(slug(MmaKind::kF16, 2, 16, kBf16) == "idesc.scale-block");
  CHECK(slug(MmaKind::kF16, 2, 0, kBf16 ^ 0x10) == "idesc.format");
  CHECK(slug(MmaKind::kF16, 2, 0, kBf16 | 4) == "idesc.sparse");
  CHECK(slug(MmaKind::kF16, 2, 0, kBf16 | 1u << 29) == "idesc.reserved");
  CHECK(slug(MmaKind::kMxF4Nvf4, 2, 32, kNvf4) == "idesc.scale-format");
  CHECK(slug(MmaKind::kMxF4Nvf4, 2, 64, kNvf4) == "idesc.scale-block");
  CHECK(slug(MmaKind::kMxF4, 2, 32, kNvf4) == "idesc.scale-format");
  CHECK(slug(MmaKind::kMxF4Nvf4, 2, 16, kNvf4 | 1u << 31) == "idesc.k96");
  CHECK(slug(MmaKind::kMxF4Nvf4, 2, 16, kNvf4 | 1u << 4) == "idesc.scale-id");
  CHECK(slug(MmaKind::kMxF4Nvf4, 2, 16, kNvf4 | 1u << 15) == "idesc.transpose");
  CHECK(slug(MmaKind::kI8, 2, 0, 2u << 4 | 1u << 13 | 4u << 17 | 16u << 24) == "idesc.negate");
}

TEST_CASE("wgmma's matrix descriptor") {
  MatrixDescriptor matrix;
  REQUIRE_FALSE(decode_wgmma_matrix(0x4000004000010080, &matrix));
  CHECK(matrix.address == 0x800);
  CHECK(matrix.leading_bytes == 16);
  CHECK(matrix.stride_bytes == 1024);
  CHECK(matrix.swizzle == OperandSwizzle::k128B);
  CHECK(decode_wgmma_matrix(uint64_t{1} << 46, &matrix).slug == "descriptor.reserved");
}
