// SPDX-License-Identifier: Apache-2.0
// Writing JSON text by hand, for code that must not include a JSON library.
#pragma once

#include <string>
#include <string_view>

namespace warpwright::support {

/// `text` as a JSON string literal with its quotes. Bytes that are not UTF-8 become U+FFFD, so the result always parses.
std::string json_quote(std::string_view text);

/// The shortest decimal that reads back as `value`. Requires a finite number.
std::string json_number(double value);

/// Bytes of the UTF-8 sequence that starts at `offset`, or 0 if it is malformed (overlong, surrogate, cut off).
size_t utf8_sequence_bytes(std::string_view text, size_t offset);

/// Number of code points; every malformed byte counts as one.
size_t utf8_chars(std::string_view text);

}  // namespace warpwright::support
