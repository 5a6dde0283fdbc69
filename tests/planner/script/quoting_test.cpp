// SPDX-License-Identifier: Apache-2.0
#include "planner/script/shell_text.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/bash_run.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

bool takes_words_after(const std::string& text) {
  planner::Quoting quoting;
  quoting.read(text);
  return quoting.takes_words();
}

}  // namespace

TEST_CASE("a value can be quoted at places at which bash reads words") {
  for (const std::string text : {"",
                                 "a ",
                                 "--x=",
                                 "'a' ",
                                 "\"a\" ",
                                 "$'a\\'b' ",
                                 "\\' ",
                                 "\\\" ",
                                 "# don't\n",
                                 "# don't ",
                                 "\"$(f ",
                                 "`a` ",
                                 "$(",
                                 "\"$(f \"a\") \" ",
                                 "$((1 + (2))) ",
                                 "((a)) ",
                                 "a=(\n  ",
                                 "cat <<< a ",
                                 "cat << EOF\na 'b\nEOF\n",
                                 "cat <<-'EF'\n\ta\n\tEF\n",
                                 "${a#b} ",
                                 "a#'b' ",
                                 "f() { ",
                                 "if (( a < 2 )); then ",
                                 "cat <<EOF > a\n\"\nEOF\nb "}) {
    INFO(text);
    CHECK(takes_words_after(text));
  }
}

TEST_CASE("a value cannot be quoted within quotes, here-documents and arithmetic") {
  for (const std::string text :
       {"'", "\"", "a=\"b ", "$'\\'", "`", "\"a `b ", "$((", "$((1 + (2) + ", "((i = ", "\"$((",
        "\"$(f \"", "cat <<EOF\n", "cat <<-\"EOF\" | a\nb ", "cat <<EOF\nEOF \n", "\"\\\"",
        "\"$(f)\" \"", "# it's\n'"}) {
    INFO(text);
    CHECK_FALSE(takes_words_after(text));
  }
}

TEST_CASE("a value within quotes must not contain shell syntax") {
  const std::string mark = planner::place_mark(0);
  const std::string hostile = "$(touch canary)";
  for (const std::string around :
       {"echo \"?\"", "echo '?'", "cat <<EOF\n?\nEOF\n", "echo $((1+?))", "echo `echo ?`"}) {
    std::string text = around;
    text.replace(text.find('?'), 1, mark);
    const planner::ScriptText script(text, "t");
    const std::string_view plain[] = {"12"}, bad[] = {hostile};
    CHECK(test::run_bash(script.with(plain)).exit_code == 0);
    CHECK(test::error_of([&] {
            script.with(bad);
          }).find("inside quotes, a here-document or arithmetic") != std::string::npos);
  }
  const planner::ScriptText bare("echo \"$(printf %s " + mark + ")\"", "t");
  const std::string_view values[] = {hostile};
  CHECK(test::run_bash(bare.with(values)).out == hostile + "\n");
}
