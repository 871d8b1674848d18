// SPDX-License-Identifier: Apache-2.0
// tcgen05.ld and tcgen05.st: which cell of tensor memory each register of each thread holds.
#pragma once

#include "tools/emulator/memory/error.h"
#include "tools/emulator/memory/memory.h"
#include "tools/emulator/tensor/mma.h"

#include <cstdint>
#include <vector>

namespace warpwright::emulator::tensor {

/// .shape of tcgen05.ld and tcgen05.st.
enum class AccessShape : uint8_t { k32x32b, k16x64b, k16x128b, k16x256b, k16x32bx2 };

/// The static part of one tcgen05.ld or tcgen05.st.
struct Access {
  AccessShape shape = AccessShape::k32x32b;
  uint32_t repeat = 1;             ///< .xN
  bool is_packed = false;          ///< .pack::16b, .unpack::16b
  uint32_t half_split_offset = 0;  ///< columns, of .16x32bx2
};

/// Registers a thread: PTX ISA 9.0, Table 49. 0: .shape and .xN do not go together.
uint32_t registers_of(const Access &access);

/// Columns from the address on that one access touches; of .16x32bx2, each half.
uint32_t columns_of(const Access &access);

/// The first lane and the number of lanes, relative to the address.
uint32_t lanes_of(AccessShape shape);

/// Where register `reg` of thread `thread` lies, relative to the address. Packed: the low halves of columns `col` and
/// `col` + 1 are the register's low and high half.
struct Cell {
  uint32_t lane = 0;
  uint32_t col = 0;
};
Cell cell_of(const Access &access, uint32_t thread, uint32_t reg);

/// Checks the address for warp `warp_in_group` (warp id mod 4), which reaches lanes 32 w … 32 w + 31.
///
/// Errors    ldst.shape (.xN beyond the shape's, a half split offset without .16x32bx2), ldst.lane-window, ldst.lane,
///           ldst.column-range
Error check(const Access &access, uint32_t address, uint32_t warp_in_group);

/// The address that the hardware makes of one: it takes the upper bits of the lane from the warp, whatever the address says.
/// Source: DeepGEMM impls/sm100_fp8_fp4_gemm_1d1d.cuh loads every warp's part at lane 0, and learn-cuda
/// 02e_matmul_sm100/matmul_v5.cu the odd CTA's at lanes from 128 on; PTX ISA 9.0, "Access restrictions", allows neither.
uint32_t in_window(uint32_t address, uint32_t warp_in_group);

/// What the access touches, for in-flight marks. Requires check to have passed.
std::vector<TensorRange> ranges(const Access &access, uint32_t address);

/// `registers`: registers_of(access) rows of 32 threads, register-major: registers[reg * 32 + thread]. Requires check
/// to have passed.
void load(const Access &access, uint32_t address, const TensorMemory &tensor, uint32_t *registers);
void store(const Access &access, uint32_t address, const uint32_t *registers, TensorMemory *tensor);

}  // namespace warpwright::emulator::tensor
