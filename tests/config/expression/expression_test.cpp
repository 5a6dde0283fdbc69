// SPDX-License-Identifier: Apache-2.0
#include "config/expression/expression.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;

namespace {

const std::vector<Symbol> kSymbols{{"framework", Symbol::Kind::text, {"ddp", "horovod"}},
                                   {"gpus", Symbol::Kind::number, {}},
                                   {"optimizer.nesterov", Symbol::Kind::truth, {}},
                                   {"path", Symbol::Kind::text, {}}};

bool holds(const std::string& text) {
  const Node node{text, {"f", 1, 1}};
  const std::vector<Value> values{std::string("ddp"), 8.0, true, std::string("a\"b")};
  return Expression({node, "when"}, kSymbols).holds(values);
}

std::string expression_error(const std::string& text) {
  const std::string whole = test::error_of([&] { holds(text); });
  const std::string start = "f:1:1: when: character ";
  return whole.rfind(start, 0) == 0 ? whole.substr(start.size()) : whole;
}

}  // namespace

TEST_CASE("conditions evaluate to the expected truth values") {
  for (const char* text : {"gpus == 8",
                           "gpus==8.0",
                           "gpus != 4",
                           "gpus < 9 && gpus > 7",
                           "gpus <= 8",
                           "gpus >= 8",
                           "8 == gpus",
                           "framework == \"ddp\"",
                           "framework == 'ddp'",
                           "framework in ['horovod','ddp']",
                           "optimizer.nesterov",
                           "optimizer.nesterov == true",
                           "!(gpus == 4)",
                           "!gpus == 4",
                           "!!optimizer.nesterov",
                           "path == 'a\"b'",
                           "gpus in [-1, 8, 1e3]",
                           "true",
                           "gpus == 4 || framework == 'ddp'",
                           "  gpus\n==\t8  "}) {
    INFO(text);
    CHECK(holds(text));
  }
  for (const char* text : {"gpus == 4", "gpus in [1, 2]", "false", "gpus == 8 && false",
                           "!optimizer.nesterov", "framework != 'ddp'"}) {
    INFO(text);
    CHECK_FALSE(holds(text));
  }
}

TEST_CASE("&& binds tighter than ||") {
  CHECK(holds("true || true && false"));
  CHECK_FALSE(holds("(true || true) && false"));
  CHECK(holds("false && false || true"));
}

TEST_CASE("a malformed condition is rejected with the position of the error") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "1 of '': the expression ends too early"},
      {"gpus", "1 of 'gpus': expected a comparison"},
      {"gpus = 8", "6 of 'gpus = 8': expected =="},
      {"gpus ==", "8 of 'gpus ==': the expression ends too early"},
      {"gpus == 8 gpus", "11 of 'gpus == 8 gpus': expected &&, || or the end"},
      {"gpus == 'x'", "9 of 'gpus == 'x'': cannot compare a number with a string"},
      {"1 < gpus < 9", "10 of '1 < gpus < 9': expected &&, || or the end"},
      {"framework < 'x'", "1 of 'framework < 'x'': <, <=, > and >= require numbers"},
      {"(gpus == 8", "11 of '(gpus == 8': expected )"},
      {"gpus in 8", "9 of 'gpus in 8': expected [ after \"in\""},
      {"gpus in [8", "11 of 'gpus in [8': expected , or ]"},
      {"framework == \"ddp", "14 of 'framework == \"ddp': the closing \" is missing"},
      {"gpus == -", "10 of 'gpus == -': the expression ends too early"},
      {"gpus == 8 & true", "11 of 'gpus == 8 & true': expected &&, || or the end"},
      {"framework == 'dpd'",
       "14 of 'framework == 'dpd'': unknown framework \"dpd\"; did you mean \"ddp\"? (known: ddp, "
       "horovod)"},
  };
  for (const auto& [text, message] : cases) CHECK(expression_error(text) == message);
}

TEST_CASE("nesting beyond 256 levels is rejected, and long chains are accepted") {
  const auto nested = [](const char* open, const char* close, int depth) {
    std::string text = "true";
    for (int i = 0; i < depth; ++i) text = open + text + close;
    return text;
  };
  CHECK(holds(nested("(", ")", 255)));
  CHECK_FALSE(holds(nested("!", "", 255)));
  for (const auto& [open, close] : {std::pair{"(", ")"}, {"!", ""}}) {
    const std::string text = nested(open, close, 20000);
    CHECK(expression_error(text) ==
          "257 of '…" + text.substr(0, 160) + "…': nested more than 256 levels deep");
  }
  std::string chain = "false";
  for (int i = 0; i < 20000; ++i) chain += " || gpus == 8 && !false";
  CHECK(holds(chain));
}

TEST_CASE("the error in a long condition shows the surrounding part in whole characters") {
  const std::string before(20000, ' '), quoted = "'" + std::string(95, 'x') + "é";
  CHECK(expression_error(before + "gpus = 8" + quoted + std::string(300, 'x') + "'") ==
        "20006 of '…" + before.substr(0, 55) + "gpus = 8" + quoted + "…': expected ==");
  const std::string word(20000, 'x');
  CHECK(expression_error(word + " > 1").size() < 600);
  CHECK(expression_error("framework == '" + word + "'").size() < 600);
}

TEST_CASE("an unknown name in a condition is reported with the nearest name") {
  CHECK(expression_error("gpsu > 1")
            .rfind("1 of 'gpsu > 1': unknown name \"gpsu\"; did you mean \"gpus\"?", 0) == 0);
}

TEST_CASE("arithmetic binds tighter than comparisons, as in C") {
  for (const char* text :
       {"gpus + 2 * 3 == 14", "(gpus + 2) * 3 == 30", "gpus - 2 - 3 == 3", "gpus / 4 / 2 == 1",
        "gpus % 3 == 2", "-gpus < 0", "- -gpus == 8", "2 * -gpus == -16", "gpus-1 == 7",
        "gpus * (1 + 1) in [15 + 1]", "(gpus > 1) == true", "gpus / 16 == 0.5"}) {
    INFO(text);
    CHECK(holds(text));
  }
}

TEST_CASE("a pattern matches the whole text") {
  for (const char* text : {"framework matches \"d*\"", "framework matches 'd?p'",
                           "framework matches '[a-d]dp'", "path matches '*\"*'"}) {
    INFO(text);
    CHECK(holds(text));
  }
  CHECK_FALSE(holds("framework matches 'dd'"));
  CHECK_FALSE(holds("!framework matches '*p'"));
  CHECK(expression_error("gpus matches '8'") ==
        "1 of 'gpus matches '8'': the left side of \"matches\" must be a string");
  CHECK(expression_error("framework matches path") ==
        "19 of 'framework matches path': expected a pattern in quotes after \"matches\"");
}

TEST_CASE("arithmetic on values that are not numbers is rejected") {
  CHECK(expression_error("framework + 1 == 2") ==
        "1 of 'framework + 1 == 2': arithmetic requires numbers");
  CHECK(expression_error("gpus + (gpus > 1) == 2") ==
        "9 of 'gpus + (gpus > 1) == 2': arithmetic requires numbers");
  CHECK(expression_error("-framework == 2") ==
        "2 of '-framework == 2': arithmetic requires numbers");
  CHECK(expression_error("gpus + 1") == "1 of 'gpus + 1': expected a comparison");
  CHECK(expression_error("gpus == 1 && gpus") ==
        "14 of 'gpus == 1 && gpus': expected a comparison");
  CHECK(expression_error("gpus +") == "7 of 'gpus +': the expression ends too early");
  CHECK(expression_error("gpus / 0 == 1") == "8 of 'gpus / 0 == 1': division by zero");
}

TEST_CASE("a division by zero that is evaluated is reported with the values") {
  CHECK(expression_error("1 / (gpus - 8) > 2") ==
        "1 of '1 / (gpus - 8) > 2': division by zero where gpus = 8");
  CHECK(expression_error("1 % (gpus - 8) > 2 || optimizer.nesterov") ==
        "1 of '1 % (gpus - 8) > 2 || optimizer.nesterov': division by zero where gpus = 8, "
        "optimizer.nesterov = true");
  CHECK_FALSE(holds("gpus != 8 && 1 / (gpus - 8) > 2"));
  CHECK(holds("gpus == 8 || 1 / (gpus - 8) > 2"));
}

TEST_CASE("values can be passed as separate objects") {
  const Node node{std::string("framework == 'ddp' && gpus == 8"), {"f"}};
  const Value framework = std::string("ddp"), gpus = 8.0, nesterov = false, path = std::string();
  const std::vector<const Value*> values{&framework, &gpus, &nesterov, &path};
  CHECK(Expression({node, "when"}, kSymbols).holds(values));
}

TEST_CASE("a formula is computed with the values of its names") {
  const base::Location where{"f", 1, 1};
  const std::map<std::string, double> values{{"t0", 8}, {"t", 2}, {"P", 4}};
  CHECK(compute("2 * (P - 1) * t0 / -t + 1", values, where) == -23);
  CHECK(compute("1e3", {}, where) == 1000);
  CHECK(compute("-t ^ 2 ^ 3 + t0 ^ -1", values, where) == -256 + 0.125);
  const auto error = [&](const std::string& formula) {
    return test::error_of([&] { compute(formula, values, where); });
  };
  CHECK(error("t0 / t1") ==
        "f:1:1: character 6 of 't0 / t1': unknown name \"t1\"; did you mean \"t\"? (known: P, t, "
        "t0)");
  CHECK(error("t0 / (t - 2)") ==
        "f:1:1: character 1 of 't0 / (t - 2)': division by zero where t0 = 8, t = 2");
  CHECK(error("t0 > t") == "f:1:1: character 4 of 't0 > t': expected + - * / % ^ or the end");
  CHECK(error("true") == "f:1:1: character 1 of 'true': arithmetic requires numbers");
  CHECK(error("") == "f:1:1: character 1 of '': the expression ends too early");
}

namespace {

double formula(const std::string& text, double x, double y = std::nan("")) {
  const Node node{text, {"f", 1, 1}};
  const std::vector<Value> values{x, y};
  return Formula({node, "value"}, {{"x"}, {"y"}}).number(values);
}

std::string formula_error(const std::string& text) {
  return test::error_of([&] { formula(text, 1); });
}

}  // namespace

TEST_CASE("formulas have functions, and unknown numbers stay unknown") {
  CHECK(formula("max(x, y)", 3) == 3);
  CHECK(formula("min(x, 2, 7)", 3) == 2);
  CHECK(formula("first(y, x)", 3) == 3);
  CHECK(formula("round(x / 2) + floor(2.9) + abs(-1)", 3) == 5);
  CHECK(formula("if(x > 2, x, 0)", 3) == 3);
  CHECK(std::isnan(formula("if(x > 5, x)", 3)));
  CHECK(std::isnan(formula("if(false, 0)", 3)));  // makes a variable unknown in format files
  CHECK(formula("first(if(false, 0), x)", 3) == 3);
  CHECK(formula("if(false, 0, x)", 3) == 3);
  CHECK(std::isnan(formula("x + y", 3)));
  CHECK(std::isnan(formula("x / (x - 3)", 3)));
  CHECK(formula("known(y)", 3) == 0);
  CHECK(formula("known(x) && x == 3", 3) == 1);
}

TEST_CASE("errors in functions name the place") {
  CHECK_THAT(formula_error("maxx(x, 1)"), Catch::Contains("did you mean \"max\""));
  CHECK_THAT(formula_error("round(x, 1)"), Catch::Contains("round has one argument"));
  CHECK_THAT(formula_error("max(x"), Catch::Contains("expected , or )"));
  CHECK_THAT(formula_error("if(x, 1)"), Catch::Contains("expected a comparison"));
  CHECK_THAT(formula_error("'a'"), Catch::Contains("expected a number or a condition"));
}
