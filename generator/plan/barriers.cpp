// SPDX-License-Identifier: Apache-2.0
// Barriers from channels: where each lives, who arrives how often, how many bytes it expects.
#include "generator/plan/family_plan.h"

#include <algorithm>

namespace warpwright::plan {

bool needs_mbarrier(HandOver how) {
  return how == HandOver::kTma || how == HandOver::kTensorCommit || how == HandOver::kArrive;
}

namespace {

const Role &role_named(const std::vector<Role> &roles, const std::string &name) {
  for (const Role &role : roles)
    if (role.name == name) return role;
  throw support::InternalError("no role \"" + name + "\"");
}

/// Threads of one CTA that arrive when a role hands over by kArrive.
int64_t arriving_threads(const Role &role) {
  switch (role.issue) {
    case Issue::kElected:
      return 1;
    case Issue::kWarps:
      return role.num_warps;
    case Issue::kThreads:
      return int64_t{role.num_warps} * 32;
  }
  return 0;
}

/// Roles of one position must run in the same CTAs: a joined wait has one place.
bool run_in_leader_only(const std::vector<ChannelOwner> &owners, const std::vector<Role> &roles) {
  const CtaScope scope = role_named(roles, owners.front().role).runs_in;
  for (const ChannelOwner &owner : owners)
    WARPWRIGHT_ASSERT(role_named(roles, owner.role).runs_in == scope,
                      "joined owners " + owners.front().role + " and " + owner.role + " run in different CTAs");
  return scope == CtaScope::kLeader;
}

struct HandOverSite {
  const Channel &channel;
  size_t from = 0;
  bool from_leader = false;
  bool to_leader = false;
  int64_t cta_group = 1;

  const std::vector<ChannelOwner> &owners() const { return channel.chain[from]; }
  const std::vector<ChannelOwner> &waiters() const { return channel.chain[(from + 1) % channel.chain.size()]; }

  CtaScope lives_in() const {
    if (cta_group == 1) return CtaScope::kSelf;
    if (to_leader) return CtaScope::kLeader;
    return from_leader ? CtaScope::kBoth : CtaScope::kSelf;
  }
  /// CTAs whose copies of a role signal one and the same barrier.
  int64_t signalling_ctas() const { return cta_group > 1 && to_leader && !from_leader ? cta_group : 1; }
};

/// The first waiting role names a hand-over of a long chain; a role that waits twice adds its position.
std::string barrier_name(const HandOverSite &site) {
  const Channel &channel = site.channel;
  if (channel.chain.size() == 2) return channel.name + (site.from == 0 ? "_full" : "_empty");
  const std::string &waiter = site.waiters().front().role;
  const auto waits = std::count_if(channel.chain.begin(), channel.chain.end(),
                                   [&](const auto &owners) { return owners.front().role == waiter; });
  std::string name = channel.name + "_to_" + waiter;
  if (waits > 1) name += "_" + std::to_string((site.from + 1) % channel.chain.size());
  return name;
}

int64_t arrival_count(const ChannelOwner &owner, const Role &role, const HandOverSite &site) {
  // Bytes of both CTAs are announced by the leader's role alone, in one arrival.
  if (owner.hands_over == HandOver::kTma) return 1;
  if (owner.hands_over == HandOver::kTensorCommit) return site.signalling_ctas();
  return arriving_threads(role) * site.signalling_ctas();
}

void add_expected_bytes(Barrier &barrier, const ChannelOwner &owner, const HandOverSite &site) {
  WARPWRIGHT_ASSERT(!site.channel.payloads.empty(), "channel " + site.channel.name + " has no payload");
  for (const Payload &payload : site.channel.payloads) {
    int64_t cta_bytes = 0;
    for (const Copy &copy : payload.copies)
      if (copy.role == owner.role) cta_bytes += copy.bytes();
    barrier.expects.push_back({payload.name, owner.role, cta_bytes * site.signalling_ctas()});
  }
}

}  // namespace

std::vector<Barrier> derive_barriers(const std::vector<Channel> &channels, const std::vector<Role> &roles,
                                     int64_t cta_group) {
  std::vector<Barrier> barriers;
  for (const Channel &channel : channels) {
    WARPWRIGHT_ASSERT(channel.chain.size() >= 2, "channel " + channel.name + " has fewer than two owners");
    for (size_t from = 0; from < channel.chain.size(); ++from) {
      HandOverSite site{channel, from, run_in_leader_only(channel.chain[from], roles), false, cta_group};
      site.to_leader = run_in_leader_only(site.waiters(), roles);
      Barrier barrier;
      for (const ChannelOwner &owner : site.owners()) {
        if (!needs_mbarrier(owner.hands_over)) continue;
        const int64_t count = arrival_count(owner, role_named(roles, owner.role), site);
        barrier.arrivers.push_back({owner.role, owner.hands_over, count});
        barrier.arrivals += count;
        if (owner.hands_over == HandOver::kTma) add_expected_bytes(barrier, owner, site);
      }
      if (barrier.arrivers.empty()) continue;
      barrier.name = barrier_name(site);
      barrier.channel = channel.name;
      barrier.count = channel.barrier_depth > 0 ? channel.barrier_depth : channel.depth;
      barrier.from = static_cast<int>(from);
      barrier.lives_in = site.lives_in();
      barriers.push_back(std::move(barrier));
    }
  }
  return barriers;
}

}  // namespace warpwright::plan
