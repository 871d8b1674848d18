// SPDX-License-Identifier: Apache-2.0
// From SPEC arguments to loaded specs.
#pragma once

#include "generator/spec/kernel_spec.h"

#include <optional>
#include <string>
#include <vector>

namespace warpwright::cli {

/// Files that the SPEC arguments name: a folder stands for every *.json below it (schemas left out), in order of name;
/// files and "-" stand for themselves.
///
/// Errors    cli.no-specs: a folder without any.
std::vector<std::string> expand_specs(const std::vector<std::string> &arguments, support::Diagnostics &diagnostics);

/// spec::load_spec over all families, with the faults that broken rules hide (plan.also-in-the-way); remembers the digest of the text for bug reports of this thread.
std::optional<spec::KernelSpec> load_spec(const std::string &file, const std::vector<std::string> &set,
                                          support::Diagnostics &diagnostics);

/// The same without the rules between fields: what `plan --fix` starts from.
std::optional<spec::KernelSpec> load_spec_values(const std::string &file, const std::vector<std::string> &set,
                                                 support::Diagnostics &diagnostics);

/// SHA-256 of the spec that this thread loaded last, or empty.
std::string current_spec_digest();

/// The folder of shipped specs, found from the working folder or the program's own place; empty if there is none.
std::string shipped_specs_folder();

}  // namespace warpwright::cli
