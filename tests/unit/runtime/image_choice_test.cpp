// SPDX-License-Identifier: Apache-2.0
// Which architectures run where, and what a complete cubin is.
#include "tests/catch.h"

#include "runtime/src/cubin.h"
#include "runtime/src/image_choice.h"

#include <cstring>
#include <elf.h>

using namespace warpwright;
using runtime::choose_image;
using runtime::parse_arch;
using runtime::runs_on;

namespace {

/// The architecture chosen among `archs`, or "" if none runs.
std::string chosen(const std::vector<std::string> &archs, int major, int minor) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<format::Image>> images;
  const auto none = builder.CreateVectorOfStrings(std::vector<std::string>{});
  for (const std::string &arch : archs)
    images.push_back(format::CreateImage(builder, builder.CreateString(arch), 0, 0, 0, 0, 0, 0, 0,
                                         builder.CreateString(""), none));
  const auto maps = builder.CreateVector(std::vector<flatbuffers::Offset<format::TensorMap>>{});
  const auto params = builder.CreateVector(std::vector<flatbuffers::Offset<format::Param>>{});
  builder.Finish(format::CreateKernel(builder, builder.CreateString("k"), 1, 1, 0, none, 1, 1, 1, false, none, maps,
                                      params, builder.CreateVector(images), 0));
  const auto *kernel = flatbuffers::GetRoot<format::Kernel>(builder.GetBufferPointer());
  const auto index = choose_image(*kernel, major, minor);
  return index ? archs[*index] : "";
}

}  // namespace

TEST_CASE("arch: names parse, others do not") {
  CHECK(parse_arch("sm_90a")->major == 9);
  CHECK(parse_arch("sm_103f")->minor == 3);
  CHECK(parse_arch("sm_120")->kind == runtime::Arch::Kind::kPortable);
  for (const char *bad : {"", "sm_", "sm_a", "sm_9", "sm_1000", "sm_90b", "compute_90", "sm_9x", "sm_90aa"})
    CHECK_FALSE(parse_arch(bad));
}

TEST_CASE("arch: specific, family and portable images run where NVIDIA says") {
  CHECK(runs_on(*parse_arch("sm_90a"), 9, 0));
  CHECK_FALSE(runs_on(*parse_arch("sm_100a"), 10, 3));
  CHECK(runs_on(*parse_arch("sm_100f"), 10, 3));
  CHECK_FALSE(runs_on(*parse_arch("sm_103f"), 10, 0));
  CHECK_FALSE(runs_on(*parse_arch("sm_100f"), 12, 0));
  CHECK(runs_on(*parse_arch("sm_80"), 8, 9));
}

TEST_CASE("arch: the most specific image that runs is chosen") {
  CHECK(chosen({"sm_100f", "sm_100a", "sm_103a"}, 10, 0) == "sm_100a");
  CHECK(chosen({"sm_100f", "sm_100a", "sm_103a"}, 10, 3) == "sm_103a");
  CHECK(chosen({"sm_100f", "sm_100a"}, 10, 3) == "sm_100f");
  CHECK(chosen({"sm_100", "sm_100f"}, 10, 3) == "sm_100f");
  CHECK(chosen({"sm_80", "sm_86"}, 8, 9) == "sm_86");
  CHECK(chosen({"sm_100a", "nonsense"}, 9, 0).empty());
  CHECK(chosen({}, 9, 0).empty());
}

TEST_CASE("cubin: headers and sections must lie inside") {
  std::vector<uint8_t> bytes(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Shdr) + 16);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = 190;
  header.e_shoff = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 2;
  Elf64_Shdr section = {};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = bytes.size() - 16;
  section.sh_size = 16;
  const auto complete = [&] {
    std::memcpy(bytes.data(), &header, sizeof(header));
    std::memcpy(bytes.data() + sizeof(header) + sizeof(section), &section, sizeof(section));
    return runtime::is_complete_cubin(bytes.data(), bytes.size());
  };
  CHECK(complete());
  CHECK_FALSE(runtime::is_complete_cubin(bytes.data(), sizeof(header) - 1));
  SECTION("section past the end") {
    section.sh_size = 17;
    CHECK_FALSE(complete());
    section.sh_type = SHT_NOBITS;
    CHECK(complete());
  }
  SECTION("offsets that overflow") {
    section.sh_offset = ~uint64_t{0};
    CHECK_FALSE(complete());
  }
  SECTION("section table past the end") {
    header.e_shnum = 3;
    CHECK_FALSE(complete());
  }
  SECTION("program headers past the end") {
    header.e_phnum = 1;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phoff = bytes.size();
    CHECK_FALSE(complete());
  }
  SECTION("another machine") {
    header.e_machine = EM_X86_64;
    CHECK_FALSE(complete());
  }
}
