// SPDX-License-Identifier: Apache-2.0
// The emitted file: banner, constants with their meaning, device functions, the kernel.
#include "generator/emit/emit_cuda.h"

#include "generator/emit/body_printer.h"
#include "generator/emit/kernel_templates.h"
#include "generator/isa/isa.h"
#include "generator/support/text_table.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

namespace warpwright::emit {
namespace {

/// A constant and the comment that stands beside it.
struct ConstantLine {
  std::string name;
  std::string definition;
  std::string comment;
};

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool mentions(const std::string &text, const std::string &word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word_char(text[at - 1]);
    const size_t end = at + word.size();
    if (starts && (end == text.size() || !is_word_char(text[end]))) return true;
  }
  return false;
}

constexpr size_t kLineChars = 120;

/// The definition with its comment beside it, or above it where both do not fit one line.
std::string commented(const ConstantLine &line) {
  std::string row = fmt::format("{:<48}  // {}\n", line.definition, line.comment);
  if (row.size() <= kLineChars + 1) return row;
  std::string text;
  size_t start = 0;
  while (start < line.comment.size()) {
    size_t end = line.comment.find("; ", start);
    end = end == std::string::npos ? line.comment.size() : end + 1;
    text += "// " + line.comment.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return text + line.definition + "\n";
}

/// Prints the constants that `body` mentions, and nothing under a heading where it mentions none.
void print_section(std::string &out, const std::string &heading, const std::vector<ConstantLine> &lines, const std::string &body) {
  std::string text;
  for (const ConstantLine &line : lines) {
    if (!mentions(body, line.name)) continue;
    text += commented(line);
  }
  if (!text.empty()) out += "\n// ---- " + heading + "\n" + text;
}

std::string u32_constant(const std::string &name, int64_t value) { return fmt::format("constexpr u32 {} = {};", name, value); }

std::vector<ConstantLine> problem_lines(const plan::KernelPlan &kernel) {
  std::vector<ConstantLine> lines;
  for (const plan::Constant &constant : kernel.constants) {
    // Tensor-memory and descriptor constants are unsigned words.
    const bool is_word = constant.unit == "bits" || constant.name == "kTmemCols" || constant.name == "kAccStrideCols";
    const std::string value = constant.unit == "bits" ? fmt::format("0x{:08x}", constant.value) : std::to_string(constant.value);
    lines.push_back({constant.name, fmt::format("constexpr {} {} = {};", is_word ? "u32" : "int", constant.name, value),
                     constant.text + (constant.unit == "bits" ? "" : " (" + constant.unit + ")")});
  }
  return lines;
}

std::vector<ConstantLine> region_lines(const plan::KernelPlan &kernel) {
  std::vector<ConstantLine> lines;
  for (const plan::SmemRegion &region : kernel.smem.regions) {
    const std::string name = constant_name(region.name);
    lines.push_back({name, u32_constant(name, region.offset_bytes),
                     fmt::format("{}: {} B x {}, aligned {}", region.text, region.stage_bytes, region.stages, region.align_bytes)});
    if (region.stages > 1) lines.push_back({name + "Stride", u32_constant(name + "Stride", region.stride_bytes), "from stage to stage"});
  }
  return lines;
}

std::string arrivers_text(const plan::Barrier &barrier) {
  std::string text;
  for (const plan::Arrival &arrival : barrier.arrivers) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", arrival.role, arrival.count);
  for (const plan::ExpectedBytes &expect : barrier.expects) text += fmt::format("; {} expects {} B for {}", expect.role, support::format_thousands(expect.bytes), expect.payload);
  return text;
}

std::vector<ConstantLine> barrier_lines(const plan::KernelPlan &kernel) {
  std::vector<ConstantLine> lines;
  for (const plan::Barrier &barrier : kernel.barriers) {
    const std::string name = constant_name(barrier.name);
    const char *place = barrier.lives_in == plan::CtaScope::kLeader ? " in the leader" : barrier.lives_in == plan::CtaScope::kBoth ? " in each CTA" : "";
    lines.push_back({name, u32_constant(name, barrier.offset_bytes), fmt::format("{} barrier(s){}, {} arrival(s): {}", barrier.count, place, barrier.arrivals, arrivers_text(barrier))});
  }
  for (const plan::Channel &channel : kernel.channels) {
    const std::string name = depth_constant(channel.name);
    lines.push_back({name, u32_constant(name, channel.barrier_depth ? channel.barrier_depth : channel.depth), channel.text});
  }
  for (const plan::NamedBarrier &barrier : kernel.named_barriers) {
    const std::string name = constant_name(barrier.name);
    lines.push_back({name, u32_constant(name, barrier.id), barrier.text});
    lines.push_back({name + "Threads", u32_constant(name + "Threads", barrier.threads), "threads that meet there"});
  }
  return lines;
}

std::vector<ConstantLine> tmem_lines(const plan::KernelPlan &kernel) {
  std::vector<ConstantLine> lines;
  for (const plan::TmemRange &range : kernel.tmem.ranges) {
    const std::string name = constant_name(range.name);
    lines.push_back({name, u32_constant(name, range.first_col), fmt::format("{}: columns {} to {}", range.text, range.first_col, range.first_col + range.cols - 1)});
  }
  return lines;
}

std::vector<ConstantLine> role_lines(const plan::KernelPlan &kernel) {
  std::vector<ConstantLine> lines;
  for (const plan::Role &role : kernel.roles) {
    const std::string name = constant_name(role.name) + "Warp";
    lines.push_back({name, u32_constant(name, role.first_warp), role.text});
    lines.push_back({name + "s", u32_constant(name + "s", role.num_warps), "its warps"});
  }
  return lines;
}

std::string banner(const plan::KernelPlan &kernel, const EmitOptions &options) {
  std::string text = "// " + kernel.name + "\n//\n";
  for (const std::string &line : options.formula) text += "// " + line + "\n";
  const std::string arch = kernel.arch.substr(3);
  text += "//\n// Regenerate:  warpwright emit " + options.spec_file + "\n";
  text += fmt::format("// Compile:     nvcc -gencode arch=compute_{},code=sm_{} -cubin FILE.cu\n", arch, arch);
  return text;
}

std::string signature(const plan::KernelPlan &kernel) {
  std::string text = "extern \"C\" __global__ void";
  if (kernel.launch.cluster_x * kernel.launch.cluster_y > 1)
    text += fmt::format(" __cluster_dims__({}, {}, {})", kernel.launch.cluster_x, kernel.launch.cluster_y, kernel.launch.cluster_z);
  text += fmt::format(" __launch_bounds__({}, 1)\n{}(\n", kernel.launch.threads, kernel.name);
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const plan::KernelParam &param = kernel.params[i];
    const char *end = i + 1 < kernel.params.size() ? "," : ") {";
    const std::string type = param.kind == plan::KernelParam::Kind::kTensorMap ? "const __grid_constant__ TensorMap" : param.c_type;
    const bool is_pointer = !type.empty() && type.back() == '*';
    text += fmt::format("    {}{}{}{}  // {}\n", type, is_pointer ? "" : " ", param.name, end, param.text);
  }
  return text;
}

}  // namespace

std::string emit_cuda(ir::ptx::PtxKernelOp kernel_op, const plan::KernelPlan &kernel, const EmitOptions &options) {
  std::string body;
  llvm::raw_string_ostream stream(body);
  mlir::raw_indented_ostream out(stream);
  BodyPrinter printer(out, kernel, options);
  out.indent();
  printer.print_kernel(kernel_op);
  out.unindent();
  stream.flush();

  std::string text = banner(kernel, options);
  const std::vector<std::string> called(printer.called().begin(), printer.called().end());
  text += "\n" + isa::collect_device_text(called);
  if (options.debug_waits) text += "\n" + std::string(kDebugWaitText);
  print_section(text, "Problem and tile", problem_lines(kernel), body);
  print_section(text, "Warps", role_lines(kernel), body);
  print_section(text, "Shared memory of one CTA: bytes from its 1024-aligned base", region_lines(kernel), body);
  print_section(text, "Barriers", barrier_lines(kernel), body);
  print_section(text, "Tensor memory: columns", tmem_lines(kernel), body);
  text += "\n" + signature(kernel) + body + "}\n";
  return text;
}

}  // namespace warpwright::emit
