// SPDX-License-Identifier: Apache-2.0
// How every verb speaks: findings to standard error, results to standard output or a file, exit codes from findings.
#pragma once

#include "generator/support/diagnostics.h"

#include <functional>
#include <string>

namespace warpwright::cli {

enum class Format { kText, kJson };

inline Format format_of(bool json) { return json ? Format::kJson : Format::kText; }

/// Prints the findings to standard error; coloured on a terminal unless NO_COLOR is set. Prints nothing if there are none.
void print_findings(const support::Diagnostics &diagnostics, Format format = Format::kText);

/// What the findings amount to: kOk without errors, else by the first error's stage: environment.* and what cannot be
/// written is kEnvironment; prove.*, diff.* and the compile policy are kCheckFailed; compile.rejected, ir.*, lower.* and
/// emit.* are kOurBug; cli.usage is kUsage; everything else is kBadInput.
support::Exit exit_of(const support::Diagnostics &diagnostics);

/// print_findings() and exit_of() in one.
int finish(const support::Diagnostics &diagnostics, Format format = Format::kText);

/// One error without a place in a file.
support::Diagnostic error(const std::string &slug, const std::string &message, std::vector<std::string> hints = {});

/// False with cli.file-exists if `output` is one of `inputs`: results never replace what they were made from.
bool spares_inputs(const std::string &output, const std::vector<std::string> &inputs, support::Diagnostics &diagnostics);

/// Writes a result to `file`, or to standard output if it is empty or "-". False with cli.unwritable.
bool write_result(const std::string &file, const std::string &text, support::Diagnostics &diagnostics);

/// Runs `body`; an InternalError (or any other exception) becomes exit 3 with "this is a bug in warpwright" and the
/// digest of the spec that this thread loaded last. Worker threads use it too.
int guarded(const std::function<int()> &body);

}  // namespace warpwright::cli
