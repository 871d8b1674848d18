// SPDX-License-Identifier: Apache-2.0
// Damaged and random texts into the spec loader: no crash, no bug of ours, and always either a spec or a reason.
// WARPWRIGHT_FUZZ_SECONDS (5) bounds it; WARPWRIGHT_FUZZ_SEED repeats a run.
#include "generator/families/w4a4_lora_gemm/spec.h"
#include "generator/spec/family_spec.h"
#include "generator/spec/json_tree.h"
#include "generator/support/files.h"
#include "tests/catch.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

using namespace warpwright;

namespace {

double seconds_to_run() {
  const char *text = std::getenv("WARPWRIGHT_FUZZ_SECONDS");
  return text == nullptr ? 5.0 : std::atof(text);
}

unsigned seed_to_use() {
  const char *text = std::getenv("WARPWRIGHT_FUZZ_SEED");
  return text == nullptr ? std::random_device{}() : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

std::vector<std::string> shipped_specs() {
  std::vector<std::string> texts = {spec::starter_spec(w4a4_lora_gemm::family_spec(), true)};
  const std::string folder = WARPWRIGHT_SOURCE_DIR "/configs/kernels";
  for (const auto &item : std::filesystem::recursive_directory_iterator(folder)) {
    std::string why;
    if (item.path().extension() != ".json") continue;
    if (const auto text = support::read_file(item.path().string(), why)) texts.push_back(*text);
  }
  return texts;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed), seeds_(shipped_specs()) {}

  std::string text() {
    if (pick(20) == 0) return random_bytes(pick(300));
    std::string out = seeds_[pick(seeds_.size())];
    for (size_t steps = 1 + pick(3); steps > 0; --steps) mutate_once(out);
    return out;
  }

  std::vector<std::string> overrides() {
    static const std::vector<std::string> paths = {"lora.rank", "tile.n", "cluster", "problem.k", "arch", "family", "edition",
                                                   "tile", "$schema", "no.such", "", ".", "tile.", "lora.rank.x"};
    std::vector<std::string> out;
    for (size_t n = pick(2) * pick(4); n > 0; --n) {
      std::string item = paths[pick(paths.size())] + (pick(10) == 0 ? "" : "=") + token();
      if (pick(8) == 0) mutate_once(item);
      out.push_back(item);
    }
    return out;
  }

 private:
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  std::string random_bytes(size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) out += static_cast<char>(pick(256));
    return out;
  }

  std::string token() {
    static const std::vector<std::string> tokens = {
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "-", "1e308", "1e309", "-1e400", "NaN", "Infinity",
        "9223372036854775807", "-9223372036854775808", "18446744073709551616", "0.1", "1e-400", "256.0", "\"auto\"",
        "\"dynamic\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"", "[2, 1]", "[9223372036854775807, 16]", "{}",
        "{\"rank\": 64}", "\"fp16\"", "\"mxfp4\"", "\"strict\"", "//", "/*", "\xEF\xBB\xBF", "\xff", "\xc3", "\xf4\x90\x80\x80",
        "\n", "\r", "\t", "64", "96", "256", "\"$comment\": 1,", "\"tile\"", "mxfp4", "sm_103a", std::string(70, '['),
        std::string(1, '\0'), std::string(300, '9'), "\"" + std::string(500, 'x') + "\""};
    return tokens[pick(tokens.size())];
  }

  void mutate_once(std::string &text) {
    const size_t at = pick(text.size() + 1);
    const size_t length = std::min(text.size() - at, pick(24));
    switch (pick(7)) {
      case 0: text.insert(at, token()); break;
      case 1: text.replace(at, length, token()); break;
      case 2: text.erase(at, length); break;
      case 3: text.insert(at, text.substr(at, length)); break;
      case 4: if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << pick(8))); break;
      case 5: text.resize(at); break;
      default: replace_number(text, at); break;
    }
  }

  /// Keeps the text well formed more often, so that the checks behind the parser are reached.
  void replace_number(std::string &text, size_t at) {
    const size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const size_t end = text.find_first_not_of("0123456789", begin);
    text.replace(begin, (end == std::string::npos ? text.size() : end) - begin, token());
  }

  std::mt19937 random_;
  std::vector<std::string> seeds_;
};

/// What holds for every text, or a sentence about what does not.
std::string violation(const std::string &text, const std::vector<std::string> &overrides, bool &is_loaded) {
  const std::vector<const spec::FamilySpec *> families = {&w4a4_lora_gemm::family_spec()};
  support::Diagnostics found;
  const auto loaded = spec::load_spec_text("fuzz.json", text, overrides, families, found);
  is_loaded = loaded.has_value();
  if (is_loaded == found.has_errors()) return "a spec with errors, or none without";
  support::Diagnostics of_json;
  if (!spec::parse_json("findings", found.render_json(), "spec", of_json)) return "findings are not JSON";
  if (found.has_errors() && found.render().empty()) return "errors without a text";
  for (const support::Diagnostic &d : found.all()) {
    const int64_t lines = std::count(text.begin(), text.end(), '\n') + 1;
    if (d.slug.empty() || d.message.empty()) return "an empty slug or message";
    if (d.where.file == "fuzz.json" && (d.where.line < 0 || d.where.line > lines)) return "a place outside the text";
  }
  if (!loaded) return "";
  support::Diagnostics again;
  const auto reloaded = spec::load_spec_text("again.json", loaded->canonical_json(), {}, families, again);
  if (!reloaded || reloaded->canonical_json() != loaded->canonical_json()) return "canonical text does not load to itself";
  return "";
}

}  // namespace

TEST_CASE("spec fuzz: every text gives a spec or a reason") {
  const unsigned seed = seed_to_use();
  const double limit_seconds = seconds_to_run();
  std::cout << "WARPWRIGHT_FUZZ_SEED=" << seed << std::endl;
  Mutator mutator(seed);
  const auto started = std::chrono::steady_clock::now();
  int64_t runs = 0;
  int64_t loaded_runs = 0;
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() < limit_seconds) {
    const std::string text = mutator.text();
    const std::vector<std::string> overrides = mutator.overrides();
    bool is_loaded = false;
    std::string problem;
    try {
      problem = violation(text, overrides, is_loaded);
    } catch (const std::exception &bug) {
      problem = bug.what();
    }
    ++runs;
    loaded_runs += is_loaded ? 1 : 0;
    if (problem.empty()) continue;
    std::string all;
    for (const std::string &item : overrides) all += "--set " + item + "\n";
    FAIL("seed " << seed << ", run " << runs << ": " << problem << "\n" << all << text);
  }
  std::cout << runs << " texts, " << loaded_runs << " of them specs" << std::endl;
  CHECK(runs > 100);
  CHECK(loaded_runs > 0);
}
