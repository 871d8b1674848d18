// SPDX-License-Identifier: Apache-2.0
// Architecture names and their compatibility.
#include "runtime/src/image_choice.h"

namespace warpwright::runtime {

std::optional<Arch> parse_arch(std::string_view text) {
  constexpr std::string_view kPrefix = "sm_";
  if (text.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  text.remove_prefix(kPrefix.size());
  Arch arch;
  if (!text.empty() && text.back() == 'a') arch.kind = Arch::Kind::kSpecific;
  if (!text.empty() && text.back() == 'f') arch.kind = Arch::Kind::kFamily;
  if (arch.kind != Arch::Kind::kPortable) text.remove_suffix(1);
  if (text.size() < 2 || text.size() > 3) return std::nullopt;
  int number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  arch.major = number / 10;
  arch.minor = number % 10;
  return arch;
}

bool runs_on(const Arch &arch, int major, int minor) {
  if (arch.major != major) return false;
  return arch.kind == Arch::Kind::kSpecific ? arch.minor == minor : arch.minor <= minor;
}

std::optional<size_t> choose_image(const format::Kernel &kernel, int major, int minor) {
  std::optional<size_t> best;
  int best_rank = -1;
  for (uint32_t i = 0; i < kernel.images()->size(); ++i) {
    const auto arch = parse_arch(kernel.images()->Get(i)->arch()->string_view());
    if (!arch || !runs_on(*arch, major, minor)) continue;
    const int rank = static_cast<int>(arch->kind) * 10 + arch->minor;
    if (rank <= best_rank) continue;
    best = i;
    best_rank = rank;
  }
  return best;
}

}  // namespace warpwright::runtime
