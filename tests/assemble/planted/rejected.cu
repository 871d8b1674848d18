// SPDX-License-Identifier: Apache-2.0
// Syntax that no compiler accepts.
extern "C" __global__ void planted_rejected(int *out) { out[threadIdx.x] = ; }
