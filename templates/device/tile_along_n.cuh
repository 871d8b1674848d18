// SPDX-License-Identifier: Apache-2.0
/// The tile of a persistent index: bands of kGroup tile columns, n running fastest in a band.
template <int kTilesN, int kGroup> WW_DEVICE Tile tile_along_n(int index, int tiles_m) {
  const int first_n = index / (kGroup * tiles_m) * kGroup;
  const int cols = min(kTilesN - first_n, kGroup);
  const int within = index - first_n * tiles_m;
  return {within / cols, first_n + within % cols};
}
