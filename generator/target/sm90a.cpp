// SPDX-License-Identifier: Apache-2.0
// The wgmma target sm_90a (H100, H200): limits, rates, and where each number comes from.
#include "generator/target/targets.h"

namespace warpwright::target {
namespace {

SmTarget make_hopper() {
  SmTarget target;
  target.arch = "sm_90a";
  target.gencode = "arch=compute_90a,code=sm_90a";
  target.nvrtc_arch = "sm_90a";

  // CUDA C++ Programming Guide 13.0, "Compute Capabilities", table "Technical Specifications per Compute Capability",
  // column 9.0: shared memory per block 227 KB (of 228 KB per SM; the system takes 1 KB of each block, so that two blocks
  // have 113 KB each), 64 K registers per SM, 1024 threads per block, 255 registers per thread.
  target.smem_optin_bytes = 227 * 1024;
  target.registers_per_sm = 64 * 1024;
  target.max_threads_per_cta = 1024;
  target.max_registers_per_thread = 255;
  target.tmem_cols = 0;
  // PTX ISA 9.0, "bar, barrier": sixteen barriers per CTA, numbered 0 to 15.
  target.named_barriers = 16;
  // PTX ISA 9.0, "Tx-count": the valid range is -(2^20 - 1) to 2^20 - 1.
  target.mbarrier_max_tx_bytes = (int64_t{1} << 20) - 1;
  // Measured on H200: wgmma m64nNk32 of bytes, A from registers, takes N / 2 clocks of its SM for N = 64 to 256 (32, 48,
  // 64, 96, 128 for N = 64, 96, 128, 192, 256), whatever the signs of the operands: 4,096 multiply-adds a clock, so N
  // clocks for 128 rows. For N = 8 and 16 it takes 13 clocks, for N = 32 it takes 16.
  target.mma_cols_per_clk = 1;
  // CUDA C++ Programming Guide 13.0, "Compute Capability 9.x", "Shared Memory": 32 banks of 32 bits a clock.
  target.smem_port_bytes_per_clk = 128;
  // The floor of 13 clocks above stands for it; no measurement of one wgmma alone is known. Predictions only.
  target.mma_latency_clk = 13;
  // B200's figure (sm100a.cpp) for want of one for this part; predictions only.
  target.load_latency_clk = 1178;
  // As for B200: nobody has published what an SM can take in. It serves as the harsh end of an interval only.
  target.fill_bytes_per_clk = 64;
  // CUDA C++ Programming Guide 13.0, "Arithmetic Instructions", column 9.0: results per clock per SM.
  target.fp32_per_clk = 128;
  target.special_per_clk = 16;
  target.has_wgmma = true;

  // Product figures serve predictions only. NVIDIA H100 Tensor Core GPU Architecture: 132 SMs in the SXM5 module, which
  // the H200 data sheet keeps; it has 4.8 TB/s of HBM3e. Measured on H200 with bulk copies of 16 KB: 4.71 TB/s of reads.
  target.product = "H200";
  target.sm_count = 132;
  target.hbm_tb_per_s = 4.71;
  // The clock at which 132 SMs x 4,096 multiply-adds a clock come to the data sheet's 1,979 TOP/s dense.
  target.reference_clock_ghz = 1.83;
  return target;
}

}  // namespace

const SmTarget &sm90a() {
  static const SmTarget target = make_hopper();
  return target;
}

}  // namespace warpwright::target
