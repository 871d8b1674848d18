// SPDX-License-Identifier: Apache-2.0
// The text form that the loops of both dialects share.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace warpwright::ir {

/// `(%m, %n) { … }`: a region with `args` i32 block arguments.
mlir::ParseResult parse_tiles(mlir::OpAsmParser &parser, mlir::OperationState &state);
void print_tiles(mlir::OpAsmPrinter &printer, mlir::Operation *op);
/// `%k "k" of "kKTiles" = 12 { … }`.
mlir::ParseResult parse_for(mlir::OpAsmParser &parser, mlir::OperationState &state);
void print_for(mlir::OpAsmPrinter &printer, mlir::Operation *op);

/// Checks that the region's block has `count` i32 arguments.
mlir::LogicalResult verify_i32_arguments(mlir::Operation *op, unsigned count);

}  // namespace warpwright::ir
