// SPDX-License-Identifier: Apache-2.0
// What `pack` was asked to do: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpwright::pack {

struct Options {
  std::string input;                 ///< a safetensors file, or the folder of a checkpoint
  std::string output;                ///< a file for a file, a folder for a folder or a split; must not exist
  std::string group = "64";          ///< 64, 128, channel
  std::string rounding = "nearest";  ///< nearest, up
  std::string write = "both";        ///< canonical, packed, both
  std::vector<std::string> ignore;   ///< patterns of layers that stay as they are, besides the usual ones
  std::string layers;                ///< JSON file with overrides; empty: none
  std::string smooth;                ///< safetensors file with `<layer>.smooth`; empty: none
  int64_t ranks = 1;                 ///< tensor-parallel parts
  bool check = false;
  bool dry_run = false;
  bool json = false;
};

}  // namespace warpwright::pack
