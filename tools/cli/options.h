// SPDX-License-Identifier: Apache-2.0
// What each verb was asked to do: plain values, free of the command-line library.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpwright::cli {

/// Launch variables given on the command line: `--shape m=4352,n=3840`.
using Shape = std::map<std::string, int64_t>;

struct NewOptions {
  std::string family;
  bool all = false;          ///< every field with its default
  std::string output;        ///< empty: standard output
};

struct ListOptions {
  std::string what;          ///< families, specs, slugs, …
  std::string folder;        ///< specs: where to look; empty: the shipped ones
  bool json = false;
};

struct SchemaOptions {
  std::string family;
  bool table = false;        ///< the README's table instead of JSON Schema
  std::string output;        ///< empty: standard output
};

struct ExplainOptions {
  std::string slug;
  bool json = false;
};

struct DoctorOptions {
  bool json = false;
};

struct CompletionOptions {
  std::string shell;         ///< bash, zsh, fish
};

/// A SPEC may be a file, "-" for standard input, or a folder (see specs.h).
struct PlanOptions {
  std::vector<std::string> specs;
  std::vector<std::string> set;   ///< `path=JSON`
  std::vector<std::string> grid;  ///< `path=a..b` or `path=a,b,c`
  bool candidates = false;
  bool fix = false;
  std::string output;             ///< of --fix; empty: FILE.fixed.json beside the spec
  Shape shape;
  bool json = false;
};

struct EmitOptions {
  std::string spec;
  std::vector<std::string> set;
  std::string output;             ///< empty: standard output
  bool debug_waits = false;
  bool debug_lines = false;
  std::vector<std::string> dump_after;  ///< pass names or "all"
  std::string dump_folder;        ///< empty: standard error
  bool json = false;
};

enum class BuildBackend { kNvcc, kNvrtc };

struct BuildOptions {
  std::vector<std::string> specs;
  std::vector<std::string> set;
  std::string output_folder = ".";
  std::string archive;            ///< empty: none
  std::string report;             ///< empty: none
  int jobs = 0;                   ///< 0: one per core
  BuildBackend backend = BuildBackend::kNvcc;
  std::vector<std::string> archs; ///< empty: the spec's own
  bool line_info = false;
  bool no_cache = false;
  std::string cache_folder;       ///< empty: the default one
  bool verbose = false;           ///< print the commands
  bool json = false;
};

struct ProveOptions {
  std::vector<std::string> specs;
  std::vector<std::string> set;
  std::string ir;  ///< a file with the final IR; empty: what the spec becomes
  bool json = false;
};

struct DiffOptions {
  std::string before;
  std::string after;
  Shape shape;
  std::vector<std::string> fail_on;  ///< lost-stage, slower, slack
  int64_t min_slack_bytes = 0;
  bool json = false;
};

struct RunOptions {
  std::vector<std::string> specs;
  std::vector<std::string> set;
  std::string on;                             ///< emulator, gpu, both
  std::string launch;                         ///< launch description instead of specs; empty: none
  Shape shape;                                ///< emulator: a variable that is not named gets one row more than a tile; GPU: edges
  std::string archive;                        ///< kernels from there; empty: compile the specs
  int device = 0;                             ///< GPU
  int repeats = 3;                            ///< GPU: launches of each trial
  int timeout_seconds = 60;                   ///< GPU: after which a launch counts as hung
  std::string emulator_option;                ///< the first one given that only the emulator has; empty: none
  std::string inputs = "both";                ///< exact, random, both
  uint64_t seed = 1;
  std::vector<std::string> schedules;         ///< lazy, eager, random:SEED, adversarial:WARP; empty: lazy, or what the description says
  std::string policy = "tensor-order";        ///< or ptx-strict
  std::vector<std::string> waivers;           ///< slugs of findings that are not told
  bool no_races = false;                      ///< leaves out happens-before
  bool force_branches = false;                ///< each schedule also with branches on loaded data forced both ways
  std::string replay;                         ///< file with the decisions of a schedule, run instead; empty: none
  std::string schedule_out;                   ///< file for the decisions of the first run with a finding; empty: none
  bool profile = false;                       ///< counts by line, printed
  std::string profile_out;                    ///< file for them; empty: none
  int jobs = 1;                               ///< clusters at a time
  std::string ptx;                            ///< file that is run instead of what nvcc made; empty: none
  int num_sms = 0;                            ///< to plan the grid for; 0: all of the device's
};

struct TimeOptions {
  std::vector<std::string> operators;         ///< specs, folders of them, archives
  std::vector<std::string> set;
  std::string on;                             ///< "gpu"
  int device = 0;
  std::vector<Shape> shapes;                  ///< empty: where nothing is free
  std::string launches = "both";              ///< whole, dependent, both
  int runs = 30;                              ///< samples, one graph each
  int warm_up_ms = 100;
  double read_ceiling_tbps = 0;               ///< 0: measured
  int timeout_seconds = 60;
  std::string json_file;                      ///< empty: none
};

struct ShowOptions {
  std::string archive;
  bool verify = false;
  std::string extract_folder;     ///< empty: none
  bool json = false;
};

}  // namespace warpwright::cli
