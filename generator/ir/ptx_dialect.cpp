// SPDX-License-Identifier: Apache-2.0
// Generated definitions of the `ptx` dialect and its hand-written syntax.
#include "generator/ir/loop_syntax.h"
#include "generator/ir/ptx.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "generator/ir/PtxDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "generator/ir/PtxTypes.cpp.inc"

#define GET_OP_CLASSES
#include "generator/ir/PtxOps.cpp.inc"

namespace warpwright::ir::ptx {

void PtxDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "generator/ir/PtxTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "generator/ir/PtxOps.cpp.inc"
      >();
}

mlir::ParseResult PtxTilesOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &state) { return parse_tiles(parser, state); }
void PtxTilesOp::print(mlir::OpAsmPrinter &printer) { print_tiles(printer, *this); }
mlir::ParseResult PtxForOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &state) { return parse_for(parser, state); }
void PtxForOp::print(mlir::OpAsmPrinter &printer) { print_for(printer, *this); }

}  // namespace warpwright::ir::ptx
