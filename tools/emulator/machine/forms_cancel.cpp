// SPDX-License-Identifier: Apache-2.0
// clusterlaunchcontrol: a cluster takes over the work of one that has not started. PTX ISA 9.0,
// "clusterlaunchcontrol.try_cancel", "clusterlaunchcontrol.query_cancel".
#include "tools/emulator/machine/copy_issue.h"
#include "tools/emulator/machine/form_rows.h"

#include <optional>

namespace warpwright::emulator {

namespace {

/// A response, which is opaque to the kernel: what became of the request, and the first CTA of the cancelled cluster.
struct Response {
  static constexpr uint32_t kRefused = 0x57AC0000, kCancelled = 0x57AC0001;
  uint32_t what = kRefused, x = 0, y = 0, z = 0;
};
static_assert(sizeof(Response) == 16);

/// The request is decided when it completes, and its answer written to each of the CTAs that are to have it.
class Request : public AsyncOperation {
 public:
  Request(Execution &x, std::vector<Cta *> ctas, uint32_t offset, uint32_t barrier)
      : issue_(x), ctas_(std::move(ctas)), range_{offset, sizeof(Response)}, barrier_(barrier) {
    for (Cta *cta : ctas_) {
      if (const Error error = cta->shared.begin_async_write(range_)) issue_.note(error);
      issue_.use(*cta, range_, true, *cta, barrier_);
    }
  }
  bool advance() override {
    Response response;
    if (const auto first = issue_.cluster->cancel_next()) response = {Response::kCancelled, first->x, first->y, first->z};
    for (Cta *cta : ctas_) {
      std::memcpy(cta->shared.data() + range_.offset, &response, sizeof response);
      cta->shared.end_async_write(range_);
      complete(issue_, *cta, barrier_, sizeof response);
    }
    return true;
  }

 private:
  CopyIssue issue_;
  std::vector<Cta *> ctas_;
  ByteRange range_;
  uint32_t barrier_;
};

/// `[addr], [bar]`, both of this CTA. With kIsMulticast every CTA of the cluster has the answer, and its mbarrier the bytes.
template <bool kIsMulticast> Step try_cancel(Execution &x, const Op &op) {
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    if (failed) return;
    Cta *cta = nullptr;
    uint32_t offset = 0, barrier = 0;
    failed = !find_shared(x, without_shared_window(address_in_lane(x, op, 0, i)), 16, 16, &cta, &offset);
    if (!failed && cta != &x.cta) x.note("tma.source-cta", "the answer goes to this CTA's shared memory"), failed = true;
    failed = failed || !find_copy_barrier(x, op, 2, i, x.cta, &barrier);
    if (failed) return;
    if (x.cta.has_seen_refusal)
      x.note("cluster.cancel-again", "asks again after this CTA has seen a request refused");
    std::vector<Cta *> ctas{&x.cta};
    if (kIsMulticast) {
      ctas.clear();
      for (const auto &each : x.cluster.ctas) ctas.push_back(each.get());
    }
    for (Cta *each : ctas) {
      if (const char *slug = Cluster::check_alive(*each)) x.note(slug, "the answer goes to a CTA that has ended");
      const Mbarrier *there = each->shared.barrier(barrier);
      if (!there) {
        x.note("mbarrier.not-initialised", "no mbarrier was initialised " + x.cluster.name_of_shared(barrier) + " of CTA rank " + std::to_string(each->rank));
        failed = true;
        return;
      }
      use_mbarrier(x, *each, barrier, true);
      signal_later(x, *each, barrier, *there);
    }
    x.cluster.async.issue_copy(std::make_unique<Request>(x, std::move(ctas), offset, barrier));
  });
  return failed ? Step::kFault : Step::kYield;
}

/// One lane's response, nothing with a finding where the register has none.
std::optional<Response> response_of(Execution &x, uint32_t place, uint32_t lane) {
  const Response response = x.lanes<Response>(place)[lane];
  if (response.what == Response::kCancelled || response.what == Response::kRefused) return response;
  x.note("cluster.cancel-response", "the register has no answer of clusterlaunchcontrol.try_cancel");
  return std::nullopt;
}

Step is_cancelled(Execution &x, const Op &op) {
  uint32_t holds = 0;
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    const auto response = failed ? std::nullopt : response_of(x, op.operands[1], i);
    failed = !response;
    if (failed) return;
    holds |= uint32_t{response->what == Response::kCancelled} << i;
    x.cta.has_seen_refusal |= response->what == Response::kRefused;
  });
  if (failed) return Step::kFault;
  set_predicate(x, op.operands[0], holds);
  return Step::kNext;
}

/// kCount of the first CTA's coordinates, from kFirst on.
template <uint32_t kFirst, uint32_t kCount> Step first_cta(Execution &x, const Op &op) {
  bool failed = false;
  x.each_lane([&](uint32_t i) {
    const auto response = failed ? std::nullopt : response_of(x, op.operands[kCount], i);
    failed = !response;
    if (failed) return;
    if (response->what == Response::kRefused) {
      x.note("cluster.cancel-refused", "the request was refused: there is no cancelled cluster");
      failed = true;
      return;
    }
    const std::array<uint32_t, 4> words{response->x, response->y, response->z, ~0u};
    for (uint32_t n = 0; n < kCount; ++n) x.lanes<uint32_t>(op.operands[n])[i] = words[kFirst + n];
  });
  return failed ? Step::kFault : Step::kNext;
}

const FormRows &rows() {
  static const FormRows all = [] {
    FormRows rows;
    for (const std::string space : {"", ".shared::cta"}) {
      const std::string word = "clusterlaunchcontrol.try_cancel.async" + space + ".mbarrier::complete_tx::bytes";
      rows.add(word + ".b128", "a a", try_cancel<false>);
      rows.add(word + ".multicast::cluster::all.b128", "a a", try_cancel<true>);
    }
    const std::string query = "clusterlaunchcontrol.query_cancel.";
    rows.add(query + "is_canceled.pred.b128", ">p q", is_cancelled);
    rows.add(query + "get_first_ctaid.v4.b32.b128", ">w4 q", first_cta<0, 4>);
    rows.add(query + "get_first_ctaid::x.b32.b128", ">w q", first_cta<0, 1>);
    rows.add(query + "get_first_ctaid::y.b32.b128", ">w q", first_cta<1, 1>);
    rows.add(query + "get_first_ctaid::z.b32.b128", ">w q", first_cta<2, 1>);
    return rows;
  }();
  return all;
}

}  // namespace

std::span<const Form> cancel_forms() { return rows().forms; }

}  // namespace warpwright::emulator
