// SPDX-License-Identifier: Apache-2.0
// Texts and JSON of timings.
#include "tools/cli/time_report.h"

#include "generator/support/json_text.h"
#include "generator/support/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::cli {
namespace {

double tbps(const Timing &timing, double us) { return us > 0 ? static_cast<double>(timing.bytes_moved) / us / 1e6 : 0; }

const char *name_of(bool is_dependent) { return is_dependent ? "dependent" : "whole"; }

std::string shape_text(const Shape &shape) {
  std::string text;
  for (const auto &[name, value] : shape) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

std::string reading_json(const GpuReading &reading) {
  std::string text;
  const auto add = [&](const char *key, const auto &value) {
    if (value) text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", key, *value);
  };
  add("sm_mhz", reading.sm_mhz);
  add("memory_mhz", reading.memory_mhz);
  add("watts", reading.watts);
  add("celsius", reading.celsius);
  add("clock_event_reasons", reading.clock_reasons);
  return "{" + text + "}";
}

std::string launches_json(const TimedOperator &timed, const TimedLaunches &launches, const ReadCeiling &ceiling) {
  const double rate = tbps(timed.timing, launches.median_us());
  std::string text = fmt::format(
      "{{\"launches\": \"{}\", \"median_us\": {:.4f}, \"min_us\": {:.4f}, \"quartile1_us\": {:.4f}, \"quartile3_us\": {:.4f}, "
      "\"max_us\": {:.4f}, \"tb_per_s\": {:.4f}, \"share_of_read_ceiling\": {:.4f},\n       \"samples_us\": [",
      name_of(launches.is_dependent), launches.median_us(), launches.quantile_us(0), launches.quantile_us(0.25), launches.quantile_us(0.75),
      launches.quantile_us(1), rate, ceiling.tbps > 0 ? rate / ceiling.tbps : 0);
  for (size_t i = 0; i < launches.samples_us.size(); ++i) text += fmt::format("{}{:.4f}", i ? ", " : "", launches.samples_us[i]);
  return text + "]}";
}

std::string operator_json(const TimedOperator &timed, const ReadCeiling &ceiling) {
  const Timing &t = timed.timing;
  std::string variables, kernels, launches;
  for (const auto &[name, value] : timed.shape) variables += fmt::format("{}{}: {}", variables.empty() ? "" : ", ", support::json_quote(name), value);
  for (const std::string &kernel : t.kernels) kernels += (kernels.empty() ? "" : ", ") + support::json_quote(kernel);
  for (const TimedLaunches &l : t.launches) launches += (launches.empty() ? "\n      " : ",\n      ") + launches_json(timed, l, ceiling);
  return fmt::format(
      "    {{\"operator\": {}, \"family\": {}, \"arch\": {}, \"variables\": {{{}}}, \"kernels\": [{}],\n"
      "     \"bytes_moved\": {}, \"set_bytes\": {}, \"sets\": {}, \"launches_per_graph\": {},\n"
      "     \"before\": {}, \"loaded\": {}, \"after\": {},\n     \"timings\": [{}]}}",
      support::json_quote(timed.name), support::json_quote(timed.family), support::json_quote(timed.arch), variables, kernels, t.bytes_moved,
      t.set_bytes, t.sets, t.launches_per_graph, reading_json(t.before), reading_json(t.loaded), reading_json(t.after), launches);
}

}  // namespace

std::string timed_text(const TimedOperator &timed, const ReadCeiling &ceiling) {
  const Timing &t = timed.timing;
  std::string text = fmt::format("{} {}: {}\n", timed.name, shape_text(timed.shape), support::join_words(t.kernels));
  text += fmt::format("  {} sets of {} B in turn, {} launches a graph, {} graphs; clocks under load: {}\n", t.sets,
                      support::format_thousands(static_cast<int64_t>(t.set_bytes)), t.launches_per_graph,
                      t.launches.empty() ? 0 : t.launches.front().samples_us.size(), t.loaded.words());
  double dependent_us = 0;
  for (const TimedLaunches &l : t.launches) {
    const double us = l.median_us(), rate = tbps(t, us);
    text += fmt::format("  {:<9}  {:>9.2f} µs  ({:.2f} … {:.2f}, quartiles {:.2f} and {:.2f})  {:.2f} TB/s", name_of(l.is_dependent), us,
                        l.quantile_us(0), l.quantile_us(1), l.quantile_us(0.25), l.quantile_us(0.75), rate);
    if (ceiling.tbps > 0) text += fmt::format(" = {:.0f} % of the read ceiling", 100 * rate / ceiling.tbps);
    if (l.is_dependent) dependent_us = us;
    else if (dependent_us > 0) text += fmt::format("; dependent is {:.2f} times as fast", us / dependent_us);
    text += "\n";
  }
  return text;
}

std::string conditions_text(const TimeReport &report) {
  std::string text = fmt::format("device {}: {}, L2 {} B\n", report.device, report.about.words(),
                                 report.about.l2_bytes ? support::format_thousands(static_cast<int64_t>(report.about.l2_bytes)) : "unknown");
  if (!report.no_readings.empty()) text += report.no_readings + "\n";
  if (report.ceiling.tbps > 0)
    text += fmt::format("read ceiling {:.2f} TB/s ({})\n", report.ceiling.tbps, report.ceiling.is_measured ? "measured: loads of 16 bytes" : "as given");
  return text;
}

std::string time_json(const TimeReport &report, const std::string &date) {
  std::string operators;
  for (const TimedOperator &timed : report.operators) operators += (operators.empty() ? "\n" : ",\n") + operator_json(timed, report.ceiling);
  return fmt::format(
      "{{\"date\": {}, \"device\": {}, \"name\": {}, \"compute_capability\": \"{}.{}\", \"sms\": {}, \"l2_bytes\": {}, \"driver_cuda\": {},\n"
      " \"read_ceiling_tbps\": {:.4f}, \"read_ceiling_is_measured\": {},\n \"results\": [{}\n ]\n}}\n",
      support::json_quote(date), report.device, support::json_quote(report.about.name), report.about.major, report.about.minor,
      report.about.num_sms, report.about.l2_bytes, report.about.cuda_version, report.ceiling.tbps,
      report.ceiling.is_measured ? "true" : "false", operators);
}

}  // namespace warpwright::cli
