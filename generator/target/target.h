// SPDX-License-Identifier: Apache-2.0
// What an architecture offers: every number that a plan is checked against, with its source where it is defined.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::target {

/// Limits and rates of one compile target.
struct SmTarget {
  std::string arch;              ///< "sm_100a"
  std::string gencode;           ///< argument of nvcc: "arch=compute_100a,code=sm_100a"
  std::string nvrtc_arch;        ///< option value for NVRTC: "sm_100a"
  int64_t smem_optin_bytes = 0;  ///< per CTA, static + dynamic
  int64_t registers_per_sm = 0;  ///< 32-bit
  int64_t max_threads_per_cta = 0;
  int64_t max_registers_per_thread = 0;
  int64_t tmem_cols = 0;  ///< 0 where there is no tensor memory
  int64_t named_barriers = 0;
  int64_t mbarrier_max_tx_bytes = 0;  ///< per phase
  int64_t sm_count = 0;               ///< of the reference product, for predictions only
  std::string product;                ///< that product: "B200"
  double reference_clock_ghz = 0;     ///< the clock at which predictions are stated
  double hbm_tb_per_s = 0;
  double smem_port_bytes_per_clk = 0;  ///< per SM, shared by operand reads and TMA fill
  int64_t mma_cols_per_clk = 0;   ///< columns of N that an MMA of 128 rows a CTA and 32 bytes of K retires per clock
  int64_t mma_latency_clk = 0;    ///< of one MMA beyond the clocks that it occupies the pipe
  int64_t load_latency_clk = 0;   ///< from a bulk tensor load to its barrier
  double fill_bytes_per_clk = 0;  ///< harshest reading of what an SM can take from L2
  double tmem_read_bytes_per_clk = 0;  ///< per SM, tcgen05.ld of four warps
  double fp32_per_clk = 0;             ///< FP32 results per SM
  double special_per_clk = 0;          ///< exponentials, reciprocals per SM
  bool has_tcgen05 = false;
  bool has_wgmma = false;
};

/// The target named `arch`, or null.
const SmTarget *find_target(const std::string &arch);
/// All targets, in order of name.
std::vector<const SmTarget *> all_targets();

}  // namespace warpwright::target
