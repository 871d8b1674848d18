// SPDX-License-Identifier: Apache-2.0
// Accesses against what was done before: which pairs conflict, and what is missing between them.
#include "tools/emulator/race/detector.h"

namespace warpwright::emulator::race {

namespace {

const char *verb(const Access &access) {
  switch (access.kind) {
    case Kind::kAllocation: return "allocated or freed";
    case Kind::kGeneric: return access.is_write ? "stored" : "loaded";
    case Kind::kAtomic: return "changed";
    case Kind::kTensor:
    case Kind::kAsync: return access.is_write ? "filled" : "read asynchronously";
    default: return access.is_write ? "written" : "read";
  }
}

const char *missing(std::string_view slug) {
  if (slug == "order.no-proxy-fence") return "no fence.proxy.async lies between them";
  if (slug == "order.no-tcgen05-fence")
    return "no tcgen05.fence::before_thread_sync before and tcgen05.fence::after_thread_sync after their synchronisation";
  if (slug == "order.tensor-pipe") return "only the order of issue orders them, which is none of the pairs that the ISA lists";
  return "nothing orders them";
}

}  // namespace

const char *Detector::judge_shared(const WarpOrder &order, const Access &earlier, const Access &now) const {
  if (earlier.kind == Kind::kAtomic && now.kind == Kind::kAtomic) return nullptr;
  if (!order.known.seen.covers(earlier.epoch)) return "race.shared";
  if (order_ == TensorOrder::kListedPairs && now.kind == Kind::kTensor && !order.before_tensor.covers(earlier.epoch))
    return "order.no-tcgen05-fence";
  const auto is_async = [](Kind kind) { return kind == Kind::kAsync || kind == Kind::kTensor; };
  const bool crosses_into_async = is_async(now.kind) && !is_async(earlier.kind) && earlier.is_write;
  // Source: PTX ISA 9.0, "Proxies", "membar / fence": a proxy fence orders accesses across proxies. A load before an
  // asynchronous write needs none: its value is in a register when the synchronisation happens.
  if (crosses_into_async && !order.known.fenced.covers(earlier.epoch)) return "order.no-proxy-fence";
  return nullptr;
}

/// Source: PTX ISA 9.0, "Pipelined tcgen05 Instructions": mma and mma on the same accumulator, cp then mma, shift then mma,
/// shift then cp.4x256b, mma then shift.
bool Detector::is_listed_pair(const Access &earlier, const Access &now) {
  switch (now.kind) {
    case Kind::kMma: return earlier.kind != Kind::kMma || earlier.object == now.object;
    case Kind::kShift: return earlier.kind == Kind::kMma;
    case Kind::kCopyToTensor: return earlier.kind == Kind::kShift && now.object == kRows4x256b;
    default: return false;
  }
}

const char *Detector::judge_tensor(const WarpOrder &order, const Access &earlier, const Access &now) const {
  if (order.known.tensor.covers(earlier.epoch)) return nullptr;
  const bool is_one_pipe = earlier.epoch.agent == order.tensor && now.epoch.agent == order.tensor;
  if (is_one_pipe && earlier.epoch.time == now.epoch.time) return nullptr;  // one operation
  if (is_one_pipe) return order_ == TensorOrder::kIssueOrder || is_listed_pair(earlier, now) ? nullptr : "order.tensor-pipe";
  return order.known.seen.covers(earlier.epoch) ? "order.no-tcgen05-fence" : "race.tensor-memory";
}

std::string Detector::describe(const Access &access) const {
  return std::string(verb(access)) + " by " + names_.place(access.warp, access.pc);
}

Error Detector::touch_shared(const WarpOrder &order, uint32_t cta, ByteRange range, Access now) {
  Error first = cta == now.warp / warps_per_cta_ ? Error{} : meet({now.warp, now.pc}, cta);
  shared_[cta].each(range, [&](Cell &cell, uint16_t bytes, uint32_t at) {
    now.bytes = bytes;
    Access other;
    const char *slug = cell.touch(now, [&](const Access &earlier) { return judge_shared(order, earlier, now); }, &other);
    if (slug && !first)
      first = {slug, std::string(now.is_write ? "writes " : "reads ") + names_.shared(cta, at) + ", " + describe(other) + ": " + missing(slug)};
  });
  return first;
}

Error Detector::touch(Actor who, uint32_t cta, ByteRange range, bool is_write, Kind kind) {
  return touch_shared(warps_[who.warp], cta, range,
                      {own_epoch(who.warp), who.pc, 0, static_cast<uint16_t>(who.warp), 0, kind, is_write});
}

bool Detector::touch_quietly(Actor who, const GranuleParts &parts, bool is_write) {
  const WarpOrder &order = warps_[who.warp];
  SharedShadow &shadow = shared_[who.warp / warps_per_cta_];
  Access now{{order.agent, order.known.seen.of(order.agent)}, who.pc, 0, static_cast<uint16_t>(who.warp), 0, Kind::kGeneric, is_write};
  for (const GranulePart &part : parts) {
    now.bytes = static_cast<uint16_t>(part.bytes);
    if (!shadow.cell(part.index).touch_quietly(now, [&](const Access &earlier) { return judge_shared(order, earlier, now) != nullptr; }))
      return false;
  }
  return true;
}

Error Detector::touch_async(Actor who, uint32_t cta, std::span<const ByteRange> ranges, bool is_write, Epoch epoch,
                            Kind kind) {
  Error first;
  for (const ByteRange range : ranges) {
    Error found = touch_shared(warps_[who.warp], cta, range, {epoch, who.pc, 0, static_cast<uint16_t>(who.warp), 0, kind, is_write});
    if (found && !first) first = std::move(found);
  }
  return first;
}

Error Detector::touch_tensor(Actor who, uint32_t cta, Columns columns, bool is_write, Kind kind, Epoch epoch, uint32_t object) {
  WarpOrder &order = warps_[who.warp];
  const Access now{epoch, who.pc, object, static_cast<uint16_t>(who.warp), columns.lanes, kind, is_write};
  Error first;
  for (uint32_t col = columns.col; col < columns.col + columns.cols && col < TensorMemory::kCols; ++col) {
    Access other;
    const char *slug = tensor_[cta].column(col).touch(now, [&](const Access &earlier) { return judge_tensor(order, earlier, now); }, &other);
    if (slug && !first)
      first = {slug, std::string(is_write ? "writes" : "reads") + " tensor memory column " + std::to_string(col) + " of CTA rank " +
                         std::to_string(cta) + ", " + describe(other) + ": " + missing(slug)};
  }
  if (kind == Kind::kAllocation) {
    // What the warp does afterwards with tcgen05 follows in program order; others need the fences.
    order.known.tensor.raise(order.agent, epoch.time);
    step(order);
  }
  return first;
}

}  // namespace warpwright::emulator::race
