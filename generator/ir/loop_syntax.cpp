// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of the loops of both dialects.
#include "generator/ir/loop_syntax.h"

#include "mlir/IR/Builders.h"

namespace warpwright::ir {

mlir::ParseResult parse_tiles(mlir::OpAsmParser &parser, mlir::OperationState &state) {
  llvm::SmallVector<mlir::OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, mlir::OpAsmParser::Delimiter::Paren)) return mlir::failure();
  for (auto &argument : arguments) argument.type = parser.getBuilder().getI32Type();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes)) return mlir::failure();
  return parser.parseRegion(*state.addRegion(), arguments);
}

void print_tiles(mlir::OpAsmPrinter &printer, mlir::Operation *op) {
  printer << " (";
  llvm::interleaveComma(op->getRegion(0).getArguments(), printer, [&](mlir::BlockArgument argument) {
    printer.printRegionArgument(argument, {}, /*omitType=*/true);
  });
  printer << ")";
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer << " ";
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
}

mlir::ParseResult parse_for(mlir::OpAsmParser &parser, mlir::OperationState &state) {
  mlir::OpAsmParser::Argument iv;
  mlir::StringAttr bound, name;
  mlir::IntegerAttr trips;
  auto i64 = parser.getBuilder().getI64Type();
  if (parser.parseArgument(iv) || parser.parseAttribute(name, "iv", state.attributes) || parser.parseKeyword("of") ||
      parser.parseAttribute(bound, "bound", state.attributes) || parser.parseEqual() ||
      parser.parseAttribute(trips, i64, "trips", state.attributes))
    return mlir::failure();
  iv.type = parser.getBuilder().getI32Type();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes)) return mlir::failure();
  return parser.parseRegion(*state.addRegion(), {iv});
}

void print_for(mlir::OpAsmPrinter &printer, mlir::Operation *op) {
  printer << " ";
  printer.printRegionArgument(op->getRegion(0).getArgument(0), {}, /*omitType=*/true);
  printer << " " << op->getAttr("iv") << " of " << op->getAttr("bound") << " = ";
  printer << op->getAttrOfType<mlir::IntegerAttr>("trips").getInt();
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), {"iv", "bound", "trips"});
  printer << " ";
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
}

mlir::LogicalResult verify_i32_arguments(mlir::Operation *op, unsigned count) {
  mlir::Region &region = op->getRegion(0);
  if (region.getNumArguments() != count)
    return op->emitOpError() << "needs " << count << " block argument(s), has " << region.getNumArguments();
  for (mlir::BlockArgument argument : region.getArguments())
    if (!argument.getType().isInteger(32)) return op->emitOpError() << "block arguments must be i32";
  return mlir::success();
}

}  // namespace warpwright::ir
