// SPDX-License-Identifier: Apache-2.0
// The verb `completion`: scripts for three shells, made from the verbs and options themselves.
#include "tools/cli/report.h"
#include "tools/cli/verbs.h"

#include <fmt/format.h>

namespace warpwright::cli {
namespace {

std::string verb_words(const CommandTree &tree) {
  std::string words;
  for (const Command &verb : tree) words += (words.empty() ? "" : " ") + verb.name;
  return words;
}

std::string option_words(const Command &verb) {
  std::string words;
  for (const CommandOption &option : verb.options) words += (words.empty() ? "" : " ") + option.long_name;
  return words;
}

std::string positional_words(const Command &verb) {
  std::string words;
  for (const std::string &word : verb.words) words += (words.empty() ? "" : " ") + word;
  return words;
}

/// Also read by zsh through bashcompinit.
std::string bash_script(const CommandTree &tree) {
  std::string out =
      "_warpwright() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" options='' words=''\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  out += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n    return\n  fi\n", verb_words(tree));
  out += "  case \"${COMP_WORDS[1]}\" in\n";
  for (const Command &verb : tree) {
    out += fmt::format("    {}) options='{}' words='{}' ;;\n", verb.name, option_words(verb), positional_words(verb));
  }
  out +=
      "  esac\n"
      "  case \"$word\" in\n"
      "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\")) ;;\n"
      "  esac\n"
      "}\n"
      "complete -o filenames -F _warpwright warpwright\n";
  return out;
}

std::string fish_quoted(const std::string &text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

std::string fish_script(const CommandTree &tree) {
  std::string out;
  for (const Command &verb : tree) {
    out += fmt::format("complete -c warpwright -n __fish_use_subcommand -f -a {} -d {}\n", verb.name,
                       fish_quoted(verb.text));
    const std::string condition = fish_quoted("__fish_seen_subcommand_from " + verb.name);
    if (!verb.words.empty()) {
      out += fmt::format("complete -c warpwright -n {} -f -a {}\n", condition, fish_quoted(positional_words(verb)));
    }
    for (const CommandOption &option : verb.options) {
      const std::string short_name = option.short_name.empty() ? "" : " -s " + option.short_name.substr(1);
      out += fmt::format("complete -c warpwright -n {} -l {}{}{} -d {}\n", condition, option.long_name.substr(2),
                         short_name, option.takes_value ? " -r" : "", fish_quoted(option.text));
    }
  }
  return out;
}

}  // namespace

int run_completion(const CompletionOptions &options, const CommandTree &tree) {
  support::Diagnostics diagnostics;
  std::string script;
  if (options.shell == "fish") {
    script = fish_script(tree);
  } else {
    script = bash_script(tree);
    if (options.shell == "zsh") script = "autoload -U +X bashcompinit && bashcompinit\n" + script;
  }
  write_result("", script, diagnostics);
  return finish(diagnostics);
}

}  // namespace warpwright::cli
