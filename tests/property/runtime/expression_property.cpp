// SPDX-License-Identifier: Apache-2.0
// Random expression trees: what they print evaluates to what the tree is worth, or faults where it has no value.
#include "tests/catch.h"

#include "runtime/format/expression.h"

#include <rapidcheck.h>

#include <memory>
#include <sstream>

using namespace warpwright::format;

namespace {

const std::vector<std::string> kNames = {"m", "n", "k", "num_sms"};

/// A tree with its own idea of its value, in 128 bits so that overflow shows.
struct Node {
  std::string op;  ///< "number", "name", an operator or a function
  int64_t number = 0;
  std::vector<std::shared_ptr<const Node>> children;
};
using Tree = std::shared_ptr<const Node>;

int precedence(const std::string &op) {
  if (op == "||") return 1;
  if (op == "&&") return 2;
  if (op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=") return 3;
  if (op == "+" || op == "-") return 4;
  if (op == "*" || op == "/" || op == "%") return 5;
  if (op == "neg" || op == "!") return 6;
  return 7;
}

/// Prints with only the parentheses that the grammar needs, so that precedence and associativity are tested.
std::string print(const Tree &tree, bool spaced) {
  const Node &node = *tree;
  const std::string space = spaced ? " " : "";
  if (node.op == "number") return std::to_string(node.number);
  if (node.op == "name") return kNames[static_cast<size_t>(node.number)];
  const int mine = precedence(node.op);
  const auto child = [&](size_t index, bool strict) {
    const Tree &inner = node.children[index];
    const int theirs = precedence(inner->op);
    const bool wraps = theirs < mine || (strict && theirs == mine);
    return wraps ? "(" + print(inner, spaced) + ")" : print(inner, spaced);
  };
  if (mine == 7) {
    std::string text = node.op + "(";
    for (size_t i = 0; i < node.children.size(); ++i)
      text += (i ? "," + space : "") + print(node.children[i], spaced);
    return text + ")";
  }
  if (mine == 6) return (node.op == "neg" ? "-" : "!") + child(0, false);
  return child(0, mine == 3) + space + node.op + space + child(1, true);
}

/// The value, or nothing where there is none.
std::optional<int64_t> worth(const Tree &tree, const std::vector<int64_t> &values) {
  const Node &node = *tree;
  const auto fit = [](__int128 value) -> std::optional<int64_t> {
    if (value < INT64_MIN || value > INT64_MAX) return std::nullopt;
    return static_cast<int64_t>(value);
  };
  if (node.op == "number") return node.number;
  if (node.op == "name") return values[static_cast<size_t>(node.number)];
  const auto first = worth(node.children[0], values);
  if (!first) return std::nullopt;
  if (node.op == "neg") return fit(-static_cast<__int128>(*first));
  if (node.op == "!") return *first == 0;
  if (node.op == "&&" && *first == 0) return 0;
  if (node.op == "||" && *first != 0) return 1;
  __int128 left = *first;
  for (size_t i = 1; i < node.children.size(); ++i) {
    const auto next = worth(node.children[i], values);
    if (!next) return std::nullopt;
    const __int128 right = *next;
    if ((node.op == "/" || node.op == "%" || node.op == "ceil_div") && right == 0) return std::nullopt;
    if (node.op == "ceil_div" && right < 0) return std::nullopt;
    if (node.op == "%" && right == -1 && left == INT64_MIN) return std::nullopt;  // C leaves it undefined
    if (node.op == "&&" || node.op == "||") left = right != 0;
    else if (node.op == "==") left = left == right;
    else if (node.op == "!=") left = left != right;
    else if (node.op == "<") left = left < right;
    else if (node.op == "<=") left = left <= right;
    else if (node.op == ">") left = left > right;
    else if (node.op == ">=") left = left >= right;
    else if (node.op == "+") left += right;
    else if (node.op == "-") left -= right;
    else if (node.op == "*") left *= right;
    else if (node.op == "/") left /= right;
    else if (node.op == "%") left %= right;
    else if (node.op == "min") left = std::min(left, right);
    else if (node.op == "max") left = std::max(left, right);
    else left = (left >= 0 ? (left + right - 1) : left) / right;  // truncation is the ceiling below zero
  }
  return fit(left);
}

Tree draw(int depth) {
  auto node = std::make_shared<Node>();
  const int kind = depth == 0 ? *rc::gen::inRange(0, 2) : *rc::gen::inRange(0, 8);
  if (kind == 0) {
    node->op = "number";
    node->number = *rc::gen::weightedOneOf<int64_t>(
        {{6, rc::gen::inRange<int64_t>(0, 10)}, {1, rc::gen::element<int64_t>(INT64_MAX, int64_t{1} << 40, 65536)}});
  } else if (kind == 1) {
    node->op = "name";
    node->number = *rc::gen::inRange<int64_t>(0, static_cast<int64_t>(kNames.size()));
  } else if (kind == 2) {
    node->op = *rc::gen::element<std::string>("neg", "!");
    node->children = {draw(depth - 1)};
  } else if (kind == 3) {
    node->op = *rc::gen::element<std::string>("min", "max", "ceil_div");
    const int arguments = node->op == "ceil_div" ? 2 : *rc::gen::inRange(2, 4);
    for (int i = 0; i < arguments; ++i) node->children.push_back(draw(depth - 1));
  } else {
    node->op = *rc::gen::element<std::string>("||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%");
    node->children = {draw(depth - 1), draw(depth - 1)};
  }
  return node;
}

}  // namespace

TEST_CASE("expression: what a tree prints is worth what the tree is worth") {
  int with_value = 0, without = 0;
  const bool holds = rc::check([&] {
    const Tree tree = draw(4);
    const std::string text = print(tree, *rc::gen::arbitrary<bool>());
    RC_PRE(text.size() <= kMaxExpressionChars);
    const auto values = *rc::gen::container<std::vector<int64_t>>(
        kNames.size(), rc::gen::element<int64_t>(0, 1, 2, 3, 127, 128, 129, 4096, -1, -5, INT64_MAX, INT64_MIN));
    ExpressionFault fault;
    const auto expression = Expression::parse(text, kNames, &fault);
    if (!expression) RC_FAIL(describe(fault, text));
    int64_t value = 0;
    const bool has_value = expression->evaluate(values.data(), &value, &fault);
    const auto expected = worth(tree, values);
    RC_LOG() << text << std::endl;
    RC_ASSERT(has_value == expected.has_value());
    if (expected) RC_ASSERT(value == *expected);
    (has_value ? with_value : without)++;
  });
  CHECK(holds);
  CHECK(with_value > 10);
  CHECK(without > 0);
}

TEST_CASE("expression: any text parses or faults inside it") {
  const bool holds = rc::check([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "m", "n", "min", "max", "ceil_div", "(", ")", ",", "+", "-", "*", "/", "%", "&&", "||", "!", "==", "<", ">=", "&",
        "=", "0", "7", "99999999999999999999", " ", "\t", "é", "_x"));
    std::string text;
    for (const std::string &word : words) text += word;
    ExpressionFault fault;
    const auto expression = Expression::parse(text, kNames, &fault);
    if (!expression) {
      RC_ASSERT(fault.error != ExpressionError::kNone);
      RC_ASSERT(fault.position <= text.size());
      return;
    }
    const int64_t values[] = {5, 0, -3, 132};
    int64_t value = 0;
    if (!expression->evaluate(values, &value, &fault)) RC_ASSERT(fault.position < text.size());
  });
  CHECK(holds);
}
