// SPDX-License-Identifier: Apache-2.0
// What the buffers of a launch hold before it, and whether they hold the right thing after it.
#include "tools/cli/launch_description.h"

#include "generator/support/files.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <cmath>
#include <random>

namespace warpwright::cli {
namespace {

using Kind = BufferContents::Kind;

void fail(const BufferContents &contents, const char *slug, std::string message, support::Diagnostics &diagnostics) {
  support::Diagnostic d;
  d.slug = slug;
  d.where = contents.where;
  d.message = std::move(message);
  diagnostics.add(std::move(d));
}

std::optional<std::vector<uint8_t>> read_contents_file(const BufferContents &contents, uint64_t bytes,
                                                       support::Diagnostics &diagnostics) {
  std::string why;
  const auto text = support::read_file(contents.file, why);
  if (!text) {
    fail(contents, "run.unreadable", fmt::format("cannot read {}: {}", contents.file, why), diagnostics);
    return std::nullopt;
  }
  if (text->size() != bytes) {
    fail(contents, "run.file-size", fmt::format("{} has {} bytes, the buffer {}", contents.file, text->size(), bytes), diagnostics);
    return std::nullopt;
  }
  return std::vector<uint8_t>(text->begin(), text->end());
}

std::string value_text(ElementFormat format, uint64_t bits) {
  return fmt::format("{} (0x{:0{}x})", decode(format, bits), bits, bits_of(format) / 4);
}

}  // namespace

std::optional<std::vector<uint8_t>> make_contents(const BufferContents &contents, uint64_t bytes, support::Diagnostics &diagnostics) {
  if (contents.kind == Kind::kFile) return read_contents_file(contents, bytes, diagnostics);
  std::vector<uint8_t> made(bytes);
  const uint64_t count = bytes * 8 / bits_of(contents.format);
  if (contents.kind == Kind::kRandom) {
    // The bits of the generator are the standard's, so that a seed means the same everywhere.
    std::mt19937_64 random(contents.seed);
    std::vector<uint64_t> codes;
    for (const double value : contents.values) codes.push_back(encode(contents.format, value));
    for (uint64_t i = 0; i < count; ++i) set_element(contents.format, made, i, codes[random() % codes.size()]);
    return made;
  }
  for (uint64_t i = 0; i < count; ++i) {
    const double value = contents.kind == Kind::kIota ? contents.start + static_cast<double>(i) * contents.step : contents.start;
    set_element(contents.format, made, i, encode(contents.format, value));
  }
  return made;
}

std::string compare(const LaunchBuffer &buffer, const std::vector<uint8_t> &expected, const std::vector<uint8_t> &found) {
  const ElementFormat format = buffer.compared_as;
  const uint64_t count = buffer.bytes * 8 / bits_of(format);
  uint64_t num_wrong = 0, first = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t want = element_at(format, expected, i), have = element_at(format, found, i);
    if (want == have) continue;
    const double value = decode(format, want), error = std::fabs(decode(format, have) - value);
    const double allowed = buffer.absolute_tolerance + buffer.relative_tolerance * std::fabs(value);
    // A NaN is near nothing.
    if (allowed > 0 && error <= allowed) continue;
    if (num_wrong++ == 0) first = i;
  }
  if (num_wrong == 0) return "";
  return fmt::format("buffer {}: {} of {} values are wrong, the first at {}: {} instead of {}", buffer.name,
                     support::format_thousands(static_cast<int64_t>(num_wrong)), support::format_thousands(static_cast<int64_t>(count)),
                     first, value_text(format, element_at(format, found, first)), value_text(format, element_at(format, expected, first)));
}

}  // namespace warpwright::cli
