// SPDX-License-Identifier: Apache-2.0
// A PTX file after parsing: kernels, their registers, instructions and parameters, with every name resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpwright::emulator::ptx {

/// Where an instruction stands. `line` counts from 1; file and source_line come from .loc and are 0 without it. Of code that
/// was inlined, the caller's are where the outermost call stands; else they are 0.
struct Place {
  uint32_t line = 0;
  uint32_t file = 0;
  uint32_t source_line = 0;
  uint32_t caller_file = 0;
  uint32_t caller_line = 0;
};

/// Widths of registers. A signed, unsigned, float and untyped register of one width are the same thing here: PTX ISA 9.0,
/// "Operand Type Checking", leaves meaning to the instruction.
enum class Width : uint8_t { kPredicate, k8, k16, k32, k64, k128 };

/// A virtual register. Registers of inner scopes are distinct from outer ones of the same name.
struct Register {
  std::string name;
  Width width = Width::k32;
};

enum class Space : uint8_t { kGlobal, kShared, kConst, kParam, kLocal };

/// A place in Variable::initial that holds an address, known once the module is placed.
struct Relocation {
  uint64_t offset = 0;       ///< into the variable
  uint32_t bytes = 8;        ///< that the address fills, its low ones
  uint32_t shift = 0;        ///< the address is shifted right by so many bits first: 0xFF00(name) is one byte, 8 bits shifted
  uint32_t index = 0;        ///< into Module::variables, or into Module::functions
  bool is_function = false;
  bool is_generic = false;   ///< written generic(name): the generic address
  int64_t addend = 0;
};

/// A named piece of memory: a module variable, a kernel's parameter, or a variable in a kernel's body.
struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  uint64_t bytes = 0;   ///< 0: .extern .shared, sized at launch
  uint32_t align = 1;
  uint64_t offset = 0;  ///< of a parameter: in the parameter block
  std::vector<uint8_t> initial;  ///< the first bytes; the rest is zero. Of module variables, in Module::variables alone
  bool is_extern = false;
  bool is_managed = false;                  ///< .attribute(.managed)
  std::optional<uint32_t> module_index;     ///< of a module variable: its place in Module::variables
  std::vector<Relocation> relocations;      ///< with `initial`
};

/// One operand. `parts` holds the elements of a vector, both halves of a pair, and what stands in brackets.
///
/// A variable's `index` counts Kernel::variables, then Kernel::parameters, then Kernel::returns: parameter p has the index
/// variables.size() + p. A list in round brackets, as in `call (retval0), f, (param0, param1)`, is a vector.
struct Operand {
  enum class Kind : uint8_t {
    kRegister,   ///< %r1, or !%p1 with is_negated
    kImmediate,  ///< bits in `value` (integers in 64 bits; 0f as 32 bits, 0d and 1.5 as the 64 of a double)
    kVariable,   ///< the address of variable `index`, plus `value`; within an address the offset is the address's
    kSpecial,    ///< %tid.x: `index` into Kernel::specials
    kLabelList,  ///< `index` into Kernel::label_lists: the second operand of brx.idx
    kLabel,      ///< `index`: the instruction jumped to; instructions.size() for a label at the end
    kSink,       ///< _
    kVector,     ///< {a, b, …}
    kPair,       ///< a|b
    kFunction,   ///< the address of function `index` of Module::functions
    kPrototype,  ///< what a .callprototype names, the last operand of an indirect call
    kAddress,    ///< [a], [a+8], [a, {c0, c1}]: parts[0] is the base, `value` the offset in bytes, parts[1…] the rest
  };
  Kind kind = Kind::kSink;
  bool is_negated = false;
  bool is_float = false;  ///< an immediate written as 0f or 0d, or with a decimal point
  uint8_t float_bits = 0; ///< 32 for 0f, 64 for 0d and decimal points
  uint32_t index = 0;     ///< of a register: into Kernel::registers
  int64_t value = 0;
  std::vector<Operand> parts;
};

/// `opcode` is the whole dotted word, as written: "mbarrier.try_wait.parity.shared::cta.b64".
struct Instruction {
  std::string opcode;
  std::optional<uint32_t> guard;  ///< predicate register of @p
  bool guard_is_negated = false;
  std::vector<Operand> operands;
  Place place;
};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

/// A kernel, or a function that kernels may call.
struct Kernel {
  std::string name;
  std::vector<Variable> parameters;  ///< in order, offsets as in the CUDA parameter block
  uint64_t parameter_bytes = 0;
  std::vector<Register> registers;
  std::vector<std::string> specials;   ///< "%tid.x", each once
  /// The module's that its body names, in the module's order, then the body's own. A body's .global and .const variables are
  /// the module's, under the names of both.
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  uint32_t entry = 0;                  ///< where a kernel begins: after functions, where link() has put them before it
  std::vector<std::vector<uint32_t>> label_lists;  ///< of .branchtargets: indices into `instructions`
  Dim3 max_threads{0};                 ///< .maxntid; 0 in x where absent
  Dim3 required_threads{0};            ///< .reqntid; 0 in x where absent
  Dim3 cluster{0};                     ///< .reqnctapercluster; 0 in x where absent
  bool has_explicit_cluster = false;
  uint32_t min_ctas_per_sm = 0;        ///< .minnctapersm, 0 where absent; so the next two
  uint32_t max_registers = 0;          ///< .maxnreg
  uint32_t max_cluster_rank = 0;       ///< .maxclusterrank
  std::vector<Variable> returns;       ///< of a function
  bool is_declaration = false;         ///< a function without a body here, such as vprintf
};

struct Module {
  int version_major = 0, version_minor = 0;
  std::string target;                  ///< "sm_100a"
  std::vector<std::string> files;      ///< of .file, by index; 0 is empty
  std::vector<Variable> variables;
  std::vector<Kernel> kernels;
  std::vector<Kernel> functions;

  const Kernel *find_kernel(const std::string &name) const;
};

}  // namespace warpwright::emulator::ptx
