// SPDX-License-Identifier: Apache-2.0
// The one door from plans to source for code that must not see MLIR: build the IR, run the passes, print, extract.
#pragma once

#include "generator/plan/records.h"
#include "generator/prove/script.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpwright::lower {
struct FamilyIr;
}

namespace warpwright::emit {

struct LowerOptions {
  std::vector<std::string> dump_after;  ///< pass names, or "all"
  bool debug_waits = false;             ///< every wait times out, records and traps
  bool debug_lines = false;             ///< #line directives to the spec
};

struct IrDump {
  std::string pass;   ///< "01-import", "02-lower-channels" …
  std::string text;
  bool changed = true;
};

struct LoweredKernel {
  std::string name;
  std::string source;            ///< the .cu file
  prove::Script script;          ///< extracted from the final IR, not from the source
  prove::Protocol protocol;      ///< a finite run of it
  std::vector<IrDump> dumps;
};

/// A pass as people name it: in --dump-after, in `list passes`.
struct PassName {
  std::string name;
  std::string text;
};
/// The passes from first to last.
std::vector<PassName> list_passes();

/// Lowers and prints every kernel of the operator. `family` is opaque here (lower/family_ir.h).
///
/// Errors    ir.* and lower.* slugs at spec lines. Threads: one MLIR context per call, single-threaded.
std::optional<std::vector<LoweredKernel>> lower_operator(const plan::OperatorPlan &plan, const lower::FamilyIr &family,
                                                         const LowerOptions &options,
                                                         support::Diagnostics &diagnostics);

/// The protocol of the one kernel in `text`, IR as --dump-after prints it after the last pass; places are those of `file`.
///
/// Errors    cli.bad-ir: it does not parse or verify, holds no kernel of `plan`, or names what the plan does not have.
std::optional<LoweredKernel> read_final_ir(const std::string &file, const std::string &text,
                                           const plan::OperatorPlan &plan, support::Diagnostics &diagnostics);

}  // namespace warpwright::emit
