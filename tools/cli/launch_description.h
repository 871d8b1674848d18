// SPDX-License-Identifier: Apache-2.0
// A kernel to be launched from its PTX: grid, arguments, buffers and tensor maps, as a JSON file says.
#pragma once

#include "generator/support/diagnostics.h"
#include "tools/cli/launch_elements.h"
#include "tools/emulator/tma/tensor_map.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::cli {

/// What a buffer holds, or should hold.
struct BufferContents {
  enum class Kind : uint8_t {
    kUnset,     ///< what the device leaves in fresh memory
    kConstant,  ///< start
    kIota,      ///< start, start + step, …
    kRandom,    ///< drawn from `values`
    kFile,
  };
  Kind kind = Kind::kUnset;
  ElementFormat format = ElementFormat::kU8;
  double start = 0, step = 1;
  uint64_t seed = 0;
  std::vector<double> values;
  std::string file;  ///< as the process opens it
  support::SourceLocation where;
};

struct LaunchBuffer {
  std::string name;
  uint64_t bytes = 0;
  BufferContents contents;
  std::optional<BufferContents> expected;
  ElementFormat compared_as = ElementFormat::kU8;
  double absolute_tolerance = 0, relative_tolerance = 0;  ///< both 0: the bits must be equal
  std::string output;  ///< file to write the buffer to after each launch; empty: none
  support::SourceLocation where;
};

/// `map.address` is the offset into the buffer until the launch places it.
struct LaunchTensorMap {
  std::string name;
  size_t buffer = 0;
  emulator::tma::TensorMap map;
  support::SourceLocation where;
};

/// A piece of an argument: bytes, the address of a buffer, or a tensor map.
struct ArgumentPart {
  uint64_t offset_bytes = 0;  ///< in the argument
  std::vector<uint8_t> bytes;
  std::optional<size_t> buffer;
  uint64_t buffer_offset_bytes = 0;
  std::optional<size_t> tensor_map;
};

struct LaunchArgument {
  uint64_t bytes = 0;
  std::vector<ArgumentPart> parts;  ///< bytes that no part names are zero
  support::SourceLocation where;
};

/// A finding that the kernel may have; `text` is a part of its message, empty for any.
struct LaunchWaiver {
  std::string slug, text;
};

struct LaunchDescription {
  std::string ptx_file;  ///< as the process opens it
  support::SourceLocation ptx_where;
  std::string entry;     ///< empty: the only one
  support::SourceLocation entry_where;
  std::string arch = "sm_100a";
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};  ///< cluster 0: what the kernel requires
  uint32_t dynamic_shared_bytes = 0;
  std::vector<LaunchBuffer> buffers;
  std::vector<LaunchTensorMap> tensor_maps;
  std::vector<LaunchArgument> arguments;
  support::SourceLocation arguments_where;
  std::vector<std::string> schedules{"lazy"};
  std::vector<LaunchWaiver> waivers;
};

/// Reads a description; paths in it count from its folder. Remembers its text in `diagnostics`.
///
/// Errors    run.unreadable, run.not-json, run.duplicate-key, run.unknown-key, run.missing-key, run.wrong-type,
///           run.out-of-range, run.not-a-choice, run.unknown-name, run.bad-tensor-map: all that are found, each where it stands.
std::optional<LaunchDescription> read_launch(const std::string &file, support::Diagnostics &diagnostics);

/// `bytes` bytes of contents.
/// Errors    run.unreadable, run.file-size.
std::optional<std::vector<uint8_t>> make_contents(const BufferContents &contents, uint64_t bytes, support::Diagnostics &diagnostics);

/// What is wrong with the buffer after a launch, with the first wrong element; empty when nothing is.
/// Requires both texts to have the buffer's size.
std::string compare(const LaunchBuffer &buffer, const std::vector<uint8_t> &expected, const std::vector<uint8_t> &found);

}  // namespace warpwright::cli
