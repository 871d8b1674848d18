// SPDX-License-Identifier: Apache-2.0
// Calls made from operand lists, and runs of nvcc and ptxas.
#include "tests/assemble/isa/probes.h"

#include "generator/compile/compile.h"
#include "generator/support/files.h"
#include "generator/support/process.h"

#include <regex>
#include <sstream>
#include <stdexcept>

namespace warpwright::tests {
namespace {

using isa::Direction;
using isa::Instruction;
using isa::Operand;
using isa::OperandKind;

std::string argument_of(const Operand &operand) {
  switch (operand.kind) {
    case OperandKind::kR32: return "x";
    case OperandKind::kPred: return "x";
    case OperandKind::kR64: return "y";
    case OperandKind::kH16: return "static_cast<u16>(x)";
    case OperandKind::kF32: return "__uint_as_float(x)";
    case OperandKind::kTensorMap: return "map";
    case OperandKind::kFragment: return "f";
    case OperandKind::kWords: return operand.name + "_words";
    case OperandKind::kCoordinates: return "static_cast<int>(x)";
    case OperandKind::kImm: return "1";
  }
  throw std::logic_error("operand kind");
}

bool is_array(const Operand &operand) { return operand.kind == OperandKind::kFragment || operand.kind == OperandKind::kWords; }

/// Wrappers of wgmma have one name for all widths.
std::string function_name(const Instruction &instruction) { return std::regex_replace(instruction.name, std::regex("_n[0-9]+$"), ""); }

bool is_result(const Instruction &instruction, const Operand &operand) {
  if (operand.direction != Direction::kOut || is_array(operand)) return false;
  // A wait loops on its predicate rather than returning it.
  return instruction.wrapper_text.find("WW_DEVICE void") == std::string::npos;
}

std::string call_with(const Instruction &instruction, int elems) {
  std::string arguments, immediates, before, after;
  bool returns = false;
  for (const Operand &operand : instruction.operands) {
    if (operand.kind == OperandKind::kFragment) {
      before = "    Fragment<" + std::to_string(elems) + "> f;\n#pragma unroll\n    for (int i = 0; i < " +
               std::to_string(elems) + "; ++i) f.v[i] = out[i];\n";
      after = "#pragma unroll\n    for (int i = 0; i < " + std::to_string(elems) + "; ++i) out[i] = f.v[i];\n";
    }
    if (operand.kind == OperandKind::kWords) {
      const std::string name = argument_of(operand), count = std::to_string(operand.elems);
      before += "    Words<" + count + "> " + name + ";\n#pragma unroll\n    for (int i = 0; i < " + count + "; ++i) " + name + ".v[i] = x + i;\n";
      after += "#pragma unroll\n    for (int i = 0; i < " + count + "; ++i) out[i] = __uint_as_float(" + name + ".v[i]);\n";
    }
    if (operand.kind == OperandKind::kImm) {
      immediates = "<" + argument_of(operand) + ">";
    } else if (is_result(instruction, operand)) {
      returns = true;
    } else if (operand.direction != Direction::kOut || is_array(operand)) {
      arguments += (arguments.empty() ? "" : ", ") + argument_of(operand);
    }
  }
  const std::string call = function_name(instruction) + immediates + "(" + arguments + ")";
  return "  {\n" + before + "    " + (returns ? "out[0] = static_cast<float>(" + call + ")" : call) + ";\n" + after +
         "  }\n";
}

}  // namespace

std::string instruction_probe(const Instruction &instruction) {
  std::vector<int> lengths = {0};
  for (const Operand &operand : instruction.operands)
    if (operand.kind == OperandKind::kFragment)
      lengths = operand.elems ? std::vector<int>{operand.elems} : std::vector<int>{32, 64};
  std::string text = "extern \"C\" __global__ void probe_" + instruction.name +
                     "(const __grid_constant__ TensorMap map, float *out, u32 x, u64 y) {\n";
  for (const int elems : lengths) text += call_with(instruction, elems);
  return text + "}\n";
}

std::string probe_file(const std::vector<const Instruction *> &instructions) {
  std::vector<std::string> names;
  for (const Instruction *instruction : instructions) names.push_back(instruction->name);
  std::string text = isa::collect_device_text(names) + "\n";
  for (const Instruction *instruction : instructions) text += instruction_probe(*instruction);
  return text;
}

std::vector<std::string> opcodes_of(const std::string &form) {
  std::vector<std::string> opcodes;
  std::stringstream statements(form);
  for (std::string statement; std::getline(statements, statement, ';');) {
    std::stringstream words(statement);
    std::string opcode;
    if (words >> opcode) opcodes.push_back(opcode);
  }
  return opcodes;
}

CudaWorkshop::CudaWorkshop() {
  support::Diagnostics diagnostics;
  const auto cuda = compile::find_cuda(diagnostics);
  if (!cuda) throw std::runtime_error(diagnostics.render());
  nvcc_ = cuda->nvcc;
  ptxas_ = cuda->ptxas;
}

CudaWorkshop::Output CudaWorkshop::run(const std::vector<std::string> &argv, const std::string &product) const {
  support::ProcessRequest request;
  request.argv = argv;
  request.folder = folder_.path();
  request.limit_seconds = 120;
  const support::ProcessResult result = support::run_process(request);
  if (!result.started || result.timed_out) throw std::runtime_error("cannot run " + argv[0] + ": " + result.why);
  Output output{result.ok(), result.out + result.err, ""};
  std::string why;
  if (output.ok && !product.empty()) output.product = support::read_file(folder_.file(product), why).value();
  return output;
}

CudaWorkshop::Output CudaWorkshop::make_ptx(const std::string &source, const std::string &arch) const {
  std::string why;
  if (!support::write_file(folder_.file("probe.cu"), source, why)) throw std::runtime_error(why);
  return run({nvcc_, "-std=c++17", "-Werror", "all-warnings", "-ptx", "-arch=compute_" + arch.substr(3), "-o",
              "probe.ptx", "probe.cu"},
             "probe.ptx");
}

CudaWorkshop::Output CudaWorkshop::assemble(const std::string &ptx, const std::string &arch) const {
  std::string why;
  if (!support::write_file(folder_.file("probe.ptx"), ptx, why)) throw std::runtime_error(why);
  return run({ptxas_, "-v", "-arch=" + arch, "-o", "probe.cubin", "probe.ptx"}, "");
}

std::set<std::string> unsupported_features(const std::string &log) {
  std::set<std::string> features;
  const std::regex message("(Instruction|Feature) '([^']+)' (not supported|requires)");
  for (std::sregex_iterator match(log.begin(), log.end(), message), end; match != end; ++match)
    features.insert((*match)[2]);
  return features;
}

}  // namespace warpwright::tests
