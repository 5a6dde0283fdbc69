// SPDX-License-Identifier: Apache-2.0
#include "planner/script/shell_text.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "base/file.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/planner/study_text.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;

namespace {

/// Returns strings with special characters of shells: 300 generated strings and known difficult
/// strings.
std::vector<std::string> hostile_strings() {
  const std::vector<std::string> pieces{
      "'",   "\"",   "\\",      "$",    "$(touch x)", "`id`", "\n", "\r",        "\t",
      " ",   "*",    "?",       "[a]",  "{a,b}",      "~",    "#",  "#OAR -l x", "#SBATCH -n 9",
      "!",   "&",    ";",       "|",    ">",          "<",    "(",  ")",         "-n",
      "--",  "=",    "é",       "日本", "\x1b[0m",    "\x7f", "%s", "a",         "0",
      "\\n", "$'x'", "${HOME}", "EOF",  "\xc2\x85",   "@",    ":",  "\x01",      "\x02"};
  std::mt19937 random(20240521);
  std::vector<std::string> strings{"",      "-e",  "-",     "~",
                                   "~root", "a=b", "--x=y", "'",
                                   "\\",    "\n",  "if",    "plain-word_1.2/3:4@5%6+7,8"};
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (unsigned n = 1 + random() % 6; n > 0; --n) text += pieces[random() % pieces.size()];
    strings.push_back(text);
  }
  return strings;
}

std::string nul_joined(const std::vector<std::string>& strings) {
  std::string joined;
  for (const auto& text : strings) joined += text + '\0';
  return joined;
}

std::string placed(const std::string& before, std::string_view value) {
  return ScriptText(before + place_mark(0) + "\n", "t.mustache").with({&value, 1});
}

}  // namespace

TEST_CASE("hostile values arrive in argv unchanged, and never span lines") {
  const auto strings = hostile_strings();
  std::string words = "printf '%s\\0'", assignments;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    words += " " + place_mark(i);
    assignments += "value=" + place_mark(i) + "; printf '%s\\0' \"$value\"\n";
  }
  const std::vector<std::string_view> values(strings.begin(), strings.end());
  const std::string script = ScriptText(words + "\n" + assignments, "t.mustache").with(values);
  CHECK(std::count(script.begin(), script.end(), '\n') ==
        static_cast<std::ptrdiff_t>(1 + strings.size()));
  test::TempDir dir;
  base::write_file_atomically(dir / "script", script);
  const auto result = test::run_bash("cd " + shell_quote(dir.path().string()) + " && bash script");
  CHECK(result.exit_code == 0);
  CHECK(result.out == nul_joined(strings) + nul_joined(strings));
  CHECK_FALSE(std::filesystem::exists(dir / "x"));  // no execution of $(touch x)
}

TEST_CASE("values cannot create a line that a batch system reads as a directive") {
  for (const auto& text : hostile_strings()) {
    for (const char* before : {"", "# ", "echo "}) {
      const std::string script = placed(before, text);
      CHECK(script.rfind("#OAR", 0) == std::string::npos);
      CHECK(script.rfind("#SBATCH", 0) == std::string::npos);
      CHECK(std::count(script.begin(), script.end(), '\n') == 1);
    }
  }
}

TEST_CASE("plain words are not quoted") {
  CHECK(shell_quote("/a/b-c_1.sh") == "/a/b-c_1.sh");
  CHECK(shell_quote("--bind-to=none") == "--bind-to=none");
  CHECK(shell_quote("a=b") == "'a=b'");
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("it's") == "'it'\\''s'");
  CHECK(shell_quote("a\nb") == "$'a\\nb'");
}

TEST_CASE("hostile values are rejected on directive lines") {
  int refused = 0;
  for (const auto& text : hostile_strings()) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
      return c < 128 && (std::isalnum(c) || std::string("_./:@+,=-").find(c) != std::string::npos);
    });
    for (const char* directive : {"#SBATCH --account=", "#OAR --project "}) {
      INFO(directive << text);
      if (plain) {
        CHECK(placed(directive, text) == directive + text + "\n");
      } else {
        CHECK_THROWS_AS(placed(directive, text), base::SpecError);
        ++refused;
      }
    }
  }
  CHECK(refused > 400);
}

TEST_CASE("each directive accepts the characters that its batch system accepts") {
  CHECK(placed("#OAR -p ", "gpu_model='Tesla T4'") == "#OAR -p gpu_model='Tesla T4'\n");
  CHECK(placed("#OAR -n ", "my job name") == "#OAR -n my job name\n");
  CHECK_THROWS(placed("#OAR -O ", "/a b/c.out"));
  CHECK_THROWS(placed("#OAR -O ", "/a%jobid%b"));
  CHECK_THROWS(placed("#OAR -O ", "/a:b"));
  CHECK_THROWS(placed("#OAR -n ", "a/b"));
  CHECK_THROWS(placed("#OAR -l nodes=", "1 2"));
  CHECK_THROWS(placed("#SBATCH --output=", "/a%j"));
  CHECK_THROWS(placed("#OAR -p ", " a"));
}

TEST_CASE("a rejected directive value is explained in one line") {
  CHECK(test::error_of([] { placed("#SBATCH --account=", "my\nbudget"); }) ==
        "t.mustache: #SBATCH --account: the value $'my\\nbudget' contains a newline; values on "
        "this line cannot be quoted");
  CHECK(
      test::error_of([] { placed("#SBATCH --account=", ""); }) ==
      "t.mustache: #SBATCH --account: the value '' is empty; values on this line cannot be quoted");
}

TEST_CASE("a value cannot complete a directive or contain NUL") {
  for (const char* before : {"#", "#SB", "a\n#O"}) CHECK_THROWS(placed(before, "x"));
  CHECK(test::error_of([] { placed("\n#SBATC", "H"); }) ==
        "t.mustache: #SBATC{{…}}: a value cannot be part of the name of a directive");
  CHECK(test::error_of([] { placed("echo ", std::string_view("a\0b", 3)); }) ==
        "a value for the job script contains the byte 0x00");
  CHECK_THROWS_AS(placed("#SBATCH -A ", std::string_view("\0", 1)), base::SpecError);
}

TEST_CASE("text with the characters of marks is rejected") {
  for (const char c : {'\x01', '\x02', '\0'}) {
    CHECK_THROWS_AS(refuse_marks(std::string("a") + c), base::SpecError);
  }
  CHECK(test::error_of([] { refuse_marks("\x01"); }) ==
        "a value for the job script contains the byte 0x01");
}
