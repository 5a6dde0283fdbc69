// SPDX-License-Identifier: Apache-2.0
#include "config/toml/document.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;
using Catch::Matchers::Contains;

namespace {

const Node& value_at(const Node& root, const std::string& key) {
  return find_key(std::get<Table>(root.value), key)->node;
}

}  // namespace

TEST_CASE("a document keeps the order of its keys and the location of each value") {
  const Node root = parse_document("z = 1\na = [true,\n  'x']\n", "f.toml");
  const auto& table = std::get<Table>(root.value);
  REQUIRE(table.size() == 2);
  CHECK(table[0].key == "z");
  CHECK(table[1].where.line == 2);
  const Node& x = std::get<List>(table[1].node.value)[1];
  CHECK(x.where.file == "f.toml");
  CHECK(x.where.line == 3);
  CHECK(x.where.column == 3);
}

TEST_CASE("values are converted to the text of result tables") {
  const Node root = parse_document("v = [1, 2.5, 1e-4, 3.0, 'a b', true, {k = 1}]", "f");
  CHECK(to_text(value_at(root, "v")) == "[1, 2.5, 0.0001, 3, a b, true, {k = 1}]");
}

TEST_CASE("a -S value is parsed as TOML and is otherwise a string") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"k=3", "a whole number"},     {"k=0.5", "a number"},      {"k=true", "true or false"},
      {"k=ddp", "a string"},         {"k=02:00:00", "a string"}, {"k=", "a string"},
      {"k=\"3\"", "a string"},       {"k=[1, 2]", "a list"},     {"k={a = 1}", "a table"},
      {"k=/data/a b=c", "a string"}, {"k=1\nl=2", "a string"},
  };
  for (const auto& [assignment, kind] : cases) {
    INFO(assignment);
    Node root{Table{}, {}};
    apply_override(root, assignment);
    CHECK(kind_of(value_at(root, "k")) == kind);
  }
}

TEST_CASE("a malformed -S argument is rejected and quoted") {
  Node root = parse_document("a = 1", "f");
  const auto apply = [&](const std::string& text) {
    return test::error_of([&] { apply_override(root, text); });
  };
  CHECK(apply("a") == "-S a: expected key=value, for example training.epochs=2");
  CHECK(apply("=1") == "-S =1: expected key=value, for example training.epochs=2");
  CHECK(apply("a.b=1") == "-S a.b=1: a: is a whole number, not a table");
  CHECK(apply("a=[1").rfind("-S a=[1: Error while parsing", 0) == 0);
}

TEST_CASE("a key of more than 1000 parts is rejected with its line") {
  std::string key = "a";
  for (int part = 0; part < 100'000; ++part) key += ".a";
  const std::string message = "the key has more than 1000 parts";
  CHECK_THROWS_WITH(parse_document("x = 1\n" + key + " = 1\n", "f"), Contains("f:2:1: " + message));
  CHECK_THROWS_WITH(parse_document("[" + key + "]\n", "f"), Contains("f:1:1: " + message));
}
