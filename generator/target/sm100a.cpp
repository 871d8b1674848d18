// SPDX-License-Identifier: Apache-2.0
// The tcgen05 targets sm_100a, sm_100f and sm_103a: limits, rates, and where each number comes from.
#include "generator/target/targets.h"

namespace warpwright::target {
namespace {

SmTarget make_blackwell(const char *arch, const char *compute) {
  SmTarget target;
  target.arch = arch;
  target.gencode = std::string("arch=") + compute + ",code=" + arch;
  target.nvrtc_arch = arch;

  // CUDA C++ Programming Guide 13.0, "Compute Capabilities", table "Technical Specifications per Compute Capability",
  // columns 10.0 and 10.3: shared memory per block 227 KB (of 228 KB per SM, 1 KB is the system's), 64 K registers
  // per SM, 1024 threads per block, 255 registers per thread.
  target.smem_optin_bytes = 227 * 1024;
  target.registers_per_sm = 64 * 1024;
  target.max_threads_per_cta = 1024;
  target.max_registers_per_thread = 255;
  // PTX ISA 9.0, "Tensor Memory": 512 columns of 128 lanes of 32 bits.
  target.tmem_cols = 512;
  // PTX ISA 9.0, "bar, barrier": sixteen barriers per CTA, numbered 0 to 15.
  target.named_barriers = 16;
  // PTX ISA 9.0, "Tx-count": the valid range is -(2^20 - 1) to 2^20 - 1.
  target.mbarrier_max_tx_bytes = (int64_t{1} << 20) - 1;
  // Measured on B200 by SemiAnalysisAI/microbench-blackwell, umma_throughput/tput_results_max.csv: an MMA of 128 rows
  // a CTA and 32 bytes of K takes N / 2 clocks, or the clocks to read its operands from shared memory at 128 bytes a
  // clock, whichever is longer (256x256 on a pair: 128.2; 128x128 on one CTA: 64.2; 256x64: 43.5). The rows there
  // that are called FP4 issue the 8-bit kinds; that the FP4 kinds take the same clocks for the same bytes of K is
  // inferred from the product's FP4 rate being twice its FP8 rate.
  target.mma_cols_per_clk = 2;
  target.smem_port_bytes_per_clk = 128;
  // Same source, umma_latency/results.csv: a pair's 256xN MMA has 165 + N / 2 clocks from issue to completion.
  target.mma_latency_clk = 165;
  // Same source, tma2d_latency/tma2d_lat_results.csv: median of a 16 KB box, one CTA an SM.
  target.load_latency_clk = 1178;
  // Nobody has published what an SM can take in; 64 bytes a clock is the usual figure for older parts. It serves as
  // the harsh end of an interval only.
  target.fill_bytes_per_clk = 64;
  // PTX ISA 9.0, "tcgen05.ld": each of four warps reads its own 32 lanes. One 32-bit column a clock for each warp is
  // an assumption that nobody has published a measurement of; predictions only.
  target.tmem_read_bytes_per_clk = 512;
  // CUDA C++ Programming Guide 13.0, "Arithmetic Instructions", columns 10.0 and 10.3: results per clock per SM.
  target.fp32_per_clk = 128;
  target.special_per_clk = 16;
  target.has_tcgen05 = true;

  // Product figures serve predictions only. NVIDIA DGX B200 data sheet: 8 TB/s of HBM3e per GPU; 148 SMs and 126.5 MB
  // of L2 as reported by the driver (pytorch/ao, issue 4002, which also measures 7.67 TB/s).
  target.product = "B200";
  target.sm_count = 148;
  target.hbm_tb_per_s = 7.67;
  // The clock at which 148 SMs x 32,768 FP4 FLOP a clock come to the data sheet's 9 PFLOP/s dense.
  target.reference_clock_ghz = 1.85;
  return target;
}

}  // namespace

const SmTarget &sm100a() {
  static const SmTarget target = make_blackwell("sm_100a", "compute_100a");
  return target;
}

const SmTarget &sm100f() {
  static const SmTarget target = make_blackwell("sm_100f", "compute_100f");
  return target;
}

const SmTarget &sm103a() {
  static const SmTarget target = [] {
    SmTarget made = make_blackwell("sm_103a", "compute_103a");
    made.product = "B300";
    // NVIDIA HGX B300 data sheet: 8 TB/s of HBM3e per GPU. The rate of K = 64 FP4 instructions is taken to be B200's:
    // the higher FP4 rate of this product needs K = 96, which no kernel here issues.
    made.hbm_tb_per_s = 8.0;
    return made;
  }();
  return target;
}

}  // namespace warpwright::target
