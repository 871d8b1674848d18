// SPDX-License-Identifier: Apache-2.0
// Launch expressions: the arithmetic over launch variables that a plan writes and the runtime evaluates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpwright::format {

/// Bounds that make parsing and evaluating a hostile expression cheap.
constexpr size_t kMaxExpressionChars = 1024;
constexpr int kMaxExpressionDepth = 64;  ///< nested parentheses, calls and unary operators
constexpr size_t kMaxExpressionStack = 256;

enum class ExpressionError {
  kNone,
  kSyntax,
  kTooLong,
  kTooDeep,
  kUnknownName,
  kUnknownFunction,
  kWrongArguments,
  kNumberTooLarge,
  kDivisionByZero,
  kNegativeDivisor,
  kOverflow,
};

/// What is wrong with an expression and at which character (from 0).
struct ExpressionFault {
  ExpressionError error = ExpressionError::kNone;
  size_t position = 0;
};

inline const char *text_of(ExpressionError error) {
  switch (error) {
    case ExpressionError::kNone: return "no error";
    case ExpressionError::kSyntax: return "syntax error";
    case ExpressionError::kTooLong: return "longer than 1024 characters";
    case ExpressionError::kTooDeep: return "nested too deeply";
    case ExpressionError::kUnknownName: return "unknown variable";
    case ExpressionError::kUnknownFunction: return "unknown function (min, max and ceil_div exist)";
    case ExpressionError::kWrongArguments: return "wrong number of arguments";
    case ExpressionError::kNumberTooLarge: return "number does not fit 64 bits";
    case ExpressionError::kDivisionByZero: return "division by zero";
    case ExpressionError::kNegativeDivisor: return "ceil_div by a negative number";
    case ExpressionError::kOverflow: return "64-bit overflow";
  }
  return "unknown error";
}

/// "division by zero at character 4 of \"m / n\"", characters counted from 1.
inline std::string describe(const ExpressionFault &fault, std::string_view text) {
  return std::string(text_of(fault.error)) + " at character " + std::to_string(fault.position + 1) + " of \"" +
         std::string(text.substr(0, 80)) + (text.size() > 80 ? "…\"" : "\"");
}

/// A parsed expression over named int64 variables.
///
/// Grammar, loosest binding first; spaces and tabs separate, numbers are decimal:
///   or      := and { "||" and }                     0 or 1; the right side is evaluated only if it decides
///   and     := compare { "&&" compare }
///   compare := sum [ ("==" | "!=" | "<=" | ">=" | "<" | ">") sum ]      0 or 1; does not chain
///   sum     := product { ("+" | "-") product }
///   product := unary { ("*" | "/" | "%") unary }    division truncates towards zero, as in C
///   unary   := ("-" | "!") unary | primary
///   primary := number | name | "(" or ")" | ("min" | "max") "(" or "," or { "," or } ")" |
///              "ceil_div" "(" or "," or ")"         the divisor must be positive
///
/// Ensures   neither parsing nor evaluating overflows, divides by zero or recurses past kMaxExpressionDepth: each
///           of these is a fault. Equal text, names and values give equal results on every host.
/// Threads   immutable after parse().
/// Cost      evaluate() allocates nothing.
/// Example   auto grid = Expression::parse("min(num_sms, ceil_div(m, 128))", {"m", "num_sms"}, &fault);
///           const int64_t values[] = {1000, 132};
///           int64_t grid_x = 0;
///           if (grid && grid->evaluate(values, &grid_x, &fault)) …  // 8
class Expression {
 public:
  /// Parses `text`; `names[i]` is the variable whose value evaluate() reads from `values[i]`.
  static std::optional<Expression> parse(std::string_view text, const std::vector<std::string> &names,
                                         ExpressionFault *fault);

  /// False, with `fault` set, where the value is not defined. `values` has one element per name given to parse().
  bool evaluate(const int64_t *values, int64_t *result, ExpressionFault *fault) const;

 private:
  enum class Op : uint8_t {
    kNumber, kVariable, kNegate, kNot, kAdd, kSubtract, kMultiply, kDivide, kModulo, kEqual, kNotEqual, kLess,
    kLessEqual, kGreater, kGreaterEqual, kMin, kMax, kCeilDiv, kToBool, kSkipIfFalse, kSkipIfTrue,
  };
  /// One instruction of a stack machine; `operand` is a number, a variable index or a jump target.
  struct Step {
    Op op = Op::kNumber;
    uint32_t position = 0;
    int64_t operand = 0;
  };
  class Parser;

  static ExpressionError apply(Op op, int64_t left, int64_t right, int64_t *result);

  std::vector<Step> steps_;
};

/// Recursive descent that emits steps for the stack machine as it goes.
class Expression::Parser {
 public:
  Parser(std::string_view text, const std::vector<std::string> &names, std::vector<Step> *steps)
      : text_(text), names_(names), steps_(steps) {}

  bool run() {
    if (text_.size() > kMaxExpressionChars) return fail(ExpressionError::kTooLong, kMaxExpressionChars);
    if (!parse_or()) return false;
    skip_space();
    return at_ == text_.size() || fail(ExpressionError::kSyntax, at_);
  }
  const ExpressionFault &fault() const { return fault_; }

 private:
  bool fail(ExpressionError error, size_t position) {
    if (fault_.error == ExpressionError::kNone) fault_ = {error, position};
    return false;
  }
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  /// Consumes `token` if it comes next.
  bool take(std::string_view token) {
    skip_space();
    if (text_.substr(at_, token.size()) != token) return false;
    token_at_ = at_;
    at_ += token.size();
    return true;
  }
  bool emit(Op op, size_t position, int64_t operand = 0) {
    switch (op) {
      case Op::kNumber:
      case Op::kVariable:
        if (++stack_ > kMaxExpressionStack) return fail(ExpressionError::kTooDeep, position);
        break;
      case Op::kNegate:
      case Op::kNot:
      case Op::kToBool: break;
      default: --stack_; break;  // two operands become one; a skip that falls through drops its operand
    }
    steps_->push_back({op, static_cast<uint32_t>(position), operand});
    return true;
  }

  bool parse_or() { return parse_lazy("||", Op::kSkipIfTrue, &Parser::parse_and); }
  bool parse_and() { return parse_lazy("&&", Op::kSkipIfFalse, &Parser::parse_compare); }

  bool parse_lazy(std::string_view token, Op skip, bool (Parser::*operand)()) {
    if (!(this->*operand)()) return false;
    while (take(token)) {
      const size_t skip_index = steps_->size();
      if (!emit(skip, token_at_) || !(this->*operand)() || !emit(Op::kToBool, at_)) return false;
      (*steps_)[skip_index].operand = static_cast<int64_t>(steps_->size());
    }
    return true;
  }

  bool take_comparison(Op *op) {
    static constexpr struct { std::string_view token; Op op; } kTokens[] = {
        {"==", Op::kEqual},       {"!=", Op::kNotEqual}, {"<=", Op::kLessEqual},
        {">=", Op::kGreaterEqual}, {"<", Op::kLess},      {">", Op::kGreater}};
    for (const auto &row : kTokens) {
      if (take(row.token)) {
        *op = row.op;
        return true;
      }
    }
    return false;
  }

  bool parse_compare() {
    if (!parse_sum()) return false;
    Op op;
    if (!take_comparison(&op)) return true;
    const size_t position = token_at_;
    if (!parse_sum() || !emit(op, position)) return false;
    if (take_comparison(&op)) return fail(ExpressionError::kSyntax, token_at_);
    return true;
  }

  bool parse_sum() {
    if (!parse_product()) return false;
    while (take("+") || take("-")) {
      const size_t position = token_at_;
      const Op op = text_[position] == '+' ? Op::kAdd : Op::kSubtract;
      if (!parse_product() || !emit(op, position)) return false;
    }
    return true;
  }

  bool parse_product() {
    if (!parse_unary()) return false;
    while (take("*") || take("/") || take("%")) {
      const size_t position = token_at_;
      const Op op = text_[position] == '*' ? Op::kMultiply : text_[position] == '/' ? Op::kDivide : Op::kModulo;
      if (!parse_unary() || !emit(op, position)) return false;
    }
    return true;
  }

  bool parse_unary() {
    skip_space();
    const bool negates = take("-");
    if (!negates && !take("!")) return parse_primary();
    const size_t position = token_at_;
    if (++depth_ > kMaxExpressionDepth) return fail(ExpressionError::kTooDeep, position);
    if (!parse_unary()) return false;
    --depth_;
    return emit(negates ? Op::kNegate : Op::kNot, position);
  }

  bool parse_primary() {
    skip_space();
    if (at_ == text_.size()) return fail(ExpressionError::kSyntax, at_);
    const char first = text_[at_];
    if (first >= '0' && first <= '9') return parse_number();
    if (is_name_char(first)) return parse_name();
    if (!take("(")) return fail(ExpressionError::kSyntax, at_);
    if (++depth_ > kMaxExpressionDepth) return fail(ExpressionError::kTooDeep, token_at_);
    if (!parse_or()) return false;
    --depth_;
    return take(")") || fail(ExpressionError::kSyntax, at_);
  }

  static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  bool parse_number() {
    const size_t position = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text_[at_] - '0'}, &value))
        return fail(ExpressionError::kNumberTooLarge, position);
    }
    if (at_ < text_.size() && is_name_char(text_[at_])) return fail(ExpressionError::kSyntax, at_);
    return emit(Op::kNumber, position, value);
  }

  bool parse_name() {
    const size_t position = at_;
    while (at_ < text_.size() && (is_name_char(text_[at_]) || (text_[at_] >= '0' && text_[at_] <= '9'))) ++at_;
    const std::string_view name = text_.substr(position, at_ - position);
    if (take("(")) return parse_call(name, position);
    for (size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return emit(Op::kVariable, position, static_cast<int64_t>(i));
    return fail(ExpressionError::kUnknownName, position);
  }

  bool parse_call(std::string_view function, size_t position) {
    Op op = Op::kMin;
    if (function == "max") op = Op::kMax;
    else if (function == "ceil_div") op = Op::kCeilDiv;
    else if (function != "min") return fail(ExpressionError::kUnknownFunction, position);
    if (++depth_ > kMaxExpressionDepth) return fail(ExpressionError::kTooDeep, position);
    if (!parse_or()) return false;
    int arguments = 1;
    for (; take(","); ++arguments) {
      if (op == Op::kCeilDiv && arguments == 2) return fail(ExpressionError::kWrongArguments, token_at_);
      if (!parse_or() || !emit(op, position)) return false;
    }
    if (!take(")")) return fail(ExpressionError::kSyntax, at_);
    --depth_;
    return arguments >= 2 || fail(ExpressionError::kWrongArguments, position);
  }

  std::string_view text_;
  const std::vector<std::string> &names_;
  std::vector<Step> *steps_;
  size_t at_ = 0;
  size_t token_at_ = 0;  ///< where the token that take() consumed last begins
  int depth_ = 0;
  size_t stack_ = 0;
  ExpressionFault fault_;
};

inline std::optional<Expression> Expression::parse(std::string_view text, const std::vector<std::string> &names,
                                                   ExpressionFault *fault) {
  Expression expression;
  Parser parser(text, names, &expression.steps_);
  const bool ok = parser.run();
  *fault = parser.fault();
  if (!ok) return std::nullopt;
  return expression;
}

inline ExpressionError Expression::apply(Op op, int64_t left, int64_t right, int64_t *result) {
  const bool divides = op == Op::kDivide || op == Op::kModulo || op == Op::kCeilDiv;
  if (divides && right == 0) return ExpressionError::kDivisionByZero;
  if (divides && right == -1 && left == std::numeric_limits<int64_t>::min() && op != Op::kCeilDiv)
    return ExpressionError::kOverflow;  // the quotient does not fit, and x86 traps on both forms
  bool overflows = false;
  switch (op) {
    case Op::kAdd: overflows = __builtin_add_overflow(left, right, result); break;
    case Op::kSubtract: overflows = __builtin_sub_overflow(left, right, result); break;
    case Op::kMultiply: overflows = __builtin_mul_overflow(left, right, result); break;
    case Op::kDivide: *result = left / right; break;
    case Op::kModulo: *result = left % right; break;
    case Op::kCeilDiv:
      if (right < 0) return ExpressionError::kNegativeDivisor;
      *result = left / right + (left % right > 0 ? 1 : 0);
      break;
    case Op::kEqual: *result = left == right; break;
    case Op::kNotEqual: *result = left != right; break;
    case Op::kLess: *result = left < right; break;
    case Op::kLessEqual: *result = left <= right; break;
    case Op::kGreater: *result = left > right; break;
    case Op::kGreaterEqual: *result = left >= right; break;
    case Op::kMin: *result = left < right ? left : right; break;
    case Op::kMax: *result = left > right ? left : right; break;
    default: return ExpressionError::kSyntax;
  }
  return overflows ? ExpressionError::kOverflow : ExpressionError::kNone;
}

inline bool Expression::evaluate(const int64_t *values, int64_t *result, ExpressionFault *fault) const {
  int64_t stack[kMaxExpressionStack];
  size_t top = 0;  // one past the last value
  for (size_t at = 0; at < steps_.size(); ++at) {
    const Step &step = steps_[at];
    switch (step.op) {
      case Op::kNumber: stack[top++] = step.operand; break;
      case Op::kVariable: stack[top++] = values[step.operand]; break;
      case Op::kNot: stack[top - 1] = stack[top - 1] == 0; break;
      case Op::kToBool: stack[top - 1] = stack[top - 1] != 0; break;
      case Op::kNegate:
        if (__builtin_sub_overflow(int64_t{0}, stack[top - 1], &stack[top - 1])) {
          *fault = {ExpressionError::kOverflow, step.position};
          return false;
        }
        break;
      case Op::kSkipIfFalse:
      case Op::kSkipIfTrue: {
        const bool is_true = stack[top - 1] != 0;
        if (is_true == (step.op == Op::kSkipIfTrue)) {
          stack[top - 1] = is_true;
          at = static_cast<size_t>(step.operand) - 1;
        } else {
          --top;
        }
        break;
      }
      default: {
        --top;
        const ExpressionError error = apply(step.op, stack[top - 1], stack[top], &stack[top - 1]);
        if (error != ExpressionError::kNone) {
          *fault = {error, step.position};
          return false;
        }
      }
    }
  }
  *result = stack[0];
  *fault = {};
  return true;
}

/// Parses and evaluates in one go; `problem` says what went wrong.
inline std::optional<int64_t> evaluate_expression(std::string_view text, const std::map<std::string, int64_t> &variables,
                                                  std::string *problem) {
  std::vector<std::string> names;
  std::vector<int64_t> values;
  for (const auto &[name, value] : variables) {
    names.push_back(name);
    values.push_back(value);
  }
  ExpressionFault fault;
  int64_t result = 0;
  const auto expression = Expression::parse(text, names, &fault);
  if (expression && expression->evaluate(values.data(), &result, &fault)) return result;
  *problem = describe(fault, text);
  return std::nullopt;
}

}  // namespace warpwright::format
