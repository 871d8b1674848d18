// SPDX-License-Identifier: Apache-2.0
// D = A·B + D: operands decoded once, then row by row of D through the fused sums.
#include "tools/emulator/tensor/mma.h"

#include "tools/emulator/tensor/fused_rows.h"
#include "tools/emulator/tensor/mma_plan.h"
#include "tools/emulator/tensor/numerics.h"
#include "tools/emulator/tensor/operands.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpwright::emulator::tensor {
namespace {

/// B of the whole instruction, K × stride, and A of one CTA, rows × K. Terms are products, or groups for 4-bit kinds.
struct Decodings {
  size_t stride = 0;
  std::vector<double> a, b;
  std::vector<int32_t> a_exponent, b_exponent;
  std::vector<float> a_group, b_group;
  std::vector<double> a_scale, b_scale;
  std::vector<int32_t> a_scale_exponent, b_scale_exponent;
  std::vector<uint8_t> a_special, b_special;  ///< row or column with an infinity or a NaN
  std::vector<int32_t> a_integer, b_integer;
};

struct Job {
  const MmaRequest *request = nullptr;
  MmaPlan plan;
  bool has_groups = false;
  FusedSum rule;
  Decodings data;
};

bool is_special(double value) { return !std::isfinite(value); }

Decoded decode_element(Format format, uint32_t code, bool is_negated) {
  Decoded element = format == Format::kF16 || format == Format::kBf16 || format == Format::kTf32
                        ? decode(format, code)
                        : decode_table(format)[code];
  if (is_negated) element.value = -element.value;
  return element;
}

/// Products: the block scale of K = 32 goes into A's and B's elements. `row_step` and `k_step` place element (row, k).
void decode_products(const Codes &codes, Format format, bool is_negated, const ScaleCodes &scales, size_t row_step,
                     size_t k_step, std::vector<double> *values, std::vector<int32_t> *exponents,
                     std::vector<uint8_t> *special) {
  for (uint32_t row = 0; row < codes.rows; ++row) {
    Decoded scale{1, 0};
    if (scales.count != 0) scale = decode_table(Format::kUe8m0)[scales.codes[row]];
    for (uint32_t k = 0; k < codes.k; ++k) {
      const Decoded element = decode_element(format, codes.codes[size_t{row} * codes.k + k], is_negated);
      const size_t at = row * row_step + k * k_step;
      (*values)[at] = element.value * scale.value;
      (*exponents)[at] = element.exponent + scale.exponent;
      if (is_special((*values)[at])) (*special)[row] = 1;
    }
  }
}

/// Groups: elements as floats, and four scales a row, whatever the block size.
void decode_groups(const Codes &codes, bool is_negated, const ScaleCodes &scales, Format scale_format, bool is_a,
                   size_t stride, Decodings *data) {
  std::vector<float> &values = is_a ? data->a_group : data->b_group;
  std::vector<double> &scale = is_a ? data->a_scale : data->b_scale;
  std::vector<int32_t> &exponent = is_a ? data->a_scale_exponent : data->b_scale_exponent;
  std::vector<uint8_t> &special = is_a ? data->a_special : data->b_special;
  const size_t row_step = is_a ? codes.k : 1;
  const size_t scale_row_step = is_a ? kGroups : 1;
  const size_t along = is_a ? 1 : stride;
  float table[16];
  for (uint32_t code = 0; code < 16; ++code) {
    table[code] = static_cast<float>(decode_element(Format::kE2M1, code, is_negated).value);
  }
  for (uint32_t row = 0; row < codes.rows; ++row) {
    const uint32_t *from = &codes.codes[size_t{row} * codes.k];
    for (uint32_t k = 0; k < codes.k; ++k) values[row * row_step + k * along] = table[from[k]];
    for (uint32_t group = 0; group < kGroups; ++group) {
      const uint32_t index = group * scales.count / static_cast<uint32_t>(kGroups);
      const Decoded one = decode_table(scale_format)[scales.codes[size_t{row} * scales.count + index]];
      scale[row * scale_row_step + group * along] = one.value;
      exponent[row * scale_row_step + group * along] = one.exponent;
      if (is_special(one.value)) special[row] = 1;
    }
  }
}

void decode_operand(const Codes &codes, const ScaleCodes &scales, bool is_a, Job *job) {
  const InstructionDescriptor &instruction = job->plan.instruction;
  Decodings &data = job->data;
  const Format format = is_a ? instruction.a : instruction.b;
  const bool is_negated = is_a ? instruction.negate_a : instruction.negate_b;
  const size_t rows = is_a ? codes.rows : data.stride;
  const size_t along = is_a ? 1 : data.stride;
  const size_t row_step = is_a ? codes.k : 1;
  (is_a ? data.a_special : data.b_special).assign(rows, 0);
  if (job->request->kind == MmaKind::kI8) {
    std::vector<int32_t> &values = is_a ? data.a_integer : data.b_integer;
    values.assign(rows * codes.k, 0);
    for (uint32_t row = 0; row < codes.rows; ++row) {
      for (uint32_t k = 0; k < codes.k; ++k) {
        const uint32_t code = codes.codes[size_t{row} * codes.k + k];
        values[row * row_step + k * along] =
            format == Format::kS8 ? static_cast<int8_t>(code) : static_cast<int32_t>(code);
      }
    }
  } else if (job->has_groups) {
    (is_a ? data.a_group : data.b_group).assign(rows * codes.k, 0);
    (is_a ? data.a_scale : data.b_scale).assign(rows * kGroups, 0);
    (is_a ? data.a_scale_exponent : data.b_scale_exponent).assign(rows * kGroups, kZeroExponent);
    decode_groups(codes, is_negated, scales, instruction.scale, is_a, data.stride, &data);
  } else {
    std::vector<double> &values = is_a ? data.a : data.b;
    std::vector<int32_t> &exponents = is_a ? data.a_exponent : data.b_exponent;
    values.assign(rows * codes.k, 0);
    exponents.assign(rows * codes.k, kZeroExponent);
    decode_products(codes, format, is_negated, scales, row_step, along, &values, &exponents,
                    is_a ? &data.a_special : &data.b_special);
  }
}

/// One row of D while it is computed; arrays as wide as B's stride.
struct Accumulator {
  std::array<uint32_t, kMaxColumns> cells{};
  std::array<double, kMaxColumns> c{};
  std::array<int32_t, kMaxColumns> c_exponent{};
  std::array<double, kMaxColumns> sum{};
};

void decode_c(const Job &job, uint32_t columns, Accumulator *acc) {
  const bool is_f16 = job.plan.instruction.d == Format::kF16;
  const double factor = std::ldexp(1.0, -static_cast<int>(job.request->scale_input_d));
  const int32_t shift = static_cast<int32_t>(job.request->scale_input_d);
  for (uint32_t j = 0; j < columns; ++j) {
    if (is_f16) {
      const Decoded one = decode(Format::kF16, acc->cells[j] & 0xFFFF);
      acc->c[j] = one.value * factor;
      acc->c_exponent[j] = one.exponent - (one.value == 0 ? 0 : shift);
    } else {
      const uint32_t biased = std::max(acc->cells[j] >> 23 & 0xFF, 1u);
      const float value = std::bit_cast<float>(acc->cells[j]);
      acc->c[j] = value * factor;
      acc->c_exponent[j] = static_cast<int32_t>(biased) - 127 - (value == 0 ? 0 : shift);
    }
  }
}

/// What infinities and NaNs give. MMA-Sim: products are summed as doubles; with groups, a NaN scale or accumulator is a
/// NaN.
double special_sum(const Job &job, size_t row, size_t column, double c) {
  const Decodings &data = job.data;
  if (job.has_groups) {
    const bool is_nan = data.a_special[row] != 0 || data.b_special[column] != 0 || std::isnan(c);
    return is_nan ? std::numeric_limits<double>::quiet_NaN() : c;
  }
  const size_t k = job.plan.instruction.k;
  double sum = c;
  for (size_t i = 0; i < k; ++i) sum += data.a[row * k + i] * data.b[i * data.stride + column];
  return sum;
}

void sum_row(const Job &job, size_t row, uint32_t columns, Accumulator *acc) {
  const Decodings &data = job.data;
  const RowSum common{columns,        data.stride, job.rule.fraction_bits, acc->c.data(), acc->c_exponent.data(),
                      acc->sum.data()};
  const size_t k = job.plan.instruction.k;
  if (job.has_groups) {
    sum_groups({common, &data.a_group[row * k], &data.a_scale[row * kGroups], &data.a_scale_exponent[row * kGroups],
                data.b_group.data(), data.b_scale.data(), data.b_scale_exponent.data()});
  } else {
    sum_products({common, k, &data.a[row * k], &data.a_exponent[row * k], data.b.data(), data.b_exponent.data()});
  }
  for (uint32_t j = 0; j < columns; ++j) {
    if (data.a_special[row] != 0 || data.b_special[j] != 0 || is_special(acc->c[j])) {
      acc->sum[j] = special_sum(job, row, j, acc->c[j]);
    }
  }
  if (job.plan.instruction.d == Format::kF16) {
    for (uint32_t j = 0; j < columns; ++j) acc->cells[j] = round_to_f16(acc->sum[j]);
  } else {
    round_row(acc->sum.data(), columns, acc->cells.data());
  }
}

/// PTX ISA 9.0, "Instruction descriptor": 32-bit integers wrap, or saturate where bit 3 says so.
void sum_integer_row(const Job &job, size_t row, uint32_t columns, Accumulator *acc) {
  const size_t k = job.plan.instruction.k;
  std::array<int32_t, kMaxColumns> sum{};
  sum_integers(columns, job.data.stride, k, &job.data.a_integer[row * k], job.data.b_integer.data(), sum.data());
  for (uint32_t j = 0; j < columns; ++j) {
    const int64_t total = int64_t{sum[j]} + static_cast<int32_t>(acc->cells[j]);
    const int64_t limited =
        std::clamp(total, int64_t{std::numeric_limits<int32_t>::min()}, int64_t{std::numeric_limits<int32_t>::max()});
    acc->cells[j] = static_cast<uint32_t>(job.plan.instruction.saturate ? limited : total);
  }
}

/// The pieces of one row of D: all its columns in one lane, or half of them in each of two.
void for_each_piece(const MmaPlan &plan, uint32_t row, TensorMemory *tensor, Accumulator *acc, bool is_write,
                    const uint32_t *disabled) {
  const uint32_t pieces = plan.path == DataPath::kTwoByTwo ? 2 : 1;
  for (uint32_t piece = 0; piece < pieces; ++piece) {
    const uint32_t lane = plan.lane_of_row(row) + 64 * piece;
    uint32_t *cells = tensor->row(lane) + plan.d_col;
    uint32_t *mine = acc->cells.data() + size_t{piece} * plan.d_cols;
    if (!is_write) {
      std::memcpy(mine, cells, plan.d_cols * sizeof(uint32_t));
    } else if ((disabled[lane / 32] >> lane % 32 & 1) == 0) {
      std::memcpy(cells, mine, plan.d_cols * sizeof(uint32_t));
    }
  }
}

void compute_cta(const Job &job, uint32_t cta, TensorMemory *tensor) {
  const MmaPlan &plan = job.plan;
  const uint32_t columns = plan.instruction.n;
  for (uint32_t row = 0; row < plan.rows; ++row) {
    Accumulator acc;
    if (job.request->enable_input_d) for_each_piece(plan, row, tensor, &acc, false, nullptr);
    if (job.request->kind == MmaKind::kI8) {
      sum_integer_row(job, row, columns, &acc);
    } else {
      acc.c_exponent.fill(kZeroExponent);
      if (job.request->enable_input_d) decode_c(job, columns, &acc);
      sum_row(job, row, columns, &acc);
    }
    for_each_piece(plan, row, tensor, &acc, true, &job.request->disable_output_lane[size_t{cta} * 4]);
  }
}

/// A and B's scales of one CTA are those in its own tensor memory; B is the same for both.
Error perform_cta(uint32_t cta, const Codes &b, const SharedView &shared, TensorMemory *tensor, Job *job) {
  const MmaRequest &request = *job->request;
  ScaleCodes a_scales, b_scales;
  if (is_block_scaled(request.kind)) {
    const uint32_t count = scales_of(request.kind, request.scale_block);
    if (Error error = read_scales(job->plan, true, count, *tensor, &a_scales)) return error;
    if (Error error = read_scales(job->plan, false, count, *tensor, &b_scales)) return error;
  }
  Codes a;
  if (request.is_a_in_tensor_memory) {
    if (Error error = append_tensor(job->plan, request.kind, *tensor, &a)) return error;
  } else {
    append_shared(job->plan, request.kind, true, shared, &a);
  }
  decode_operand(a, a_scales, true, job);
  if (cta == 0 || is_block_scaled(request.kind)) decode_operand(b, b_scales, false, job);
  compute_cta(*job, cta, tensor);
  return {};
}

}  // namespace

Error perform(const MmaRequest &request, const std::array<SharedView, 2> &shared,
              const std::array<TensorMemory *, 2> &tensor) {
  Job job;
  job.request = &request;
  if (Error error = make_plan(request, &job.plan)) return error;
  MmaFootprint touched;
  for (uint32_t cta = 0; cta < job.plan.ctas; ++cta) {
    if (Error error = footprint(request, shared[cta].bytes, &touched)) return error;
  }
  job.has_groups = request.kind == MmaKind::kMxF4 || request.kind == MmaKind::kMxF4Nvf4;
  job.rule = fused_sum_of(Architecture::kBlackwell, request.kind);
  job.data.stride = (job.plan.instruction.n + kColumnBlock - 1) / kColumnBlock * kColumnBlock;
  Codes b;
  for (uint32_t cta = 0; cta < job.plan.ctas; ++cta) append_shared(job.plan, request.kind, false, shared[cta], &b);
  for (uint32_t cta = 0; cta < job.plan.ctas; ++cta) {
    if (Error error = perform_cta(cta, b, shared[cta], tensor[cta], &job)) return error;
  }
  return {};
}

}  // namespace warpwright::emulator::tensor
