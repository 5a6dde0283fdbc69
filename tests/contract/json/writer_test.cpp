// SPDX-License-Identifier: Apache-2.0
// Compares the JSON writer with the dump function of nlohmann::json.
#include "contract/json/writer.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/any_value.hpp"

using namespace dlscale;
using OrderedJson = nlohmann::ordered_json;
using contract::codec::kIndented;
using contract::codec::kOneLine;
using contract::codec::to_text;

namespace {

struct WrittenInner {
  bool flag = false;
  std::vector<std::int64_t> numbers;
};
struct WrittenOuter {
  std::string text;
  double number = 0;
  std::optional<double> maybe;
  std::map<std::string, WrittenInner> table;
  std::vector<std::string> sparse;
  WrittenInner inner;
};

template <class Visitor>
void visit_fields(Visitor& v, WrittenInner& s) {
  v.required("numbers", s.numbers);
  v.optional("flag", s.flag);
}
template <class Visitor>
void visit_fields(Visitor& v, WrittenOuter& s) {
  v.required("text", s.text);
  v.required("number", s.number);
  v.optional("maybe", s.maybe);
  v.optional("table", s.table);
  v.sparse("sparse", s.sparse);
  v.optional("inner", s.inner);
}

OrderedJson oracle(const WrittenInner& s) {
  return {{"numbers", s.numbers}, {"flag", s.flag}};
}
OrderedJson oracle(const WrittenOuter& s) {
  OrderedJson object{{"text", s.text}, {"number", s.number}};
  object["maybe"] = s.maybe ? OrderedJson(*s.maybe) : OrderedJson(nullptr);
  object["table"] = OrderedJson::object();
  for (const auto& [key, inner] : s.table) object["table"][key] = oracle(inner);
  if (!s.sparse.empty()) object["sparse"] = s.sparse;
  object["inner"] = oracle(s.inner);
  return object;
}
std::string dump(const OrderedJson& value, int indent = -1) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

WrittenOuter any_outer(unsigned seed) {
  test::AnyValue any(seed);
  const auto text = [&] { return any.text(); };
  const auto inner = [&] {
    return WrittenInner{any.flag(), any.list([&] { return any.whole(INT64_MIN, INT64_MAX); })};
  };
  WrittenOuter outer{text(), any.number(), std::nullopt, {}, any.list(text), inner()};
  if (any.flag()) outer.maybe = any.number();
  for (auto n = any.whole(0, 3); n > 0; --n) outer.table[text()] = inner();
  return outer;
}

}  // namespace

TEST_CASE("the written text equals the nlohmann dump in the same key order") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const WrittenOuter value = any_outer(seed);
    REQUIRE(to_text(value, kOneLine) == dump(oracle(value)));
    REQUIRE(to_text(value, kIndented) == dump(oracle(value), 2));
  }
}

TEST_CASE("numbers are written as nlohmann writes them") {
  using Limits = std::numeric_limits<double>;
  std::vector<double> numbers{0,
                              -0.0,
                              0.1,
                              1e-5,
                              1e15,
                              1e15 - 1,
                              1e16,
                              123456.5,
                              1e300,
                              2.5e-8,
                              -3.0,
                              1.0 / 3,
                              -1e15,
                              Limits::max(),
                              Limits::min(),
                              Limits::denorm_min(),
                              Limits::infinity(),
                              std::nan("")};
  test::AnyValue any(1);
  for (int i = 0; i < 20000; ++i) {
    numbers.push_back(std::ldexp(any.number(), static_cast<int>(any.whole(-300, 300))));
    numbers.push_back(static_cast<double>(any.whole(-2000, 2000)) / 1000);
  }
  for (const double number : numbers)
    REQUIRE(to_text(number, kOneLine) == dump(OrderedJson(number)));
}

TEST_CASE("omitted keys are left out at the top level and one level below") {
  const WrittenOuter value{.text = "t", .inner = {true, {1}}};
  constexpr std::string_view kOmitted[] = {"text", "inner.flag", "numbers", "maybe.flag"};
  contract::codec::TextWriter writer(kOneLine, kOmitted);
  writer.write(value);
  CHECK(writer.release_text() ==
        R"({"number":0.0,"maybe":null,"table":{},"inner":{"numbers":[1]}})");
}

TEST_CASE("levels below the indented levels are written on one line") {
  const WrittenOuter value{
      .text = "t", .table = {{"a", {}}}, .sparse = {"x", "y"}, .inner = {true, {1}}};
  CHECK(to_text(value, {1, 2}) ==
        "{\n \"text\": \"t\",\n \"number\": 0.0,\n \"maybe\": null,\n"
        " \"table\": {\n  \"a\": {\"numbers\":[],\"flag\":false}\n },\n"
        " \"sparse\": [\n  \"x\",\n  \"y\"\n ],\n"
        " \"inner\": {\n  \"numbers\": [1],\n  \"flag\": true\n }\n}");
}

TEST_CASE("a text written in pieces equals the text written at once") {
  std::vector<WrittenOuter> values(3000, any_outer(3));
  std::string text;
  int pieces = 0;
  contract::codec::TextWriter writer({1, 2}, [&](std::string_view piece) {
    text += piece;
    ++pieces;
  });
  writer.write(values);
  writer.finish();
  CHECK(text == to_text(values, {1, 2}));
  CHECK(pieces > 3);
}

TEST_CASE("each byte that is not valid UTF-8 is replaced by U+FFFD") {
  CHECK(to_text(std::string("a\xff\xc3(\xed\xa0\x80\xf0\x9f\x98\x80\x7f"), kOneLine) ==
        "\"a\uFFFD\uFFFD(\uFFFD\uFFFD\uFFFD\U0001F600\x7f\"");
  for (int c = 0; c < 0x80; ++c) {
    const std::string text(1, static_cast<char>(c));
    CHECK(to_text(text, kOneLine) == dump(OrderedJson(text)));
  }
}
