// SPDX-License-Identifier: Apache-2.0
// Operations of the `ptx` dialect.
#ifndef WARPWRIGHT_PTX_OPS_TD
#define WARPWRIGHT_PTX_OPS_TD

include "generator/ir/PtxDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// ---- Structure --------------------------------------------------------------------------------------------------

def PtxKernelOp : PtxOp<"kernel", [IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "One __global__ function: init, roles, exit";
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$cta_group);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `cta_group` $cta_group attr-dict-with-keyword $body";
  let hasVerifier = 1;
}
def PtxInitOp : PtxOp<"init", [NoTerminator, SingleBlock]> {
  let summary = "What every warp runs first";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}
def PtxExitOp : PtxOp<"exit", [NoTerminator, SingleBlock]> {
  let summary = "What every warp runs last";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}
def PtxRoleOp : PtxOp<"role", [NoTerminator, SingleBlock]> {
  let summary = "The program of one role; the plan's Role record says which warps and CTAs";
  let arguments = (ins FlatSymbolRefAttr:$role);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$role attr-dict-with-keyword $body";
}
def PtxTilesOp : PtxOp<"tiles", [NoTerminator, SingleBlock]> {
  let summary = "The persistent loop over the scheduler's answers";
  let description = "Block arguments: tile index along m, tile index along n, in tiles of the CTA group.";
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def PtxForOp : PtxOp<"for", [NoTerminator, SingleBlock]> {
  let summary = "A counted loop from 0; `bound` is a plan constant";
  let arguments = (ins StrAttr:$bound, I64Attr:$trips, StrAttr:$iv);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def PtxElectOp : PtxOp<"elect", [NoTerminator, SingleBlock]> {
  let summary = "One elected lane of one warp of the role (`warp`: index within the role; -1: of each warp)";
  let arguments = (ins I64Attr:$warp);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$warp attr-dict-with-keyword $body";
}
def PtxAtOp : PtxOp<"at", [NoTerminator, SingleBlock]> {
  let summary = "Runs once a loop, in the iteration `index`; the loop bound is static, so this is not data-dependent";
  let arguments = (ins I32:$iv, I64Attr:$index);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$iv `is` $index attr-dict-with-keyword $body";
}

// ---- Values -----------------------------------------------------------------------------------------------------

def PtxConstOp : PtxOp<"const", [Pure]> {
  let summary = "A plan constant by name";
  let arguments = (ins StrAttr:$name, I64Attr:$value);
  let results = (outs I32:$result);
  let assemblyFormat = "$name `=` $value attr-dict";
}
def PtxCtaRankOp : PtxOp<"cta_rank", [Pure]> {
  let summary = "This CTA's rank in its group: 0 is the leader";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}
def PtxSubtileOp : PtxOp<"subtile", [Pure]> {
  let summary = "Which sub-tile the epilogue drains in step `step`: shared columns first, so slot 0 goes backwards";
  let arguments = (ins I32:$step, PtxSlot:$acc, I64Attr:$subtiles, UnitAttr:$shared_first);
  let results = (outs I32:$result);
  let assemblyFormat = "$step `of` $subtiles `in` $acc (`shared_first` $shared_first^)? attr-dict";
}
def PtxSlotOp : PtxOp<"slot"> {
  let summary = "Declares a role's turn in a channel's ring";
  let description = [{
    `depth` barriers; `buffers` addresses (they differ where slots share a part). `parity` is what the first wait takes:
    1 for a producer, whose first turn needs no predecessor, 0 for a consumer.
  }];
  let arguments = (ins FlatSymbolRefAttr:$channel, I64Attr:$depth, I64Attr:$buffers, I64Attr:$parity);
  let results = (outs PtxSlot:$result);
  let assemblyFormat = "$channel `depth` $depth `buffers` $buffers `parity` $parity attr-dict";
  let hasVerifier = 1;
}
def PtxNextOp : PtxOp<"next"> {
  let summary = "Moves a slot to its next turn";
  let arguments = (ins PtxSlot:$slot);
  let assemblyFormat = "$slot attr-dict";
}

// ---- Barriers ---------------------------------------------------------------------------------------------------

def PtxMbarInitOp : PtxOp<"mbar_init"> {
  let summary = "Initialises a set of mbarriers, each with `arrivals` expected a phase";
  let arguments = (ins FlatSymbolRefAttr:$barrier, I64Attr:$count, I64Attr:$arrivals);
  let assemblyFormat = "$barrier `count` $count `arrivals` $arrivals attr-dict";
  let hasVerifier = 1;
}
def PtxMbarInitFenceOp : PtxOp<"mbar_init_fence"> {
  let summary = "fence.mbarrier_init: makes the initialisation visible to the cluster and the async proxy";
  let assemblyFormat = "attr-dict";
}
def PtxGroupSyncOp : PtxOp<"group_sync"> {
  let summary = "All threads of the CTA group meet: a cluster barrier in a pair, a CTA barrier otherwise";
  let assemblyFormat = "attr-dict";
}
def PtxMbarWaitOp : PtxOp<"mbar_wait"> {
  let summary = "Waits for the phase of `slot`; `acquire_cluster` where other CTAs' generic accesses are ordered by it";
  let arguments = (ins FlatSymbolRefAttr:$barrier, PtxSlot:$slot, UnitAttr:$acquire_cluster);
  let assemblyFormat = "$barrier `[` $slot `]` (`acquire_cluster` $acquire_cluster^)? attr-dict";
}
def PtxMbarExpectOp : PtxOp<"mbar_expect"> {
  let summary = "One arrival that announces `bytes`; in a pair the leader announces for both CTAs";
  let arguments = (ins FlatSymbolRefAttr:$barrier, PtxSlot:$slot, StrAttr:$payload, I64Attr:$bytes, UnitAttr:$leader_only);
  let assemblyFormat = "$barrier `[` $slot `]` $payload `bytes` $bytes (`leader_only` $leader_only^)? attr-dict";
  let hasVerifier = 1;
}
def PtxMbarArriveOp : PtxOp<"mbar_arrive"> {
  let summary = "One arrival by each executing thread, on the leader's barrier if `on_leader`";
  let arguments = (ins FlatSymbolRefAttr:$barrier, PtxSlot:$slot, UnitAttr:$on_leader);
  let assemblyFormat = "$barrier `[` $slot `]` (`on_leader` $on_leader^)? attr-dict";
}
def PtxNamedSyncOp : PtxOp<"named_sync"> {
  let summary = "barrier.cta.sync among a role's threads";
  let arguments = (ins FlatSymbolRefAttr:$named_barrier, I64Attr:$id, I64Attr:$threads);
  let assemblyFormat = "$named_barrier `id` $id `threads` $threads attr-dict";
  let hasVerifier = 1;
}
def PtxSyncwarpOp : PtxOp<"syncwarp"> {
  let summary = "Lanes of a warp meet, so that the elected lane's arrive covers the others' accesses";
  let assemblyFormat = "attr-dict";
}

// ---- Bulk copies ------------------------------------------------------------------------------------------------

def PtxTmaLoadOp : PtxOp<"tma_load"> {
  let summary = "One box of a tensor into a slot of a region; its bytes complete on `barrier`";
  let arguments = (ins FlatSymbolRefAttr:$map, FlatSymbolRefAttr:$region, FlatSymbolRefAttr:$barrier, PtxSlot:$slot,
                       Variadic<I32>:$coordinates, I64Attr:$offset_bytes, I64Attr:$bytes, UnitAttr:$on_leader);
  let assemblyFormat = [{$map `[` $coordinates `]` `->` $region `[` $slot `]` `+` $offset_bytes `bytes` $bytes
                         `completes` $barrier (`on_leader` $on_leader^)? attr-dict}];
  let hasVerifier = 1;
}
def PtxBulkLoadOp : PtxOp<"bulk_load"> {
  let summary = "A run of bytes behind a pointer parameter, from 16 * `chunk` on, into a slot of a region; completes on `barrier`";
  let arguments = (ins FlatSymbolRefAttr:$source, FlatSymbolRefAttr:$region, FlatSymbolRefAttr:$barrier, PtxSlot:$slot,
                       I32:$chunk, I64Attr:$offset_bytes, I64Attr:$bytes);
  let assemblyFormat = [{$source `[` $chunk `]` `->` $region `[` $slot `]` `+` $offset_bytes `bytes` $bytes
                         `completes` $barrier attr-dict}];
  let hasVerifier = 1;
}
def PtxTmaStoreOp : PtxOp<"tma_store"> {
  let summary = "One box from a slot of a region to a tensor, in the issuing thread's open bulk group";
  let arguments = (ins FlatSymbolRefAttr:$map, FlatSymbolRefAttr:$region, PtxSlot:$slot, Variadic<I32>:$coordinates,
                       I64Attr:$offset_bytes, I64Attr:$bytes);
  let assemblyFormat = "$region `[` $slot `]` `+` $offset_bytes `bytes` $bytes `->` $map `[` $coordinates `]` attr-dict";
  let hasVerifier = 1;
}
def PtxBulkCommitOp : PtxOp<"bulk_commit"> {
  let summary = "Closes the issuing thread's bulk group";
  let assemblyFormat = "attr-dict";
}
def PtxBulkWaitOp : PtxOp<"bulk_wait"> {
  let summary = "Waits until at most `left` bulk groups are in flight; `read`: until their sources may be reused";
  let arguments = (ins I64Attr:$left, UnitAttr:$read);
  let assemblyFormat = "$left (`read` $read^)? attr-dict";
  let hasVerifier = 1;
}
def PtxPrefetchMapOp : PtxOp<"prefetch_map"> {
  let summary = "Fetches a tensor map before its first use";
  let arguments = (ins FlatSymbolRefAttr:$map);
  let assemblyFormat = "$map attr-dict";
}
def PtxProxyFenceOp : PtxOp<"proxy_fence"> {
  let summary = "fence.proxy.async: generic shared-memory writes before the async proxy's reads";
  let assemblyFormat = "attr-dict";
}

// ---- Grid -------------------------------------------------------------------------------------------------------

def PtxGridWaitOp : PtxOp<"grid_wait"> {
  let summary = "griddepcontrol.wait: the preceding grid has completed and its writes are visible";
  let assemblyFormat = "attr-dict";
}
def PtxGridLaunchOp : PtxOp<"grid_launch"> {
  let summary = "griddepcontrol.launch_dependents";
  let assemblyFormat = "attr-dict";
}

// ---- Tensor core ------------------------------------------------------------------------------------------------

def PtxTmemAllocOp : PtxOp<"tmem_alloc"> {
  let summary = "Allocates tensor memory, publishes its address in shared memory and gives up the permit";
  let arguments = (ins FlatSymbolRefAttr:$role, I64Attr:$cols);
  let assemblyFormat = "$cols `by` $role attr-dict";
  let hasVerifier = 1;
}
def PtxTmemAddressOp : PtxOp<"tmem_address"> {
  let summary = "Every thread reads the published tensor-memory address";
  let assemblyFormat = "attr-dict";
}
def PtxTmemDeallocOp : PtxOp<"tmem_dealloc"> {
  let summary = "Frees tensor memory";
  let arguments = (ins FlatSymbolRefAttr:$role, I64Attr:$cols);
  let assemblyFormat = "$cols `by` $role attr-dict";
}
def PtxTensorFenceOp : PtxOp<"tensor_fence"> {
  let summary = "tcgen05.fence::before_thread_sync or ::after_thread_sync";
  let arguments = (ins StrAttr:$side);
  let assemblyFormat = "$side attr-dict";
  let hasVerifier = 1;
}
def PtxScaleCopyOp : PtxOp<"scale_copy"> {
  let summary = "tcgen05.cp 32x128b.warpx4: one 512-byte scale atom into four tensor-memory columns";
  let arguments = (ins FlatSymbolRefAttr:$region, PtxSlot:$slot, I64Attr:$offset_bytes, FlatSymbolRefAttr:$range,
                       I64Attr:$col, Optional<PtxSlot>:$copy);
  let assemblyFormat = "$region `[` $slot `]` `+` $offset_bytes `->` $range `+` $col (`copy` $copy^)? attr-dict";
  let hasVerifier = 1;
}
def PtxDescriptorOp : PtxOp<"descriptor", [Pure]> {
  let summary = "The matrix descriptor of a slot of an operand region: K-major, rows of `row_bytes`, swizzled over them";
  let arguments = (ins FlatSymbolRefAttr:$region, PtxSlot:$slot, I64Attr:$offset_bytes, I64Attr:$row_bytes);
  let results = (outs PtxDescriptor:$result);
  let assemblyFormat = "$region `[` $slot `]` `+` $offset_bytes `rows` $row_bytes attr-dict";
  let hasVerifier = 1;
}
def PtxAccumulatorOp : PtxOp<"accumulator", [Pure]> {
  let summary = "The tensor-memory address of a slot's accumulator";
  let arguments = (ins FlatSymbolRefAttr:$channel, PtxSlot:$slot);
  let results = (outs I32:$result);
  let assemblyFormat = "$channel `[` $slot `]` attr-dict";
}
def PtxMmaOp : PtxOp<"mma", [AttrSizedOperandSegments]> {
  let summary = "One tcgen05.mma: accumulator += A × B, with block scales where `kind` has them";
  let description = [{
    `kind`: nvf4 (mxf4nvf4.block_scale.block16), mxf4 (mxf4.block_scale.block32) or f16. `k_bytes` advances both
    descriptors inside the swizzled row. Scales are columns of two tensor-memory ranges; `scale_id` selects the pair of
    scales of mxf4, `copy` one of several copies. `odd_tile` shifts B's scales by 64 rows where it is odd. `first` is
    the loop variable whose iteration 0 overwrites the accumulator instead of adding to it.
  }];
  let arguments = (ins StrAttr:$kind, I32:$acc, PtxDescriptor:$a, PtxDescriptor:$b, I64Attr:$k_bytes,
                       Optional<PtxSlot>:$copy, Optional<I32>:$odd_tile, Optional<I32>:$first,
                       OptionalAttr<FlatSymbolRefAttr>:$scales_a, OptionalAttr<FlatSymbolRefAttr>:$scales_b,
                       DefaultValuedAttr<I64Attr, "0">:$scales_a_col, DefaultValuedAttr<I64Attr, "0">:$scales_b_col,
                       DefaultValuedAttr<I64Attr, "0">:$scale_id);
  let assemblyFormat = [{$kind $acc `,` $a `,` $b `+` $k_bytes (`scales` $scales_a^ `,` $scales_b)?
                         (`copy` $copy^)? (`odd_tile` $odd_tile^)? (`first` $first^)? attr-dict}];
  let hasVerifier = 1;
}
def PtxCommitOp : PtxOp<"commit"> {
  let summary = "tcgen05.commit: one arrival, on every CTA of the group if `multicast`, once this thread's tensor work is done";
  let arguments = (ins FlatSymbolRefAttr:$barrier, PtxSlot:$slot, UnitAttr:$multicast);
  let assemblyFormat = "$barrier `[` $slot `]` (`multicast` $multicast^)? attr-dict";
}
def PtxTensorLoadOp : PtxOp<"tensor_load"> {
  let summary = "tcgen05.ld 32x32b: this lane's row of a sub-tile; undefined until tensor_wait";
  let arguments = (ins FlatSymbolRefAttr:$range, PtxSlot:$slot, I32:$subtile, I64Attr:$subtile_cols);
  let results = (outs PtxFragment:$result);
  let assemblyFormat = "$range `[` $slot `]` `subtile` $subtile `cols` $subtile_cols attr-dict `:` type($result)";
}
def PtxTensorWaitOp : PtxOp<"tensor_wait", [AllTypesMatch<["input", "result"]>]> {
  let summary = "tcgen05.wait::ld with the loaded registers as in/out operands: nothing can move above it";
  let arguments = (ins PtxFragment:$input);
  let results = (outs PtxFragment:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

// ---- Epilogue ---------------------------------------------------------------------------------------------------

def PtxLoadScalarOp : PtxOp<"load_scalar"> {
  let summary = "Reads the fp32 behind a pointer parameter into `<param>_value`; stays below the waits before it";
  let arguments = (ins StrAttr:$param);
  let assemblyFormat = "$param attr-dict";
}
def PtxCallOp : PtxOp<"call", [AllTypesMatch<["input", "result"]>]> {
  let summary = "A named device function on a fragment (templates/device); extra arguments by kernel parameter name";
  let arguments = (ins StrAttr:$callee, PtxFragment:$input, StrArrayAttr:$params, Variadic<I32>:$indices);
  let results = (outs PtxFragment:$result);
  let assemblyFormat = "$callee `(` $input `,` $params (`,` $indices^)? `)` attr-dict `:` type($result)";
}
def PtxStageRowOp : PtxOp<"stage_row"> {
  let summary = "Writes this thread's row of a sub-tile into swizzled staging panels";
  let arguments = (ins StrAttr:$format, PtxFragment:$input, FlatSymbolRefAttr:$region, PtxSlot:$slot, I64Attr:$panels,
                       I64Attr:$panel_bytes, I64Attr:$row_bytes);
  let assemblyFormat = [{$format $input `->` $region `[` $slot `]` `panels` $panels `of` $panel_bytes `rows` $row_bytes
                         attr-dict `:` type($input)}];
  let hasVerifier = 1;
}

// ---- Registers --------------------------------------------------------------------------------------------------

def PtxRegistersOp : PtxOp<"registers"> {
  let summary = "Declares a variable of a role's threads, of a type of templates/device";
  let arguments = (ins StrAttr:$type, StrAttr:$name);
  let results = (outs PtxRegisters:$result);
  let assemblyFormat = "$type $name attr-dict";
}
def PtxDeviceOp : PtxOp<"device", [AttrSizedOperandSegments]> {
  let summary = "A named device function (templates/device) on registers, slots' regions, indices and kernel parameters";
  let description = [{
    The function takes them in this order. `uses` names device functions that its text finds by overloading; `writes`:
    it writes the first region, which is staging.
  }];
  let arguments = (ins StrAttr:$callee, StrArrayAttr:$templates, Variadic<PtxRegisters>:$registers, ArrayAttr:$regions,
                       Variadic<PtxSlot>:$slots, Variadic<I32>:$indices, StrArrayAttr:$params, StrArrayAttr:$uses,
                       UnitAttr:$writes);
  let assemblyFormat = [{$callee $templates `on` `(` $registers `)` `in` $regions `of` `(` $slots `)` `at` `(` $indices `)`
                         `with` $params `uses` $uses (`writes` $writes^)? attr-dict}];
  let hasVerifier = 1;
}

#endif
