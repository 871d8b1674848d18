// SPDX-License-Identifier: Apache-2.0
// Generated definitions of the `flow` dialect and its hand-written syntax.
#include "generator/ir/flow.h"
#include "generator/ir/loop_syntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "generator/ir/FlowDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "generator/ir/FlowTypes.cpp.inc"

#define GET_OP_CLASSES
#include "generator/ir/FlowOps.cpp.inc"

namespace warpwright::ir::flow {

void FlowDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "generator/ir/FlowTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "generator/ir/FlowOps.cpp.inc"
      >();
}

mlir::ParseResult FlowTilesOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &state) { return parse_tiles(parser, state); }
void FlowTilesOp::print(mlir::OpAsmPrinter &printer) { print_tiles(printer, *this); }
mlir::ParseResult FlowForOp::parse(mlir::OpAsmParser &parser, mlir::OperationState &state) { return parse_for(parser, state); }
void FlowForOp::print(mlir::OpAsmPrinter &printer) { print_for(printer, *this); }

}  // namespace warpwright::ir::flow
