// SPDX-License-Identifier: Apache-2.0
// tcgen05: tensor memory, its loads and stores. PTX ISA 9.0, "TensorCore 5th Generation Family
// Instructions".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/tensor_issue.h"

#include "tools/emulator/tensor/load_store.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

// ---- Allocation

/// Nobody may use columns before their allocation or after their release.
void touch_allocation(Execution &x, uint32_t col, uint32_t cols) {
  if (!x.cluster.races) return;
  const uint32_t warp = x.actor().warp;
  const TensorIssue issue(x, 1);
  issue.touch(x.cta, {0, TensorMemory::kLanes, col, cols}, true, race::Kind::kAllocation, x.cluster.races->own_epoch(warp));
}

/// Of a pair, both CTAs allocate together. The emulator starts them together too; hardware need not.
void meet_peer(Execution &x) {
  if (!x.cluster.races) return;
  if (const Error error = x.cluster.races->meet_to_allocate(x.actor(), x.cta.rank ^ 1)) x.note(error);
}

/// `[dst], cols`: the lowest free run of columns; waits while there is none.
template <uint32_t kGroup> Step alloc(Execution &x, const Op &op) {
  if (!has_group(x, kGroup)) return Step::kFault;
  const uint32_t cols = x.lanes<uint32_t>(op.operands[2])[0];
  if (cols < 32 || cols > 512 || (cols & (cols - 1)))
    return x.fault("tmem.columns", std::to_string(cols) + " columns: a power of two from 32 to 512 may be allocated");
  TensorState &tensor = x.cta.tensor;
  if (!tensor.has_permit) return x.fault("tmem.no-permit", "allocates after giving up the right to");
  if (cols > tensor.smallest_allocation)
    return x.fault("tmem.larger-allocation", "allocates " + std::to_string(cols) + " columns after " +
                                                 std::to_string(tensor.smallest_allocation) + "; sizes must not grow");
  for (uint32_t first = 0; first + cols <= TensorMemory::kCols; first += cols) {
    const auto begin = tensor.is_allocated.begin() + first;
    if (std::find(begin, begin + cols, true) != begin + cols) continue;
    Cta *to = nullptr;
    uint32_t offset = 0;
    if (!find_shared(x, address_in_lane(x, op, 0, 0), 4, 4, &to, &offset)) return Step::kFault;
    if (to != &x.cta) return x.fault("tmem.address-cta", "the address goes to another CTA");
    std::fill(begin, begin + cols, true);
    tensor.smallest_allocation = cols;
    if (kGroup == 2) meet_peer(x);
    touch_shared(x, *to, {offset, 4}, true);
    touch_allocation(x, first, cols);
    std::memcpy(to->shared.data() + offset, &first, 4);
    return Step::kYield;
  }
  x.group.wait = Wait::kTensorAlloc;
  return Step::kPark;
}

Step dealloc(Execution &x, const Op &op) {
  const uint32_t address = x.lanes<uint32_t>(op.operands[0])[0], cols = x.lanes<uint32_t>(op.operands[1])[0];
  const uint32_t col = TensorMemory::col_of(address);
  TensorState &tensor = x.cta.tensor;
  if (col + cols > TensorMemory::kCols) return x.fault("tmem.columns", "frees columns beyond 512");
  if (const Error error = check_columns(tensor, col, cols, false)) x.note(error);
  touch_allocation(x, col, cols);
  std::fill_n(tensor.is_allocated.begin() + col, cols, false);
  return Step::kYield;
}

Step relinquish(Execution &x, const Op &) {
  x.cta.tensor.has_permit = false;
  return Step::kNext;
}

// ---- Loads and stores

class Load : public AsyncOperation {
 public:
  Load(const TensorIssue &issue, const tensor::Access &access, uint32_t address, std::vector<uint32_t> places)
      : issue_(issue), access_(access), address_(address), places_(std::move(places)) {}
  bool advance() override {
    Warp &warp = issue_.cta->warps[issue_.warp];
    std::vector<uint32_t> values(places_.size() * 32);
    for (const tensor::TensorRange &range : tensor::ranges(access_, address_))
      if (const Error error = check_columns(issue_.cta->tensor, range.col, range.cols, false)) issue_.note(error);
    tensor::load(access_, address_, issue_.cta->tensor.memory, values.data());
    for (size_t i = 0; i < places_.size(); ++i) std::copy_n(values.data() + 32 * i, 32, warp.registers.data() + places_[i]);
    --warp.tensor_loads;
    return true;
  }

 private:
  TensorIssue issue_;
  tensor::Access access_;
  uint32_t address_;
  std::vector<uint32_t> places_;
};

class Store : public AsyncOperation {
 public:
  Store(const TensorIssue &issue, const tensor::Access &access, uint32_t address, std::vector<uint32_t> values)
      : issue_(issue), access_(access), address_(address), values_(std::move(values)) {}
  bool advance() override {
    tensor::store(access_, address_, values_.data(), &issue_.cta->tensor.memory);
    --issue_.cta->warps[issue_.warp].tensor_stores;
    return true;
  }

 private:
  TensorIssue issue_;
  tensor::Access access_;
  uint32_t address_;
  std::vector<uint32_t> values_;
};

/// Whether this warp may make the access; `address` becomes the one that the hardware makes of it.
bool check_access(Execution &x, const tensor::Access &access, uint32_t &address) {
  const uint32_t warp_in_group = x.warp.index % 4;
  Error error = tensor::check(access, address, warp_in_group);
  if (error.slug == "ldst.lane-window") {
    x.note(error);
    address = tensor::in_window(address, warp_in_group);
    error = tensor::check(access, address, warp_in_group);
  }
  if (!error)
    for (const tensor::TensorRange &range : tensor::ranges(access, address)) {
      error = check_columns(x.cta.tensor, range.col, range.cols, false);
      if (error) break;
    }
  if (!error) return true;
  x.note(error);
  return error.slug.rfind("race.", 0) == 0;
}

constexpr uint32_t kTensorPoison = TensorMemory::kPoison;

/// `>{registers}, [taddr]`: the registers hold nothing until tcgen05.wait::ld.
template <tensor::AccessShape kShape, uint32_t kRepeat, bool kIsPacked> Step load(Execution &x, const Op &op) {
  const tensor::Access access{kShape, kRepeat, kIsPacked};
  const uint32_t count = tensor::registers_of(access);
  auto address = static_cast<uint32_t>(address_in_lane(x, op, count, 0));
  if (!check_access(x, access, address)) return Step::kFault;
  std::vector<uint32_t> places(op.operands, op.operands + count);
  for (const uint32_t place : places) std::fill_n(x.warp.registers.data() + place, 32, kTensorPoison);
  ++x.warp.tensor_loads;
  const TensorIssue issue(x, 1);
  if (x.cluster.races)
    for (const tensor::TensorRange &range : tensor::ranges(access, address))
      issue.touch(x.cta, range, false, race::Kind::kTensorLoad, x.cluster.races->load_epoch(x.actor().warp));
  x.cluster.async.issue_copy(std::make_unique<Load>(issue, access, address, std::move(places)));
  return Step::kYield;
}

/// `[taddr], {registers}`.
template <tensor::AccessShape kShape, uint32_t kRepeat, bool kIsPacked> Step store(Execution &x, const Op &op) {
  const tensor::Access access{kShape, kRepeat, kIsPacked};
  const uint32_t count = tensor::registers_of(access);
  auto address = static_cast<uint32_t>(address_in_lane(x, op, 0, 0));
  if (!check_access(x, access, address)) return Step::kFault;
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t *lanes = x.lanes<uint32_t>(op.operands[2 + i]);
    values.insert(values.end(), lanes, lanes + 32);
  }
  ++x.warp.tensor_stores;
  const TensorIssue issue(x, 1);
  if (x.cluster.races)
    for (const tensor::TensorRange &range : tensor::ranges(access, address))
      issue.touch(x.cta, range, true, race::Kind::kTensorStore, x.cluster.races->store_epoch(x.actor().warp));
  x.cluster.async.issue_copy(std::make_unique<Store>(issue, access, address, std::move(values)));
  return Step::kYield;
}

Step wait_loads(Execution &x, const Op &) {
  if (x.warp.tensor_loads == 0) {
    if (x.cluster.races) x.cluster.races->wait_tensor_loads(x.actor().warp);
    return Step::kNext;
  }
  x.group.wait = Wait::kTensorLoads;
  return Step::kPark;
}
Step wait_stores(Execution &x, const Op &) {
  if (x.warp.tensor_stores == 0) {
    if (x.cluster.races) x.cluster.races->wait_tensor_stores(x.actor().warp);
    return Step::kNext;
  }
  x.group.wait = Wait::kTensorStores;
  return Step::kPark;
}

// ---- The table

class Rows : public FormRows {
 public:
  template <uint32_t kGroup> void add_allocation() {
    const std::string group = ".cta_group::" + std::to_string(kGroup);
    for (const std::string space : {".shared::cta", ""})
      add("tcgen05.alloc" + group + ".sync.aligned" + space + ".b32", "a w", alloc<kGroup>, kAligned);
    add("tcgen05.dealloc" + group + ".sync.aligned.b32", "w w", dealloc, kAligned);
    add("tcgen05.relinquish_alloc_permit" + group + ".sync.aligned", "", relinquish, kAligned);
  }

  void add_accesses() {
    add_repeats<tensor::AccessShape::k32x32b>("32x32b");
    add_repeats<tensor::AccessShape::k16x64b>("16x64b");
    add_repeats<tensor::AccessShape::k16x128b>("16x128b");
    add_repeats<tensor::AccessShape::k16x256b>("16x256b");
    add("tcgen05.wait::ld.sync.aligned", "", wait_loads, kAligned);
    add("tcgen05.wait::st.sync.aligned", "", wait_stores, kAligned);
    add("tcgen05.fence::before_thread_sync", "", fence<&race::Detector::fence_before_thread_sync>);
    add("tcgen05.fence::after_thread_sync", "", fence<&race::Detector::fence_after_thread_sync>);
  }

 private:
  template <tensor::AccessShape kShape, uint32_t kRepeat> void add_access(const std::string &shape) {
    constexpr tensor::Access kAccess{kShape, kRepeat, false};
    const uint32_t count = tensor::registers_of(kAccess);
    if (count == 0) return;
    const std::string vector = "w" + std::to_string(count), word = "." + shape + ".x" + std::to_string(kRepeat);
    add("tcgen05.ld.sync.aligned" + word + ".b32", ">" + vector + " a", load<kShape, kRepeat, false>, kAligned);
    add("tcgen05.ld.sync.aligned" + word + ".pack::16b.b32", ">" + vector + " a", load<kShape, kRepeat, true>, kAligned);
    add("tcgen05.st.sync.aligned" + word + ".b32", "a " + vector, store<kShape, kRepeat, false>, kAligned);
    add("tcgen05.st.sync.aligned" + word + ".unpack::16b.b32", "a " + vector, store<kShape, kRepeat, true>, kAligned);
  }
  template <tensor::AccessShape kShape> void add_repeats(const std::string &shape) {
    add_access<kShape, 1>(shape), add_access<kShape, 2>(shape), add_access<kShape, 4>(shape), add_access<kShape, 8>(shape);
    add_access<kShape, 16>(shape), add_access<kShape, 32>(shape), add_access<kShape, 64>(shape), add_access<kShape, 128>(shape);
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add_allocation<1>(), rows.add_allocation<2>();
    rows.add_accesses();
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> tensor_memory_forms() { return rows().forms; }

}  // namespace warpwright::emulator
