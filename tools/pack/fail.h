// SPDX-License-Identifier: Apache-2.0
// How the parts of pack report what they cannot do.
#pragma once

#include "generator/support/diagnostics.h"

namespace warpwright::pack {

/// Adds an error about `path` (a tensor, a layer or a field; may be empty) and is false, which callers return.
inline bool fail(const support::SourceLocation &where, const std::string &slug, const std::string &path, const std::string &message,
                 support::Diagnostics &diagnostics, std::vector<std::string> hints = {}) {
  support::Diagnostic d;
  d.slug = slug;
  d.where = where;
  d.path = path;
  d.message = message;
  d.hints = std::move(hints);
  diagnostics.add(std::move(d));
  return false;
}

}  // namespace warpwright::pack
