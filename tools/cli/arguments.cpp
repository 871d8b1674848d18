// SPDX-License-Identifier: Apache-2.0
// The command line as CLI11 sees it; the only translation unit that includes that library.
#include "tools/cli/argument_values.h"
#include "tools/cli/arguments.h"

#include "generator/spec/family_spec.h"
#include "generator/support/diagnostics.h"
#include "generator/support/similar.h"
#include "generator/support/text_table.h"
#include "tools/cli/families.h"
#include "tools/cli/pack_arguments.h"
#include "tools/cli/report.h"
#include "tools/cli/run_arguments.h"
#include "tools/cli/time_arguments.h"
#include "tools/cli/verbs.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace warpwright::cli {
namespace {

using support::Exit;

constexpr char kMainFooter[] =
    "Exit codes:\n"
    "  0    ok\n"
    "  1    bad input: a spec or file is wrong; every problem is listed\n"
    "  2    usage: the command line is wrong\n"
    "  3    a bug in warpwright\n"
    "  4    a check failed (diff, prove, run, compile policy)\n"
    "  5    environment: no nvcc, no GPU, driver too old, output not writable\n"
    "  130  interrupted\n"
    "Results go to standard output, everything else to standard error. NO_COLOR is respected.\n"
    "\n"
    "Example:\n"
    "  warpwright new w4a4_lora_gemm -o my_gemm.json";

std::string example(const std::string &line) { return "Example:\n  " + line; }

/// Everything of an error that is known before a verb runs.
int usage_error(const std::string &message, const std::string &help_of) {
  support::Diagnostics diagnostics;
  diagnostics.add(error("cli.usage", message, {fmt::format("warpwright {}--help", help_of.empty() ? "" : help_of + " ")}));
  return finish(diagnostics);
}

class CommandLine {
 public:
  CommandLine() {
    app_.name("warpwright");
    app_.set_version_flag("--version", std::string("warpwright " WARPWRIGHT_VERSION " (LLVM " WARPWRIGHT_LLVM_VERSION ")"));
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(34);
    app_.footer(kMainFooter);
    add_new();
    add_list();
    add_schema();
    add_explain();
#ifdef WARPWRIGHT_VERB_PLAN
    add_plan();
#endif
#ifdef WARPWRIGHT_VERB_EMIT
    add_emit();
#endif
#ifdef WARPWRIGHT_VERB_BUILD
    add_build();
#endif
#ifdef WARPWRIGHT_VERB_PROVE
    add_prove();
#endif
#ifdef WARPWRIGHT_VERB_DIFF
    add_diff();
#endif
#ifdef WARPWRIGHT_VERB_RUN
    add_run();
    CLI::App *time = add_verb("time", "Time kernels on a GPU", "warpwright time kernels.wwa --on gpu --shape m=16", [this] { return run_time(time_); });
    add_time_options(time, time_);
    add_set(time, time_.set);
#endif
#ifdef WARPWRIGHT_VERB_SHOW
    add_show();
#endif
#ifdef WARPWRIGHT_VERB_DOCTOR
    add_doctor();
#endif
#ifdef WARPWRIGHT_VERB_PACK
    add_pack_options(add_verb("pack", "Quantise a checkpoint to W4A8 weights and lay them out for the kernels",
                              "warpwright pack models/llama -o models/llama-w4a8 --check", [this] { return run_pack(pack_); }), pack_);
#endif
    add_completion();
  }

  int run(int argc, char **argv) {
    if (argc <= 1) {
      fmt::print(stderr, "{}", app_.help());
      return static_cast<int>(Exit::kUsage);
    }
    // CLI11 would only say that a subcommand is missing.
    const std::string first = argv[1];
    const bool is_option = !first.empty() && first.front() == '-';
    if (!is_option && verb_named(first) == nullptr) {
      const auto meant = support::most_similar(first, verb_names());
      return usage_error(fmt::format("there is no verb \"{}\"; {}", first,
                                     meant ? "did you mean \"" + *meant + "\"?"
                                           : "verbs are " + support::join_words(verb_names())),
                         "");
    }
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
      if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app_.exit(error);
      return usage_error(words_of(error, argc, argv), is_option ? "" : first);
    }
    for (const Verb &verb : verbs_) {
      if (verb.app->parsed()) return verb.run();
    }
    return usage_error("a verb is missing", "");
  }

 private:
  struct Verb {
    CLI::App *app;
    std::function<int()> run;
    std::vector<std::string> words;  ///< of the first positional, for completion
  };

  CLI::App *add_verb(const std::string &name, const std::string &text, const std::string &example_line,
                     std::function<int()> run, std::vector<std::string> words = {}) {
    CLI::App *verb = app_.add_subcommand(name, text);
    verb->footer(example(example_line));
    verb->get_formatter()->column_width(34);
    verbs_.push_back({verb, std::move(run), std::move(words)});
    return verb;
  }

  /// An option that takes one value each time it is given.
  static CLI::Option *add_repeated(CLI::App *verb, const std::string &name, std::vector<std::string> &values,
                                   const std::string &text) {
    return verb->add_option(name, values, text)->allow_extra_args(false)->take_all();
  }

  static void add_json(CLI::App *verb, bool &json) { verb->add_flag("--json", json, "Print JSON"); }

  static void add_set(CLI::App *verb, std::vector<std::string> &set) {
    add_repeated(verb, "--set", set, "Replace a field, checked like the file; may be given again")->type_name("PATH=JSON");
  }

  static void add_specs(CLI::App *verb, std::vector<std::string> &specs) {
    verb->add_option("SPEC", specs, "Spec files, folders of them, or - for standard input")->required()->type_name("");
  }

  static void add_shape(CLI::App *verb, Shape &shape) {
    verb->add_option_function<std::string>(
            "--shape", [&shape](const std::string &text) { shape = parse_shape(text); },
            "Launch variables: m=4352,n=3840")
        ->type_name("NAME=N,…");
  }

  std::vector<std::string> family_names() const {
    std::vector<std::string> names;
    for (const spec::FamilySpec *family : family_specs()) names.push_back(family->name);
    return names;
  }

  void add_new() {
    CLI::App *verb = add_verb("new", "Print a spec to start from", "warpwright new w4a4_lora_gemm -o my_gemm.json",
                              [this] { return run_new(new_); }, family_names());
    verb->add_option("FAMILY", new_.family, "Operator family")->required()->type_name("");
    verb->add_flag("--all", new_.all, "Write every field, with its default");
    verb->add_option("-o,--output", new_.output, "File to write; an existing file is left alone")->type_name("FILE");
  }

  void add_list() {
    CLI::App *verb = add_verb("list", "List " + support::join_words(list_subjects(), "or"), "warpwright list specs",
                              [this] { return run_list(list_); }, list_subjects());
    verb->add_option("WHAT", list_.what, support::join_words(list_subjects(), "or"))
        ->required()
        ->type_name("")
        ->check(CLI::IsMember(list_subjects()));
    verb->add_option("FOLDER", list_.folder, "specs: the folder to look in, instead of the shipped ones")->type_name("");
    add_json(verb, list_.json);
  }

  void add_schema() {
    CLI::App *verb = add_verb("schema", "Print the JSON Schema of a family's specs",
                              "warpwright schema w4a4_lora_gemm -o w4a4_lora_gemm.schema.json",
                              [this] { return run_schema(schema_); }, family_names());
    verb->add_option("FAMILY", schema_.family, "Operator family")->required()->type_name("");
    verb->add_flag("--table", schema_.table, "Print the field table in Markdown instead");
    verb->add_option("-o,--output", schema_.output, "File to write")->type_name("FILE");
  }

  void add_explain() {
    CLI::App *verb = add_verb("explain", "Explain a message: what, why, how to fix it",
                              "warpwright explain spec.pair-needs-m256", [this] { return run_explain(explain_); });
    verb->add_option("SLUG", explain_.slug, "The word in brackets of a message: error[SLUG]")->required()->type_name("");
    add_json(verb, explain_.json);
  }

#ifdef WARPWRIGHT_VERB_DOCTOR
  void add_doctor() {
    CLI::App *verb = add_verb("doctor", "Show which CUDA tools, driver and GPUs are found", "warpwright doctor",
                              [this] { return run_doctor(doctor_); });
    add_json(verb, doctor_.json);
  }
#endif

  void add_completion() {
    const std::vector<std::string> shells = {"bash", "zsh", "fish"};
    CLI::App *verb = add_verb("completion", "Print a completion script for a shell",
                              "source <(warpwright completion bash)",
                              [this] { return run_completion(completion_, command_tree()); }, shells);
    verb->add_option("SHELL", completion_.shell, "bash, zsh or fish")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember(shells));
  }

#ifdef WARPWRIGHT_VERB_PLAN
  void add_plan() {
    CLI::App *verb = add_verb("plan", "Plan to the byte: budget, blockers, what-if",
                              "warpwright plan my_gemm.json --grid pipeline_depth=2..8 lora.rank=32,64,128",
                              [this] {
                                // A word without '=' after --grid is a SPEC that the list option swallowed.
                                const auto first_spec = std::stable_partition(
                                    plan_.grid.begin(), plan_.grid.end(),
                                    [](const std::string &item) { return item.find('=') != std::string::npos; });
                                plan_.specs.insert(plan_.specs.end(), first_spec, plan_.grid.end());
                                plan_.grid.erase(first_spec, plan_.grid.end());
                                if (plan_.specs.empty()) return usage_error("SPEC is required", "plan");
                                return run_plan(plan_);
                              });
    verb->add_option("SPEC", plan_.specs, "Spec files, folders of them, or - for standard input")->type_name("");
    CLI::Option *candidates = verb->add_flag("--candidates", plan_.candidates, "List every choice for the auto fields, with reasons for rejection");
    CLI::Option *grid = verb->add_option("--grid", plan_.grid, "Plan every combination: path=a..b or path=a,b,c");
    grid->type_name("PATH=VALUES …")->excludes(candidates);
    CLI::Option *fix = verb->add_flag("--fix", plan_.fix, "Write the spec with the first change that makes it plan beside it");
    fix->excludes(candidates)->excludes(grid);
    verb->add_option("-o,--output", plan_.output, "--fix: the file to write instead; an existing one is left alone")
        ->type_name("FILE")
        ->needs(fix);
    add_set(verb, plan_.set);
    add_shape(verb, plan_.shape);
    add_json(verb, plan_.json);
  }
#endif

#ifdef WARPWRIGHT_VERB_EMIT
  void add_emit() {
    CLI::App *verb = add_verb("emit", "Print the operator as CUDA C++", "warpwright emit my_gemm.json -o my_gemm.cu",
                              [this] { return run_emit(emit_); });
    verb->add_option("SPEC", emit_.spec, "Spec file, or - for standard input")->required()->type_name("");
    verb->add_option("-o,--output", emit_.output, "File to write instead of standard output")->type_name("FILE");
    verb->add_flag("--debug-waits", emit_.debug_waits, "Every wait times out, records where it stood, and traps");
    verb->add_flag("--debug-lines", emit_.debug_lines, "#line directives to the spec");
    add_repeated(verb, "--dump-after", emit_.dump_after, "Print the IR after a pass, or all")->type_name("PASS");
    verb->add_option("--dump-folder", emit_.dump_folder, "Write the dumps there, numbered")->type_name("DIR");
    add_set(verb, emit_.set);
    add_json(verb, emit_.json);
  }
#endif

#ifdef WARPWRIGHT_VERB_BUILD
  void add_build() {
    CLI::App *verb = add_verb("build", "Compile specs to cubins and pack them",
                              "warpwright build configs/kernels -o out --archive out/kernels.wwa -j 2",
                              [this] { return run_build(build_); });
    add_specs(verb, build_.specs);
    verb->add_option("-o,--output", build_.output_folder, "Folder for sources, PTX and cubins; default: this one")->type_name("DIR");
    verb->add_option("--archive", build_.archive, "Pack everything into one file")->type_name("FILE");
    verb->add_option("--report", build_.report, "Write what the compiler found as JSON")->type_name("FILE");
    verb->add_option("-j,--jobs", build_.jobs, "Compilers at a time; default: one per core")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    const std::map<std::string, BuildBackend> backends = {{"nvcc", BuildBackend::kNvcc}, {"nvrtc", BuildBackend::kNvrtc}};
    verb->add_option("--backend", build_.backend, "nvcc, or NVRTC in process")
        ->transform(CLI::CheckedTransformer(backends))
        ->type_name("nvcc|nvrtc");
    add_repeated(verb, "--arch", build_.archs, "Architecture instead of the spec's; may be given again")->type_name("ARCH");
    verb->add_flag("--line-info", build_.line_info, "Keep source lines for profilers");
    verb->add_flag("--no-cache", build_.no_cache, "Neither read nor write the cache of compiled kernels");
    verb->add_option("--cache-folder", build_.cache_folder, "Where that cache is")->type_name("DIR");
    verb->add_flag("-v,--verbose", build_.verbose, "Print the commands that run");
    add_set(verb, build_.set);
    add_json(verb, build_.json);
  }
#endif

#ifdef WARPWRIGHT_VERB_PROVE
  void add_prove() {
    CLI::App *verb = add_verb("prove", "Check the barrier protocol for deadlock, lag and byte mismatch",
                              "warpwright prove my_gemm.json", [this] { return run_prove(prove_); });
    add_specs(verb, prove_.specs);
    add_set(verb, prove_.set);
    verb->add_option("--ir", prove_.ir, "Check this final IR of the spec, as emit --dump-after merge-elects prints it")
        ->type_name("FILE");
    add_json(verb, prove_.json);
  }
#endif

#ifdef WARPWRIGHT_VERB_DIFF
  void add_diff() {
    CLI::App *verb = add_verb("diff", "Compare two plans; fail on what got worse",
                              "warpwright diff old.json new.json --fail-on lost-stage,slower",
                              [this] { return run_diff(diff_); });
    verb->add_option("BEFORE", diff_.before, "Spec or plan")->required()->type_name("");
    verb->add_option("AFTER", diff_.after, "Spec or plan")->required()->type_name("");
    add_shape(verb, diff_.shape);
    verb->add_option("--fail-on", diff_.fail_on, "lost-stage, slower, slack")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"lost-stage", "slower", "slack"}))
        ->type_name("WHAT,…");
    verb->add_option("--min-slack-bytes", diff_.min_slack_bytes, "slack: shared memory that must stay free")
        ->type_name("N")
        ->check(CLI::Validator(byte_count_error, ""));
    add_json(verb, diff_.json);
  }
#endif

#ifdef WARPWRIGHT_VERB_RUN
  void add_run() {
    CLI::App *verb = add_verb("run", "Run kernels and compare their values with the reference",
                              "warpwright run my_gemm.json --on emulator --shape m=300", [this] {
                                run_.emulator_option = emulator_option(app_.get_subcommand("run"));
                                if (!run_.replay.empty()) run_.schedules = {"replay:" + run_.replay};
                                if (!run_.launch.empty() && run_.on == "emulator") return run_launch(run_);
                                if (run_.specs.empty() && run_.launch.empty()) return usage_error("SPEC or --launch is required", "run");
                                if (run_.schedules.empty()) run_.schedules = {"lazy"};
                                return run_run(run_);
                              });
    add_run_options(verb, run_);
    add_shape(verb, run_.shape);
    add_set(verb, run_.set);
    for (const char *of_specs : {"SPEC", "--shape", "--inputs", "--seed", "--sms", "--set", "--schedule-out", "--archive"})
      verb->get_option("--launch")->excludes(verb->get_option(of_specs));
  }
#endif

#ifdef WARPWRIGHT_VERB_SHOW
  void add_show() {
    CLI::App *verb = add_verb("show", "Look inside an archive", "warpwright show kernels.wwa --verify",
                              [this] { return run_show(show_); });
    verb->add_option("ARCHIVE", show_.archive, "Archive file")->required()->type_name("");
    verb->add_flag("--verify", show_.verify, "Check every digest");
    verb->add_option("--extract", show_.extract_folder, "Write sources, PTX, cubins and plans there")->type_name("DIR");
    add_json(verb, show_.json);
  }
#endif

  const Verb *verb_named(const std::string &name) const {
    for (const Verb &verb : verbs_) {
      if (verb.app->get_name() == name) return &verb;
    }
    return nullptr;
  }

  std::vector<std::string> verb_names() const {
    std::vector<std::string> names;
    for (const Verb &verb : verbs_) names.push_back(verb.app->get_name());
    return names;
  }

  /// CLI11's words, and for an unknown option the one that was meant.
  std::string words_of(const CLI::ParseError &error, int argc, char **argv) const {
    std::string text = error.what();
    std::replace(text.begin(), text.end(), '\n', ' ');
    const Verb *verb = verb_named(argv[1]);
    if (verb == nullptr || error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError)) return text;
    std::vector<std::string> names;
    for (const CommandOption &option : options_of(*verb->app)) names.push_back(option.long_name);
    for (int i = 2; i < argc; ++i) {
      const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
      if (word.rfind("--", 0) != 0 || std::find(names.begin(), names.end(), word) != names.end()) continue;
      const auto meant = support::most_similar(word, names);
      return fmt::format("{} has no option {}{}", argv[1], word, meant ? "; did you mean " + *meant + "?" : "");
    }
    return text;
  }

  static std::vector<CommandOption> options_of(const CLI::App &app) {
    std::vector<CommandOption> options;
    for (const CLI::Option *option : app.get_options()) {
      if (option->get_lnames().empty()) continue;
      const std::string short_name = option->get_snames().empty() ? "" : "-" + option->get_snames().front();
      options.push_back({"--" + option->get_lnames().front(), short_name, option->get_description(),
                         option->get_items_expected_max() > 0});
    }
    return options;
  }

  CommandTree command_tree() const {
    CommandTree tree;
    for (const Verb &verb : verbs_) {
      tree.push_back({verb.app->get_name(), verb.app->get_description(), options_of(*verb.app), verb.words});
    }
    return tree;
  }

  CLI::App app_{"Plans, proves, emits and compiles GPU kernels ahead of time."};
  std::vector<Verb> verbs_;
  NewOptions new_;
  ListOptions list_;
  SchemaOptions schema_;
  ExplainOptions explain_;
  [[maybe_unused]] DoctorOptions doctor_;
  CompletionOptions completion_;
  [[maybe_unused]] PlanOptions plan_;
  [[maybe_unused]] EmitOptions emit_;
  [[maybe_unused]] BuildOptions build_;
  [[maybe_unused]] ProveOptions prove_;
  [[maybe_unused]] DiffOptions diff_;
  [[maybe_unused]] RunOptions run_;
  [[maybe_unused]] TimeOptions time_;
  [[maybe_unused]] ShowOptions show_;
  [[maybe_unused]] pack::Options pack_;
};

}  // namespace

int run_command_line(int argc, char **argv) { return CommandLine().run(argc, argv); }

}  // namespace warpwright::cli
