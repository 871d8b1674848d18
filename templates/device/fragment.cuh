// SPDX-License-Identifier: Apache-2.0
/// One thread's row of an accumulator: kElems neighbouring columns of its lane.
template <int kElems> struct Fragment { float v[kElems]; };
using Fragment32 = Fragment<32>;
using Fragment64 = Fragment<64>;
