// SPDX-License-Identifier: Apache-2.0
// Values of options that are more than a number or a word. Included once, beside CLI11.
#pragma once

#include "tools/cli/options.h"

#include <CLI/CLI.hpp>

#include <string>

namespace warpwright::cli {

/// "m=4352,n=3840" → launch variables. Throws CLI::ValidationError, which becomes a usage error.
inline Shape parse_shape(const std::string &text) {
  Shape shape;
  for (const std::string &item : CLI::detail::split(text, ',')) {
    const size_t equals = item.find('=');
    int64_t value = 0;
    if (equals == std::string::npos || equals == 0 || !CLI::detail::lexical_cast(item.substr(equals + 1), value) ||
        value < 1) {
      throw CLI::ValidationError("--shape", "takes name=value pairs such as m=4352,n=3840; found \"" + item + "\"");
    }
    if (!shape.emplace(item.substr(0, equals), value).second) {
      throw CLI::ValidationError("--shape", "\"" + item.substr(0, equals) + "\" is given twice");
    }
  }
  return shape;
}

/// Why a text is no number of bytes, or nothing; before CLI11 clamps it to what an integer holds.
inline std::string byte_count_error(const std::string &text) {
  constexpr size_t kMostDigits = 12;
  const bool is_number = !text.empty() && text.size() <= kMostDigits && text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number) return "";
  return "takes bytes from 0 to 999999999999; found \"" + (text.size() > 40 ? text.substr(0, 40) + "…" : text) + "\"";
}

}  // namespace warpwright::cli
