// SPDX-License-Identifier: Apache-2.0
#include "planner/script/render.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/planner/study_text.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using planner::ScriptTemplate;
using planner::TemplateData;

namespace {

struct Templates {
  test::TempDir dir;
  Templates(const std::string& text, const std::string& partial = "") {
    base::write_file_atomically(dir / "t.mustache", text);
    if (!partial.empty()) base::write_file_atomically(dir / "part.mustache", partial);
  }
  std::string render(const TemplateData& data) const {
    return ScriptTemplate(dir.path(), "t").render(data);
  }
  /// Returns the error with DIR in place of the folder's name.
  std::string error(const TemplateData& data) const {
    std::string text = test::error_of([&] { render(data); });
    const std::string folder = dir.path().string();
    for (std::size_t at; (at = text.find(folder)) != std::string::npos;) {
      text.replace(at, folder.size(), "DIR");
    }
    return text;
  }
};

}  // namespace

TEST_CASE("values, flags, lists, verbatim lines and partials are filled in") {
  const Templates t(
      "a {{x}}{{#on}} on{{/on}}{{^off}} off{{/off}}{{#args}} {{.}}{{/args}}\n"
      "{{>part}}\n{{>other}}\nend\n",
      "{{#lines}}\n{{{line}}}\n{{/lines}}\n");
  base::write_file_atomically(t.dir / "p2.mustache", "p {{x}}\n");
  CHECK(t.render({{{"x", "a b"}},
                  {{"on", true}, {"off", false}},
                  {{"args", {"1", "2 3"}}},
                  {{"lines", {"export A=\"$B\""}}},
                  {{"other", "p2"}}}) == "a 'a b' on off 1 '2 3'\nexport A=\"$B\"\np 'a b'\nend\n");
}

TEST_CASE("a template can be rendered for one job after another") {
  const Templates t("{{#on}}on {{/on}}{{x}}{{#args}} {{.}}{{/args}}\n#SBATCH -A {{x}}\n");
  ScriptTemplate script(t.dir.path(), "t");
  const auto data = [](const std::string& x, bool on, std::vector<std::string> args) {
    return TemplateData{{{"x", x}}, {{"on", on}}, {{"args", std::move(args)}}};
  };
  CHECK(script.render(data("a", true, {"1"})) == "on a 1\n#SBATCH -A a\n");
  CHECK(script.render(data("b", true, {"2 3"})) == "on b '2 3'\n#SBATCH -A b\n");
  CHECK(script.render(data("b", false, {"2"})) == "b 2\n#SBATCH -A b\n");
  CHECK(script.render(data("b", true, {})) == "on b\n#SBATCH -A b\n");
  CHECK(test::error_of([&] {
          script.render(data("c d", true, {"1"}));
        }).find("t.mustache: #SBATCH -A: the value 'c d' contains a space") != std::string::npos);
  CHECK(test::error_of([&] {
          script.render({{{"y", ""}}, {{"on", false}}, {{"args", {}}}});
        }).find("unknown name \"x\"") != std::string::npos);
}

TEST_CASE("an unknown name is an error with its location and the nearest name") {
  CHECK(Templates("one\ntwo {{jbo}}\n").error({{{"job", "j"}, {"nodes", "1"}}}) ==
        "DIR/t.mustache:2:5: unknown name \"jbo\"; did you mean \"job\"? (known: job, nodes)");
  CHECK(Templates("{{#flga}}x{{/flga}}\n").error({{}, {{"flag", true}}}) ==
        "DIR/t.mustache:1:1: unknown name \"flga\"; did you mean \"flag\"? (known: flag)");
  CHECK(Templates("{{>part}}\n", "\n  {{xx}}\n").error({{{"x", "1"}}}) ==
        "DIR/part.mustache:2:3: unknown name \"xx\"; did you mean \"x\"? (known: x)");
  CHECK(Templates("x\n{{>prat}}\n").error({}) ==
        "DIR/t.mustache:2:1: there is no partial prat.mustache in DIR");
}

TEST_CASE("an unknown partial is reported with the nearest name, and recursion is an error") {
  CHECK(Templates("{{>prat}}\n", "x\n").error({}) ==
        "DIR/t.mustache:1:1: there is no partial prat.mustache in DIR; did you mean \"part\"?");
  CHECK(Templates("a\n{{>part}}\n", "b {{> part }}\n").error({}) ==
        "DIR/t.mustache:2:1: partial part includes itself");
  CHECK(Templates("{{>part}}\n", "{{>t}}\n").error({}) ==
        "DIR/part.mustache:1:1: partial t includes itself");
}

TEST_CASE("malformed mustache is an error with its location") {
  CHECK(Templates("a\n b {{#flag}}\n").error({{}, {{"flag", true}}}) ==
        "DIR/t.mustache:2:4: Unclosed section \"flag\"");
  CHECK(Templates("a\n{{/flag}}\n").error({{}, {{"flag", true}}}) ==
        "DIR/t.mustache:2:1: Unopened section \"flag\"");
}

TEST_CASE("a template cannot bypass the quoting") {
  CHECK(Templates("\n echo {{{x}}}\n").error({{{"x", "1"}}}) ==
        "DIR/t.mustache:2:7: {{{ is not allowed here; only {{{line}}} may be unquoted");
  CHECK(Templates("{{&x}}\n").error({}).find("{{& is not allowed") != std::string::npos);
  CHECK(Templates("{{=<% %>=}}\n").error({}).find("{{= is not allowed") != std::string::npos);
  CHECK(Templates("{{>part}}\n", "{{{x}}}\n").error({}).find("DIR/part.mustache:1:1: {{{") == 0);
  CHECK(Templates("{{#l}}{{{line}}}{{/l}}").error({{}, {}, {}, {{"l", {"a\x01"}}}}).find("0x01") !=
        std::string::npos);
}

TEST_CASE("a value that is invalid within quotes is reported at its tag") {
  const TemplateData data{{{"x", "a b"}}};
  CHECK(Templates("x {{x}}\n echo \"{{x}}\"\n")
            .error(data)
            .rfind("DIR/t.mustache:2:8: the value 'a b' follows 'echo \"', inside quotes", 0) == 0);
  CHECK(Templates("{{>part}}\n", "\"{{x}}\"\n")
            .error(data)
            .rfind("DIR/part.mustache:1:2: the value 'a b' follows", 0) == 0);
}

TEST_CASE("malformed and missing templates are errors") {
  CHECK_FALSE(Templates("{{#a}}\n").error({{}, {{"a", true}}}).empty());
  CHECK(test::error_of([] { ScriptTemplate("/nowhere", "t"); }) ==
        "cannot read /nowhere/t.mustache: No such file or directory");
}
