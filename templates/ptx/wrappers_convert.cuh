// SPDX-License-Identifier: Apache-2.0
// One function for each PTX form of generator/isa/convert.json; needs prelude.cuh and the types of ../device.
// Generated: edit the rows, then run generator/isa/generate.py --write.

/// Two BF16, rounded to nearest even; `lo` in the low half.
WW_DEVICE u32 pack_bf16(float lo, float hi) {
  u32 packed;
  asm("cvt.rn.bf16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(lo), "f"(hi));
  return packed;
}

/// Two FP16, rounded to nearest even; `lo` in the low half.
WW_DEVICE u32 pack_fp16(float lo, float hi) {
  u32 packed;
  asm("cvt.rn.f16x2.f32 %0, %2, %1;" : "=r"(packed) : "f"(lo), "f"(hi));
  return packed;
}

/// 2 to the power `x`, to 2 ulp; denormals are zero.
WW_DEVICE float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// 1 / x, to 1 ulp; denormals are zero.
WW_DEVICE float reciprocal_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// tanh(x), to a relative error of 2^-11.
WW_DEVICE float tanh_approx(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
