// SPDX-License-Identifier: Apache-2.0
// The recursive-descent parser behind parse(); its functions stand in the files that their groups name.
#pragma once

#include "tools/emulator/ptx/lexer.h"
#include "tools/emulator/ptx/module.h"
#include "tools/emulator/ptx/numbers.h"
#include "tools/emulator/ptx/scopes.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::emulator::ptx {

/// Bounds, so that no text takes more memory or time than in proportion to its length.
struct Limits {
  static constexpr size_t kTextBytes = size_t{64} << 20;
  static constexpr uint64_t kRegisters = 1'000'000;
  static constexpr size_t kDepth = 64;                          ///< of braces, and of brackets in constants
  static constexpr uint64_t kVariableBytes = uint64_t{1} << 40;
  static constexpr uint64_t kInitialBytes = uint64_t{64} << 20;  ///< of all variables together
  static constexpr uint64_t kFiles = 65'535;
};

/// What a type says of storage.
struct Type {
  uint32_t bytes = 0;
  uint8_t float_bits = 0;  ///< 32 or 64 where literals of that size initialise it
  bool is_integer = false;
  bool is_predicate = false;
};

/// What stands before the names of a declaration.
struct DeclarationHead {
  Space space = Space::kGlobal;
  Type type;
  uint32_t components = 1;
  uint32_t align = 0;  ///< 0: the type's
  bool is_extern = false;
  bool is_managed = false;
};

class Parser {
 public:
  explicit Parser(std::string_view text);
  Module run();

 private:
  // parser.cpp: tokens, and what stands outside of bodies
  [[noreturn]] void fail(std::string slug, std::string text, const Token &at) const;
  [[noreturn]] void fail_here(const std::string &expected) const;
  void advance() { token_ = lexer_.next(); }
  bool take(char mark);
  void expect(char mark);
  std::string_view take_word(const char *what);
  uint64_t take_integer(uint64_t most, const char *what);
  void read_header();
  void read_target();
  void read_item();
  void read_file();
  void read_location();
  void skip_section();
  void read_pragma();

  // parser_functions.cpp: entries and functions
  void read_entry();
  void read_function();
  void read_parameters(std::vector<Variable> &into, Symbol::Kind kind, bool declares);
  void read_tuning(Kernel &kernel);
  void read_tuning_value(Kernel &kernel, std::string_view directive);
  Dim3 read_dimensions();
  void read_body(Kernel &kernel);
  void finish_body(Kernel &kernel);
  void finish_operand(Operand &operand, uint32_t num_own_variables) const;
  void declare_callable(std::vector<Kernel> &list, Symbol::Kind kind, const Token &name);
  void read_callable(std::vector<Kernel> &list, Kernel kernel, const Token &name);

  // parser_declarations.cpp: registers and variables
  void read_registers();
  void declare_register(const Token &name, Width width, uint32_t components);
  void read_variables(bool is_extern);
  DeclarationHead read_head(bool is_extern);
  bool read_head_item(DeclarationHead &head);
  void read_pointer_hint();
  Variable read_declarator(const DeclarationHead &head, Token *name);
  void declare_variable(Variable variable, const Token &name);
  void declare(const Token &name, Symbol symbol);

  // parser_constants.cpp: constant expressions and initial values
  Constant read_constant();
  Constant read_integer_constant(const char *what);
  Constant read_binary(int least_precedence);
  Constant read_operations(Constant left, int least_precedence);
  Constant read_unary();
  std::string read_operation() const;
  void read_initial(Variable &variable, const DeclarationHead &head, const std::vector<uint64_t> &dims);
  void read_initial_level(Variable &variable, const Type &type, const std::vector<uint64_t> &extents, size_t level,
                          uint64_t &position, uint64_t end);
  void read_initial_value(Variable &variable, const Type &type, uint64_t offset);
  void read_initial_address(Variable &variable, uint64_t offset, uint32_t bytes, uint32_t shift);
  void put_initial(Variable &variable, uint64_t offset, uint64_t bytes, uint64_t value, const Token &at);

  // parser_instructions.cpp: statements
  void read_statement();
  void read_body_directive();
  void read_instruction();
  void read_guard(Instruction &instruction);
  void read_label_list(const Token &name);
  void read_call_prototype(const Token &name);
  void close_scope();

  // parser_operands.cpp
  Operand read_operand();
  Operand read_element();
  Operand read_named();
  Operand read_special(const Token &name);
  Operand read_component(const Token &name, Symbol symbol);
  Operand read_address();
  Operand read_list(char open, char close);
  Operand read_label_use();
  static Operand immediate(Constant constant);
  std::string_view adjacent_directive(const Token &before);

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  Module module_;
  Scopes scopes_;
  uint64_t num_registers_ = 0;
  uint64_t num_initial_bytes_ = 0;
  size_t constant_depth_ = 0;

  // The body that is being read.
  Kernel *body_ = nullptr;
  std::map<uint32_t, uint32_t> used_variables_;  ///< of the module, by index there: their index in Kernel::variables
  Place place_;
  using SourceLine = std::pair<uint32_t, uint32_t>;                              ///< file, line
  std::map<std::pair<SourceLine, uint32_t>, SourceLine> callers_;  ///< of inlined places with their columns: the outermost call
  std::string opcode_;     ///< of the instruction whose operands are being read
};

/// While a body is read, the index of a variable has its table in its upper bits.
enum : uint32_t { kModuleTable = 0, kBodyTable = 1u << 30, kParameterTable = 2u << 30, kReturnTable = 3u << 30 };

/// The storage of a type directive such as ".f32"; nothing when it is none.
std::optional<Type> find_type(std::string_view directive);

}  // namespace warpwright::emulator::ptx
