// SPDX-License-Identifier: Apache-2.0
// A kernel after decoding: every instruction has its function and the places of its operands.
#pragma once

#include "tools/emulator/ptx/module.h"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::emulator {

struct Execution;
struct Op;

/// What the warp does after an instruction.
enum class Step : uint8_t {
  kNext,   ///< goes on with the next instruction
  kYield,  ///< so too, but others may run first: something was done that they can see
  kJump,   ///< the instruction has set where its lanes go on
  kPark,   ///< waits; the instruction has said for what
  kExit,   ///< its lanes end
  kFault,  ///< a finding that leaves nothing to go on with
};

using Handler = Step (*)(Execution &, const Op &);

/// A form of an instruction that the machine has.
///
/// `signature`  one word an operand: width p h w l q (predicate, up to 16, up to 32, 64, 128 bits), before it '>' for a
///              destination, after it a count for a vector ("w4"). 'a' is an address in a state space or window ("[r+8]"),
///              'b' an address of 32 or 64 bits in brackets with the coordinates of a tensor after it, 'i' an immediate,
///              '@' a label. A '?' before a word: the operand may be absent. `>w|p`: a pair whose second half may be
///              absent. A destination may be '_'.
struct Form {
  std::string_view opcode;
  std::string_view signature;
  Handler handler;
  uint32_t flags = 0;
};

/// Flags of forms.
enum : uint32_t {
  kAligned = 1,  ///< every lane of the warp that has not ended executes it together
  kWgmma = 2,    ///< wgmma.mma_async: its vectors are registers in flight
};

/// Where an operand lies: words from the start of the warp's registers. A 64-bit register takes two words a lane, a
/// predicate one word, a bit a lane.
inline constexpr uint32_t kAbsent = ~0u;

struct Op {
  Handler handler = nullptr;
  const uint32_t *operands = nullptr;  ///< into Program::pool; an address is its register followed by its offset in bytes
  uint32_t guard = kAbsent;
  bool guard_is_negated = false;
  uint16_t num_operands = 0;
  uint32_t flags = 0;
  uint32_t index = 0;  ///< into Kernel::instructions
  const uint32_t *tracked = nullptr;  ///< places of its registers that some wgmma.mma_async has too; none of one itself
  uint16_t num_tracked = 0;
};

/// What a warp's registers hold before its first instruction.
struct Constant {
  uint32_t place = 0;
  bool is_wide = false;
  uint64_t value = 0;
};

/// A register whose value the place of the thread gives.
struct SpecialRegister {
  std::string name;
  uint32_t place = 0;
  bool is_wide = false;
};

/// A register that holds the address of a thread's own variable: in the local window, and no two threads have the same.
struct ThreadAddress {
  uint32_t place = 0;
  uint32_t offset = 0;
};

/// A register that holds the address of a variable in shared memory: one of the CTA's window, known at launch.
struct SharedAddress {
  uint32_t place = 0;
  bool is_wide = false;
  uint32_t offset = 0;  ///< from the start of the window
};

struct Program {
  const ptx::Kernel *kernel = nullptr;
  std::vector<Op> ops;
  std::vector<uint32_t> pool;
  uint32_t register_words = 0;  ///< of a warp
  std::vector<Constant> constants;
  std::vector<SpecialRegister> specials;
  std::vector<SharedAddress> shared_addresses;
  std::vector<ThreadAddress> thread_addresses;
  uint32_t thread_bytes = 0;  ///< of .local variables and of parameters of calls
  /// Between the addresses of two lanes, with a gap in which nothing lies.
  uint32_t thread_stride() const { return thread_bytes + 512; }
  std::map<uint32_t, std::string> wgmma_registers;  ///< accumulators and fragments of A: names by place
  std::vector<uint32_t> tracked;                    ///< of all instructions
  std::vector<std::array<uint32_t, 3>> forced;      ///< branches: target, guard, whether the guard is negated
  uint32_t static_shared_bytes = 0;   ///< with what is reserved before it; dynamic shared memory follows
  uint32_t dynamic_shared_align = 16;
};

/// The first bytes of a CTA's shared window belong to the system.
/// Source: CUDA C++ Programming Guide 13.0, "Compute Capability 9.0", shared memory: 1 KB per thread block is reserved for
/// system use; CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK.
inline constexpr uint32_t kReservedSharedBytes = 1024;

struct DecodeError {
  std::string slug;  ///< empty: none
  std::string text;
  ptx::Place place;
};

/// `module_addresses`: of Module::variables, 0 where there is none.
/// Errors    ptx.unknown-instruction, ptx.operand, ptx.operand-width, ptx.unknown-register, ptx.unsupported-variable,
///           ptx.local-size, ptx.shared-size.
DecodeError decode(const ptx::Kernel &kernel, Program &program, std::span<const uint64_t> module_addresses);

/// The forms of an opcode, which differ in their operands; empty when the machine has none.
const std::vector<const Form *> &find_forms(std::string_view opcode);
/// Every form, sorted by opcode.
std::vector<const Form *> all_forms();

}  // namespace warpwright::emulator
