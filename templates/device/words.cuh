// SPDX-License-Identifier: Apache-2.0
/// A thread's 32-bit registers of one operand of an instruction.
template <int kElems> struct Words { u32 v[kElems]; };
