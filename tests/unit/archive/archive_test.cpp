// SPDX-License-Identifier: Apache-2.0
// What the writer promises: same bytes for same input, all or nothing, and a file whose every byte is covered.
#include "tests/catch.h"
#include "tests/unit/archive/small_operator.h"

#include "generator/support/digest.h"
#include "runtime/format/container.h"
#include "runtime/format/reader.h"
#include "warpwright/warpwright.h"

#include <cstring>
#include <filesystem>

using namespace warpwright;
using warpwright::testing::read_bytes;
using warpwright::testing::ScratchFolder;
using warpwright::testing::small_archive_bytes;
using warpwright::testing::small_operator;

namespace {

/// The status of opening and, if that succeeds, verifying `bytes`.
ww_status_t judge(const std::string &bytes, std::string *text = nullptr) {
  // A copy at an aligned address that ends with the bytes, so that ASan sees a read past them.
  std::vector<uint64_t> storage(bytes.size() / 8 + 1);
  std::memcpy(storage.data(), bytes.data(), bytes.size());
  ww_archive_t *archive = nullptr;
  ww_message_t message;
  ww_status_t status = wwArchiveOpenMemory(storage.data(), bytes.size(), &archive, &message);
  CHECK((archive != nullptr) == (status == WW_STATUS_OK));
  if (status == WW_STATUS_OK) status = wwArchiveVerify(archive, &message);
  wwArchiveClose(archive);
  CHECK((message.text[0] == '\0') == (status == WW_STATUS_OK));
  if (text) *text = message.text;
  return status;
}

std::string flipped(std::string bytes, size_t offset, int bit) {
  bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << bit));
  return bytes;
}

}  // namespace

TEST_CASE("archive: equal operators give equal bytes in any folder and any order") {
  const ScratchFolder first, second;
  support::Diagnostics diagnostics;
  REQUIRE(archive::write_archive(first.path("one.wwa"), {small_operator("a"), small_operator("b")}, diagnostics));
  // What the cache and the clock say must not reach the file.
  archive::PackedOperator b = small_operator("b");
  b.images[0][0].second.seconds = 99;
  b.images[0][0].second.from_cache = false;
  b.plan.spec.file = "/somewhere/else.json";
  REQUIRE(archive::write_archive(second.path("other.wwa"), {b, small_operator("a")}, diagnostics));
  CHECK(read_bytes(first.path("one.wwa")) == read_bytes(second.path("other.wwa")));
  CHECK(read_bytes(first.path("one.wwa")).find(first.folder()) == std::string::npos);
}

TEST_CASE("archive: a changed plan changes the bytes") {
  archive::PackedOperator changed = small_operator("a");
  changed.plan.kernels[0].launch.dynamic_smem_bytes += 1;
  const ScratchFolder scratch;
  support::Diagnostics diagnostics;
  REQUIRE(archive::write_archive(scratch.path("c.wwa"), {changed}, diagnostics));
  CHECK(read_bytes(scratch.path("c.wwa")) != small_archive_bytes({"a"}));
}

TEST_CASE("archive: operators are sorted, blobs lie on pages, equal blobs are kept once") {
  const std::string bytes = small_archive_bytes({"zeta", "alpha", "mid"});
  format::ArchiveView view;
  std::string problem;
  REQUIRE(view.open(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), &problem) ==
          format::ReadError::kNone);
  const auto &operators = *view.manifest().operators();
  REQUIRE(operators.size() == 3);
  CHECK(operators.Get(0)->name()->str() == "alpha");
  CHECK(operators.Get(1)->name()->str() == "mid");
  CHECK(operators.Get(2)->name()->str() == "zeta");
  // Per operator: a plan and, per kernel, a source, two cubins and two PTX texts. The three specs are equal.
  CHECK(view.manifest().blobs()->size() == 1 + 3 * (1 + 3 * 5));
  CHECK(operators.Get(0)->spec() == operators.Get(2)->spec());
  for (uint32_t i = 0; i < view.manifest().blobs()->size(); ++i) {
    const format::Blob &blob = *view.manifest().blobs()->Get(i);
    CHECK(blob.offset() % format::kBlobAlignBytes == 0);
    const format::BlobView content = view.blob(i);
    const std::string hex =
        support::sha256_hex({reinterpret_cast<const char *>(content.bytes), content.num_bytes});
    std::string stored;
    for (const uint8_t byte : *blob.sha256()->bytes()) {
      constexpr char kDigits[] = "0123456789abcdef";
      stored += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    CHECK(stored == hex);
  }
  CHECK(judge(bytes) == WW_STATUS_OK);
}

TEST_CASE("archive: an archive without operators is an archive") {
  const ScratchFolder scratch;
  support::Diagnostics diagnostics;
  REQUIRE(archive::write_archive(scratch.path("empty.wwa"), {}, diagnostics));
  const std::string bytes = read_bytes(scratch.path("empty.wwa"));
  CHECK(judge(bytes) == WW_STATUS_OK);
  CHECK(bytes.size() < format::kBlobAlignBytes);
}

TEST_CASE("archive: a failed write leaves the old file and nothing else") {
  const ScratchFolder scratch;
  testing::write_bytes(scratch.path("kept.wwa"), "old bytes");
  support::Diagnostics diagnostics;

  SECTION("two operators of one name") {
    CHECK_FALSE(archive::write_archive(scratch.path("kept.wwa"), {small_operator("a"), small_operator("a")},
                                       diagnostics));
    CHECK(diagnostics.has_slug("archive.duplicate-name"));
  }
  SECTION("an expression over a variable that does not exist") {
    archive::PackedOperator broken = small_operator("a");
    broken.plan.kernels[1].launch.grid_x = "ceil_div(rows, 128)";
    CHECK_FALSE(archive::write_archive(scratch.path("kept.wwa"), {broken}, diagnostics));
    REQUIRE(diagnostics.has_slug("archive.invalid-recipe"));
    CHECK(diagnostics.all()[0].message.find("a_main, grid 0: unknown variable at character 10") != std::string::npos);
  }
  SECTION("a box whose rows are wider than the swizzle") {
    archive::PackedOperator broken = small_operator("a");
    broken.plan.kernels[0].tensor_maps[0].box[0] = 256;
    CHECK_FALSE(archive::write_archive(scratch.path("kept.wwa"), {broken}, diagnostics));
    CHECK(diagnostics.has_slug("archive.invalid-recipe"));
  }
  SECTION("a dispatch row beyond the kernels") {
    archive::PackedOperator broken = small_operator("a");
    broken.plan.dispatch[0].kernels = {7};
    CHECK_FALSE(archive::write_archive(scratch.path("kept.wwa"), {broken}, diagnostics));
    CHECK(diagnostics.has_slug("archive.invalid-recipe"));
  }
  SECTION("a name that the plan lacks is our bug") {
    archive::PackedOperator broken = small_operator("a");
    broken.plan.kernels[0].params[0].source = "map_z";
    CHECK_THROWS_AS(archive::write_archive(scratch.path("kept.wwa"), {broken}, diagnostics), support::InternalError);
  }
  CHECK(read_bytes(scratch.path("kept.wwa")) == "old bytes");
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(scratch.folder())) ++files;
  CHECK(files == 1);
}

TEST_CASE("archive: an unwritable place is reported") {
  support::Diagnostics diagnostics;
  CHECK_FALSE(archive::write_archive("/proc/no/such/folder/x.wwa", {small_operator("a")}, diagnostics));
  CHECK(diagnostics.has_slug("archive.unwritable"));
}

TEST_CASE("archive: every flipped bit of header and manifest is found at open, every other one by verify") {
  const std::string bytes = small_archive_bytes({"a"});
  format::Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const size_t manifest_end = sizeof(header) + header.manifest_bytes;
  REQUIRE(judge(bytes) == WW_STATUS_OK);
  for (size_t offset = 0; offset < manifest_end; ++offset) {
    const std::string bad = flipped(bytes, offset, static_cast<int>(offset % 8));
    ww_archive_t *archive = nullptr;
    std::vector<uint64_t> storage(bad.size() / 8 + 1);
    std::memcpy(storage.data(), bad.data(), bad.size());
    const ww_status_t status = wwArchiveOpenMemory(storage.data(), bad.size(), &archive, nullptr);
    if (status != WW_STATUS_NOT_AN_ARCHIVE && status != WW_STATUS_UNSUPPORTED_VERSION &&
        status != WW_STATUS_CORRUPT_ARCHIVE)
      FAIL("offset " << offset << " gives " << wwStatusText(status));
  }
  // Blobs and the zero bytes between them; every bit of a few bytes, one bit of the rest in steps.
  for (size_t offset = manifest_end; offset < bytes.size(); offset += 61)
    if (judge(flipped(bytes, offset, static_cast<int>(offset % 8))) != WW_STATUS_CORRUPT_ARCHIVE)
      FAIL("offset " << offset);
}

TEST_CASE("archive: every truncation is found") {
  const std::string bytes = small_archive_bytes({"a"});
  for (size_t length = 0; length < bytes.size(); length += length < 300 ? 1 : 997) {
    const ww_status_t status = judge(bytes.substr(0, length));
    const ww_status_t expected = length < 8 ? WW_STATUS_NOT_AN_ARCHIVE : WW_STATUS_CORRUPT_ARCHIVE;
    if (status != expected) FAIL("length " << length << " gives " << wwStatusText(status));
  }
  CHECK(judge(bytes + std::string(1, '\0')) == WW_STATUS_CORRUPT_ARCHIVE);
}

TEST_CASE("archive: another version is refused by name") {
  std::string bytes = small_archive_bytes({"a"});
  bytes[8] = 2;  // container_version
  std::string text;
  CHECK(judge(bytes, &text) == WW_STATUS_UNSUPPORTED_VERSION);
  CHECK(text == "archive in memory: container version 2; this runtime reads version 1");
}
