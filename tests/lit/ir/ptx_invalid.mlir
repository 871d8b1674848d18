// SPDX-License-Identifier: Apache-2.0
// RUN: warpwright-opt %s --verify-diagnostics

ptx.kernel @k cta_group 1 {
  ptx.role @r {
    // expected-error @+1 {{3 buffers behind 2 barriers}}
    %s = ptx.slot @ab depth 2 buffers 3 parity 0
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.init {
    // expected-error @+1 {{arrivals must be in 1 … 1048575}}
    ptx.mbar_init @ab_full count 2 arrivals 0
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.role @r {
    %s = ptx.slot @ab depth 2 buffers 2 parity 0
    // expected-error @+1 {{1048576 bytes: a multiple of 16 below 1048576 is needed}}
    ptx.mbar_expect @ab_full[%s] "main" bytes 1048576
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.init {
    // expected-error @+1 {{columns must be a power of two in 32 … 512}}
    ptx.tmem_alloc 48 by @mma
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.role @r {
    // expected-error @+1 {{id must be in 1 … 15}}
    ptx.named_sync @sync id 16 threads 128
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.role @r {
    %s = ptx.slot @acc depth 1 buffers 1 parity 0
    %i = arith.constant 0 : i32
    %f = ptx.tensor_load @acc[%s] subtile %i cols 64 : !ptx.fragment<64>
    // expected-error @+1 {{the loaded fragment is used before the wait}}
    %w = ptx.tensor_wait %f : !ptx.fragment<64>
    %y = ptx.call "silu"(%f, []) : !ptx.fragment<64>
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.role @r {
    %s = ptx.slot @wx depth 2 buffers 2 parity 1
    %c = ptx.const "kTurns" = 3
    // expected-error @+1 {{4360 bytes at 0: multiples of 16 are needed}}
    ptx.bulk_load @w[%c] -> @w_tile[%s] + 0 bytes 4360 completes @wx_full
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.role @r {
    %s = ptx.slot @wx depth 2 buffers 2 parity 0
    %a = ptx.registers "Accumulator<kTileM, 1>" "acc"
    // expected-error @+1 {{2 regions of 1 slots}}
    ptx.device "multiply_w4a8" [] on (%a) in [@w_tile, @x_tile] of (%s) at () with [] uses []
  }
}

// -----

ptx.kernel @k cta_group 1 {
  ptx.role @r {
    %a = ptx.registers "Accumulator<kTileM, 1>" "acc"
    // expected-error @+1 {{writes no region}}
    ptx.device "stage_tokens" [] on (%a) in [] of () at () with [] uses [] writes
  }
}
