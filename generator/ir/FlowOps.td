// SPDX-License-Identifier: Apache-2.0
// Operations of the `flow` dialect.
#ifndef WARPWRIGHT_FLOW_OPS_TD
#define WARPWRIGHT_FLOW_OPS_TD

include "generator/ir/FlowDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// ---- Structure --------------------------------------------------------------------------------------------------

def FlowKernelOp : FlowOp<"kernel", [IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "A kernel: channels and roles";
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$cta_group);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `cta_group` $cta_group attr-dict-with-keyword $body";
  let hasVerifier = 1;
}
def FlowChannelOp : FlowOp<"channel"> {
  let summary = "A hand-over of slots; `chain` lists the roles of each position, `hands_over` how each one passes a slot on";
  let description = [{
    Hand-over kinds: tma, tensor_commit, arrive, bulk_group, named_barrier, tensor_order (none: same issuing thread,
    in-order tensor pipe). `scopes` says for each position whether it runs in every CTA (self) or in the pair's leader.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$depth, ArrayAttr:$chain, ArrayAttr:$hands_over, StrArrayAttr:$scopes,
                       StrArrayAttr:$payloads, StrArrayAttr:$parts);
  let assemblyFormat = [{$sym_name `depth` $depth `chain` $chain `hands_over` $hands_over `scopes` $scopes
                         `payloads` $payloads `parts` $parts attr-dict}];
  let hasVerifier = 1;
}
def FlowRoleOp : FlowOp<"role", [NoTerminator, SingleBlock]> {
  let summary = "The program of one role";
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}
def FlowTilesOp : FlowOp<"tiles", [NoTerminator, SingleBlock]> {
  let summary = "Loop over the scheduler's answers, the same in every role; arguments: tile along m, tile along n";
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def FlowForOp : FlowOp<"for", [NoTerminator, SingleBlock]> {
  let summary = "Counted loop over a plan constant: every role that names the same constant runs the same number of turns";
  let arguments = (ins StrAttr:$bound, I64Attr:$trips, StrAttr:$iv);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def FlowAtOp : FlowOp<"at", [NoTerminator, SingleBlock]> {
  let summary = "Runs in one iteration of the enclosing `for`; static, so a channel operation may stand under it";
  let arguments = (ins I32:$iv, I64Attr:$index);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$iv `is` $index attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

// ---- Channel ends -----------------------------------------------------------------------------------------------

class FlowTakeOp<string op_mnemonic> : FlowOp<op_mnemonic> {
  let arguments = (ins FlatSymbolRefAttr:$channel, I64Attr:$position);
  let results = (outs FlowToken:$token);
  let assemblyFormat = "$channel `position` $position attr-dict";
  let hasVerifier = 1;
}
class FlowGiveOp<string op_mnemonic> : FlowOp<op_mnemonic> {
  let arguments = (ins FlowToken:$token, FlatSymbolRefAttr:$channel, I64Attr:$position,
                       OptionalAttr<StrAttr>:$payload, OptionalAttr<StrAttr>:$part);
  let assemblyFormat = "$token `of` $channel `position` $position (`payload` $payload^)? (`part` $part^)? attr-dict";
  let hasVerifier = 1;
}
def FlowAcquireOp : FlowTakeOp<"acquire"> { let summary = "Position 0 takes the next slot once the last position has given it back"; }
def FlowWaitOp : FlowTakeOp<"wait"> { let summary = "A later position takes a slot once all owners of the position before it have handed it over"; }
def FlowCommitOp : FlowGiveOp<"commit"> { let summary = "Position 0 hands the slot on; with `payload` once its bytes have landed"; }
def FlowReleaseOp : FlowGiveOp<"release"> { let summary = "A later position hands the slot, or a part of it, on"; }
def FlowDrainOp : FlowOp<"drain"> {
  let summary = "Position 0 waits until every slot has come back: nothing is in flight towards this role's CTA afterwards";
  let arguments = (ins FlatSymbolRefAttr:$channel);
  let assemblyFormat = "$channel attr-dict";
}

// ---- Tile-level operations --------------------------------------------------------------------------------------

def FlowLoadOp : FlowOp<"load"> {
  let summary = "Fills a region of the slot from a tensor; boxes and bytes are those of the plan's copy in `payload`";
  let arguments = (ins FlatSymbolRefAttr:$map, FlatSymbolRefAttr:$region, FlowToken:$token, StrAttr:$payload, Variadic<I32>:$coordinates);
  let assemblyFormat = "$map `[` $coordinates `]` `->` $region `of` $token `payload` $payload attr-dict";
  let hasVerifier = 1;
}
def FlowBulkLoadOp : FlowOp<"bulk_load"> {
  let summary = "Fills a box of a region of the slot from a pointer parameter, 16 * `chunk` bytes in; its bytes are those of the plan's copy";
  let arguments = (ins FlatSymbolRefAttr:$source, FlatSymbolRefAttr:$region, FlowToken:$token, StrAttr:$payload, I64Attr:$box, I32:$chunk);
  let assemblyFormat = "$source `[` $chunk `]` `->` $region `box` $box `of` $token `payload` $payload attr-dict";
}
def FlowDeviceOp : FlowOp<"device", [AttrSizedOperandSegments]> {
  let summary = "A named device function (templates/device) on registers, tokens' regions, indices and kernel parameters";
  let description = [{As ptx.device, on tokens instead of slots.}];
  let arguments = (ins StrAttr:$callee, StrArrayAttr:$templates, Variadic<AnyType>:$registers, ArrayAttr:$regions,
                       Variadic<FlowToken>:$tokens, Variadic<I32>:$indices, StrArrayAttr:$params, StrArrayAttr:$uses,
                       UnitAttr:$writes);
  let assemblyFormat = [{$callee $templates `on` `(` $registers `:` type($registers) `)` `in` $regions `of` `(` $tokens `)` `at` `(` $indices `)`
                         `with` $params `uses` $uses (`writes` $writes^)? attr-dict}];
}
def FlowCopyScalesOp : FlowOp<"copy_scales"> {
  let summary = "Scale atoms from a shared-memory region into a tensor-memory range, row blocks interleaved per atom";
  let arguments = (ins FlatSymbolRefAttr:$region, FlowToken:$token, FlatSymbolRefAttr:$range, FlowToken:$scales, I64Attr:$row_blocks, I64Attr:$atoms);
  let assemblyFormat = "$region `of` $token `->` $range `of` $scales `row_blocks` $row_blocks `atoms` $atoms attr-dict";
  let hasVerifier = 1;
}
def FlowMmaOp : FlowOp<"mma", [AttrSizedOperandSegments]> {
  let summary = "A slot's worth of MMAs: `steps` instructions of 32 bytes of K each";
  let description = [{
    Scales: an atom serves `steps_per_atom` steps; B's atoms lie `row_blocks_b` row blocks side by side. `odd_tile` is
    the tile index along n where its tiles do not start on a row block; `first` the loop whose first turn overwrites.
  }];
  let arguments = (ins StrAttr:$kind, FlowToken:$acc, FlatSymbolRefAttr:$acc_channel, FlatSymbolRefAttr:$a, FlatSymbolRefAttr:$b,
                       FlowToken:$token, Optional<FlowToken>:$scales, Optional<I32>:$odd_tile, Optional<I32>:$first,
                       I64Attr:$steps, I64Attr:$row_bytes, OptionalAttr<FlatSymbolRefAttr>:$scales_a,
                       OptionalAttr<FlatSymbolRefAttr>:$scales_b, DefaultValuedAttr<I64Attr, "1">:$steps_per_atom,
                       DefaultValuedAttr<I64Attr, "0">:$row_blocks_b, DefaultValuedAttr<I64Attr, "0">:$a_offset_bytes,
                       DefaultValuedAttr<I64Attr, "0">:$b_offset_bytes);
  let assemblyFormat = [{$kind $acc `of` $acc_channel `,` $a `,` $b `of` $token `steps` $steps `rows` $row_bytes
                         (`scales` $scales^ $scales_a `,` $scales_b)? (`odd_tile` $odd_tile^)? (`first` $first^)? attr-dict}];
  let hasVerifier = 1;
}
def FlowLoadAccumulatorOp : FlowOp<"load_accumulator"> {
  let summary = "This thread's row of step `step`'s sub-tile; which sub-tile that is follows from the accumulator's parts";
  let arguments = (ins FlowToken:$token, FlatSymbolRefAttr:$channel, I32:$step, I64Attr:$subtiles, UnitAttr:$shared_first);
  let results = (outs FlowFragment:$result, I32:$subtile);
  let assemblyFormat = "$token `of` $channel `step` $step `of` $subtiles (`shared_first` $shared_first^)? attr-dict `:` type($result)";
}
def FlowApplyOp : FlowOp<"apply", [AllTypesMatch<["input", "result"]>]> {
  let summary = "A named device function (templates/device) on a fragment";
  let arguments = (ins StrAttr:$callee, FlowFragment:$input, StrArrayAttr:$params, Variadic<I32>:$indices);
  let results = (outs FlowFragment:$result);
  let assemblyFormat = "$callee `(` $input `,` $params (`,` $indices^)? `)` attr-dict `:` type($result)";
}
def FlowStageOp : FlowOp<"stage"> {
  let summary = "Writes a fragment, converted, into the slot's swizzled staging";
  let arguments = (ins StrAttr:$format, FlowFragment:$input, FlatSymbolRefAttr:$region, FlowToken:$token, I64Attr:$panels, I64Attr:$row_bytes);
  let assemblyFormat = "$format $input `->` $region `of` $token `panels` $panels `rows` $row_bytes attr-dict `:` type($input)";
}
def FlowStoreOp : FlowOp<"store"> {
  let summary = "Writes the slot's panels out through a tensor map; `panel_elems` separate their first coordinates";
  let arguments = (ins FlatSymbolRefAttr:$map, FlatSymbolRefAttr:$region, FlowToken:$token, I64Attr:$panels, I64Attr:$panel_elems, Variadic<I32>:$coordinates);
  let assemblyFormat = "$region `of` $token `->` $map `[` $coordinates `]` `panels` $panels `of` $panel_elems attr-dict";
}

// ---- Grid -------------------------------------------------------------------------------------------------------

def FlowDependencyWaitOp : FlowOp<"dependency_wait"> {
  let summary = "What follows reads what the preceding grid wrote";
  let assemblyFormat = "attr-dict";
}
def FlowLaunchDependentsOp : FlowOp<"launch_dependents"> {
  let summary = "The next grid may begin its set-up";
  let assemblyFormat = "attr-dict";
}

#endif
