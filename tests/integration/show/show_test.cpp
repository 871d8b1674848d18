// SPDX-License-Identifier: Apache-2.0
// `warpwright show` as a user runs it: text, JSON, verification, extraction, and what each refuses.
#include "tests/catch.h"
#include "tests/unit/archive/small_operator.h"

#include "generator/support/process.h"

#include <filesystem>

using namespace warpwright;
using testing::read_bytes;
using testing::ScratchFolder;
using testing::small_archive_bytes;
using testing::write_bytes;

namespace {

support::ProcessResult show(std::vector<std::string> arguments) {
  support::ProcessRequest request;
  request.argv = {WARPWRIGHT_TOOL, "show"};
  request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
  request.limit_seconds = 30;
  return support::run_process(request);
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("show: what is in the archive, for people") {
  const ScratchFolder scratch;
  write_bytes(scratch.path("k.wwa"), small_archive_bytes({"op"}));
  const auto result = show({scratch.path("k.wwa")});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  for (const char *part :
       {"k.wwa: 1 operator, 17 blobs in ", "operator op   test_family, sm_100a", "variables: m; fixed: k = 512, n = 256",
        "workspace: (m > 64) * m * n * 4 B, cleared before the first kernel", "m <= 4096", "op_main, then op_combine",
        "grid [min(num_sms / 2, ceil_div(m, 128)) * 2, 1, 1]; cluster 2×1×1; 224 threads; 100,000 B of dynamic shared "
        "memory; programmatic dependent launch",
        "requires m >= 1", "map_x", "128×64", "nvcc 13.0.88", "note, sm_100a: compile.advisory: a line of ptxas"}) {
    INFO(part << "\n" << result.out);
    CHECK(has(result.out, part));
  }
}

TEST_CASE("show: --verify says what it means, and finds a changed blob") {
  const ScratchFolder scratch;
  std::string bytes = small_archive_bytes({"op"});
  write_bytes(scratch.path("k.wwa"), bytes);
  const auto sound = show({scratch.path("k.wwa"), "--verify"});
  CHECK(sound.exit_code == 0);
  CHECK(has(sound.out, "17 blobs match their XXH3-128, blobs their SHA-256"));
  CHECK(has(sound.out, "integrity, not authenticity"));

  bytes[bytes.find("// kernel op_small")] = '#';
  write_bytes(scratch.path("k.wwa"), bytes);
  CHECK(show({scratch.path("k.wwa")}).exit_code == 0);  // the manifest is sound
  const auto changed = show({scratch.path("k.wwa"), "--verify"});
  CHECK(changed.exit_code == 4);
  CHECK(has(changed.err, "error[archive.corrupt]"));
  CHECK(has(changed.err, "has SHA-256"));
}

TEST_CASE("show: what cannot be opened is named") {
  const ScratchFolder scratch;
  std::string bytes = small_archive_bytes({"op"});
  const auto expect = [&](const std::string &slug, std::vector<std::string> arguments, int code) {
    const auto result = show(std::move(arguments));
    INFO(result.err);
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    CHECK(has(result.err, "error[" + slug + "]"));
  };
  expect("archive.unreadable", {scratch.path("absent.wwa")}, 1);
  write_bytes(scratch.path("text.wwa"), "{}\n");
  expect("archive.not-an-archive", {scratch.path("text.wwa")}, 1);
  write_bytes(scratch.path("cut.wwa"), bytes.substr(0, 5000));
  expect("archive.corrupt", {scratch.path("cut.wwa")}, 1);
  expect("archive.corrupt", {scratch.path("cut.wwa"), "--verify"}, 4);
  bytes[8] = 9;
  write_bytes(scratch.path("new.wwa"), bytes);
  expect("archive.unsupported-version", {scratch.path("new.wwa")}, 1);
}

TEST_CASE("show: --extract writes every part once and never overwrites") {
  const ScratchFolder scratch;
  write_bytes(scratch.path("k.wwa"), small_archive_bytes({"op"}));
  const std::string folder = scratch.path("out");
  REQUIRE(show({scratch.path("k.wwa"), "--extract", folder}).exit_code == 0);
  const archive::PackedOperator op = testing::small_operator("op");
  CHECK(read_bytes(folder + "/op/spec.json") == op.spec_json);
  CHECK(read_bytes(folder + "/op/plan.json") == op.plan_json);
  CHECK(read_bytes(folder + "/op/op_main.cu") == op.sources[1]);
  CHECK(read_bytes(folder + "/op/op_main.sm_103a.ptx") == op.images[1][1].second.ptx);
  const auto &cubin = op.images[1][1].second.cubin;
  CHECK(read_bytes(folder + "/op/op_main.sm_103a.cubin") == std::string(cubin.begin(), cubin.end()));
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder + "/op")) ++files;
  CHECK(files == 2 + 3 * 5);

  write_bytes(folder + "/op/plan.json", "mine");
  std::filesystem::remove(folder + "/op/spec.json");
  const auto again = show({scratch.path("k.wwa"), "--extract", folder});
  CHECK(again.exit_code == 1);
  CHECK(has(again.err, "error[archive.file-exists]"));
  CHECK(read_bytes(folder + "/op/plan.json") == "mine");
  CHECK_FALSE(std::filesystem::exists(folder + "/op/spec.json"));
}

TEST_CASE("show: --extract uses no name that could leave the folder") {
  const ScratchFolder scratch;
  write_bytes(scratch.path("k.wwa"), small_archive_bytes({"../op"}));
  const auto result = show({scratch.path("k.wwa"), "--extract", scratch.path("out")});
  CHECK(result.exit_code == 1);
  CHECK(has(result.err, "error[archive.unsafe-name]"));
  CHECK_FALSE(std::filesystem::exists(scratch.path("out")));
  CHECK_FALSE(std::filesystem::exists(scratch.path("op")));
}

TEST_CASE("show: --json parses and holds the recipe") {
  const ScratchFolder scratch;
  write_bytes(scratch.path("k.wwa"), small_archive_bytes({"op"}));
  const auto shown = show({scratch.path("k.wwa"), "--json"});
  REQUIRE(shown.exit_code == 0);
  support::ProcessRequest request;
  request.argv = {"python3", "-c", R"(
import json, sys
a = json.load(sys.stdin)
op, = a["operators"]
main = op["kernels"][1]
assert op["dispatch"][1] == {"condition": "m <= 4096", "kernels": ["op_main", "op_combine"]}, op["dispatch"]
assert op["fixed_variables"] == {"k": 512, "n": 256}
assert main["cluster"] == [2, 1, 1] and main["dynamic_smem_bytes"] == 100000
assert main["tensor_maps"][0]["box"] == [128, 64] and main["tensor_maps"][0]["swizzle_bytes"] == 128
assert main["parameters"][3]["from"] == "m"
assert len(main["images"][0]["cubin"]["sha256"]) == 64
print(main["images"][0]["cubin"]["offset_bytes"] % 4096)
)"};
  request.input = shown.out;
  const auto checked = support::run_process(request);
  INFO(checked.err);
  CHECK(checked.out == "0\n");
}
