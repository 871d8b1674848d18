// SPDX-License-Identifier: Apache-2.0
// Launch expressions: values, precedence, and every fault with its place.
#include "tests/catch.h"

#include "runtime/format/expression.h"

using namespace warpwright::format;

namespace {

constexpr const char *kMax = "9223372036854775807";

int64_t value_of(const std::string &text) {
  std::string problem;
  const auto value = evaluate_expression(text, {{"m", 1000}, {"n", 256}, {"num_sms", 132}, {"zero", 0}}, &problem);
  INFO(text << ": " << problem);
  REQUIRE(value.has_value());
  return *value;
}

std::string problem_of(const std::string &text) {
  std::string problem;
  const auto value = evaluate_expression(text, {{"m", 1000}, {"n", 256}, {"num_sms", 132}, {"zero", 0}}, &problem);
  INFO(text);
  CHECK_FALSE(value.has_value());
  return problem;
}

}  // namespace

TEST_CASE("expression: values") {
  CHECK(value_of("7") == 7);
  CHECK(value_of(" m\t") == 1000);
  CHECK(value_of("1 + 2 * 3") == 7);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("10 - 4 - 3") == 3);
  CHECK(value_of("100 / 7 / 2") == 7);
  CHECK(value_of("m % 7") == 6);
  CHECK(value_of("-7 / 2") == -3);
  CHECK(value_of("-7 % 2") == -1);
  CHECK(value_of("- -3") == 3);
  CHECK(value_of("2 - -3") == 5);
  CHECK(value_of("!5 + 1") == 1);
  CHECK(value_of("!!5") == 1);
  CHECK(value_of("ceil_div(m, 128)") == 8);
  CHECK(value_of("ceil_div(-5, 2)") == -2);
  CHECK(value_of("ceil_div(zero, 2)") == 0);
  CHECK(value_of("min(num_sms, ceil_div(m, 128) * ceil_div(n, 64))") == 32);
  CHECK(value_of("max(1, 5, 3) + min(4, 2, 9)") == 7);
  CHECK(value_of(kMax) == INT64_MAX);
  CHECK(value_of(std::string("-") + kMax + " - 1") == INT64_MIN);
}

TEST_CASE("expression: comparisons and logic are 0 or 1, loosest last") {
  CHECK(value_of("m == 1000") == 1);
  CHECK(value_of("m != 1000") == 0);
  CHECK(value_of("1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3") == 1);
  CHECK(value_of("0 && 0 || 1") == 1);
  CHECK(value_of("1 || 0 && 0") == 1);
  CHECK(value_of("5 && 7") == 1);
  CHECK(value_of("0 || 7") == 1);
  CHECK(value_of("(m > 64) * 3") == 3);
  CHECK(value_of("1 + 1 == 2") == 1);
}

TEST_CASE("expression: the right side of && and || is evaluated only if it decides") {
  CHECK(value_of("zero != 0 && m / zero > 1") == 0);
  CHECK(value_of("zero == 0 || m / zero > 1") == 1);
  CHECK(value_of("0 && 1 / zero || 5") == 1);
  CHECK(value_of("1 || 1 / zero && 1 / zero") == 1);
  CHECK(problem_of("1 && m / zero") == "division by zero at character 8 of \"1 && m / zero\"");
}

TEST_CASE("expression: what has no value is a fault at its place") {
  CHECK(problem_of("m / zero") == "division by zero at character 3 of \"m / zero\"");
  CHECK(problem_of("m % zero").find("division by zero") == 0);
  CHECK(problem_of("ceil_div(m, zero)").find("division by zero at character 1") == 0);
  CHECK(problem_of("ceil_div(m, -1)").find("ceil_div by a negative number") == 0);
  const std::string max = kMax;
  CHECK(problem_of(max + " + 1").find("64-bit overflow at character 21") == 0);
  CHECK(problem_of("-" + max + " - 2").find("64-bit overflow") == 0);
  CHECK(problem_of(max + " * 2").find("64-bit overflow") == 0);
  CHECK(problem_of("(-" + max + " - 1) / -1").find("64-bit overflow") == 0);
  CHECK(problem_of("(-" + max + " - 1) % -1").find("64-bit overflow") == 0);
  CHECK(problem_of("-(-" + max + " - 1)").find("64-bit overflow") == 0);
  CHECK(problem_of("9223372036854775808").find("number does not fit 64 bits at character 1") == 0);
}

TEST_CASE("expression: what does not parse is a fault at its place") {
  CHECK(problem_of("") == "syntax error at character 1 of \"\"");
  CHECK(problem_of("m +") == "syntax error at character 4 of \"m +\"");
  CHECK(problem_of("m m").find("syntax error at character 3") == 0);
  CHECK(problem_of("(m").find("syntax error at character 3") == 0);
  CHECK(problem_of("m)").find("syntax error at character 2") == 0);
  CHECK(problem_of("1 < 2 < 3").find("syntax error at character 7") == 0);
  CHECK(problem_of("m = 3").find("syntax error at character 3") == 0);
  CHECK(problem_of("m & n").find("syntax error") == 0);
  CHECK(problem_of("12ab").find("syntax error at character 3") == 0);
  CHECK(problem_of("rows").find("unknown variable at character 1") == 0);
  CHECK(problem_of("min + 1").find("unknown variable") == 0);
  CHECK(problem_of("abs(m)").find("unknown function") == 0);
  CHECK(problem_of("min(m)").find("wrong number of arguments at character 1") == 0);
  CHECK(problem_of("ceil_div(m, 2, 3)").find("wrong number of arguments at character 14") == 0);
  CHECK(problem_of("ceil_div(m)").find("wrong number of arguments") == 0);
  CHECK(problem_of("min()").find("syntax error at character 5") == 0);
  CHECK(problem_of("m\n").find("syntax error") == 0);
}

TEST_CASE("expression: depth and length are bounded") {
  const auto nested = [](int depth) { return std::string(depth, '(') + "m" + std::string(depth, ')'); };
  CHECK(value_of(nested(kMaxExpressionDepth)) == 1000);
  CHECK(problem_of(nested(kMaxExpressionDepth + 1)).find("nested too deeply at character 65") == 0);
  CHECK(value_of(std::string(kMaxExpressionDepth, '-') + "1") == 1);
  CHECK(problem_of(std::string(kMaxExpressionDepth + 1, '!') + "1").find("nested too deeply") == 0);
  // Depth is of nesting, not of length: a long sum is fine.
  std::string sum = "0";
  while (sum.size() + 2 <= kMaxExpressionChars) sum += "+1";
  CHECK(value_of(sum) == static_cast<int64_t>((sum.size() - 1) / 2));
  CHECK(problem_of(sum + "+1").find("longer than 1024 characters") == 0);
  // Operands that wait on the stack are bounded too, inside the depth's bound.
  std::string waiting;
  for (int i = 0; i < kMaxExpressionDepth; ++i) waiting += "1||1&&1<1+1*(";
  CHECK(value_of(waiting.substr(0, waiting.size() - 2) + std::string(kMaxExpressionDepth - 1, ')')) == 1);
}
