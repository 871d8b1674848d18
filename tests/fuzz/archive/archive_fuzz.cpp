// SPDX-License-Identifier: Apache-2.0
// Damaged archives, digests repaired in most of them: the reader must refuse or answer, never crash.
//
// WARPWRIGHT_FUZZ_SEED repeats a run, WARPWRIGHT_FUZZ_SECONDS lengthens it.
#include "tests/catch.h"
#include "tests/unit/archive/small_operator.h"

#include "runtime/format/container.h"
#include "warpwright/warpwright.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>

using namespace warpwright;

namespace {

using Random = std::mt19937_64;

uint64_t below(Random &random, uint64_t limit) { return random() % limit; }

/// Changes one to eight places: a bit, a byte, a 32-bit word that is small or extreme, or a swap of two stretches.
void damage(std::string &bytes, size_t begin, size_t end, Random &random) {
  const uint64_t changes = 1 + below(random, 8);
  for (uint64_t i = 0; i < changes; ++i) {
    const size_t at = begin + below(random, end - begin);
    switch (below(random, 4)) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8))); break;
      case 1: bytes[at] = static_cast<char>(random()); break;
      case 2: {
        static constexpr uint32_t kWords[] = {0, 1, 2, 4, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0};
        const uint32_t word = below(random, 2) ? kWords[below(random, 8)] : static_cast<uint32_t>(below(random, 300));
        std::memcpy(bytes.data() + at, &word, std::min<size_t>(4, bytes.size() - at));
        break;
      }
      default: std::swap(bytes[at], bytes[begin + below(random, end - begin)]);
    }
  }
}

/// Asks an operator everything that needs no GPU.
void ask_operator(const ww_operator_t *op, Random &random) {
  ww_operator_info_t info = {};
  info.struct_bytes = sizeof(info);
  REQUIRE(wwOperatorDescribe(op, &info, nullptr) == WW_STATUS_OK);
  const ww_variable_t variables[] = {{"m", static_cast<int64_t>(below(random, 5000)) - 10}};
  for (size_t i = 0; i < info.num_tensors; ++i) {
    ww_tensor_info_t tensor = {};
    tensor.struct_bytes = sizeof(tensor);
    REQUIRE(wwOperatorDescribeTensor(op, i, &tensor, nullptr) == WW_STATUS_OK);
    int64_t dims[4];
    size_t num_dims = 0;
    uint64_t bytes = 0;
    wwOperatorMeasureTensor(op, tensor.name, variables, 1, dims, 4, &num_dims, &bytes, nullptr);
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < info.num_kernels; ++i) {
    ww_kernel_info_t kernel = {};
    kernel.struct_bytes = sizeof(kernel);
    REQUIRE(wwOperatorDescribeKernel(op, i, &kernel, nullptr) == WW_STATUS_OK);
    for (size_t j = 0; j < kernel.num_images; ++j) {
      ww_image_info_t image = {};
      image.struct_bytes = sizeof(image);
      REQUIRE(wwOperatorDescribeImage(op, i, j, &image, nullptr) == WW_STATUS_OK);
      for (size_t k = 0; k < image.cubin_bytes; k += 64) sum += static_cast<const uint8_t *>(image.cubin)[k];
    }
  }
  for (size_t i = 0; i < info.num_facts; ++i) {
    const char *key = nullptr, *value = nullptr;
    REQUIRE(wwOperatorGetFact(op, i, &key, &value, nullptr) == WW_STATUS_OK);
    sum += std::strlen(key) + std::strlen(value);
  }
  ww_grid_t grids[4];
  size_t num_grids = 0;
  wwOperatorChooseKernels(op, variables, 1, 148, grids, 4, &num_grids, nullptr);
  uint64_t workspace = 0;
  wwOperatorMeasureWorkspace(op, variables, 1, 148, &workspace, nullptr);
  [[maybe_unused]] volatile uint64_t used = sum;
}

/// True if the archive opened.
bool ask_archive(const std::string &bytes, Random &random) {
  // Exactly as many bytes as the archive has, so that ASan sees a read past them.
  std::unique_ptr<uint8_t[]> storage(new uint8_t[bytes.size() + 1]);
  std::memcpy(storage.get(), bytes.data(), bytes.size());
  ww_archive_t *archive = nullptr;
  ww_message_t message;
  const ww_status_t status = wwArchiveOpenMemory(storage.get(), bytes.size(), &archive, &message);
  REQUIRE(status != WW_STATUS_INTERNAL);
  REQUIRE((message.text[0] == '\0') == (status == WW_STATUS_OK));
  if (status != WW_STATUS_OK) return false;
  REQUIRE(wwArchiveVerify(archive, &message) != WW_STATUS_INTERNAL);
  for (size_t i = 0; i < wwArchiveCountOperators(archive); ++i) {
    ww_operator_t *op = nullptr;
    REQUIRE(wwArchiveGetOperator(archive, i, &op, nullptr) == WW_STATUS_OK);
    ask_operator(op, random);
  }
  wwArchiveClose(archive);
  return true;
}

double number_from_environment(const char *name, double otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtod(text, nullptr) : otherwise;
}

}  // namespace

TEST_CASE("fuzz: damaged archives are refused or answered") {
  const uint64_t seed = static_cast<uint64_t>(number_from_environment("WARPWRIGHT_FUZZ_SEED", 20260101));
  const double seconds = number_from_environment("WARPWRIGHT_FUZZ_SECONDS", 5);
  std::cout << "seed " << seed << ", " << seconds << " s" << std::endl;
  const std::string sound = testing::small_archive_bytes({"op", "other"});
  format::Header header;
  std::memcpy(&header, sound.data(), sizeof(header));
  const size_t manifest_end = sizeof(header) + header.manifest_bytes;

  Random random(seed);
  REQUIRE(ask_archive(sound, random));
  uint64_t tried = 0, opened = 0;
  const auto stop = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < stop) {
    std::string bytes = sound;
    switch (below(random, 8)) {
      case 0: {  // noise behind a sound signature
        bytes.resize(below(random, 4096));
        for (char &byte : bytes) byte = static_cast<char>(random());
        std::memcpy(bytes.data(), sound.data(), std::min<size_t>(bytes.size(), 12));
        break;
      }
      case 1: bytes.resize(below(random, bytes.size())); break;
      case 2: damage(bytes, 0, bytes.size(), random); break;
      case 3: damage(bytes, 0, sizeof(header), random); break;
      default: damage(bytes, sizeof(header), manifest_end, random);  // what the FlatBuffers verifier and ours must catch
    }
    if (bytes.size() >= sizeof(header) && below(random, 8) != 0) testing::repair_digests(bytes);
    opened += ask_archive(bytes, random);
    ++tried;
  }
  std::cout << tried << " archives, " << opened << " of them opened" << std::endl;
  // Enough get past the digests and the verifier for the questions to mean something.
  CHECK(opened > tried / 50);
}
