// SPDX-License-Identifier: Apache-2.0
// From JSON records to plan records.
#include "generator/plan/read_plan.h"

#include "generator/plan/plan_reader.h"
#include "generator/plan/words.h"

namespace warpwright::plan {
namespace {

using spec::JsonNode;

Role read_role(PlanReader &in, const JsonNode &node) {
  Role role;
  role.name = in.text(node, "name");
  role.text = in.text(node, "text");
  role.first_warp = static_cast<int>(in.integer(node, "first_warp"));
  role.num_warps = static_cast<int>(in.integer(node, "num_warps"));
  role.registers = static_cast<int>(in.integer(node, "registers"));
  role.runs_in = in.word(node, "runs_in", cta_scope_from);
  role.issue = in.word(node, "issue", issue_from);
  in.place("role " + role.name, node);
  return role;
}

SmemPlan read_smem(PlanReader &in, const JsonNode &node) {
  SmemPlan smem;
  in.place("smem", node);
  smem.used_bytes = in.integer(node, "used_bytes");
  smem.limit_bytes = in.integer(node, "limit_bytes");
  const int64_t slack_bytes = in.integer(node, "slack_bytes", -kMostInteger);
  if (slack_bytes != smem.slack_bytes() && in.ok())
    in.fail(*node.find("slack_bytes"), "\"slack_bytes\" is " + std::to_string(slack_bytes) +
                                           "; limit_bytes less used_bytes is " + std::to_string(smem.slack_bytes()));
  smem.regions = in.list<SmemRegion>(node, "regions", [&](const JsonNode &item) {
    SmemRegion region;
    region.name = in.text(item, "name");
    region.text = in.text(item, "text");
    region.offset_bytes = in.integer(item, "offset_bytes");
    region.stage_bytes = in.integer(item, "stage_bytes");
    region.stages = in.integer(item, "stages");
    region.stride_bytes = in.integer(item, "stride_bytes");
    region.align_bytes = in.integer(item, "align_bytes");
    region.overlay_group = in.text(item, "overlay_group");
    region.channel = in.text(item, "channel");
    in.place("region " + region.name, item);
    return region;
  });
  return smem;
}

TmemPlan read_tmem(PlanReader &in, const JsonNode &node) {
  TmemPlan tmem;
  in.place("tmem", node);
  tmem.used_cols = in.integer(node, "used_cols");
  tmem.alloc_cols = in.integer(node, "alloc_cols");
  tmem.limit_cols = in.integer(node, "limit_cols");
  tmem.ranges = in.list<TmemRange>(node, "ranges", [&](const JsonNode &item) {
    TmemRange range;
    range.name = in.text(item, "name");
    range.text = in.text(item, "text");
    range.first_col = in.integer(item, "first_col");
    range.cols = in.integer(item, "num_cols");
    range.channel = in.text(item, "channel");
    range.parts = in.texts(item, "parts");
    in.place("range " + range.name, item);
    return range;
  });
  tmem.parts = in.list<TmemPart>(node, "parts", [&](const JsonNode &item) {
    return TmemPart{in.text(item, "name"), in.integer(item, "first_col"), in.integer(item, "num_cols")};
  });
  return tmem;
}

Payload read_payload(PlanReader &in, const JsonNode &node) {
  Payload payload;
  payload.name = in.text(node, "name");
  payload.turns_per_tile = in.integer(node, "turns_per_tile");
  payload.copies = in.list<Copy>(node, "copies", [&](const JsonNode &item) {
    Copy copy;
    copy.tensor_map = in.text(item, "tensor_map");
    copy.region = in.text(item, "region");
    copy.role = in.text(item, "role");
    copy.split = in.word(item, "split", split_from);
    copy.boxes = in.integer(item, "boxes");
    copy.box_bytes = in.integer(item, "box_bytes");
    return copy;
  });
  return payload;
}

/// Positions that hand a slot on: at least two, each with an owner.
void read_chain(PlanReader &in, const JsonNode &node, Channel &channel) {
  const JsonNode &chain = in.member(node, "chain", JsonNode::Kind::kList);
  for (const JsonNode &position : chain.items) {
    if (position.kind != JsonNode::Kind::kList || position.items.empty()) {
      in.fail(position, "a position of \"chain\" is a list of at least one owner");
      return;
    }
    std::vector<ChannelOwner> owners;
    for (const JsonNode &item : position.items)
      owners.push_back({in.text(item, "role"), in.word(item, "hands_over", hand_over_from)});
    channel.chain.push_back(std::move(owners));
  }
  if (channel.chain.size() < 2) in.fail(chain, "\"chain\" has fewer than two positions");
}

Swizzle read_swizzle(PlanReader &in, const JsonNode &node) {
  const int64_t bytes = in.integer(node, "swizzle_bytes");
  for (const Swizzle swizzle : {Swizzle::kNone, Swizzle::k32, Swizzle::k64, Swizzle::k128})
    if (bytes == static_cast<int64_t>(swizzle)) return swizzle;
  in.fail(*node.find("swizzle_bytes"), "\"swizzle_bytes\" is " + std::to_string(bytes) + "; it is 0, 32, 64 or 128");
  return Swizzle::kNone;
}

Channel read_channel(PlanReader &in, const JsonNode &node) {
  Channel channel;
  channel.name = in.text(node, "name");
  channel.text = in.text(node, "text");
  channel.depth = in.integer(node, "depth_slots");
  channel.barrier_depth = in.integer(node, "barrier_depth_slots");
  read_chain(in, node, channel);
  channel.regions = in.texts(node, "regions");
  channel.payloads = in.list<Payload>(node, "payloads", [&](const JsonNode &item) { return read_payload(in, item); });
  in.place("channel " + channel.name, node);
  return channel;
}

Barrier read_barrier(PlanReader &in, const JsonNode &node) {
  Barrier barrier;
  barrier.name = in.text(node, "name");
  barrier.channel = in.text(node, "channel");
  barrier.count = in.integer(node, "count");
  barrier.from = static_cast<int>(in.integer(node, "from"));
  barrier.lives_in = in.word(node, "lives_in", cta_scope_from);
  barrier.arrivals = in.integer(node, "arrivals");
  barrier.offset_bytes = in.integer(node, "offset_bytes");
  barrier.arrivers = in.list<Arrival>(node, "arrivers", [&](const JsonNode &item) {
    return Arrival{in.text(item, "role"), in.word(item, "how", hand_over_from), in.integer(item, "count")};
  });
  barrier.expects = in.list<ExpectedBytes>(node, "expects", [&](const JsonNode &item) {
    return ExpectedBytes{in.text(item, "payload"), in.text(item, "role"), in.integer(item, "expect_bytes")};
  });
  in.place("barrier " + barrier.name, node);
  return barrier;
}

void read_interface(PlanReader &in, const JsonNode &node, KernelPlan &kernel) {
  kernel.named_barriers = in.list<NamedBarrier>(node, "named_barriers", [&](const JsonNode &item) {
    return NamedBarrier{in.text(item, "name"), static_cast<int>(in.integer(item, "id")),
                        in.integer(item, "num_threads"), in.text(item, "text")};
  });
  kernel.bulk_groups = in.list<BulkGroup>(node, "bulk_groups", [&](const JsonNode &item) {
    return BulkGroup{in.text(item, "name"), in.text(item, "role"), in.integer(item, "in_flight_groups")};
  });
  kernel.tensor_maps = in.list<TensorMap>(node, "tensor_maps", [&](const JsonNode &item) {
    TensorMap map;
    map.name = in.text(item, "name");
    map.tensor = in.text(item, "tensor");
    map.element = in.text(item, "element");
    map.dims = in.texts(item, "dims");
    map.strides_bytes = in.texts(item, "strides_bytes");
    map.box = in.integers(item, "box_elems");
    map.swizzle = read_swizzle(in, item);
    map.is_store = in.boolean(item, "is_store");
    in.place("tensor map " + map.name, item);
    return map;
  });
  kernel.params = in.list<KernelParam>(node, "params", [&](const JsonNode &item) {
    KernelParam param;
    param.name = in.text(item, "name");
    param.kind = in.word(item, "kind", param_kind_from);
    param.c_type = in.text(item, "c_type");
    param.source = in.text(item, "source");
    param.text = in.text(item, "text");
    return param;
  });
}

void read_work(PlanReader &in, const JsonNode &node, KernelPlan &kernel) {
  kernel.mma = in.list<MmaSlots>(node, "mma", [&](const JsonNode &item) {
    return MmaSlots{in.text(item, "kind"),      in.text(item, "text"),   in.integer(item, "instructions"),
                    in.integer(item, "clocks"), in.text(item, "source"), in.integer(item, "operand_bytes")};
  });
  kernel.tile_work = in.list<TileWork>(node, "tile_work", [&](const JsonNode &item) {
    return TileWork{in.text(item, "role"),
                    in.text(item, "text"),
                    in.integer(item, "tmem_read_bytes"),
                    in.integer(item, "fp32_results"),
                    in.integer(item, "special_results"),
                    in.integer(item, "smem_bytes"),
                    in.integer(item, "steps"),
                    in.integer(item, "exposed_steps")};
  });
  kernel.output_tiles = in.text(node, "output_tiles");
  kernel.constants = in.list<Constant>(node, "constants", [&](const JsonNode &item) {
    return Constant{in.text(item, "name"), in.integer(item, "value", -kMostInteger), in.text(item, "unit"), in.text(item, "text")};
  });
  kernel.traits = in.text_map(node, "traits");
  kernel.spill_limit_bytes = in.integer(node, "spill_limit_bytes");
}

LaunchRecipe read_launch(PlanReader &in, const JsonNode &node) {
  LaunchRecipe launch;
  launch.grid_x = in.text(node, "grid_x");
  launch.grid_y = in.text(node, "grid_y");
  launch.grid_z = in.text(node, "grid_z");
  launch.cluster_x = in.integer(node, "cluster_x_ctas");
  launch.cluster_y = in.integer(node, "cluster_y_ctas");
  launch.cluster_z = in.integer(node, "cluster_z_ctas");
  launch.threads = in.integer(node, "num_threads");
  launch.dynamic_smem_bytes = in.integer(node, "dynamic_smem_bytes");
  launch.programmatic_dependent_launch = in.boolean(node, "programmatic_dependent_launch");
  launch.requires_true = in.texts(node, "requires_true");
  in.place("launch", node);
  return launch;
}

KernelPlan read_kernel(PlanReader &in, const JsonNode &node) {
  KernelPlan kernel;
  kernel.name = in.text(node, "name");
  kernel.arch = in.text(node, "arch");
  kernel.cta_group = in.integer(node, "cta_group_ctas");
  kernel.roles = in.list<Role>(node, "roles", [&](const JsonNode &item) { return read_role(in, item); });
  kernel.smem = read_smem(in, in.member(node, "smem", JsonNode::Kind::kObject));
  kernel.tmem = read_tmem(in, in.member(node, "tmem", JsonNode::Kind::kObject));
  kernel.channels = in.list<Channel>(node, "channels", [&](const JsonNode &item) { return read_channel(in, item); });
  kernel.barriers = in.list<Barrier>(node, "barriers", [&](const JsonNode &item) { return read_barrier(in, item); });
  read_interface(in, node, kernel);
  read_work(in, node, kernel);
  kernel.launch = read_launch(in, in.member(node, "launch", JsonNode::Kind::kObject));
  in.place("kernel " + kernel.name, node);
  return kernel;
}

void read_operator(PlanReader &in, const JsonNode &root, OperatorPlan &plan) {
  plan.name = in.text(root, "name");
  plan.variables = in.texts(root, "variables");
  plan.fixed_variables = in.integer_map(root, "fixed_variables");
  plan.tensors = in.list<Tensor>(root, "tensors", [&](const JsonNode &item) {
    Tensor tensor;
    tensor.name = in.text(item, "name");
    tensor.text = in.text(item, "text");
    tensor.is_output = in.boolean(item, "is_output");
    tensor.format = in.word(item, "format", number_format_from);
    tensor.dims = in.texts(item, "dims");
    tensor.layout = in.text(item, "layout");
    tensor.bytes = in.text(item, "bytes");
    tensor.align_bytes = in.integer(item, "align_bytes");
    return tensor;
  });
  plan.kernels = in.list<KernelPlan>(root, "kernels", [&](const JsonNode &item) { return read_kernel(in, item); });
  if (plan.kernels.empty()) in.fail(root, "\"kernels\" is empty");
  plan.dispatch = in.list<Dispatch>(root, "dispatch", [&](const JsonNode &item) {
    const std::vector<int64_t> kernels = in.integers(item, "kernels");
    return Dispatch{in.text(item, "condition"), std::vector<int>(kernels.begin(), kernels.end())};
  });
  plan.workspace_bytes = in.text(root, "workspace_bytes");
  plan.workspace_must_be_zero = in.boolean(root, "workspace_must_be_zero");
  plan.facts = in.text_map(root, "facts");
  if (in.ok()) in.place("facts", *root.find("facts"));
}

/// The spec inside a plan, its places those of the plan's file: what precedes it counts as blanks.
std::optional<spec::KernelSpec> read_spec(const spec::JsonDocument &document, const JsonNode &node,
                                          const std::vector<const spec::FamilySpec *> &families,
                                          support::Diagnostics &diagnostics) {
  const std::string text = document.text.substr(node.begin, node.end - node.begin);
  std::string placed;
  for (size_t i = 0; i < node.begin; ++i) {
    const auto byte = static_cast<unsigned char>(document.text[i]);
    // Places count code points: of each only the first byte, which is no 10xxxxxx, leaves a blank.
    if ((byte & 0xC0) != 0x80) placed += byte == '\n' ? '\n' : ' ';
  }
  support::Diagnostics found;
  auto spec = spec::load_spec_text(document.file, placed + text, {}, families, found);
  for (const support::Diagnostic &diagnostic : found.all()) diagnostics.add(diagnostic);
  if (spec) spec->source_text = text;
  return spec;
}

}  // namespace

const JsonNode *plan_root(const JsonNode &root) {
  if (root.kind != JsonNode::Kind::kObject) return nullptr;
  if (root.find("plan_edition") != nullptr) return &root;
  const JsonNode *inner = root.find("plan");
  return inner != nullptr && inner->kind == JsonNode::Kind::kObject && inner->find("plan_edition") != nullptr ? inner
                                                                                                              : nullptr;
}

bool looks_like_plan(const std::string &text) {
  if (text.find("\"plan_edition\"") == std::string::npos) return false;
  support::Diagnostics ignored;
  const auto document = spec::parse_json("plan", text, "plan", ignored);
  return document && plan_root(document->root) != nullptr;
}

std::optional<PlacedPlan> read_plan(const std::string &file, const std::string &text,
                                    const std::vector<const spec::FamilySpec *> &families,
                                    support::Diagnostics &diagnostics) {
  const auto document = spec::parse_json(file, text, "plan", diagnostics);
  if (!document) return std::nullopt;
  PlacedPlan result;
  PlanReader in(*document, diagnostics, result);
  const JsonNode *root = plan_root(document->root);
  if (root == nullptr || in.integer(*root, "plan_edition") != 1) {
    support::Diagnostic error;
    error.slug = "plan.bad-record";
    error.where = document->locate(document->root);
    error.message = "not a plan of edition 1";
    diagnostics.add(std::move(error));
    return std::nullopt;
  }
  const JsonNode &spec_node = in.member(*root, "spec", JsonNode::Kind::kObject);
  if (!in.ok()) return std::nullopt;
  auto spec = read_spec(*document, spec_node, families, diagnostics);
  if (!spec) return std::nullopt;
  result.plan.spec = *std::move(spec);
  read_operator(in, *root, result.plan);
  if (!in.ok()) return std::nullopt;
  result.document = *document;
  return result;
}

}  // namespace warpwright::plan
