// SPDX-License-Identifier: Apache-2.0
// Prints every form of the machine, a line each: the opcode, a tab, the signature.
#include "tools/emulator/machine/program.h"

#include <cstdio>

int main() {
  for (const warpwright::emulator::Form *form : warpwright::emulator::all_forms())
    std::printf("%.*s\t%.*s\n", static_cast<int>(form->opcode.size()), form->opcode.data(), static_cast<int>(form->signature.size()),
                form->signature.data());
  return 0;
}
