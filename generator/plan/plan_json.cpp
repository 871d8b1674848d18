// SPDX-License-Identifier: Apache-2.0
// An operator plan as JSON, record by record.
#include "generator/plan/json_writer.h"
#include "generator/plan/report.h"
#include "generator/plan/words.h"

namespace warpwright::plan {
namespace {

template <typename Record, typename Body>
void write_list(JsonWriter &out, const char *key, const std::vector<Record> &records, Body body) {
  out.begin_list(key);
  for (const Record &record : records) {
    out.begin_object();
    body(record);
    out.end_object();
  }
  out.end_list();
}

void write_roles(JsonWriter &out, const KernelPlan &kernel) {
  write_list(out, "roles", kernel.roles, [&](const Role &role) {
    out.text("name", role.name);
    out.text("text", role.text);
    out.integer("first_warp", role.first_warp);
    out.integer("num_warps", role.num_warps);
    out.integer("registers", role.registers);
    out.text("runs_in", word_of(role.runs_in));
    out.text("issue", word_of(role.issue));
  });
}

void write_smem(JsonWriter &out, const SmemPlan &smem) {
  out.begin_object("smem");
  out.integer("used_bytes", smem.used_bytes);
  out.integer("limit_bytes", smem.limit_bytes);
  out.integer("slack_bytes", smem.slack_bytes());
  write_list(out, "regions", smem.regions, [&](const SmemRegion &region) {
    out.text("name", region.name);
    out.text("text", region.text);
    out.integer("offset_bytes", region.offset_bytes);
    out.integer("stage_bytes", region.stage_bytes);
    out.integer("stages", region.stages);
    out.integer("stride_bytes", region.stride_bytes);
    out.integer("align_bytes", region.align_bytes);
    out.text("overlay_group", region.overlay_group);
    out.text("channel", region.channel);
  });
  out.end_object();
}

void write_tmem(JsonWriter &out, const TmemPlan &tmem) {
  out.begin_object("tmem");
  out.integer("used_cols", tmem.used_cols);
  out.integer("alloc_cols", tmem.alloc_cols);
  out.integer("limit_cols", tmem.limit_cols);
  write_list(out, "ranges", tmem.ranges, [&](const TmemRange &range) {
    out.text("name", range.name);
    out.text("text", range.text);
    out.integer("first_col", range.first_col);
    out.integer("num_cols", range.cols);
    out.text("channel", range.channel);
    out.texts("parts", range.parts);
  });
  write_list(out, "parts", tmem.parts, [&](const TmemPart &part) {
    out.text("name", part.name);
    out.integer("first_col", part.first_col);
    out.integer("num_cols", part.cols);
  });
  out.end_object();
}

void write_channels(JsonWriter &out, const KernelPlan &kernel) {
  write_list(out, "channels", kernel.channels, [&](const Channel &channel) {
    out.text("name", channel.name);
    out.text("text", channel.text);
    out.integer("depth_slots", channel.depth);
    out.integer("barrier_depth_slots", channel.barrier_depth);
    out.begin_list("chain");
    for (const std::vector<ChannelOwner> &owners : channel.chain) {
      out.begin_list();
      for (const ChannelOwner &owner : owners) {
        out.begin_object();
        out.text("role", owner.role);
        out.text("hands_over", word_of(owner.hands_over));
        out.end_object();
      }
      out.end_list();
    }
    out.end_list();
    out.texts("regions", channel.regions);
    write_list(out, "payloads", channel.payloads, [&](const Payload &payload) {
      out.text("name", payload.name);
      out.integer("turns_per_tile", payload.turns_per_tile);
      out.integer("cta_bytes", payload.cta_bytes());
      write_list(out, "copies", payload.copies, [&](const Copy &copy) {
        out.text("tensor_map", copy.tensor_map);
        out.text("region", copy.region);
        out.text("role", copy.role);
        out.text("split", word_of(copy.split));
        out.integer("boxes", copy.boxes);
        out.integer("box_bytes", copy.box_bytes);
      });
    });
  });
}

void write_barriers(JsonWriter &out, const KernelPlan &kernel) {
  write_list(out, "barriers", kernel.barriers, [&](const Barrier &barrier) {
    out.text("name", barrier.name);
    out.text("channel", barrier.channel);
    out.integer("count", barrier.count);
    out.integer("from", barrier.from);
    out.text("lives_in", word_of(barrier.lives_in));
    out.integer("arrivals", barrier.arrivals);
    out.integer("offset_bytes", barrier.offset_bytes);
    write_list(out, "arrivers", barrier.arrivers, [&](const Arrival &arrival) {
      out.text("role", arrival.role);
      out.text("how", word_of(arrival.how));
      out.integer("count", arrival.count);
    });
    write_list(out, "expects", barrier.expects, [&](const ExpectedBytes &expect) {
      out.text("payload", expect.payload);
      out.text("role", expect.role);
      out.integer("expect_bytes", expect.bytes);
    });
  });
  write_list(out, "named_barriers", kernel.named_barriers, [&](const NamedBarrier &barrier) {
    out.text("name", barrier.name);
    out.integer("id", barrier.id);
    out.integer("num_threads", barrier.threads);
    out.text("text", barrier.text);
  });
  write_list(out, "bulk_groups", kernel.bulk_groups, [&](const BulkGroup &group) {
    out.text("name", group.name);
    out.text("role", group.role);
    out.integer("in_flight_groups", group.in_flight);
  });
}

void write_interface(JsonWriter &out, const KernelPlan &kernel) {
  write_list(out, "tensor_maps", kernel.tensor_maps, [&](const TensorMap &map) {
    out.text("name", map.name);
    out.text("tensor", map.tensor);
    out.text("element", map.element);
    out.texts("dims", map.dims);
    out.texts("strides_bytes", map.strides_bytes);
    out.integers("box_elems", map.box);
    out.integer("swizzle_bytes", static_cast<int64_t>(map.swizzle));
    out.boolean("is_store", map.is_store);
  });
  write_list(out, "params", kernel.params, [&](const KernelParam &param) {
    out.text("name", param.name);
    out.text("kind", word_of(param.kind));
    out.text("c_type", param.c_type);
    out.text("source", param.source);
    out.text("text", param.text);
  });
}

void write_work(JsonWriter &out, const KernelPlan &kernel) {
  write_list(out, "mma", kernel.mma, [&](const MmaSlots &slots) {
    out.text("kind", slots.kind);
    out.text("text", slots.text);
    out.integer("instructions", slots.instructions);
    out.integer("clocks", slots.clocks);
    out.integer("operand_bytes", slots.operand_bytes);
    out.text("source", slots.source);
  });
  write_list(out, "tile_work", kernel.tile_work, [&](const TileWork &work) {
    out.text("role", work.role);
    out.text("text", work.text);
    out.integer("tmem_read_bytes", work.tmem_read_bytes);
    out.integer("fp32_results", work.fp32_results);
    out.integer("special_results", work.special_results);
    out.integer("smem_bytes", work.smem_bytes);
    out.integer("steps", work.steps);
    out.integer("exposed_steps", work.exposed_steps);
  });
  out.text("output_tiles", kernel.output_tiles);
}

void write_launch(JsonWriter &out, const LaunchRecipe &launch) {
  out.begin_object("launch");
  out.text("grid_x", launch.grid_x);
  out.text("grid_y", launch.grid_y);
  out.text("grid_z", launch.grid_z);
  out.integer("cluster_x_ctas", launch.cluster_x);
  out.integer("cluster_y_ctas", launch.cluster_y);
  out.integer("cluster_z_ctas", launch.cluster_z);
  out.integer("num_threads", launch.threads);
  out.integer("dynamic_smem_bytes", launch.dynamic_smem_bytes);
  out.boolean("programmatic_dependent_launch", launch.programmatic_dependent_launch);
  out.texts("requires_true", launch.requires_true);
  out.end_object();
}

void write_kernel(JsonWriter &out, const KernelPlan &kernel) {
  out.text("name", kernel.name);
  out.text("arch", kernel.arch);
  out.integer("cta_group_ctas", kernel.cta_group);
  write_roles(out, kernel);
  write_smem(out, kernel.smem);
  write_tmem(out, kernel.tmem);
  write_channels(out, kernel);
  write_barriers(out, kernel);
  write_interface(out, kernel);
  write_work(out, kernel);
  write_list(out, "constants", kernel.constants, [&](const Constant &constant) {
    out.text("name", constant.name);
    out.integer("value", constant.value);
    out.text("unit", constant.unit);
    out.text("text", constant.text);
  });
  out.text_map("traits", kernel.traits);
  write_launch(out, kernel.launch);
  out.integer("spill_limit_bytes", kernel.spill_limit_bytes);
}

}  // namespace

std::string plan_json(const OperatorPlan &plan) {
  JsonWriter out;
  out.begin_object();
  out.integer("plan_edition", 1);
  out.text("name", plan.name);
  out.raw("spec", plan.spec.canonical_json());
  out.texts("variables", plan.variables);
  out.integer_map("fixed_variables", plan.fixed_variables);
  write_list(out, "tensors", plan.tensors, [&](const Tensor &tensor) {
    out.text("name", tensor.name);
    out.text("text", tensor.text);
    out.boolean("is_output", tensor.is_output);
    out.text("format", spec::name_of(tensor.format));
    out.texts("dims", tensor.dims);
    out.text("layout", tensor.layout);
    out.text("bytes", tensor.bytes);
    out.integer("align_bytes", tensor.align_bytes);
  });
  write_list(out, "kernels", plan.kernels, [&](const KernelPlan &kernel) { write_kernel(out, kernel); });
  write_list(out, "dispatch", plan.dispatch, [&](const Dispatch &row) {
    out.text("condition", row.condition);
    out.integers("kernels", std::vector<int64_t>(row.kernels.begin(), row.kernels.end()));
  });
  out.text("workspace_bytes", plan.workspace_bytes);
  out.boolean("workspace_must_be_zero", plan.workspace_must_be_zero);
  out.text_map("facts", plan.facts);
  out.end_object();
  return out.take();
}

std::string marginal_json(const Marginal &marginal) {
  JsonWriter out;
  out.begin_object();
  out.integer("depth_stages", marginal.depth);
  out.boolean("at_spec_limit", marginal.at_spec_limit);
  out.integer("needed_bytes", marginal.needed_bytes);
  out.integer("free_bytes", marginal.free_bytes);
  out.integer("missing_bytes", marginal.missing_bytes());
  out.begin_list("blockers");
  for (const auto &[region, bytes] : marginal.blockers_bytes) {
    out.begin_object();
    out.text("region", region);
    out.integer("region_bytes", bytes);
    out.end_object();
  }
  out.end_list();
  write_list(out, "changes", marginal.changes, [&](const TriedChange &tried) {
    out.text("flags", tried.change.flags());
    out.text("effect", tried.change.effect);
    out.integer("depth_stages", tried.depth);
    out.integer("slack_bytes", tried.slack_bytes);
    out.number("predicted_us", tried.us);
  });
  out.end_object();
  return out.take();
}

}  // namespace warpwright::plan
