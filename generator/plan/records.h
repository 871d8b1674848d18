// SPDX-License-Identifier: Apache-2.0
// The plan: every byte, column, arrival and register of an operator, as lists of records with one owner.
#pragma once

#include "generator/spec/kernel_spec.h"
#include "generator/spec/number_format.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::plan {

/// How an operand's tile is divided between the CTAs of a pair. An attribute of the operand, so that the region's
/// bytes, the copy's box and the expected bytes follow from one word.
enum class Split {
  kOwnRows,  ///< each CTA holds its own rows: A, its scales, the LoRA activations
  kHalfN,    ///< each CTA holds half of the tile's N rows: B, LoRA-up
  kAllN,     ///< each CTA holds all N rows: the scales of B
};

/// Shared-memory swizzle of a TMA box, in bytes of the swizzled row; 0 is none.
/// Source: PTX ISA 9.0, "Tensor Swizzling Modes".
enum class Swizzle : int { kNone = 0, k32 = 32, k64 = 64, k128 = 128 };

/// A region of one CTA's dynamic shared memory.
struct SmemRegion {
  std::string name;         ///< C identifier in lower case: "a_tile"
  std::string text;         ///< what lives here
  int64_t stage_bytes = 0;  ///< bytes of one stage, without padding
  int64_t stages = 1;
  int64_t align_bytes = 16;   ///< of every stage
  std::string overlay_group;  ///< regions that share a non-empty group share their bytes
  std::string channel;        ///< the channel that guards it, or empty
  int64_t stride_bytes = 0;   ///< derived: distance between stages
  int64_t offset_bytes = 0;   ///< derived: from the base of dynamic shared memory
  int64_t total_bytes() const { return stride_bytes * stages; }
};

/// The shared memory of one CTA.
struct SmemPlan {
  std::vector<SmemRegion> regions;  ///< in order of offset
  int64_t used_bytes = 0;
  int64_t limit_bytes = 0;
  int64_t slack_bytes() const { return limit_bytes - used_bytes; }
};

/// A range of tensor-memory columns (all 128 lanes). Ranges overlap only where `parts` say so.
struct TmemRange {
  std::string name;  ///< "acc0", "scales_a"
  std::string text;
  int64_t first_col = 0;
  int64_t cols = 0;
  std::string channel;             ///< the channel that guards it, or empty
  std::vector<std::string> parts;  ///< names of the TmemParts it consists of; empty: one of its own
};

/// A piece of an accumulator that is released on its own; an overlap is a part that two ranges share.
struct TmemPart {
  std::string name;  ///< "left", "shared", "right"
  int64_t first_col = 0;
  int64_t cols = 0;
};

struct TmemPlan {
  std::vector<TmemRange> ranges;
  std::vector<TmemPart> parts;
  int64_t used_cols = 0;   ///< one past the last column in use
  int64_t alloc_cols = 0;  ///< what tcgen05.alloc asks for: a power of two, at least 32
  int64_t limit_cols = 0;
};

/// Which CTAs of a pair run a role or see a signal. Without pairs everything is kSelf.
enum class CtaScope {
  kSelf,    ///< each CTA for itself
  kLeader,  ///< the even CTA, for the pair
  kBoth,    ///< one signal that reaches both CTAs
};

/// How many threads of a role act on a channel.
enum class Issue {
  kElected,  ///< one elected lane of one warp
  kWarps,    ///< one elected lane of each warp
  kThreads,  ///< every thread
};

/// A warp-specialised role.
struct Role {
  std::string name;  ///< "load_weights"
  std::string text;
  int first_warp = 0;
  int num_warps = 1;
  int registers = 0;                   ///< per thread after setmaxnreg; 0: no setmaxnreg, the launch bound's share
  CtaScope runs_in = CtaScope::kSelf;  ///< kSelf: in every CTA; kLeader: in the pair's leader only
  Issue issue = Issue::kElected;
};

/// How an owner hands a slot to the next owner of the chain.
enum class HandOver {
  kTma,           ///< bytes of bulk copies complete the phase (expect_tx)
  kTensorCommit,  ///< tcgen05.commit: all earlier MMAs and copies of the issuing thread have completed
  kArrive,        ///< an mbarrier arrive by the role's threads (see Role::issue)
  kBulkGroup,     ///< cp.async.bulk.wait_group of the issuing thread
  kNamedBarrier,  ///< barrier.sync among the role's threads
  kTensorOrder,   ///< none: same issuing thread, in-order tensor pipe
};

/// One owner of a channel's slots. Several owners at the same position of the chain join: the next owner waits for all.
struct ChannelOwner {
  std::string role;
  HandOver hands_over = HandOver::kArrive;
};

/// One bulk copy of a payload: a box of a tensor into a region.
struct Copy {
  std::string tensor_map;  ///< TensorMap::name, or of a 1-D bulk copy the KernelParam that points to its bytes
  std::string region;      ///< SmemRegion::name
  std::string role;        ///< the role that issues it
  Split split = Split::kOwnRows;
  int64_t boxes = 1;      ///< issued this many times, `box_bytes` apart in shared memory
  int64_t box_bytes = 0;  ///< bytes that one box writes, out-of-bounds rows included
  int64_t bytes() const { return boxes * box_bytes; }
};

/// What fills a slot in one turn: the main loop's operands, a LoRA chunk, …
struct Payload {
  std::string name;  ///< "main", "lora"
  std::vector<Copy> copies;
  int64_t turns_per_tile = 0;  ///< how often an output tile of the CTA group needs it
  /// Bytes per CTA that complete a turn.
  int64_t cta_bytes() const {
    int64_t sum = 0;
    for (const Copy &copy : copies) sum += copy.bytes();
    return sum;
  }
};

/// A hand-over of slots between roles: a ring (two owners) or a longer chain.
struct Channel {
  std::string name;  ///< "ab"
  std::string text;
  int64_t depth = 1;                             ///< slots
  std::vector<std::vector<ChannelOwner>> chain;  ///< ordered; each element lists the owners that join there
  std::vector<std::string> regions;              ///< shared-memory regions or tensor-memory ranges of a slot
  std::vector<Payload> payloads;                 ///< only where an owner hands over by kTma
  /// Slots share a part: pacing has this many barriers instead of `depth`; 0 means depth.
  int64_t barrier_depth = 0;
};

/// Who arrives on a barrier.
struct Arrival {
  std::string role;
  HandOver how = HandOver::kArrive;
  int64_t count = 0;  ///< arrivals per phase from all CTAs
};

/// Bytes that a barrier's phase expects for one payload, summed over the CTAs that signal it.
struct ExpectedBytes {
  std::string payload;
  std::string role;  ///< who announces them
  int64_t bytes = 0;
};

/// A set of mbarriers, one per slot: the hand-over from one position of a channel's chain to the next.
struct Barrier {
  std::string name;  ///< "ab_full"
  std::string channel;
  int64_t count = 1;  ///< barriers (slots)
  int from = 0;       ///< position in the chain that arrives; the next one (cyclic) waits
  CtaScope lives_in =
      CtaScope::kSelf;   ///< kLeader: only the leader's copy is used; kBoth: each CTA's, signalled by multicast
  int64_t arrivals = 0;  ///< mbarrier.init count
  std::vector<Arrival> arrivers;
  std::vector<ExpectedBytes> expects;
  int64_t offset_bytes = 0;  ///< derived: of the first one, in dynamic shared memory
};

/// A named barrier (bar.sync id, threads).
struct NamedBarrier {
  std::string name;
  int id = 0;
  int64_t threads = 0;
  std::string text;
};

/// A bulk-group discipline: staging buffers that outgoing copies of one thread read.
struct BulkGroup {
  std::string name;
  std::string role;
  int64_t in_flight = 0;  ///< groups that may still read when the next buffer is reused
};

/// A tensor map as the runtime encodes it: dims and strides are expressions over the launch variables.
struct TensorMap {
  std::string name;                        ///< kernel parameter: "map_a"
  std::string tensor;                      ///< OperatorPlan tensor: "a"
  std::string element;                     ///< "u8", "u16", "bf16", "fp16", "fp32": what the map is encoded with
  std::vector<std::string> dims;           ///< innermost first, in map elements
  std::vector<std::string> strides_bytes;  ///< of dims 1…, expressions
  std::vector<int64_t> box;                ///< innermost first, in map elements
  Swizzle swizzle = Swizzle::kNone;
  bool is_store = false;
  int64_t l2_promotion_bytes = 0;  ///< 0, 64, 128 or 256: what a miss brings into L2
};

/// One kernel parameter, in order of the signature.
struct KernelParam {
  enum class Kind { kTensorMap, kPointer, kInt32 };
  std::string name;  ///< identifier in the emitted source
  Kind kind = Kind::kPointer;
  std::string c_type;  ///< "const float *", "int"
  std::string source;  ///< tensor map name, tensor name, or expression over the launch variables
  std::string text;
};

/// How the runtime launches a kernel; expressions over the launch variables and `num_sms`
/// (grammar: runtime/format/expression.h).
struct LaunchRecipe {
  std::string grid_x = "1", grid_y = "1", grid_z = "1";
  int64_t cluster_x = 1, cluster_y = 1, cluster_z = 1;
  int64_t threads = 0;
  int64_t dynamic_smem_bytes = 0;
  bool programmatic_dependent_launch = false;
  std::vector<std::string> requires_true;  ///< expressions that must hold, e.g. "m >= 1"
};

/// MMA issue slots of one output tile of a CTA group, by kind.
struct MmaSlots {
  std::string kind;  ///< "mxf4nvf4.block16", "f16"
  std::string text;
  int64_t instructions = 0;
  int64_t clocks = 0;  ///< at the rate named by `source`
  std::string source;
  int64_t operand_bytes = 0;  ///< that one CTA's tensor core reads from shared memory for them
};

/// What a role does outside the tensor pipe for one output tile, in one CTA. For predictions.
struct TileWork {
  std::string role;
  std::string text;
  int64_t tmem_read_bytes = 0;
  int64_t fp32_results = 0;
  int64_t special_results = 0;  ///< exponentials, reciprocals, hyperbolic tangents
  int64_t smem_bytes = 0;       ///< written and read again
  int64_t steps = 0;            ///< sub-tiles, each with its waits
  int64_t exposed_steps = 0;    ///< steps that the next tile's tensor work waits for

  bool operator==(const TileWork &) const = default;
};

/// A number or word that the IR builder and the emitted file need by name, decided by the plan.
struct Constant {
  std::string name;  ///< "kTileM"
  int64_t value = 0;
  std::string unit;
  std::string text;
};

/// One kernel, planned to the byte.
struct KernelPlan {
  std::string name;  ///< <family>__<formats>__<traits>__<tile>__<arch>; also symbol and file stem
  std::string arch;
  int64_t cta_group = 1;  ///< CTAs that share an accumulator tile
  std::vector<Role> roles;
  SmemPlan smem;
  TmemPlan tmem;
  std::vector<Channel> channels;
  std::vector<Barrier> barriers;
  std::vector<NamedBarrier> named_barriers;
  std::vector<BulkGroup> bulk_groups;
  std::vector<TensorMap> tensor_maps;
  std::vector<KernelParam> params;
  std::vector<MmaSlots> mma;
  std::vector<TileWork> tile_work;
  std::string output_tiles = "1";  ///< expression: tiles of all CTA groups together
  std::vector<Constant> constants;
  std::map<std::string, std::string> traits;  ///< words for the IR builder: "activation" → "silu"
  LaunchRecipe launch;
  int64_t spill_limit_bytes = 0;  ///< ptxas policy of the family

  const SmemRegion &region(const std::string &region_name) const;
  const TmemRange &tmem_range(const std::string &range_name) const;
  const Channel &channel(const std::string &channel_name) const;
  const Barrier &barrier(const std::string &barrier_name) const;
  const Role &role(const std::string &role_name) const;
  const TensorMap &tensor_map(const std::string &map_name) const;
  /// Null for the source of 1-D bulk copies, which has no map.
  const TensorMap *find_tensor_map(const std::string &map_name) const;
  int64_t constant(const std::string &constant_name) const;
  const std::string &trait(const std::string &trait_name) const;
};

/// A tensor that the caller passes.
struct Tensor {
  std::string name;  ///< "a"
  std::string text;
  bool is_output = false;
  spec::NumberFormat format = spec::NumberFormat::kBf16;
  std::vector<std::string> dims;  ///< logical, outermost first, expressions over the launch variables
  std::string layout;             ///< "row_major", "scale_atoms_128x4", "vector"
  std::string bytes;              ///< expression: bytes that the kernel may read or write
  int64_t align_bytes = 16;
};

/// One row of the dispatch table: the first whose condition holds is launched.
struct Dispatch {
  std::string condition;     ///< expression, "m <= 64"; "1" always holds
  std::vector<int> kernels;  ///< indices into OperatorPlan::kernels, in launch order
};

/// What a spec becomes: kernels, tensors, workspace and order.
struct OperatorPlan {
  spec::KernelSpec spec;                           ///< resolved: no field is auto
  std::string name;                                ///< the stem of the spec file
  std::vector<std::string> variables;              ///< launch variables that the caller binds: "m"
  std::map<std::string, int64_t> fixed_variables;  ///< bound by the spec: n, k
  std::vector<Tensor> tensors;
  std::vector<KernelPlan> kernels;
  std::vector<Dispatch> dispatch;
  std::string workspace_bytes = "0";  ///< expression
  bool workspace_must_be_zero = false;
  std::map<std::string, std::string> facts;  ///< for `show`: formats, tile, depth, predicted bound
};

}  // namespace warpwright::plan
