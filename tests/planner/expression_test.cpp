// SPDX-License-Identifier: Apache-2.0
#include "planner/expression.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using namespace dlscale::planner;

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

std::string error(const std::string& text) {
  const std::string whole = test::error_of([&] { holds(text); });
  const std::string start = "f:1:1: when: character ";
  return whole.rfind(start, 0) == 0 ? whole.substr(start.size()) : whole;
}

}  // namespace

TEST_CASE("conditions mean what they say") {
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

TEST_CASE("and binds tighter than or") {
  CHECK(holds("true || true && false"));
  CHECK_FALSE(holds("(true || true) && false"));
  CHECK(holds("false && false || true"));
}

TEST_CASE("a broken condition is refused with the character it breaks at") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "1 of '': ends too early"},
      {"gpus", "1 of 'gpus': expected a comparison"},
      {"gpus = 8", "6 of 'gpus = 8': expected =="},
      {"gpus ==", "8 of 'gpus ==': ends too early"},
      {"gpus == 8 gpus", "11 of 'gpus == 8 gpus': expected && or || or the end"},
      {"gpus == 'x'", "9 of 'gpus == 'x'': cannot compare a number with a text"},
      {"1 < gpus < 9", "10 of '1 < gpus < 9': expected && or || or the end"},
      {"framework < 'x'", "1 of 'framework < 'x'': only numbers have an order"},
      {"(gpus == 8", "11 of '(gpus == 8': expected )"},
      {"gpus in 8", "9 of 'gpus in 8': expected [ after in"},
      {"gpus in [8", "11 of 'gpus in [8': expected , or ]"},
      {"framework == \"ddp", "14 of 'framework == \"ddp': no closing \""},
      {"gpus == -", "9 of 'gpus == -': not a number"},
      {"gpus == 8 & true", "11 of 'gpus == 8 & true': expected && or || or the end"},
      {"framework == 'dpd'",
       "14 of 'framework == 'dpd'': unknown framework \"dpd\"; did you mean \"ddp\"? (known: ddp, "
       "horovod)"},
  };
  for (const auto& [text, message] : cases) CHECK(error(text) == message);
}

TEST_CASE("conditions nest 256 deep and are refused beyond, chains may be long") {
  const auto nested = [](const char* open, const char* close, int depth) {
    std::string text = "true";
    for (int i = 0; i < depth; ++i) text = open + text + close;
    return text;
  };
  CHECK(holds(nested("(", ")", 255)));
  CHECK_FALSE(holds(nested("!", "", 255)));
  for (const auto& [open, close] : {std::pair{"(", ")"}, {"!", ""}}) {
    const std::string text = nested(open, close, 20000);
    CHECK(error(text) == "257 of '" + text + "': nested more than 256 deep");
  }
  std::string chain = "false";
  for (int i = 0; i < 20000; ++i) chain += " || gpus == 8 && !false";
  CHECK(holds(chain));
}

TEST_CASE("an unknown name in a condition is answered with the nearest") {
  CHECK(error("gpsu > 1")
            .rfind("1 of 'gpsu > 1': unknown name \"gpsu\"; did you mean \"gpus\"?", 0) == 0);
}
