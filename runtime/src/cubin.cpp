// SPDX-License-Identifier: Apache-2.0
// ELF header and section table of a cubin.
#include "runtime/src/cubin.h"

#include <cstring>
#include <elf.h>

namespace warpwright::runtime {

namespace {

/// Source: the ELF registry's machine numbers, EM_CUDA.
constexpr uint16_t kMachineCuda = 190;

bool is_inside(uint64_t offset, uint64_t bytes, uint64_t limit) { return offset <= limit && bytes <= limit - offset; }

}  // namespace

bool is_complete_cubin(const uint8_t *bytes, size_t num_bytes) {
  Elf64_Ehdr header;
  if (num_bytes < sizeof(header)) return false;
  std::memcpy(&header, bytes, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != kMachineCuda)
    return false;
  if (header.e_phnum > 0 && (header.e_phentsize != sizeof(Elf64_Phdr) ||
                             !is_inside(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), num_bytes)))
    return false;
  if (header.e_shnum == 0) return true;
  if (header.e_shentsize != sizeof(Elf64_Shdr) ||
      !is_inside(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), num_bytes))
    return false;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
    if (section.sh_type != SHT_NOBITS && !is_inside(section.sh_offset, section.sh_size, num_bytes)) return false;
  }
  return true;
}

}  // namespace warpwright::runtime
