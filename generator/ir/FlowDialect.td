// SPDX-License-Identifier: Apache-2.0
// The `flow` dialect: roles, channels between them, and tile-level operations.
#ifndef WARPWRIGHT_FLOW_DIALECT_TD
#define WARPWRIGHT_FLOW_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/SymbolInterfaces.td"

def FlowDialect : Dialect {
  let name = "flow";
  let cppNamespace = "::warpwright::ir::flow";
  let summary = "Warp-specialised kernels as roles that hand slots to each other";
  let description = [{
    A channel owns its buffers, its depth and an ordered chain of owning positions: two for a ring, more for an in-place
    hand-over. `acquire` is position 0's wait for the last position (its first turns need no predecessor), `commit` its
    hand-over; `wait` and `release` are the same for later positions. Several roles at one position join: the next
    position waits for all of them. A hand-over may name a part of the slot and, where bytes complete it, a payload.
    Nobody writes an arrival count, a byte total or a parity: they follow from the plan's channel record.
  }];
  let useDefaultTypePrinterParser = 1;
}

class FlowType<string type_name, string type_mnemonic> : TypeDef<FlowDialect, type_name> { let mnemonic = type_mnemonic; }
def FlowToken : FlowType<"Token", "token"> { let summary = "A role's turn at one position of a channel"; }
def FlowFragment : FlowType<"Fragment", "fragment"> {
  let summary = "fp32 accumulator values of a sub-tile, one row a thread";
  let parameters = (ins "int64_t":$elems);
  let assemblyFormat = "`<` $elems `>`";
}

class FlowOp<string op_mnemonic, list<Trait> traits = []> : Op<FlowDialect, op_mnemonic, traits>;

#endif
