// SPDX-License-Identifier: Apache-2.0
/// A value times its channel's factor plus its channel's bias, rounded once; what is null is left out.
WW_DEVICE float column_affine(float value, int channel, const Factors &f) {
  if (!f.column_scale) return f.bias ? __fadd_rn(value, f.bias[channel]) : value;
  const float scale = f.column_scale[channel];
  return f.bias ? __fmaf_rn(value, scale, f.bias[channel]) : __fmul_rn(value, scale);
}
