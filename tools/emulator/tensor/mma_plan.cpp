// SPDX-License-Identifier: Apache-2.0
// Checks of an MMA's operands and what it touches.
#include "tools/emulator/tensor/mma_plan.h"

#include <string>

namespace warpwright::emulator::tensor {
namespace {

/// CUTLASS keeps the scale id in bits 30-31 of a scale's address (include/cute/arch/mma_sm100_desc.hpp,
/// make_runtime_instr_desc_block_scaled) and passes the address as it is.
constexpr uint32_t kScaleAddressMask = 0x3FFFFFFF;

Error check_cols(const char *what, uint32_t col, uint32_t cols) {
  if (col + cols <= TensorMemory::kCols) return {};
  return {"mma.column-range", std::string(what) + " takes columns " + std::to_string(col) + "-" +
                                  std::to_string(col + cols - 1) + " of " + std::to_string(TensorMemory::kCols)};
}

Error check_lane(const char *what, uint32_t lane, uint32_t expected) {
  if (lane == expected) return {};
  return {"mma.lane-alignment",
          std::string(what) + " begins at lane " + std::to_string(lane) + ", not " + std::to_string(expected)};
}

/// PTX ISA 9.0, "Data Path Layout Organization": lane alignment 0, or 0 or 16 where half the lanes are used.
Error place_d(const MmaRequest &request, MmaPlan *plan) {
  const uint32_t lane = TensorMemory::lane_of(request.d_address);
  plan->d_col = TensorMemory::col_of(request.d_address);
  if (plan->path == DataPath::kHalf && lane == 16) {
    plan->half_lane = 16;
  } else if (Error error = check_lane("D", lane, 0)) {
    return error;
  }
  return check_cols("D", plan->d_col, plan->d_cols);
}

Error place_a(const MmaRequest &request, MmaPlan *plan) {
  if (!request.is_a_in_tensor_memory) {
    if (Error error = decode_matrix(request.a_descriptor, &plan->a)) return error;
    return {};
  }
  // PTX ISA 9.0, "Packing format for matrix A and B"; MN-major A in tensor memory does not exist (the layout there is
  // fixed: CUTLASS include/cute/arch/mma_sm100_umma.hpp, SM100_MMA_*_TS).
  if (plan->instruction.mn_major_a) return {"mma.a-major", "A in tensor memory is K-major"};
  plan->a_col = TensorMemory::col_of(request.a_address);
  if (Error error = check_lane("A", TensorMemory::lane_of(request.a_address), plan->half_lane)) return error;
  return check_cols("A", plan->a_col, kRowBytes / 4);
}

Error place_scales(const MmaRequest &request, MmaPlan *plan) {
  if (!is_block_scaled(request.kind)) return {};
  const uint32_t a = request.scale_a_address & kScaleAddressMask;
  const uint32_t b = request.scale_b_address & kScaleAddressMask;
  plan->scale_a_col = TensorMemory::col_of(a);
  plan->scale_b_col = TensorMemory::col_of(b);
  if (Error error = check_lane("the scale matrix of A", TensorMemory::lane_of(a), 0)) return error;
  if (Error error = check_lane("the scale matrix of B", TensorMemory::lane_of(b), 0)) return error;
  if (Error error = check_cols("the scale matrix of A", plan->scale_a_col, scale_cols(plan->rows))) return error;
  return check_cols("the scale matrix of B", plan->scale_b_col, scale_cols(plan->d_cols));
}

/// PTX ISA 9.0, "Transpose and Negate operations" and Table 54: 32-byte atoms go with transposed 32-bit elements and
/// with K-major ones.
Error check_major(const char *what, MmaKind kind, bool is_mn_major, const MatrixDescriptor &matrix) {
  const bool has_32b_atoms = matrix.swizzle == OperandSwizzle::k128BAtom32B;
  if (!is_mn_major || has_32b_atoms == (kind == MmaKind::kTf32)) return {};
  return {"mma.swizzle", std::string(what) +
                             " is MN-major: kind::tf32 takes it with 128-byte swizzle and 32-byte atoms, "
                             "the other kinds with any other swizzle"};
}

std::string range_text(const ByteRange &range) {
  return "[" + std::to_string(range.offset) + ", " + std::to_string(range.offset + range.bytes) + ")";
}

Error check_shared(const char *what, const std::vector<ByteRange> &ranges, uint32_t shared_bytes) {
  if (ranges.empty() || ranges.back().offset + ranges.back().bytes <= shared_bytes) return {};
  return {"mma.shared-range", std::string(what) + " reads " + range_text(ranges.back()) + " of " +
                                  std::to_string(shared_bytes) + " bytes of shared memory"};
}

void add_tensor_ranges(const MmaRequest &request, const MmaPlan &plan, MmaFootprint *out) {
  std::vector<TensorRange> d;
  if (plan.path == DataPath::kHalf) {
    for (uint32_t lane = plan.half_lane; lane < TensorMemory::kLanes; lane += 32) {
      d.push_back({lane, 16, plan.d_col, plan.d_cols});
    }
  } else {
    d.push_back({0, TensorMemory::kLanes, plan.d_col, plan.d_cols});
  }
  out->writes = d;
  if (request.enable_input_d) out->reads = d;
  if (request.is_a_in_tensor_memory) {
    for (TensorRange range : d) {
      range.col = plan.a_col;
      range.cols = kRowBytes / 4;
      out->reads.push_back(range);
    }
  }
  if (is_block_scaled(request.kind)) {
    out->reads.push_back({0, TensorMemory::kLanes, plan.scale_a_col, scale_cols(plan.rows)});
    out->reads.push_back({0, TensorMemory::kLanes, plan.scale_b_col, scale_cols(plan.d_cols)});
  }
}

}  // namespace

uint32_t scale_cols(uint32_t rows) { return (rows + 31) / 32; }

Error make_plan(const MmaRequest &request, MmaPlan *out) {
  InstructionDescriptor &instruction = out->instruction;
  if (Error error = decode_instruction(request.kind, request.cta_group, request.scale_block,
                                       request.instruction_descriptor, &instruction)) {
    return error;
  }
  const bool can_scale_d = request.kind == MmaKind::kF16 || request.kind == MmaKind::kTf32;
  if (request.scale_input_d > 15 || (request.scale_input_d != 0 && !can_scale_d)) {
    return {"mma.scale-input", "scale-input-d is 0 … 15, with kind::f16 and kind::tf32"};
  }
  out->ctas = request.cta_group;
  out->rows = instruction.m / request.cta_group;
  out->b_rows = instruction.n / request.cta_group;
  out->path = instruction.m == 64 ? DataPath::kHalf : out->rows == 64 ? DataPath::kTwoByTwo : DataPath::kFull;
  out->d_cols = out->path == DataPath::kTwoByTwo ? instruction.n / 2 : instruction.n;
  if (Error error = place_d(request, out)) return error;
  if (Error error = place_a(request, out)) return error;
  if (Error error = decode_matrix(request.b_descriptor, &out->b)) return error;
  if (!request.is_a_in_tensor_memory) {
    if (Error error = check_major("A", request.kind, instruction.mn_major_a, out->a)) return error;
  }
  if (Error error = check_major("B", request.kind, instruction.mn_major_b, out->b)) return error;
  return place_scales(request, out);
}

Error footprint(const MmaRequest &request, uint32_t shared_bytes, MmaFootprint *out) {
  MmaPlan plan;
  if (Error error = make_plan(request, &plan)) return error;
  const InstructionDescriptor &instruction = plan.instruction;
  *out = {};
  if (!request.is_a_in_tensor_memory) {
    out->a = operand_ranges(plan.a, instruction.mn_major_a, plan.rows, instruction.k,
                            container_bits(request.kind, instruction.a));
    if (Error error = check_shared("A", out->a, shared_bytes)) return error;
  }
  out->b = operand_ranges(plan.b, instruction.mn_major_b, plan.b_rows, instruction.k,
                          container_bits(request.kind, instruction.b));
  if (Error error = check_shared("B", out->b, shared_bytes)) return error;
  add_tensor_ranges(request, plan, out);
  return {};
}

}  // namespace warpwright::emulator::tensor
