// SPDX-License-Identifier: Apache-2.0
// Rows of instruction forms whose opcodes are put together: the texts are kept here.
#pragma once

#include "tools/emulator/machine/program.h"

#include <deque>
#include <string>
#include <vector>

namespace warpwright::emulator {

class FormRows {
 public:
  std::vector<Form> forms;
  void add(std::string opcode, std::string signature, Handler handler, uint32_t flags = 0) {
    texts_.push_back(std::move(opcode));
    const std::string_view kept = texts_.back();
    texts_.push_back(std::move(signature));
    forms.push_back({kept, texts_.back(), handler, flags});
  }

 private:
  std::deque<std::string> texts_;
};

}  // namespace warpwright::emulator
