// SPDX-License-Identifier: Apache-2.0
// Registers and variables.
#include "tools/emulator/ptx/parser_state.h"

#include <algorithm>
#include <array>

namespace warpwright::emulator::ptx {
namespace {

struct NamedType {
  std::string_view name;
  Type type;
};
/// Source: PTX ISA 9.0, "Fundamental Types", "Packed Data Types", "Alternate Floating-Point Data Formats".
constexpr std::array<NamedType, 22> kTypes = {{
    {".b32", {4, 0, true}},     {".b64", {8, 0, true}},     {".f32", {4, 32}},        {".b16", {2, 0, true}},
    {".u32", {4, 0, true}},     {".s32", {4, 0, true}},     {".u64", {8, 0, true}},   {".s64", {8, 0, true}},
    {".f64", {8, 64}},          {".pred", {1, 0, false, true}}, {".b8", {1, 0, true}}, {".u8", {1, 0, true}},
    {".s8", {1, 0, true}},      {".u16", {2, 0, true}},     {".s16", {2, 0, true}},   {".f16", {2}},
    {".f16x2", {4}},            {".bf16", {2}},             {".bf16x2", {4}},         {".tf32", {4}},
    {".b128", {16}},            {".e4m3", {1}},
}};

std::optional<Space> find_space(std::string_view directive) {
  if (directive == ".global") return Space::kGlobal;
  if (directive == ".shared") return Space::kShared;
  if (directive == ".const") return Space::kConst;
  if (directive == ".param") return Space::kParam;
  if (directive == ".local") return Space::kLocal;
  return std::nullopt;
}

Width width_of(const Type &type) {
  if (type.is_predicate) return Width::kPredicate;
  switch (type.bytes) {
    case 1: return Width::k8;
    case 2: return Width::k16;
    case 4: return Width::k32;
    case 8: return Width::k64;
    default: return Width::k128;
  }
}

uint32_t vector_size(std::string_view directive) {
  return directive == ".v2" ? 2 : directive == ".v4" ? 4 : directive == ".v8" ? 8 : 0;
}

}  // namespace

std::optional<Type> find_type(std::string_view directive) {
  for (const NamedType &item : kTypes)
    if (item.name == directive) return item.type;
  return std::nullopt;
}

void Parser::declare(const Token &name, Symbol symbol) {
  if (!scopes_.declare(name.text, symbol))
    fail("ptx.duplicate-name", "'" + std::string(name.text) + "' is declared already in this scope", name);
}

/// .reg [.vN] .type name [<count>] {, …} ;
void Parser::read_registers() {
  advance();
  uint32_t components = vector_size(token_.text);
  if (components != 0) advance();
  const auto type = find_type(token_.text);
  if (!type) fail_here("the type of a register");
  if (components > 4) fail("ptx.syntax", "vectors of registers have two or four", token_);
  do {
    advance();
    const Token name = token_;
    take_word("the name of a register");
    if (!token_.is('<')) {
      declare_register(name, width_of(*type), std::max(components, 1u));
      continue;
    }
    advance();
    const Token at = token_;
    const uint64_t count = take_integer(UINT64_MAX, "a number of registers");
    expect('>');
    num_registers_ = std::min(num_registers_, Limits::kRegisters) + std::min(count, Limits::kRegisters + 1);
    if (num_registers_ > Limits::kRegisters)
      fail("ptx.too-large", "more than " + std::to_string(Limits::kRegisters) + " registers", at);
    const char last = name.text.back();
    if (components != 0 || (last >= '0' && last <= '9')) fail("ptx.syntax", "no range of registers is named so", name);
    const auto first = static_cast<uint32_t>(body_->registers.size());
    if (!scopes_.declare_range(name.text, first, static_cast<uint32_t>(count)))
      fail("ptx.duplicate-name", "a register of '" + std::string(name.text) + "<…>' is declared already in this scope", name);
    for (uint64_t i = 0; i < count; ++i)
      body_->registers.push_back({std::string(name.text) + std::to_string(i), width_of(*type)});
  } while (token_.is(','));
  expect(';');
}

void Parser::declare_register(const Token &name, Width width, uint32_t components) {
  num_registers_ += components;
  if (num_registers_ > Limits::kRegisters)
    fail("ptx.too-large", "more than " + std::to_string(Limits::kRegisters) + " registers", name);
  declare(name, {Symbol::Kind::kRegister, static_cast<uint32_t>(body_->registers.size()), static_cast<uint8_t>(components)});
  static constexpr std::array<const char *, 4> kSuffixes = {".x", ".y", ".z", ".w"};
  for (uint32_t i = 0; i < components; ++i)
    body_->registers.push_back({std::string(name.text) + (components == 1 ? "" : kSuffixes[i]), width});
}

/// .space {attributes} .type name [dims] [= values] {, …} ;
void Parser::read_variables(bool is_extern) {
  const DeclarationHead head = read_head(is_extern);
  while (true) {
    Token name;
    Variable variable = read_declarator(head, &name);
    declare_variable(std::move(variable), name);
    if (!take(',')) break;
  }
  expect(';');
}

DeclarationHead Parser::read_head(bool is_extern) {
  DeclarationHead head;
  const auto space = find_space(token_.text);
  if (!space) fail("ptx.unknown-directive", "'" + std::string(token_.text) + "' begins nothing here", token_);
  head.space = *space;
  head.is_extern = is_extern;
  advance();
  while (token_.kind == Token::Kind::kDirective && read_head_item(head)) {
  }
  if (head.type.bytes == 0) fail_here("a type");
  if (head.type.is_predicate) fail("ptx.syntax", "predicates are registers alone", token_);
  if (head.align == 0) head.align = head.type.bytes * head.components;
  return head;
}

bool Parser::read_head_item(DeclarationHead &head) {
  const Token item = token_;
  if (item.text == ".align") {
    advance();
    const Token at = token_;
    head.align = static_cast<uint32_t>(take_integer(UINT32_MAX, "an alignment"));
    if (head.align == 0 || (head.align & (head.align - 1)) != 0) fail("ptx.number", "an alignment is a power of two", at);
    return true;
  }
  if (item.text == ".attribute") {
    advance();
    expect('(');
    const Token name = token_;
    if (!name.is_directive(".managed")) fail("ptx.unsupported-directive", "an attribute other than .managed", name);
    head.is_managed = true;
    advance();
    expect(')');
    return true;
  }
  if (item.text == ".ptr") {
    read_pointer_hint();
    return true;
  }
  if (const uint32_t components = vector_size(item.text)) {
    head.components = components;
    advance();
    return true;
  }
  const auto type = find_type(item.text);
  if (!type || head.type.bytes != 0)
    fail(item.text == ".reg" || item.text == ".texref" || item.text == ".surfref" || item.text == ".samplerref"
             ? "ptx.unsupported-directive"
             : "ptx.unknown-directive",
         "'" + std::string(item.text) + "' does not stand here", item);
  head.type = *type;
  advance();
  return true;
}

/// .ptr [.space] [.align N]: what a parameter points to, not how it lies.
void Parser::read_pointer_hint() {
  advance();
  if (token_.kind == Token::Kind::kDirective && (find_space(token_.text) || token_.text == ".generic")) advance();
  if (!token_.is_directive(".align")) return;
  advance();
  take_integer(UINT32_MAX, "an alignment");
}

Variable Parser::read_declarator(const DeclarationHead &head, Token *name) {
  Variable variable;
  variable.space = head.space;
  variable.align = head.align;
  variable.is_extern = head.is_extern;
  variable.is_managed = head.is_managed;
  *name = token_;
  variable.name = take_word("a name");
  std::vector<uint64_t> dims;
  bool is_open = false;  // [] as the first dimension
  variable.bytes = uint64_t{head.type.bytes} * head.components;
  while (take('[')) {
    if (dims.size() == Limits::kDepth) fail("ptx.too-large", "an array of too many dimensions", token_);
    if (dims.empty() && take(']')) {
      is_open = true;
      dims.push_back(0);
      continue;
    }
    const Token at = token_;
    const uint64_t count = take_integer(UINT64_MAX, "a number of elements");
    expect(']');
    if (count == 0 || count > Limits::kVariableBytes || variable.bytes > Limits::kVariableBytes / count)
      fail(count == 0 ? "ptx.number" : "ptx.too-large", "an array of no or more than 2^40 bytes", at);
    variable.bytes *= count;
    dims.push_back(count);
  }
  const uint64_t row_bytes = variable.bytes;
  if (is_open) variable.bytes = 0;
  if (token_.is('=')) {
    if (head.space != Space::kGlobal && head.space != Space::kConst)
      fail("ptx.syntax", "only .global and .const variables have initial values", token_);
    advance();
    if (is_open) dims[0] = Limits::kVariableBytes / row_bytes;
    read_initial(variable, head, dims);
    if (is_open) variable.bytes = (variable.initial.size() + row_bytes - 1) / row_bytes * row_bytes;
  } else if (is_open && !head.is_extern && head.space != Space::kParam) {
    fail("ptx.syntax", "an array without a size is .extern or has initial values", *name);
  }
  return variable;
}

void Parser::declare_variable(Variable variable, const Token &name) {
  // One for all threads lives as long as the module, wherever it is declared.
  const bool is_modules = body_ == nullptr || variable.space == Space::kGlobal || variable.space == Space::kConst;
  if (is_modules && body_ != nullptr) variable.name = body_->name + "." + variable.name;
  std::vector<Variable> &into = is_modules ? module_.variables : body_->variables;
  declare(name, {is_modules ? Symbol::Kind::kModuleVariable : Symbol::Kind::kBodyVariable, static_cast<uint32_t>(into.size())});
  into.push_back(std::move(variable));
}

}  // namespace warpwright::emulator::ptx
