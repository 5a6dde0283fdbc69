// SPDX-License-Identifier: Apache-2.0
// Tests that the JSON reader accepts and rejects the same texts as nlohmann::json.
#include "contract/json/document.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "contract/json/reader.hpp"
#include "contract/plan/plan.hpp"
#include "contract/records/launch_record.hpp"
#include "tests/support/any_value.hpp"

using namespace dlscale;
using contract::codec::Document;
using nlohmann::json;

namespace {

struct Inner {
  int whole = 0;
  std::map<std::string, Inner> table;
};
struct Outer {
  std::string text;
  double number = 0;
  std::int64_t whole = 0;
  bool flag = false;
  std::vector<Inner> list;
  std::map<std::string, Inner> table;
  std::string extra;
};

template <class Visitor>
void visit_fields(Visitor& v, Inner& s) {
  v.optional("whole", s.whole);
  v.optional("table", s.table);
}
template <class Visitor>
void visit_fields(Visitor& v, Outer& s) {
  v.optional("text", s.text);
  v.optional("number", s.number);
  v.optional("whole", s.whole);
  v.optional("flag", s.flag);
  v.optional("list", s.list);
  v.optional("table", s.table);
}

Outer read(std::string_view text) {
  return contract::codec::read_object<Outer>(text, "f");
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const base::SpecError& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* kRefused = "refused";

/// Returns the text as nlohmann writes it after `Document` has read it, or kRefused.
std::string by_document(std::string_view text) {
  try {
    Document document;
    return json::parse(simdjson::minify(document.parse(text, "f"))).dump();
  } catch (const base::SpecError&) {
    return kRefused;
  }
}
std::string by_parse(std::string_view text) {
  try {
    return json::parse(text).dump();
  } catch (const json::exception&) {
    return kRefused;
  }
}

}  // namespace

TEST_CASE("a text that is not JSON is rejected with the location of the error") {
  const auto message = [](std::string_view text) {
    return message_of([&] { Document().parse(text, "f"); });
  };
  CHECK(message("{\"a\" 1}") == "f:1:6: not valid JSON");
  CHECK(message("{\"a\":\n  [1,]}") == "f:2:6: not valid JSON");
  CHECK(message("{\"a\": 1") == "f:1:8: not valid JSON: the text ends too early");
  CHECK(message("[1e999]") == "f: not valid JSON: a number is out of range");
  CHECK(message(std::string(2000, '[') + std::string(2000, ']')) == "f: JSON is nested too deeply");
}

TEST_CASE("the same texts are accepted and rejected as by nlohmann") {
  const std::string odd[] = {"",
                             " ",
                             "{",
                             "[1,]",
                             "{\"a\" 1}",
                             "nul",
                             "\"\x01\"",
                             "\"\\ud800\"",
                             "\"\xff\"",
                             "\"\xc0\x80\"",
                             "\"\xed\xa0\x80\"",
                             "\xef\xbb\xbf[1]",
                             "[1] x",
                             "[1e999]",
                             "[-0, -0.0, 1e-400]",
                             "[01]",
                             "[1.]",
                             "[NaN]",
                             "[18446744073709551615, -9223372036854775808]",
                             "[18446744073709551616, -9223372036854775809, 1e20, 0.1]",
                             "{\"b\":1,\"a\":{\"x\":1,\"x\":[2]},\"b\":\"\\u0000\\ud83d\\ude00\"}",
                             std::string("[1]\0", 4),
                             "{\"a\":\n  \"b\n\"}",
                             "// no\n[1]"};
  for (const std::string& text : odd) {
    INFO(text);
    CHECK(by_document(text) == by_parse(text));
  }
}

TEST_CASE("damaged texts are read in the same way as by nlohmann") {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    test::AnyValue any(seed);
    json value{{any.text(), any.table()}, {"n", any.number()}, {"w", any.whole(-9, 9)}};
    std::string text = json::array({value, any.list([&] { return any.text(); })}).dump();
    const auto at = static_cast<std::size_t>(any.whole(0, std::int64_t(text.size()) - 1));
    text[at] = any.flag() ? any.one_of({"{", "]", "\"", ",", ":", "1", "\\", "e"})[0]
                          : static_cast<char>(any.whole(-128, 127));
    const std::string read = by_document(text);
    INFO(text);
    REQUIRE(read == by_parse(text));
    taken += read == kRefused ? 0 : 1;
  }
  CHECK(taken > 300);
  CHECK(taken < 2700);
}

TEST_CASE("the last of several values under one key counts, even if earlier values are wrong") {
  const Outer object = read(R"({"whole":"no","table":{"k":7,"j":{"whole":1},"k":{"table":{}}},
      "text":"a","whole":2,"text":"b","z":1,"table":{"b":{},"a":{"whole":3},"b":{"whole":4}},"z":2})");
  CHECK(object.whole == 2);
  CHECK(object.text == "b");
  REQUIRE(object.table.size() == 2);
  CHECK(object.table.at("a").whole == 3);
  CHECK(object.table.at("b").whole == 4);
  CHECK(object.extra == R"({"z":2})");
}

TEST_CASE("unknown keys are kept with values of every kind") {
  const std::string unknown =
      R"({"a":[1,-2,18446744073709551615,0.1,1e+300,-0.0,3.0],"b":{"x":null,"y":[true,{}]},)"
      R"("c":"\"\\\n\u0001é日","d":5e-324})";
  CHECK(read(R"({"text":"t",)" + unknown.substr(1)).extra == unknown);
  CHECK(read(R"({"text":"t"})").extra.empty());
}

TEST_CASE("a value of the wrong type is reported with its path") {
  CHECK_THROWS_WITH(read("[]"), "f: expected an object, found array");
  CHECK_THROWS_WITH(read(R"({"text":1})"), "f: text: expected a string, found number");
  CHECK_THROWS_WITH(read(R"({"number":"1"})"), "f: number: expected a number, found string");
  CHECK_THROWS_WITH(read(R"({"flag":0})"), "f: flag: expected true or false, found number");
  CHECK_THROWS_WITH(read(R"({"list":[{},{"whole":null}]})"),
                    "f: list[1].whole: expected a whole number, found null");
  CHECK_THROWS_WITH(read(R"({"table":{"a":{"table":true},"b":1}})"),
                    "f: table.a.table: expected an object, found boolean");
  CHECK_THROWS_WITH(read(R"({"list":{}})"), "f: list: expected an array, found object");
}

TEST_CASE("whole numbers must fit their type, and other numbers are rounded") {
  CHECK(read(R"({"whole":9223372036854775807})").whole == std::numeric_limits<std::int64_t>::max());
  CHECK_THROWS_WITH(read(R"({"whole":9223372036854775808})"),
                    "f: whole: number out of range: 9223372036854775808");
  CHECK_THROWS_WITH(read(R"({"list":[{"whole":-2147483649}]})"),
                    "f: list[0].whole: number out of range: -2147483649");
  CHECK_THROWS_WITH(read(R"({"whole":18446744073709551616})"),
                    "f: whole: expected a whole number, found number");
  CHECK_THROWS_WITH(read(R"({"whole":1.0})"), "f: whole: expected a whole number, found number");
  CHECK(read(R"({"number":18446744073709551616})").number == 18446744073709551616.0);
  CHECK(read(R"({"number":9007199254740993})").number == 9007199254740992.0);
  CHECK(std::isnan(read(R"({"number":null})").number));
  CHECK_THROWS_WITH(read(R"({"number":1e999})"), "f: not valid JSON: a number is out of range");
}

TEST_CASE("deeply nested JSON is rejected") {
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  CHECK_THROWS_WITH(read(deep), "f: JSON is nested too deeply");
}

TEST_CASE("reading a log continues after lines that are not records") {
  const std::string line = to_json_line(contract::LaunchRecord{.event = "ended", .job = "j"});
  const std::string broken[] = {"", "{", "[]", "1e999", "{\"event\":1,\"job\":\"j\"}", "\xff"};
  std::string log = line + "\n";
  for (const std::string& no_record : broken) log += no_record + "\n" + line + "\n";
  CHECK(contract::parse_launch_log(log).size() == 1 + std::size(broken));
}
