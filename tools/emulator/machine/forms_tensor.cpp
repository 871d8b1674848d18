// SPDX-License-Identifier: Apache-2.0
// tcgen05: MMAs, copies and commits. PTX ISA 9.0, "TensorCore 5th Generation Family
// Instructions".
#include "tools/emulator/machine/form_rows.h"
#include "tools/emulator/machine/tensor_issue.h"

#include "tools/emulator/tensor/copy.h"
#include "tools/emulator/tensor/mma.h"

#include <algorithm>

namespace warpwright::emulator {

namespace {

// ---- MMA

class Mma : public AsyncOperation {
 public:
  Mma(const TensorIssue &issue, const tensor::MmaRequest &request, tensor::MmaFootprint footprint)
      : issue_(issue), request_(request), footprint_(std::move(footprint)) {
    if (issue_.cluster->races) watch();
    if (!issue_.cluster->state.options.checks_memory) return;
    issue_.each_cta([&](Cta &cta) {
      for (const auto *ranges : {&footprint_.a, &footprint_.b})
        for (const ByteRange range : *ranges)
          if (const Error error = cta.shared.begin_async_read(range)) issue_.note(error);
      TensorIssue::count_writes(cta, footprint_.writes, 1);
    });
  }
  bool advance() override {
    std::array<tensor::SharedView, 2> shared{};
    std::array<TensorMemory *, 2> memories{};
    for (uint32_t i = 0; i < issue_.cta_group; ++i) {
      shared[i] = {issue_.ctas[i]->shared.data(), issue_.ctas[i]->shared.size_bytes()};
      memories[i] = &issue_.ctas[i]->tensor.memory;
    }
    for (uint32_t i = 0; i < issue_.cta_group; ++i)
      if (const char *slug = Cluster::check_alive(*issue_.ctas[i])) issue_.note({slug, "an MMA works on a CTA that has ended"});
    const bool checks = issue_.cluster->state.options.checks_memory;
    if (checks)
      issue_.each_cta([&](Cta &cta) {
        for (const auto *ranges : {&footprint_.a, &footprint_.b})
          for (const ByteRange range : *ranges)
            if (const Error error = cta.shared.check_async_read(range)) issue_.note(error);
      });
    if (const Error error = tensor::perform(request_, shared, memories)) issue_.stop(error);
    if (checks)
      issue_.each_cta([&](Cta &cta) {
        for (const auto *ranges : {&footprint_.a, &footprint_.b})
          for (const ByteRange range : *ranges) cta.shared.end_async_read(range);
        TensorIssue::count_writes(cta, footprint_.writes, -1);
      });
    ++issue_.cluster->statistics.mmas;
    return true;
  }

 private:
  void watch() {
    race::Detector &races = *issue_.cluster->races;
    const race::Epoch epoch = races.issue_tensor(issue_.actor().warp);
    issue_.each_cta([&](Cta &cta) {
      for (const auto *ranges : {&footprint_.a, &footprint_.b})
        if (const Error error = races.touch_async(issue_.actor(), cta.rank, *ranges, false, epoch, race::Kind::kTensor)) issue_.note(error);
      for (const tensor::TensorRange &range : footprint_.reads)
        issue_.touch(cta, range, false, race::Kind::kMma, epoch, request_.d_address);
      for (const tensor::TensorRange &range : footprint_.writes)
        issue_.touch(cta, range, true, race::Kind::kMma, epoch, request_.d_address);
    });
  }
  TensorIssue issue_;
  tensor::MmaRequest request_;
  tensor::MmaFootprint footprint_;
};

/// `[d], a, b, idesc, (…), accumulate`. Operands: d and its offset, a (an address in brackets when it is in tensor memory),
/// b, idesc, then for block scales the two scale addresses, then the predicate.
template <tensor::MmaKind kKind, uint32_t kGroup, uint32_t kBlock, bool kIsAInTensor> Step mma(Execution &x, const Op &op) {
  if (!has_group(x, kGroup) || !is_one_lane(x)) return Step::kFault;
  const uint32_t lane = x.first_lane();
  const auto word = [&](uint32_t place) { return x.lanes<uint32_t>(place)[lane]; };
  tensor::MmaRequest request;
  request.kind = kKind;
  request.cta_group = kGroup;
  request.scale_block = kBlock;
  request.d_address = static_cast<uint32_t>(address_in_lane(x, op, 0, lane));
  uint32_t next = 2;
  request.is_a_in_tensor_memory = kIsAInTensor;
  if (kIsAInTensor) {
    request.a_address = static_cast<uint32_t>(address_in_lane(x, op, next, lane));
    next += 2;
  } else {
    request.a_descriptor = x.lanes<uint64_t>(op.operands[next++])[lane];
  }
  request.b_descriptor = x.lanes<uint64_t>(op.operands[next++])[lane];
  request.instruction_descriptor = word(op.operands[next++]);
  if (kBlock) {
    request.scale_a_address = static_cast<uint32_t>(address_in_lane(x, op, next, lane));
    request.scale_b_address = static_cast<uint32_t>(address_in_lane(x, op, next + 2, lane));
    next += 4;
  }
  request.enable_input_d = lanes_where(x, op.operands[next++]) >> lane & 1;
  if (next < op.num_operands) request.scale_input_d = op.operands[next];
  const TensorIssue issue(x, kGroup);
  tensor::MmaFootprint footprint;
  if (const Error error = tensor::footprint(request, x.cta.shared.size_bytes(), &footprint)) return x.fault(error);
  for (uint32_t i = 0; i < kGroup; ++i)
    for (const auto *ranges : {&footprint.reads, &footprint.writes})
      for (const tensor::TensorRange &range : *ranges)
        if (const Error error = check_columns(issue.ctas[i]->tensor, range.col, range.cols, true)) x.note(error);
  x.cluster.async.issue_tensor(issue.pipe(), std::make_unique<Mma>(issue, request, std::move(footprint)));
  return Step::kYield;
}

// ---- Copies of scale factors

class Copy : public AsyncOperation {
 public:
  Copy(const TensorIssue &issue, const tensor::CopyRequest &request, tensor::CopyFootprint footprint)
      : issue_(issue), request_(request), footprint_(std::move(footprint)) {
    if (issue_.cluster->races) watch();
    issue_.each_cta([&](Cta &cta) {
      for (const ByteRange range : footprint_.reads)
        if (const Error error = cta.shared.begin_async_read(range)) issue_.note(error);
      TensorIssue::count_writes(cta, footprint_.writes, 1);
    });
  }
  bool advance() override {
    issue_.each_cta([&](Cta &cta) {
      for (const ByteRange range : footprint_.reads)
        if (const Error error = cta.shared.check_async_read(range)) issue_.note(error);
      const Error error = tensor::perform(request_, {cta.shared.data(), cta.shared.size_bytes()}, &cta.tensor.memory);
      if (error) issue_.stop(error);
      for (const ByteRange range : footprint_.reads) cta.shared.end_async_read(range);
      TensorIssue::count_writes(cta, footprint_.writes, -1);
    });
    return true;
  }

 private:
  void watch() {
    race::Detector &races = *issue_.cluster->races;
    const race::Epoch epoch = races.issue_tensor(issue_.actor().warp);
    const uint32_t object = request_.shape == tensor::CopyShape::k4x256b ? race::kRows4x256b : 0;
    issue_.each_cta([&](Cta &cta) {
      if (const Error error = races.touch_async(issue_.actor(), cta.rank, footprint_.reads, false, epoch, race::Kind::kTensor)) issue_.note(error);
      for (const tensor::TensorRange &range : footprint_.writes)
        issue_.touch(cta, range, true, race::Kind::kCopyToTensor, epoch, object);
    });
  }
  TensorIssue issue_;
  tensor::CopyRequest request_;
  tensor::CopyFootprint footprint_;
};

/// `[taddr], descriptor`.
template <tensor::CopyShape kShape, tensor::CopySource kSource, uint32_t kGroup> Step copy(Execution &x, const Op &op) {
  if (!has_group(x, kGroup) || !is_one_lane(x)) return Step::kFault;
  const uint32_t lane = x.first_lane();
  const tensor::CopyRequest request{kShape, kSource, static_cast<uint32_t>(address_in_lane(x, op, 0, lane)),
                                    x.lanes<uint64_t>(op.operands[2])[lane]};
  tensor::CopyFootprint footprint;
  if (const Error error = tensor::footprint(request, x.cta.shared.size_bytes(), &footprint)) return x.fault(error);
  const TensorIssue issue(x, kGroup);
  for (uint32_t i = 0; i < kGroup; ++i)
    for (const tensor::TensorRange &range : footprint.writes)
      if (const Error error = check_columns(issue.ctas[i]->tensor, range.col, range.cols, true)) x.note(error);
  x.cluster.async.issue_tensor(issue.pipe(), std::make_unique<Copy>(issue, request, std::move(footprint)));
  return Step::kYield;
}

// ---- Commit

/// One arrival of a commit whose work is over.
class Arrival : public AsyncOperation {
 public:
  Arrival(const TensorIssue &issue, Cta &cta, uint32_t offset, const race::Detector::Commit &commit)
      : issue_(issue), cta_(cta), offset_(offset), commit_(commit) {}
  bool advance() override {
    if (const char *slug = Cluster::check_alive(cta_)) issue_.note({slug, "a commit arrives in a CTA that has ended"});
    Mbarrier *barrier = cta_.shared.barrier(offset_);
    if (!barrier) {
      issue_.stop({"mbarrier.not-initialised", "the mbarrier of a commit is gone when it completes"});
      return true;
    }
    if (issue_.cluster->races) issue_.cluster->races->commit_arrives(commit_, Cluster::key_of_mbarrier(cta_, offset_));
    if (!change_mbarrier(*issue_.cluster, cta_, offset_, *barrier, [](Mbarrier &b) { return b.arrive(1); }))
      issue_.note({"mbarrier.over-arrival", "a commit arrives on " + issue_.cluster->name_of_shared(offset_) + " of CTA " +
                                                std::to_string(cta_.rank) + ", which waits for no arrival in phase " +
                                                std::to_string(barrier->phase)});
    return true;
  }

 private:
  TensorIssue issue_;
  Cta &cta_;
  uint32_t offset_;
  race::Detector::Commit commit_;
};

/// Waits in the pipe for the work before it; then its arrivals go their ways, each when it will.
/// Source: PTX ISA 9.0, "tcgen05.commit": the arrivals are asynchronous; of two commits' nothing says which comes first.
class Commit : public AsyncOperation {
 public:
  Commit(const TensorIssue &issue, std::vector<std::pair<Cta *, uint32_t>> barriers)
      : issue_(issue), barriers_(std::move(barriers)) {
    if (issue_.cluster->races) commit_ = issue_.cluster->races->commit(issue_.actor().warp);
  }
  bool advance() override {
    for (const auto &[cta, offset] : barriers_)
      issue_.cluster->async.issue_copy(std::make_unique<Arrival>(issue_, *cta, offset, commit_));
    return true;
  }

 private:
  TensorIssue issue_;
  std::vector<std::pair<Cta *, uint32_t>> barriers_;
  race::Detector::Commit commit_;  ///< what its arrivals say
};

/// `[bar]`, with multicast `, mask`: the same offset in each CTA of the mask.
template <uint32_t kGroup, bool kIsMulticast> Step commit(Execution &x, const Op &op) {
  if (!has_group(x, kGroup) || !is_one_lane(x)) return Step::kFault;
  const uint32_t lane = x.first_lane();
  Cta *cta = nullptr;
  uint32_t offset = 0;
  if (!find_shared(x, address_in_lane(x, op, 0, lane), 8, 8, &cta, &offset)) return Step::kFault;
  const uint32_t mask = kIsMulticast ? x.lanes<uint32_t>(op.operands[2])[lane] & 0xFFFF : 1u << cta->rank;
  std::vector<std::pair<Cta *, uint32_t>> barriers;
  for (uint32_t rank = 0; rank < 16; ++rank) {
    if (!(mask >> rank & 1)) continue;
    if (rank >= x.cluster.ctas.size())
      return x.fault("tcgen05.multicast", "the mask names CTA " + std::to_string(rank) + ", which the cluster does not have");
    Cta *to = x.cluster.ctas[rank].get();
    if (!to->shared.barrier(offset))
      return x.fault("mbarrier.not-initialised", "commits to " + x.cluster.name_of_shared(offset) + " of CTA " + std::to_string(rank) +
                                                     ", where no mbarrier is");
    use_mbarrier(x, *to, offset, true);
    signal_later(x, *to, offset, *to->shared.barrier(offset));
    barriers.emplace_back(to, offset);
  }
  const TensorIssue issue(x, kGroup);
  x.cluster.async.issue_tensor(issue.pipe(), std::make_unique<Commit>(issue, std::move(barriers)));
  return Step::kYield;
}

// ---- The table

class Rows : public FormRows {
 public:
  template <uint32_t kGroup> void add_group() {
    const std::string group = ".cta_group::" + std::to_string(kGroup);
    const std::string committed = "tcgen05.commit" + group + ".mbarrier::arrive::one";
    for (const std::string space : {".shared::cluster", ""}) {
      add(committed + space + ".b64", "a", commit<kGroup, false>);
      add(committed + space + ".multicast::cluster.b64", "a w", commit<kGroup, true>);
    }
    add_copies<kGroup>(group);
    add_plain_mma<tensor::MmaKind::kF16, kGroup>(group, "f16");
    add_plain_mma<tensor::MmaKind::kTf32, kGroup>(group, "tf32");
    add_plain_mma<tensor::MmaKind::kF8F6F4, kGroup>(group, "f8f6f4");
    add_plain_mma<tensor::MmaKind::kI8, kGroup>(group, "i8");
    using K = tensor::MmaKind;
    for (const std::string scale : {".block_scale", ".block_scale.block32", ".block_scale.scale_vec::1X"})
      add_scaled_mma<K::kMxF8F6F4, kGroup, 32>(group, "mxf8f6f4" + scale);
    for (const std::string scale : {".block_scale", ".block_scale.block32", ".block_scale.scale_vec::2X"})
      add_scaled_mma<K::kMxF4, kGroup, 32>(group, "mxf4" + scale);
    for (const std::string scale : {".block_scale.block32", ".block_scale.scale_vec::2X"})
      add_scaled_mma<K::kMxF4Nvf4, kGroup, 32>(group, "mxf4nvf4" + scale);
    for (const std::string scale : {".block_scale.block16", ".block_scale.scale_vec::4X"})
      add_scaled_mma<K::kMxF4Nvf4, kGroup, 16>(group, "mxf4nvf4" + scale);
  }

 private:
  template <uint32_t kGroup> void add_copies(const std::string &group) {
    using S = tensor::CopyShape;
    using F = tensor::CopySource;
    const auto shape = [&]<S kShape>(const char *name) {
      const std::string word = "tcgen05.cp" + group + "." + name;
      add(word, "a l", copy<kShape, F::kAsIs, kGroup>);
      add(word + ".b8x16.b4x16_p64", "a l", copy<kShape, F::kB4x16P64, kGroup>);
      add(word + ".b8x16.b6x16_p32", "a l", copy<kShape, F::kB6x16P32, kGroup>);
    };
    shape.template operator()<S::k128x256b>("128x256b");
    shape.template operator()<S::k4x256b>("4x256b");
    shape.template operator()<S::k128x128b>("128x128b");
    shape.template operator()<S::k64x128bWarpx2_02_13>("64x128b.warpx2::02_13");
    shape.template operator()<S::k64x128bWarpx2_01_23>("64x128b.warpx2::01_23");
    shape.template operator()<S::k32x128bWarpx4>("32x128b.warpx4");
  }
  template <tensor::MmaKind kKind, uint32_t kGroup> void add_plain_mma(const std::string &group, const std::string &kind) {
    const std::string word = "tcgen05.mma" + group + ".kind::" + kind;
    add(word, "a l l w p", mma<kKind, kGroup, 0, false>);
    add(word, "a a l w p", mma<kKind, kGroup, 0, true>);
    add(word, "a l l w p i", mma<kKind, kGroup, 0, false>);
    add(word, "a a l w p i", mma<kKind, kGroup, 0, true>);
  }
  template <tensor::MmaKind kKind, uint32_t kGroup, uint32_t kBlock> void add_scaled_mma(const std::string &group, const std::string &kind) {
    const std::string word = "tcgen05.mma" + group + ".kind::" + kind;
    add(word, "a l l w a a p", mma<kKind, kGroup, kBlock, false>);
    add(word, "a a l w a a p", mma<kKind, kGroup, kBlock, true>);
  }
};

const Rows &rows() {
  static const Rows all = [] {
    Rows rows;
    rows.add_group<1>(), rows.add_group<2>();
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> tensor_forms() { return rows().forms; }

}  // namespace warpwright::emulator
