// SPDX-License-Identifier: Apache-2.0
/// What turns sums into values: vectors of m tokens and of channels, LoRA rows; null where a kernel has none.
struct Factors {
  int m;
  const float *x_scale;
  const int *x_sum;
  const float *w_scale;
  const unsigned char *zero;
  const float *column_scale, *bias;
  const u16 *lora_act, *lora_up;
};
