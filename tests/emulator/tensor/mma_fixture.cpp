// SPDX-License-Identifier: Apache-2.0
// Layouts by the formulas of the ISA's CuTe notation on offsets, written apart from the emulator's on addresses.
#include "tests/emulator/tensor/mma_fixture.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace warpwright::emulator::tensor::test {
namespace {

uint32_t span_of(uint32_t mode) { return mode == 0 ? 16 : mode == 6 ? 32 : mode == 4 ? 64 : 128; }

/// CuTe's Swizzle<B, base, 3> on an offset from a 1024-byte boundary.
uint32_t cute_swizzle(uint32_t mode, uint32_t offset) {
  if (mode == 1) return offset ^ ((offset >> 7 & 3) << 5);
  const uint32_t bits = mode == 2 ? 3 : mode == 4 ? 2 : mode == 6 ? 1 : 0;
  return offset ^ ((offset >> 7 & ((1u << bits) - 1)) << 4);
}

uint32_t bits_of(Format format) {
  switch (format) {
    case Format::kF16:
    case Format::kBf16:
      return 16;
    case Format::kTf32:
      return 32;
    case Format::kE2M1:
      return 4;
    case Format::kE2M3:
    case Format::kE3M2:
      return 6;
    default:
      return 8;
  }
}

bool is_packed4(MmaKind kind) { return kind == MmaKind::kMxF4 || kind == MmaKind::kMxF4Nvf4; }

void put_bits(uint8_t *bytes, uint32_t first, uint32_t count, uint32_t value) {
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = first + i;
    const uint8_t mask = static_cast<uint8_t>(1u << at % 8);
    bytes[at / 8] = static_cast<uint8_t>((bytes[at / 8] & ~mask) | ((value >> i & 1) != 0 ? mask : 0));
  }
}

/// 32 bytes of a row as shared memory has them.
std::array<uint8_t, 32> shared_row(MmaKind kind, Format format, const Matrix &matrix, uint32_t row) {
  std::array<uint8_t, 32> bytes;
  bytes.fill(0xA5);  // what padding holds must not matter
  for (uint32_t k = 0; k < matrix.k; ++k) {
    const uint32_t bits = bits_of(format);
    const uint32_t first = bits >= 8 || is_packed4(kind) ? k * bits : k / 16 * 128 + k % 16 * bits;
    put_bits(bytes.data(), first, bits, matrix.at(row, k));
  }
  return bytes;
}

std::array<uint8_t, 32> tensor_row(MmaKind kind, Format format, const Matrix &matrix, uint32_t row) {
  if (bits_of(format) >= 8 || is_packed4(kind)) return shared_row(kind, format, matrix, row);
  std::array<uint8_t, 32> bytes;
  bytes.fill(0xC3);
  for (uint32_t k = 0; k < matrix.k; ++k) {
    bytes[k] = static_cast<uint8_t>(format == Format::kE2M1 ? matrix.at(row, k) << 2 : matrix.at(row, k));
  }
  return bytes;
}

struct Strides {
  uint32_t leading, stride;
};

/// Dense atoms, those of M or N first.
Strides strides_of(const Placement &placement, uint32_t rows, uint32_t element_bytes) {
  const uint32_t span = span_of(placement.mode);
  if (!placement.is_mn_major) {
    return placement.mode == 0 ? Strides{rows * 16, 128} : Strides{0, 8 * span};
  }
  const uint32_t columns = placement.mode == 1 ? 4 : 8;
  const uint32_t atoms = (rows * element_bytes + span - 1) / span;
  if (placement.mode == 0) return {atoms * 128, 128};
  return {columns * span, atoms * columns * span};
}

uint64_t descriptor_bits(const Placement &placement, const Strides &strides) {
  const uint32_t start = placement.address + 32 * placement.step;
  return (start >> 4) | uint64_t{strides.leading >> 4} << 16 | uint64_t{strides.stride >> 4} << 32 | uint64_t{1} << 46 |
         uint64_t{placement.mode} << 61;
}

uint32_t format_code(Format format) {
  switch (format) {
    case Format::kBf16:
    case Format::kE5M2:
    case Format::kS8:
      return 1;
    case Format::kTf32:
      return 2;
    case Format::kE2M3:
      return 3;
    case Format::kE3M2:
      return 4;
    case Format::kE2M1:
      return 5;
    default:
      return 0;
  }
}

}  // namespace

uint32_t k_of(MmaKind kind) {
  if (kind == MmaKind::kF16) return 16;
  if (kind == MmaKind::kTf32) return 8;
  return is_packed4(kind) ? 64 : 32;
}

uint32_t scales_a_row(const Setup &setup) { return setup.scale_block == 0 ? 0 : k_of(setup.kind) / setup.scale_block; }

uint32_t instruction_bits(const Setup &setup) {
  uint32_t bits = (setup.n >> 3) << 17 | uint32_t{setup.a.is_mn_major} << 15 | uint32_t{setup.b.is_mn_major} << 16;
  if (setup.scale_block == 0) {
    const uint32_t d = setup.d_format == Format::kS32 ? 2 : setup.d_format == Format::kF32 ? 1 : 0;
    return bits | d << 4 | format_code(setup.a_format) << 7 | format_code(setup.b_format) << 10 | (setup.m >> 4) << 24;
  }
  bits |= setup.scale_b_id << 4 | (setup.m >> 7) << 27 | setup.scale_a_id << 29;
  if (setup.scale_format == Format::kUe8m0) bits |= 1u << 23;
  if (is_packed4(setup.kind)) return bits | 1u << 7 | 1u << 10;
  return bits | format_code(setup.a_format) << 7 | format_code(setup.b_format) << 10;
}

Bench::Bench(const Setup &with) : setup(with) {
  for (auto &bytes : shared) bytes.assign(size_t{192} * 1024, 0x5A);
  request.kind = setup.kind;
  request.cta_group = setup.ctas;
  request.instruction_descriptor = instruction_bits(setup);
  request.scale_block = setup.scale_block;
  request.is_a_in_tensor_memory = setup.is_a_in_tensor_memory;
  request.d_address = setup.d_lane << 16 | setup.d_col;
  request.a_address = setup.d_lane << 16 | setup.a_col;
  request.scale_a_address = setup.scale_a_col;
  request.scale_b_address = setup.scale_b_col;
}

void Bench::place_operand(const Matrix &matrix, bool is_a) {
  const Placement &placement = is_a ? setup.a : setup.b;
  const Format format = is_a ? setup.a_format : setup.b_format;
  const uint32_t rows = matrix.rows / setup.ctas;
  const uint32_t element_bytes = std::max(bits_of(format) / 8, 1u);
  const Strides strides = strides_of(placement, rows, element_bytes);
  (is_a ? request.a_descriptor : request.b_descriptor) = descriptor_bits(placement, strides);
  const uint32_t span = span_of(placement.mode);
  for (uint32_t row = 0; row < matrix.rows; ++row) {
    uint8_t *base = shared[row / rows].data() + placement.address;
    const uint32_t r = row % rows;
    const auto bytes = shared_row(setup.kind, format, matrix, row);
    for (uint32_t i = 0; i < 32; ++i) {
      uint32_t offset = 0;
      if (!placement.is_mn_major) {
        offset = placement.mode == 0 ? r / 8 * strides.stride + r % 8 * 16 + i / 16 * strides.leading + i % 16
                                     : r / 8 * strides.stride + r % 8 * span + placement.step * 32 + i;
      } else {
        const uint32_t along = r * element_bytes + i % element_bytes;  // byte along M or N
        const uint32_t k = i / element_bytes;
        const uint32_t columns = placement.mode == 1 ? 4 : 8;
        offset = placement.mode == 0 ? along % 16 + along / 16 * strides.stride + k % 8 * 16 + k / 8 * strides.leading
                                     : along % span + along / span * strides.leading + k % columns * span +
                                           k / columns * strides.stride;
      }
      base[cute_swizzle(placement.mode, offset)] = bytes[i];
    }
  }
}

void Bench::place(const Matrix &a, const Matrix &b) {
  place_operand(b, false);
  if (!setup.is_a_in_tensor_memory) return place_operand(a, true);
  for (uint32_t row = 0; row < a.rows; ++row) {
    const auto bytes = tensor_row(setup.kind, setup.a_format, a, row);
    const Spot at = spot(row, 0);
    std::memcpy(tensor[at.cta].row(at.lane) + setup.a_col, bytes.data(), 32);
    if (setup.ctas == 2 && setup.m == 128)
      std::memcpy(tensor[at.cta].row(at.lane + 64) + setup.a_col, bytes.data(), 32);
  }
}

void Bench::place_scales(const Matrix &a, const Matrix &b) {
  const uint32_t a_rows = setup.m / setup.ctas;
  for (uint32_t cta = 0; cta < setup.ctas; ++cta) {
    for (uint32_t lane = 0; lane < 128; ++lane) {
      for (uint32_t i = 0; i < a.k; ++i) {
        for (uint32_t row = lane % 32; row < a_rows; row += 32) {
          put_bits(reinterpret_cast<uint8_t *>(tensor[cta].row(lane) + setup.scale_a_col + row / 32),
                   8 * (setup.scale_a_id + i), 8, a.at(cta * a_rows + row, i));
        }
        const bool is_split = setup.ctas == 2 && setup.m == 128;
        const uint32_t first = is_split && lane >= 64 ? setup.n / 2 : 0;
        const uint32_t cols = is_split ? setup.n / 2 : setup.n;
        for (uint32_t col = lane % 32; col < cols; col += 32) {
          put_bits(reinterpret_cast<uint8_t *>(tensor[cta].row(lane) + setup.scale_b_col + col / 32),
                   8 * (setup.scale_b_id + i), 8, b.at(first + col, i));
        }
      }
    }
  }
}

Bench::Spot Bench::spot(uint32_t row, uint32_t col) const {
  const uint32_t rows = setup.m / setup.ctas;
  const uint32_t r = row % rows;
  if (setup.m == 64) return {0, r / 16 * 32 + r % 16 + setup.d_lane, setup.d_col + col};
  if (rows == 64) {
    const uint32_t half = setup.n / 2;
    return {row / rows, r + col / half * 64, setup.d_col + col % half};
  }
  return {row / rows, r, setup.d_col + col};
}

void Bench::set_d(const Matrix &d) {
  for (uint32_t row = 0; row < setup.m; ++row) {
    for (uint32_t col = 0; col < setup.n; ++col) {
      const Spot at = spot(row, col);
      tensor[at.cta].row(at.lane)[at.col] = d.at(row, col);
    }
  }
  request.enable_input_d = true;
}

Error Bench::run() {
  std::array<SharedView, 2> views;
  for (size_t i = 0; i < 2; ++i) views[i] = {shared[i].data(), static_cast<uint32_t>(shared[i].size())};
  return perform(request, views, {&tensor[0], &tensor[1]});
}

uint32_t Bench::d(uint32_t row, uint32_t col) const {
  const Spot at = spot(row, col);
  return tensor[at.cta].row(at.lane)[at.col];
}

Matrix random_matrix(uint32_t rows, uint32_t k, uint32_t bits, std::mt19937 &random) {
  Matrix out{rows, k, std::vector<uint32_t>(size_t{rows} * k)};
  const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  for (uint32_t &code : out.codes) code = static_cast<uint32_t>(random()) & mask;
  return out;
}

double value_of(Format format, uint32_t code) {
  struct Widths {
    int exponent, fraction;
  } widths{};
  switch (format) {
    case Format::kU8:
      return code;
    case Format::kS8:
      return static_cast<int8_t>(code);
    case Format::kUe8m0:
      return code == 255 ? NAN : std::ldexp(1.0, static_cast<int>(code) - 127);
    case Format::kF16:
      widths = {5, 10};
      break;
    case Format::kBf16:
      widths = {8, 7};
      break;
    case Format::kTf32:
    case Format::kF32:
      widths = {8, 23};
      break;
    case Format::kE4M3:
    case Format::kUe4m3:
      widths = {4, 3};
      break;
    case Format::kE5M2:
      widths = {5, 2};
      break;
    case Format::kE2M3:
      widths = {2, 3};
      break;
    case Format::kE3M2:
      widths = {3, 2};
      break;
    default:
      widths = {2, 1};
      break;
  }
  if (format == Format::kTf32) code = code >> 13 << 13;
  const int fraction = static_cast<int>(code & ((1u << widths.fraction) - 1));
  const int exponent = static_cast<int>(code >> widths.fraction & ((1u << widths.exponent) - 1));
  const int bias = (1 << (widths.exponent - 1)) - 1;
  const bool is_top = exponent == (1 << widths.exponent) - 1;
  const bool has_infinity = widths.exponent >= 5;
  const double sign = format != Format::kUe4m3 && (code >> (widths.exponent + widths.fraction) & 1) != 0 ? -1 : 1;
  if (is_top && has_infinity) return fraction != 0 ? NAN : sign * INFINITY;
  if (is_top && widths.exponent == 4 && fraction == 7) return NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - widths.fraction);
  return sign * std::ldexp(fraction + (1 << widths.fraction), exponent - bias - widths.fraction);
}

Matrix integer_matrix(uint32_t rows, uint32_t k, Format format, std::mt19937 &random) {
  std::vector<uint32_t> pool;
  if (format == Format::kTf32) {
    pool = {0, 0x3F800000, 0xBF800000, 0x40000000, 0xC0400000, 0x40800000};  // 0 1 -1 2 -3 4
  } else {
    for (uint32_t code = 0; code < (1u << bits_of(format)); ++code) {
      const double value = value_of(format, code);
      if (std::fabs(value) <= 8 && value == std::floor(value)) pool.push_back(code);
    }
  }
  Matrix out{rows, k, std::vector<uint32_t>(size_t{rows} * k)};
  for (uint32_t &code : out.codes) code = pool[random() % pool.size()];
  return out;
}

}  // namespace warpwright::emulator::tensor::test
