// SPDX-License-Identifier: Apache-2.0
// The rules of banks and sectors.
//
// Banks       CUDA C++ Best Practices Guide 13.0, "Shared Memory and Memory Banks": 32 banks, successive 32-bit words in
//             successive banks, 32 bits a clock each. CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x, which
//             the later ones refer to: two threads at one 32-bit word do not conflict, in a load or a store.
// Wide loads  Of 64 bits each half of a warp, of 128 bits each quarter is a pass of its own, since a pass moves 128 bytes. A load
//             whose lanes pairwise have one address takes twice as many lanes in a pass: NVIDIA's answer in
//             https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228, for 7.0 and 7.5.
// Matrices    PTX ISA 9.0, "ldmatrix", "stmatrix": a matrix has eight rows of 16 bytes; each matrix is a pass.
// Measured    All of that on an H200: tests/emulator/profile/banks.txt has patterns and the passes that they took.
// Sectors     CUDA C++ Best Practices Guide 13.0, "Coalesced Access to Global Memory": a warp's accesses become as many 32-byte
//             transactions as are necessary to serve its threads.
#include "tools/emulator/profile/access.h"

#include <algorithm>
#include <string>

namespace warpwright::emulator::profile {

namespace {

constexpr uint32_t kBanks = 32, kWordBytes = 4, kPassBytes = 128;

/// The words of a pass's lanes, in the bank with the most: 0 without lanes.
uint32_t most_words_in_a_bank(const LaneAddresses &addresses, uint32_t mask, uint32_t bytes) {
  std::array<uint64_t, 32 * 4> words;
  size_t count = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    const uint64_t address = addresses[static_cast<size_t>(__builtin_ctz(left))];
    for (uint64_t word = address / kWordBytes; word <= (address + bytes - 1) / kWordBytes; ++word) words[count++] = word;
  }
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
  std::array<uint32_t, kBanks> banks{};
  for (auto word = words.begin(); word != end; ++word) ++banks[*word % kBanks];
  return *std::max_element(banks.begin(), banks.end());
}

/// Every lane that takes part has the address of lane i ^ distance, or that lane takes no part.
bool has_equal_pairs(const LaneAddresses &addresses, uint32_t mask, uint32_t distance) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(__builtin_ctz(left)), other = lane ^ distance;
    if ((mask >> other & 1) && addresses[lane] != addresses[other]) return false;
  }
  return true;
}

uint32_t lanes_from(uint32_t first, uint32_t count) { return count == 32 ? ~0u : ((1u << count) - 1) << first; }

/// An opcode's words, one after the other.
struct Words {
  std::string_view rest;
  std::string_view next() {
    const size_t dot = rest.find('.');
    const std::string_view word = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    return word;
  }
};

/// "b32", "u8", "f64": bytes; 0: no type.
uint32_t bytes_of_type(std::string_view word) {
  if (word.size() < 2 || std::string_view("busf").find(word[0]) == std::string_view::npos) return 0;
  uint32_t bits = 0;
  for (const char c : word.substr(1)) {
    if (c < '0' || c > '9') return 0;
    bits = bits * 10 + static_cast<uint32_t>(c - '0');
  }
  return bits / 8;
}

Access matrix_access(std::string_view opcode, bool is_store) {
  // Rows of the shapes with elements of 8, 6 and 4 bits are laid out in other ways, which were not measured.
  for (const uint32_t count : {1u, 2u, 4u})
    if (opcode.find(".m8n8.x" + std::to_string(count) + ".") != std::string_view::npos && opcode.ends_with(".b16"))
      return {Access::Space::kShared, is_store, 16, count};
  return {};
}

}  // namespace

Access access_of(std::string_view opcode) {
  Words words{opcode};
  const std::string_view verb = words.next();
  if (verb == "ldmatrix" || verb == "stmatrix") return matrix_access(opcode, verb == "stmatrix");
  if (verb != "ld" && verb != "st") return {};
  Access access{Access::Space::kGeneric, verb == "st", 0, 0};
  uint32_t count = 1;
  while (!words.rest.empty()) {
    const std::string_view word = words.next();
    if (word == "shared" || word.starts_with("shared::")) access.space = Access::Space::kShared;
    else if (word == "global") access.space = Access::Space::kGlobal;
    else if (word == "async" || word == "bulk" || word == "local" || word == "const" || word.starts_with("param")) return {};
    else if (word == "v2" || word == "v4" || word == "v8") count = static_cast<uint32_t>(word[1] - '0');
    else if (const uint32_t bytes = bytes_of_type(word)) access.bytes = bytes * count;
  }
  return access.bytes ? access : Access{};
}

Wavefronts count_wavefronts(const Access &access, const LaneAddresses &addresses, uint32_t mask) {
  Wavefronts sum;
  if (access.matrices) {
    for (uint32_t i = 0; i < access.matrices; ++i) sum.taken += most_words_in_a_bank(addresses, lanes_from(8 * i, 8), access.bytes);
    sum.least = access.matrices;
    return sum;
  }
  uint32_t lanes = std::min(32u, kPassBytes / access.bytes);
  const bool is_wide = lanes < 32;
  if (is_wide && !access.is_store && (has_equal_pairs(addresses, mask, 1) || has_equal_pairs(addresses, mask, 2))) lanes *= 2;
  for (uint32_t first = 0; first < 32; first += lanes) {
    const uint32_t words = most_words_in_a_bank(addresses, mask & lanes_from(first, lanes), access.bytes);
    sum.taken += words;
    sum.least += words != 0;
  }
  // A load's passes also return registers: an empty one is not left out, but conflicts of others take its place.
  if (!access.is_store) {
    sum.least = 32 / lanes;
    sum.taken = std::max(sum.taken, sum.least);
  }
  return sum;
}

Sectors count_sectors(const Access &access, const LaneAddresses &addresses, uint32_t mask) {
  // Accesses are aligned: each lies in one sector, and two of them are the same or apart.
  std::array<uint64_t, 32> starts;
  size_t count = 0;
  for (uint32_t left = mask; left; left &= left - 1) starts[count++] = addresses[static_cast<size_t>(__builtin_ctz(left))];
  const auto begin = starts.begin();
  std::sort(begin, begin + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(begin, begin + static_cast<std::ptrdiff_t>(count));
  Sectors sum;
  uint64_t last = ~uint64_t{0};
  for (auto start = begin; start != end; ++start) {
    sum.bytes_wanted += access.bytes;
    if (*start / kSectorBytes != last) ++sum.sectors;
    last = *start / kSectorBytes;
  }
  return sum;
}

}  // namespace warpwright::emulator::profile
