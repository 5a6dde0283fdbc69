// SPDX-License-Identifier: Apache-2.0
#include "planner/script/file_text.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using planner::CommandValue;
using planner::FileFormat;
using planner::FileText;
using Kind = CommandValue::Kind;

namespace {

CommandValue value_of(const std::string& name) {
  if (name == "lr") return {"1e-05", Kind::number};
  if (name == "n") return {"8", Kind::number};
  if (name == "on") return {"true", Kind::truth};
  if (name == "list") return {"[30, 60]", Kind::list};
  if (name == "name") return {"it's \"a: b\"", Kind::text};
  if (name == "version") return {"1.10", Kind::text};
  if (name == "path") return {"/data/set", Kind::text};
  if (name == "lines") return {"a\nb", Kind::text};
  if (name == "bytes") return {"\xff", Kind::text};
  throw base::SpecError({}, "", "no " + name);
}

std::string filled(const std::string& text, FileFormat format) {
  return FileText(text, "c.t", format).with(value_of);
}

std::string file_error(const std::string& text, FileFormat format) {
  return test::error_of([&] { filled(text, format); });
}

}  // namespace

TEST_CASE("the ending of a file decides its format") {
  CHECK(planner::format_of("a/config.yaml") == FileFormat::yaml);
  CHECK(planner::format_of("c.yml") == FileFormat::yaml);
  CHECK(planner::format_of("c.toml") == FileFormat::toml);
  CHECK(planner::format_of("c.json") == FileFormat::json);
  CHECK(planner::format_of("c.sh") == FileFormat::shell);
  CHECK(planner::format_of("json") == FileFormat::other);
}

TEST_CASE("a value that stands alone keeps its type") {
  CHECK(filled("lr: {{lr}}\nn: {{ n }}\non: {{on}}\nl: {{list}}\n", FileFormat::yaml) ==
        "lr: 1.0e-05\nn: 8\non: true\nl: [30, 60]\n");
  CHECK(filled("v: {{version}}\nn: {{name}} # x\n", FileFormat::yaml) ==
        "v: \"1.10\"\nn: \"it's \\\"a: b\\\"\" # x\n");
  CHECK(filled("[{{version}}]\nlr = {{lr}}\nl = [{{n}}, {{name}}]", FileFormat::toml) ==
        "[\"1.10\"]\nlr = 1e-05\nl = [8, \"it's \\\"a: b\\\"\"]");
  CHECK(filled(R"({"a": {{lr}}, "b": [{{n}},{{version}}], {{name}}: {{on}}})", FileFormat::json) ==
        R"({"a": 1e-05, "b": [8,"1.10"], "it's \"a: b\"": true})");
  CHECK(filled("A={{name}}\nB={{n}}\n", FileFormat::shell) == "A='it'\\''s \"a: b\"'\nB=8\n");
}

TEST_CASE("a value inside quotes is escaped as the quotes require") {
  CHECK(filled("a: \"x {{name}}\"\nb: 'x {{name}}'\n", FileFormat::yaml) ==
        "a: \"x it's \\\"a: b\\\"\"\nb: 'x it''s \"a: b\"'\n");
  CHECK(filled("a: \"{{lines}}\"", FileFormat::yaml) == "a: \"a\\nb\"");
  CHECK(filled("a = \"{{lines}}{{n}}\"", FileFormat::toml) == "a = \"a\\nb8\"");
  CHECK(filled("a = \"\"\nb = '{{path}}'\nc = \"\"\"{{name}}\"\"\"", FileFormat::toml) ==
        "a = \"\"\nb = '/data/set'\nc = \"\"\"it's \\\"a: b\\\"\"\"\"");
  CHECK(filled(R"({"a": "\"{{name}}"})", FileFormat::json) == R"({"a": "\"it's \"a: b\""})");
}

TEST_CASE("YAML's plain scalars, comments and block scalars hold simple values") {
  CHECK(filled("p: {{path}}/train\n", FileFormat::yaml) == "p: /data/set/train\n");
  CHECK(filled("# {{name}}\nx: don't {{n}}\n", FileFormat::yaml) ==
        "# it's \"a: b\"\nx: don't 8\n");
  CHECK(filled("- run: |\n    echo {{name}}\n  n: {{version}}\n", FileFormat::yaml) ==
        "- run: |\n    echo it's \"a: b\"\n  n: \"1.10\"\n");
  CHECK(filled("a: {b: {{version}}, c: [{{n}}]}\n", FileFormat::yaml) ==
        "a: {b: \"1.10\", c: [8]}\n");
}

TEST_CASE("comments of a template are left out") {
  CHECK(filled("{{! one }}\na: {{n}}{{! two }}\n", FileFormat::yaml) == "a: 8\n");
  CHECK(filled("x {{path}} y\n", FileFormat::other) == "x /data/set y\n");
}

TEST_CASE("a value that the format cannot hold is an error at its place in the template") {
  CHECK(file_error("a: 1\nb: x {{name}}\n", FileFormat::yaml) ==
        "c.t:2:6: {{name}}: the value 'it'\\''s \"a: b\"' needs quotes next to other text; write "
        "quotes around the value and the text");
  CHECK(file_error("b: '{{lines}}'\n", FileFormat::yaml) ==
        "c.t:1:5: {{lines}}: the value $'a\\nb' has a line break or a control character; use "
        "double quotes");
  CHECK(file_error("b = '{{name}}'\n", FileFormat::toml).find("contains '; use double quotes") !=
        std::string::npos);
  CHECK(file_error("b = {{n}}{{n}}\n", FileFormat::toml).find("c.t:1:5: {{n}}: ") == 0);
  CHECK(file_error("{\"a\": x{{n}}}", FileFormat::json).find("c.t:1:8: {{n}}: ") == 0);
  CHECK(file_error("a: {{bytes}}", FileFormat::yaml).find("is not valid UTF-8") !=
        std::string::npos);
  CHECK(file_error("x = {{lines}}", FileFormat::other).find("c.t:1:5: {{lines}}: ") == 0);
  CHECK(file_error("A=\"{{name}}\"", FileFormat::shell).find("c.t:1:4: ") == 0);
}

TEST_CASE("a wrong tag is an error at its place in the template") {
  CHECK(file_error("a\n {{modle}}", FileFormat::yaml) == "c.t:2:2: no modle");
  CHECK(file_error("{{#n}}x{{/n}}", FileFormat::yaml).find("c.t:1:1: {{#n}}: a file may contain") ==
        0);
  CHECK(file_error("a {{n", FileFormat::yaml) == "c.t:1:3: }} is missing");
  CHECK(file_error("a: {{{n}}}", FileFormat::yaml).find("c.t:1:4: ") == 0);
}
