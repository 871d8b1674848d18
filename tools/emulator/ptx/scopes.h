// SPDX-License-Identifier: Apache-2.0
// Names of a PTX file: nested scopes, ranges of registers, labels that are used before they stand.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace warpwright::emulator::ptx {

struct Symbol {
  enum class Kind : uint8_t {
    kRegister,
    kModuleVariable,
    kBodyVariable,
    kParameter,
    kReturn,
    kFunction,
    kKernel,
    kLabel,
    kLabelList,  ///< of .branchtargets
    kPrototype,
  };
  Kind kind = Kind::kRegister;
  uint32_t index = 0;
  uint8_t components = 1;  ///< of a vector register: 2 or 4, that stand one after another
};

/// A use of a label, resolved when its scope ends: the innermost label of that name holds, wherever it stands.
struct LabelUse {
  std::string_view name;
  uint32_t offset = 0;       ///< of the text
  uint32_t instruction = 0;  ///< or the list, when it stands in .branchtargets
  uint32_t position = 0;     ///< of the operand, or in the list
  bool is_in_list = false;
};

struct ResolvedUse {
  LabelUse use;
  Symbol symbol;
};

class Scopes {
 public:
  void open() { scopes_.emplace_back(); }
  /// Ends the innermost scope. Uses of labels that it does not have pass to the scope around it.
  std::vector<ResolvedUse> close();
  size_t depth() const { return scopes_.size(); }

  /// False: the innermost scope has the name already.
  bool declare(std::string_view name, Symbol symbol);
  void declare_outermost(std::string_view name, Symbol symbol) { scopes_.front().names.emplace(name, symbol); }
  /// Registers prefix0 … prefix(count - 1), from `first` on; the prefix ends with no digit. False: one is declared already.
  bool declare_range(std::string_view prefix, uint32_t first, uint32_t count);
  std::optional<Symbol> find(std::string_view name) const;
  void use_label(const LabelUse &use) { scopes_.back().uses.push_back(use); }
  const std::vector<LabelUse> &open_uses() const { return scopes_.back().uses; }

 private:
  struct Range {
    uint32_t first = 0;
    uint32_t count = 0;
  };
  struct Scope {
    std::unordered_map<std::string_view, Symbol> names;
    std::unordered_map<std::string_view, Range> ranges;
    std::vector<LabelUse> uses;

    std::optional<Symbol> find(std::string_view name) const;
  };

  std::vector<Scope> scopes_;
};

}  // namespace warpwright::emulator::ptx
