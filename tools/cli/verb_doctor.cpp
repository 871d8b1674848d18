// SPDX-License-Identifier: Apache-2.0
// The verb `doctor`: which CUDA tools, driver and GPUs are found, and what that allows.
#include "generator/compile/compile.h"
#include "generator/support/json_text.h"
#include "generator/support/process.h"
#include "generator/support/text_table.h"
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"

#include "warpwright/warpwright.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

/// One line of the examination.
struct Finding {
  std::string what;
  bool is_found = false;
  std::string text;  ///< version and place, or why not
};

std::vector<Finding> examine_compilers(support::Diagnostics &missing) {
  std::vector<Finding> out;
  const size_t before_nvcc = missing.all().size();
  if (const auto cuda = compile::find_cuda(missing)) {
    out.push_back({"nvcc", true, cuda->version + "  " + cuda->nvcc});
    out.push_back({"ptxas", !cuda->ptxas.empty(), cuda->ptxas.empty() ? "not beside nvcc" : cuda->ptxas});
  } else {
    out.push_back({"nvcc", false, missing.all().at(before_nvcc).message});
  }
  const size_t before_nvrtc = missing.all().size();
  if (const auto nvrtc = compile::find_nvrtc(missing)) {
    out.push_back({"NVRTC", true, nvrtc->version + "  " + nvrtc->path});
  } else {
    out.push_back({"NVRTC", false, missing.all().at(before_nvrtc).message});
  }
  const auto gcc = support::find_program("gcc");
  out.push_back({"host compiler", gcc.has_value(), gcc ? *gcc : "no gcc in PATH: nvcc needs one, NVRTC does not"});
  return out;
}

std::vector<Finding> examine_driver() {
  ww_driver_t *driver = nullptr;
  ww_message_t message{};
  if (wwDriverOpen(nullptr, &driver, &message) != WW_STATUS_OK) return {{"driver", false, message.text}};
  std::vector<Finding> out = {{"driver", true, "libcuda"}};
  for (int32_t device = 0;; ++device) {
    ww_device_info_t info{};
    info.struct_bytes = sizeof info;
    if (wwDriverDescribeDevice(driver, device, &info, &message) != WW_STATUS_OK) break;
    out.push_back({fmt::format("GPU {}", device), true,
                   fmt::format("compute capability {}.{}, {} SMs", info.major, info.minor, info.num_sms)});
  }
  wwDriverClose(driver);
  return out;
}

std::string render(const std::vector<Finding> &findings, Format format) {
  if (format == Format::kJson) {
    std::string out = "[";
    for (const Finding &finding : findings) {
      out += fmt::format("{}\n  {{\"what\": {}, \"is_found\": {}, \"text\": {}}}", &finding == &findings.front() ? "" : ",",
                         support::json_quote(finding.what), finding.is_found, support::json_quote(finding.text));
    }
    return out + "\n]\n";
  }
  support::TextTable table;
  for (int i = 0; i < 3; ++i) table.add_column("");
  for (const Finding &finding : findings) table.add_row({finding.what, finding.is_found ? "yes" : "no", finding.text});
  return table.render(0);
}

}  // namespace

int run_doctor(const DoctorOptions &options) {
  support::Diagnostics missing;
  std::vector<Finding> findings = examine_compilers(missing);
  const bool can_compile = missing.error_count() < 2;  // nvcc or NVRTC
  for (Finding &finding : examine_driver()) findings.push_back(std::move(finding));
  support::Diagnostics diagnostics;
  write_result("", render(findings, format_of(options.json)), diagnostics);
  if (!can_compile) diagnostics.append(missing);
  return finish(diagnostics, format_of(options.json));
}

}  // namespace warpwright::cli
