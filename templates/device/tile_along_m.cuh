// SPDX-License-Identifier: Apache-2.0
/// The tile of a persistent index: bands of kGroup tile rows, m running fastest in a band.
template <int kTilesN, int kGroup> WW_DEVICE Tile tile_along_m(int index, int tiles_m) {
  const int first_m = index / (kGroup * kTilesN) * kGroup;
  const int rows = min(tiles_m - first_m, kGroup);
  const int within = index % (kGroup * kTilesN);
  return {first_m + within % rows, within / rows};
}
