// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::base;

using Views = std::vector<std::string_view>;

TEST_CASE("a split text has one part more than separators") {
  CHECK(split("a,,b,", ',') == Views{"a", "", "b", ""});
  CHECK(split("", ',') == Views{""});
  CHECK(split("a||b|c", "||") == Views{"a", "b|c"});
}

TEST_CASE("a text that ends with a line end has no empty last line") {
  CHECK(lines_of("a\n\nb\n") == Views{"a", "", "b"});
  CHECK(lines_of("a\nb") == Views{"a", "b"});
  CHECK(lines_of("\n") == Views{""});
  CHECK(lines_of("").empty());
}

TEST_CASE("blanks are trimmed from both ends") {
  CHECK(trimmed(" \ta b\t ") == "a b");
  CHECK(trimmed("\ta ", " ") == "\ta");
  CHECK(trimmed(" \t").empty());
}

TEST_CASE("only ASCII letters are converted to lower case") {
  CHECK(lower("GPU-Stunden Ä 3") == "gpu-stunden Ä 3");
}

TEST_CASE("a text is a number only as a whole") {
  CHECK(number_of<int>("-12") == -12);
  CHECK(number_of<double>("1.5e3") == 1500.0);
  for (const char* text : {"", "1x", " 1", "1 ", "+1", "1.0", "99999999999"}) {
    CHECK_FALSE(number_of<int>(text));
  }
}

TEST_CASE("the text after a leading number is ignored") {
  CHECK(leading_number<int>("12 GPUs") == 12);
  CHECK(leading_number<double>("N/A") == 0);
  CHECK(leading_number("", 7) == 7);
  CHECK(leading_number<int>("99999999999") == 0);
}

TEST_CASE("a count of one takes the singular, and every other count takes the plural") {
  CHECK(count_of(1, "run") == "1 run");
  CHECK(count_of(0, "run") == "0 runs");
  CHECK(count_of(2, "class") == "2 classes");
  CHECK(count_of(1, "run is", "runs are") == "1 run is");
  CHECK(word_for(3, "GPU") == "GPUs");
  CHECK(word_for(2, "is", "are") == "are");
}

TEST_CASE("a value without special characters stays as it is") {
  CHECK(shell_quote("/a/b-c_1.sh") == "/a/b-c_1.sh");
  CHECK(shell_quote("--bind-to=none") == "--bind-to=none");
}

TEST_CASE("a value with special characters becomes one quoted word") {
  CHECK(shell_quote("") == "''");
  CHECK(shell_quote("study.repeats=6") == "'study.repeats=6'");
  CHECK(shell_quote("my study.toml") == "'my study.toml'");
  CHECK(shell_quote("it's") == "'it'\\''s'");
}

TEST_CASE("control characters are written as escapes, so that the word has one line") {
  CHECK(shell_quote("a\nb\t\\'\x01") == "$'a\\nb\\t\\\\\\'\\001'");
}
