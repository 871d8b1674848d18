// SPDX-License-Identifier: Apache-2.0
// The `ptx` dialect: instruction-level operations of one kernel, one printed line or one small block each.
#ifndef WARPWRIGHT_PTX_DIALECT_TD
#define WARPWRIGHT_PTX_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"

def PtxDialect : Dialect {
  let name = "ptx";
  let cppNamespace = "::warpwright::ir::ptx";
  let summary = "Warp-specialised kernels at the level of PTX instructions";
  let description = [{
    A `ptx.kernel` holds an `init` region that every warp runs, one region a role, and an `exit` region that every warp
    runs. Shared-memory regions, tensor-memory ranges, barriers and tensor maps are named by the plan's records, so
    that addresses, arrivals and bytes exist once. A role's position in a channel's ring is a `!ptx.slot`: a monotone
    counter c whose slot is c mod depth and whose parity is floor(c / depth) mod 2, plus the side's initial parity.
  }];
  let useDefaultTypePrinterParser = 1;
}

class PtxType<string type_name, string type_mnemonic> : TypeDef<PtxDialect, type_name> { let mnemonic = type_mnemonic; }

def PtxSlot : PtxType<"Slot", "slot"> { let summary = "A role's turn in a channel's ring"; }
def PtxDescriptor : PtxType<"Descriptor", "descriptor"> { let summary = "A shared-memory matrix descriptor"; }
def PtxRegisters : PtxType<"Registers", "registers"> { let summary = "A variable of a role's threads, which operations change in place"; }
def PtxFragment : PtxType<"Fragment", "fragment"> {
  let summary = "fp32 registers of one thread: one accumulator row by `elems` columns";
  let parameters = (ins "int64_t":$elems);
  let assemblyFormat = "`<` $elems `>`";
  let genVerifyDecl = 1;
}

class PtxOp<string op_mnemonic, list<Trait> traits = []> : Op<PtxDialect, op_mnemonic, traits>;

#endif
