// SPDX-License-Identifier: Apache-2.0
// The engines in a row, as the W4A4 kernel uses them: bulk copies with swizzle, tcgen05.cp of scale atoms, block-scaled
// MMAs, LoRA MMAs on the same accumulator, tcgen05.ld; against the family's double-precision reference.
#include "generator/families/w4a4_lora_gemm/inputs.h"
#include "tests/catch.h"
#include "tools/emulator/tensor/copy.h"
#include "tools/emulator/tensor/load_store.h"
#include "tools/emulator/tensor/mma.h"
#include "tools/emulator/tma/box_copy.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

using namespace warpwright;
using namespace warpwright::emulator;
namespace gemm = warpwright::w4a4_lora_gemm;

namespace {

constexpr uint32_t kM = 256, kN = 256, kRank = 64;
constexpr uint32_t kATile = 1024, kBTile = kATile + 128 * 128, kScalesA = kBTile + 128 * 128,
                   kScalesB = kScalesA + 2048;
constexpr uint32_t kSharedBytes = kScalesB + 4096;
constexpr uint32_t kScaleColsA = 256, kScaleColsB = 272;

/// A pair of CTAs and what they compute.
struct Pair {
  GlobalMemory memory;
  std::array<std::vector<uint8_t>, 2> shared{std::vector<uint8_t>(kSharedBytes), std::vector<uint8_t>(kSharedBytes)};
  std::array<TensorMemory, 2> tensor;
  uint32_t row_bytes = 128;

  uint64_t copied(const void *bytes, size_t count) {
    const uint64_t address = memory.allocate(count);
    std::memcpy(memory.resolve(address, count), bytes, count);
    return address;
  }

  /// Rows of `tensor`, `row_bytes` a box, with that width's swizzle.
  tma::TensorMap rows_map(const void *bytes, uint32_t rows, uint32_t bytes_a_row) {
    tma::TensorMap map;
    map.rank = 2;
    map.address = copied(bytes, size_t{rows} * bytes_a_row);
    map.dims = {bytes_a_row, rows};
    map.strides_bytes = {bytes_a_row};
    map.box = {row_bytes, 128};
    map.swizzle = row_bytes == 128 ? tma::Swizzle::k128B : tma::Swizzle::k64B;
    return map;
  }

  tma::TensorMap scales_map(const std::vector<uint8_t> &scales) {
    tma::TensorMap map;
    map.type = tma::ElementType::kU16;
    map.rank = 2;
    map.address = copied(scales.data(), scales.size());
    map.dims = {256, scales.size() / 512};
    map.strides_bytes = {512};
    map.box = {256, 1};
    return map;
  }

  void load(const tma::TensorMap &map, uint32_t cta, int32_t x, int32_t y, uint32_t to) {
    const auto error = tma::load_box(map, {x, y}, memory, to, shared[cta].data(), kSharedBytes);
    INFO(error.text);
    REQUIRE_FALSE(error);
  }

  void copy_atom(uint32_t from, uint32_t col) {
    const uint64_t bits = (from >> 4) | uint64_t{128 >> 4} << 32 | uint64_t{1} << 46;
    for (uint32_t cta = 0; cta < 2; ++cta) {
      const tensor::CopyRequest request{tensor::CopyShape::k32x128bWarpx4, tensor::CopySource::kAsIs, col, bits};
      REQUIRE_FALSE(tensor::perform(request, {shared[cta].data(), kSharedBytes}, &tensor[cta]));
    }
  }

  uint64_t tile_descriptor(uint32_t address) const {
    const uint64_t mode = row_bytes == 128 ? 2 : 4;
    return (address >> 4) | uint64_t{8 * row_bytes >> 4} << 32 | uint64_t{1} << 46 | mode << 61;
  }

  void multiply(tensor::MmaRequest request, uint32_t step) {
    request.cta_group = 2;
    request.a_descriptor = tile_descriptor(kATile + 32 * step);
    request.b_descriptor = tile_descriptor(kBTile + 32 * step);
    const auto error =
        tensor::perform(request, {tensor::SharedView{shared[0].data(), kSharedBytes}, {shared[1].data(), kSharedBytes}},
                        {&tensor[0], &tensor[1]});
    INFO(error.slug << ": " << error.text);
    REQUIRE_FALSE(error);
  }

  /// D by tcgen05.ld, 32 columns at a time.
  std::vector<float> accumulator() const {
    std::vector<float> out(size_t{kM} * kN);
    std::vector<uint32_t> registers(32 * 32);
    const tensor::Access access{tensor::AccessShape::k32x32b, 32, false, 0};
    for (uint32_t warp = 0; warp < 8; ++warp) {
      for (uint32_t col = 0; col < kN; col += 32) {
        const uint32_t address = warp % 4 * 32 << 16 | col;
        REQUIRE_FALSE(tensor::check(access, address, warp % 4));
        tensor::load(access, address, tensor[warp / 4], registers.data());
        for (uint32_t i = 0; i < 1024; ++i) {
          out[size_t{warp * 32 + i % 32} * kN + col + i / 32] = std::bit_cast<float>(registers[i]);
        }
      }
    }
    return out;
  }
};

/// One K tile of the main product: `row_bytes` of each row.
void main_tile(Pair &pair, const gemm::Problem &problem, const std::array<tma::TensorMap, 4> &maps, uint32_t tile) {
  const bool is_nvfp4 = problem.scheme == gemm::Scheme::kNvfp4;
  const auto k_a_atom = is_nvfp4 ? 64u : 128u;
  const auto atoms_along_k = static_cast<uint32_t>(problem.k) / k_a_atom;
  const uint32_t atoms = pair.row_bytes * 2 / k_a_atom;
  for (uint32_t cta = 0; cta < 2; ++cta) {
    const auto x = static_cast<int32_t>(tile * pair.row_bytes);
    pair.load(maps[0], cta, x, static_cast<int32_t>(128 * cta), kATile);
    pair.load(maps[1], cta, x, static_cast<int32_t>(128 * cta), kBTile);
    for (uint32_t atom = 0; atom < atoms; ++atom) {
      const uint32_t y = tile * atoms + atom;
      pair.load(maps[2], cta, 0, static_cast<int32_t>(cta * atoms_along_k + y), kScalesA + 512 * atom);
      for (uint32_t half = 0; half < 2; ++half) {
        pair.load(maps[3], cta, 0, static_cast<int32_t>(half * atoms_along_k + y), kScalesB + 512 * (2 * atom + half));
      }
    }
  }
  for (uint32_t atom = 0; atom < atoms; ++atom) {
    pair.copy_atom(kScalesA + 512 * atom, kScaleColsA + 4 * atom);
    for (uint32_t half = 0; half < 2; ++half) {
      pair.copy_atom(kScalesB + 512 * (2 * atom + half), kScaleColsB + 8 * atom + 4 * half);
    }
  }
  for (uint32_t step = 0; step < pair.row_bytes / 32; ++step) {
    const uint32_t atom = is_nvfp4 ? step : step / 2;
    const uint32_t id = is_nvfp4 ? 0 : step % 2 * 2;
    tensor::MmaRequest request;
    request.kind = is_nvfp4 ? tensor::MmaKind::kMxF4Nvf4 : tensor::MmaKind::kMxF4;
    request.scale_block = is_nvfp4 ? 16 : 32;
    request.instruction_descriptor = (is_nvfp4 ? 0x10400480u : 0x10C00480u) | id << 4 | id << 29;
    request.scale_a_address = kScaleColsA + 4 * atom;
    request.scale_b_address = kScaleColsB + 8 * atom;
    request.enable_input_d = tile != 0 || step != 0;
    pair.multiply(request, step);
  }
}

void check_gemm(gemm::Scheme scheme, uint32_t row_bytes) {
  gemm::Problem problem;
  problem.scheme = scheme;
  problem.m = kM;
  problem.n = kN;
  problem.k = 512;
  problem.rank = kRank;
  problem.has_column_scale = false;
  problem.has_bias = false;
  REQUIRE(problem.k <= gemm::max_exact_k(problem));
  const gemm::Tensors inputs = gemm::exact_tensors(problem, 11);
  Pair pair;
  pair.row_bytes = row_bytes;
  const auto k_bytes = static_cast<uint32_t>(problem.k) / 2;
  const std::array<tma::TensorMap, 4> maps = {pair.rows_map(inputs.a.data.data(), kM, k_bytes),
                                              pair.rows_map(inputs.b.data.data(), kN, k_bytes),
                                              pair.scales_map(inputs.a.scales), pair.scales_map(inputs.b.scales)};
  for (uint32_t tile = 0; tile < k_bytes / row_bytes; ++tile) main_tile(pair, problem, maps, tile);
  const tma::TensorMap lora_a = pair.rows_map(inputs.lora_act.codes.data(), kM, kRank * 2);
  const tma::TensorMap lora_b = pair.rows_map(inputs.lora_up.codes.data(), kN, kRank * 2);
  for (uint32_t chunk = 0; chunk < kRank * 2 / row_bytes; ++chunk) {
    for (uint32_t cta = 0; cta < 2; ++cta) {
      const auto x = static_cast<int32_t>(chunk * row_bytes);
      pair.load(lora_a, cta, x, static_cast<int32_t>(128 * cta), kATile);
      pair.load(lora_b, cta, x, static_cast<int32_t>(128 * cta), kBTile);
    }
    for (uint32_t step = 0; step < row_bytes / 32; ++step) {
      tensor::MmaRequest request;
      request.instruction_descriptor = 0x10400490;
      request.enable_input_d = true;
      pair.multiply(request, step);
    }
  }
  const std::vector<float> sums = pair.accumulator();
  const std::vector<double> expected = gemm::reference(problem, inputs);
  size_t wrong = 0, nonzero = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    wrong += static_cast<double>(inputs.alpha) * sums[i] != expected[i];
    nonzero += expected[i] != 0;
  }
  CHECK(wrong == 0);
  CHECK(nonzero > expected.size() / 2);
}

}  // namespace

TEST_CASE("a W4A4 tile with LoRA on exact inputs is bit-equal to the reference") {
  for (const gemm::Scheme scheme : {gemm::Scheme::kNvfp4, gemm::Scheme::kMxfp4}) {
    for (const uint32_t row_bytes : {64u, 128u}) {
      INFO((scheme == gemm::Scheme::kNvfp4 ? "NVFP4" : "MXFP4") << ", rows of " << row_bytes);
      check_gemm(scheme, row_bytes);
    }
  }
}
