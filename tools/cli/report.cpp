// SPDX-License-Identifier: Apache-2.0
// Findings, results and exit codes of the command line.
#include "tools/cli/report.h"

#include "generator/support/files.h"
#include "tools/cli/specs.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace warpwright::cli {
namespace {

using support::Exit;

bool wants_colour() {
  const char *no_color = std::getenv("NO_COLOR");
  const char *term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') && ::isatty(STDERR_FILENO) != 0 && term != nullptr &&
         std::string_view(term) != "dumb";
}

Exit exit_of_slug(const std::string &slug) {
  const std::string stage = slug.substr(0, slug.find('.'));
  if (slug == "cli.usage" || slug == "lower.unknown-pass") return Exit::kUsage;
  if (slug == "run.failed") return Exit::kCheckFailed;
  if (slug == "cli.unwritable" || slug == "archive.unwritable") return Exit::kEnvironment;
  if (slug == "compile.rejected" || slug == "archive.invalid-recipe") return Exit::kOurBug;
  if (stage == "environment") return Exit::kEnvironment;
  if (stage == "prove" || stage == "diff" || stage == "compile") return Exit::kCheckFailed;
  if (stage == "ir" || stage == "lower" || stage == "emit") return Exit::kOurBug;
  return Exit::kBadInput;
}

int report_bug(const std::string &what) {
  fmt::print(stderr, "error[internal]: this is a bug in warpwright: {}\n", what);
  const std::string digest = current_spec_digest();
  if (!digest.empty()) fmt::print(stderr, "  spec sha256:{}\n", digest);
  fmt::print(stderr, "  hint: report it with the spec and the output of `warpwright --version`\n");
  return static_cast<int>(Exit::kOurBug);
}

}  // namespace

void print_findings(const support::Diagnostics &diagnostics, Format format) {
  if (diagnostics.all().empty()) return;
  std::fflush(stdout);  // keep the order where both go to one place
  const std::string text =
      format == Format::kJson
          ? diagnostics.render_json()
          : diagnostics.render(wants_colour() ? support::Colour::kAlways : support::Colour::kNever);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Exit exit_of(const support::Diagnostics &diagnostics) {
  for (const support::Diagnostic &d : diagnostics.all()) {
    if (d.severity == support::Severity::kError) return exit_of_slug(d.slug);
  }
  return Exit::kOk;
}

int finish(const support::Diagnostics &diagnostics, Format format) {
  print_findings(diagnostics, format);
  return static_cast<int>(exit_of(diagnostics));
}

support::Diagnostic error(const std::string &slug, const std::string &message, std::vector<std::string> hints) {
  support::Diagnostic d;
  d.slug = slug;
  d.message = message;
  d.hints = std::move(hints);
  return d;
}

bool spares_inputs(const std::string &output, const std::vector<std::string> &inputs,
                   support::Diagnostics &diagnostics) {
  for (const std::string &input : inputs) {
    std::error_code ignored;
    if (!support::is_file(output) || !std::filesystem::equivalent(output, input, ignored)) continue;
    support::Diagnostic d = error("cli.file-exists", "the output would replace what it is made from",
                                  {"give the output another name"});
    d.where.file = output;
    diagnostics.add(std::move(d));
    return false;
  }
  return true;
}

bool write_result(const std::string &file, const std::string &text, support::Diagnostics &diagnostics) {
  if (file.empty() || file == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return true;
  }
  std::string why;
  if (support::write_file(file, text, why)) return true;
  support::Diagnostic d = error("cli.unwritable", fmt::format("cannot write the file: {}", why));
  d.where.file = file;
  diagnostics.add(std::move(d));
  return false;
}

int guarded(const std::function<int()> &body) {
  try {
    return body();
  } catch (const std::exception &bug) {
    return report_bug(bug.what());
  } catch (...) {
    return report_bug("an exception of unknown type");
  }
}

}  // namespace warpwright::cli
