// SPDX-License-Identifier: Apache-2.0
// The verb `explain`: the long text behind a message.
#include "generator/support/json_text.h"
#include "generator/support/similar.h"
#include "tools/cli/explain.h"
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpwright::cli {
namespace {

/// Words broken at 100 characters, each line indented.
std::string paragraph(const std::string &heading, const std::string &text) {
  if (text.empty()) return "";
  constexpr size_t kLineChars = 96;
  std::string out = heading + "\n";
  std::string line;
  const auto flush = [&] {
    if (!line.empty()) out += "  " + line + "\n";
    line.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = text.substr(at, end - at);
    if (support::utf8_chars(line) + support::utf8_chars(word) + 1 > kLineChars) flush();
    line += (line.empty() ? "" : " ") + word;
    if (end < text.size() && text[end] == '\n') flush();
    at = end + 1;
  }
  flush();
  return out;
}

}  // namespace

int run_explain(const ExplainOptions &options) {
  support::Diagnostics diagnostics;
  // People paste what they see: error[SLUG].
  std::string slug = options.slug;
  const size_t open = slug.find('[');
  if (open != std::string::npos) slug = slug.substr(open + 1, slug.find(']') - open - 1);
  std::vector<std::string> slugs;
  for (const Explanation &entry : explanations()) {
    slugs.push_back(entry.slug);
    if (entry.slug != slug) continue;
    if (options.json) {
      using support::json_quote;
      fmt::print("{{\"slug\": {}, \"what\": {}, \"why\": {}, \"example\": {}, \"fix\": {}, \"source\": {}}}\n",
                 json_quote(entry.slug), json_quote(entry.what), json_quote(entry.why), json_quote(entry.example),
                 json_quote(entry.fix), json_quote(entry.source));
    } else {
      fmt::print("{}: {}\n\n{}{}{}{}", entry.slug, entry.what, paragraph("Why", entry.why),
                 paragraph("Example", entry.example), paragraph("How to fix it", entry.fix),
                 paragraph("Source", entry.source));
    }
    return static_cast<int>(support::Exit::kOk);
  }
  const auto meant = support::most_similar(slug, slugs);
  diagnostics.add(error("cli.usage",
                        fmt::format("there is no slug \"{}\"{}", slug, meant ? "; did you mean \"" + *meant + "\"?" : ""),
                        {"warpwright list slugs"}));
  return finish(diagnostics, format_of(options.json));
}

}  // namespace warpwright::cli
