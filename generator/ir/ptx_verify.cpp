// SPDX-License-Identifier: Apache-2.0
// What must hold of single `ptx` operations: ranges, alignments and legal words.
#include "generator/ir/loop_syntax.h"
#include "generator/ir/ptx.h"

namespace warpwright::ir::ptx {

mlir::LogicalResult FragmentType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emit_error, int64_t elems) {
  // tcgen05.ld 32x32b has x1 … x128; the epilogue uses the two that keep a thread under 128 registers.
  if (elems != 32 && elems != 64) return emit_error() << "a fragment has 32 or 64 elements, not " << elems;
  return mlir::success();
}

mlir::LogicalResult PtxKernelOp::verify() {
  if (getCtaGroup() != 1 && getCtaGroup() != 2) return emitOpError() << "cta_group must be 1 or 2";
  return mlir::success();
}
mlir::LogicalResult PtxTilesOp::verify() { return verify_i32_arguments(*this, 2); }
mlir::LogicalResult PtxForOp::verify() { return verify_i32_arguments(*this, 1); }

mlir::LogicalResult PtxSlotOp::verify() {
  const int64_t depth = getDepth(), buffers = getBuffers(), parity = getParity();
  if (depth < 1) return emitOpError() << "depth must be at least 1";
  // A buffer's index is the slot's; with one barrier for two buffers it is the parity.
  if (buffers != depth && !(depth == 1 && buffers == 2)) return emitOpError() << buffers << " buffers behind " << depth << " barriers";
  if (parity != 0 && parity != 1) return emitOpError() << "parity is 0 or 1";
  return mlir::success();
}
mlir::LogicalResult PtxMbarInitOp::verify() {
  const int64_t count = getCount(), arrivals = getArrivals();
  // PTX ISA 9.0, "mbarrier.init": count is in 1 … 2^20 − 1.
  if (count < 1 || arrivals < 1 || arrivals >= (1 << 20)) return emitOpError() << "arrivals must be in 1 … 1048575";
  return mlir::success();
}
mlir::LogicalResult PtxMbarExpectOp::verify() {
  const int64_t bytes = getBytes();
  // PTX ISA 9.0, "mbarrier: valid ranges": tx-count is within ±(2^20 − 1).
  if (bytes <= 0 || bytes >= (1 << 20) || bytes % 16) return emitOpError() << bytes << " bytes: a multiple of 16 below 1048576 is needed";
  return mlir::success();
}
mlir::LogicalResult PtxNamedSyncOp::verify() {
  const int64_t id = getId(), threads = getThreads();
  // PTX ISA 9.0, "barrier": sixteen barriers per CTA, a multiple of the warp size; 0 belongs to __syncthreads.
  if (id < 1 || id > 15) return emitOpError() << "id must be in 1 … 15";
  if (threads < 32 || threads % 32) return emitOpError() << "threads must be a multiple of 32";
  return mlir::success();
}
mlir::LogicalResult PtxTmaLoadOp::verify() {
  // PTX ISA 9.0, "cp.async.bulk.tensor": the destination is 128-byte aligned.
  if (getOffsetBytes() % 128) return emitOpError() << "destination offset must be a multiple of 128 bytes";
  if (getCoordinates().empty() || getCoordinates().size() > 5) return emitOpError() << "1 to 5 coordinates";
  return mlir::success();
}
mlir::LogicalResult PtxBulkLoadOp::verify() {
  // PTX ISA 9.0, "cp.async.bulk": addresses and size are multiples of 16.
  const int64_t offset_bytes = getOffsetBytes(), bytes = getBytes();
  if (offset_bytes % 16 || bytes % 16 || bytes <= 0) return emitOpError() << bytes << " bytes at " << offset_bytes << ": multiples of 16 are needed";
  return mlir::success();
}
mlir::LogicalResult PtxDeviceOp::verify() {
  if (getRegions().size() != getSlots().size()) return emitOpError() << getRegions().size() << " regions of " << getSlots().size() << " slots";
  for (mlir::Attribute region : getRegions())
    if (!mlir::isa<mlir::FlatSymbolRefAttr>(region)) return emitOpError() << region << " names no region";
  if (getWrites() && getRegions().empty()) return emitOpError() << "writes no region";
  return mlir::success();
}
mlir::LogicalResult PtxTmaStoreOp::verify() {
  if (getOffsetBytes() % 128) return emitOpError() << "source offset must be a multiple of 128 bytes";
  return mlir::success();
}
mlir::LogicalResult PtxBulkWaitOp::verify() {
  if (static_cast<int64_t>(getLeft()) < 0) return emitOpError() << "waits for a negative number of groups";
  return mlir::success();
}
mlir::LogicalResult PtxTmemAllocOp::verify() {
  const int64_t cols = getCols();
  // PTX ISA 9.0, "tcgen05.alloc": a power of two in 32 … 512.
  if (cols < 32 || cols > 512 || (cols & (cols - 1))) return emitOpError() << "columns must be a power of two in 32 … 512";
  return mlir::success();
}
mlir::LogicalResult PtxTensorFenceOp::verify() {
  if (getSide() != "before" && getSide() != "after") return emitOpError() << "side is \"before\" or \"after\"";
  return mlir::success();
}
mlir::LogicalResult PtxScaleCopyOp::verify() {
  if (getOffsetBytes() % 512) return emitOpError() << "an atom starts at a multiple of 512 bytes";
  if (getCol() % 4) return emitOpError() << "an atom fills four columns from a multiple of 4";
  return mlir::success();
}
mlir::LogicalResult PtxDescriptorOp::verify() {
  const int64_t rows = getRowBytes();
  if (rows != 32 && rows != 64 && rows != 128) return emitOpError() << "rows are 32, 64 or 128 bytes";
  if (getOffsetBytes() % (8 * rows)) return emitOpError() << "starts inside a swizzle atom of " << 8 * rows << " bytes";
  return mlir::success();
}
mlir::LogicalResult PtxMmaOp::verify() {
  const bool scaled = getKind() == "nvf4" || getKind() == "mxf4";
  if (!scaled && getKind() != "f16") return emitOpError() << "unknown kind \"" << getKind() << "\"";
  if (scaled != (getScalesA().has_value() && getScalesB().has_value())) return emitOpError() << "block-scaled kinds, and only they, take scales";
  if (getKBytes() % 32) return emitOpError() << "an MMA consumes 32 bytes of K a row";
  // PTX ISA 9.0, "tcgen05.mma: scale factor IDs": 0 or 2 where two scales share a column word.
  if (getScaleId() != 0 && !(getKind() == "mxf4" && getScaleId() == 2)) return emitOpError() << "scale_id " << getScaleId() << " with " << getKind();
  return mlir::success();
}
mlir::LogicalResult PtxTensorWaitOp::verify() {
  if (!getInput().getDefiningOp<PtxTensorLoadOp>()) return emitOpError() << "must tie the registers of a tensor_load";
  for (mlir::Operation *user : getInput().getUsers())
    if (user != getOperation()) return emitOpError() << "the loaded fragment is used before the wait";
  return mlir::success();
}
mlir::LogicalResult PtxStageRowOp::verify() {
  if (getFormat() != "bf16" && getFormat() != "fp16" && getFormat() != "fp32") return emitOpError() << "unknown format \"" << getFormat() << "\"";
  if (getRowBytes() != 64 && getRowBytes() != 128) return emitOpError() << "panel rows are 64 or 128 bytes";
  return mlir::success();
}

}  // namespace warpwright::ir::ptx
