// SPDX-License-Identifier: Apache-2.0
// From argv to a verb's options.
#pragma once

namespace warpwright::cli {

/// Parses the command line and runs the verb; returns the exit code. Usage errors are printed and give 2.
int run_command_line(int argc, char **argv);

}  // namespace warpwright::cli
