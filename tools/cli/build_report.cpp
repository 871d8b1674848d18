// SPDX-License-Identifier: Apache-2.0
// Build results as table and JSON.
#include "tools/cli/build_report.h"

#include "generator/plan/json_writer.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

void write_image(plan::JsonWriter &json, const Image &image) {
  json.begin_object();
  json.text("arch", image.first);
  json.boolean("compiled", image.second.has_value());
  if (image.second) {
    const compile::CompiledKernel &kernel = *image.second;
    json.text("tool", kernel.tool_version);
    json.integer("registers_per_thread", kernel.registers);
    json.integer("spill_store_bytes", kernel.spill_store_bytes);
    json.integer("spill_load_bytes", kernel.spill_load_bytes);
    json.integer("stack_bytes", kernel.stack_bytes);
    json.integer("static_smem_bytes", kernel.static_smem_bytes);
    json.integer("named_barriers", kernel.barriers);
    json.integer("cubin_bytes", static_cast<int64_t>(kernel.cubin.size()));
    json.begin_list("findings");
    for (const compile::Finding &finding : kernel.findings) {
      json.begin_object();
      json.text("slug", finding.slug);
      json.text("text", finding.text);
      json.boolean("fails", finding.fails);
      json.end_object();
    }
    json.end_list();
  }
  json.end_object();
}

void write_operator(plan::JsonWriter &json, const BuiltOperator &built) {
  json.begin_object();
  json.text("operator", built.plan.name);
  json.begin_list("kernels");
  for (size_t i = 0; i < built.plan.kernels.size(); ++i) {
    json.begin_object();
    json.text("name", built.plan.kernels[i].name);
    json.begin_list("images");
    for (const Image &image : built.images[i]) write_image(json, image);
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.texts("failures", built.failures);
  json.end_object();
}

std::string verdict(const BuiltOperator &built, const Image &image) {
  if (!image.second) return built.failures.empty() ? "not compiled" : built.failures.front();
  for (const compile::Finding &finding : image.second->findings) {
    if (finding.fails) return finding.slug;
  }
  // A failure that no image shows is the whole operator's.
  for (const std::string &slug : built.failures) {
    if (slug.rfind("compile.", 0) != 0) return slug;
  }
  return image.second->findings.empty() ? "ok" : "ok, " + image.second->findings.front().slug;
}

}  // namespace

std::string findings_json(const BuiltOperator &built) {
  plan::JsonWriter json;
  write_operator(json, built);
  return json.take();
}

std::string report_json(const std::vector<BuiltOperator> &all) {
  plan::JsonWriter json;
  json.begin_object();
  json.begin_list("operators");
  for (const BuiltOperator &built : all) write_operator(json, built);
  json.end_list();
  json.end_object();
  return json.take();
}

std::string report_text(const std::vector<BuiltOperator> &all) {
  using support::Align;
  support::TextTable table;
  table.add_column("operator");
  table.add_column("arch");
  table.add_column("registers", Align::kRight);
  table.add_column("spills", Align::kRight);
  table.add_column("cubin", Align::kRight);
  table.add_column("seconds", Align::kRight);
  table.add_column("findings");
  for (const BuiltOperator &built : all) {
    for (size_t i = 0; i < built.images.size(); ++i) {
      const std::string name =
          built.images.size() == 1 ? built.plan.name : built.plan.name + " " + built.plan.kernels[i].name;
      for (const Image &image : built.images[i]) {
        if (!image.second) {
          table.add_row({name, image.first, "", "", "", "", verdict(built, image)});
          continue;
        }
        const compile::CompiledKernel &kernel = *image.second;
        table.add_row({name, image.first, std::to_string(kernel.registers),
                       support::format_bytes(kernel.spill_store_bytes + kernel.spill_load_bytes),
                       support::format_bytes(static_cast<int64_t>(kernel.cubin.size())),
                       kernel.from_cache ? "cached" : fmt::format("{:.2f}", kernel.seconds), verdict(built, image)});
      }
    }
  }
  return table.render(0);
}

}  // namespace warpwright::cli
