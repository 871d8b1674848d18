// SPDX-License-Identifier: Apache-2.0
// What every emitted file begins with: nothing here, or after it, needs an #include, under nvcc or NVRTC.

using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
#define WW_DEVICE __device__ __forceinline__

/// A CUtensorMap, which the host passes as a __grid_constant__ parameter.
struct alignas(128) TensorMap { unsigned char bytes[128]; };
