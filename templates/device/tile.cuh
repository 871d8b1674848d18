// SPDX-License-Identifier: Apache-2.0
/// Which tile of the output, counted in tiles of the CTA group.
struct Tile { int m, n; };
