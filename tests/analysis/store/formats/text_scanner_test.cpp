// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/text_scanner.hpp"

#include <catch2/catch.hpp>

#include "analysis/store/formats/log_lines.hpp"

namespace dlscale::analysis {

TEST_CASE("times of a clock are minutes and seconds, with hours and days where there are any") {
  const auto seconds = [](const char* text) {
    TextScanner scanner(text);
    double value = -1;
    return clock_time(scanner, value) ? value : -1;
  };
  CHECK(seconds("02:03") == 123);
  CHECK(seconds(" 1:02:03<") == 3723);
  CHECK(seconds("1 day, 0:00:05") == 86405);
  CHECK(seconds("2 days, 1:00:00") == 176400);
  CHECK(seconds("12") == -1);
  CHECK(seconds("1:x") == -1);
  CHECK(seconds("1:2:3:4") == -1);
}

TEST_CASE("numbers are finite, whole ones do not end within a longer one") {
  double value = 0;
  std::int64_t whole = 0;
  CHECK(whole_number(" 1.5e3 ", value));
  CHECK(value == 1500);
  for (const char* text : {"", "x", "1 x", "nan", "inf", "1e999"}) {
    CHECK_FALSE(whole_number(text, value));
  }
  CHECK(TextScanner("8. My local rank").integer(whole));
  CHECK_FALSE(TextScanner("8.5").integer(whole));
  CHECK_FALSE(TextScanner("99999999999999999999").integer(whole));
}

TEST_CASE("what launchers put before a line is taken off, and nothing else") {
  CHECK(without_launcher("[1,0]<stdout>:loss").text == "loss");
  CHECK(without_launcher("[1,12]<stderr>:loss").text == "loss");
  CHECK(without_launcher("[default3]:loss").text == "loss");
  CHECK(without_launcher(" 7: loss").text == "loss");
  for (const char* line : {"[2023-07-25 21:03:17,269] [INFO] x: y", "10\timages/sec: 5", "7:loss",
                           "0,1.5", "", "[", "1"}) {
    CHECK(without_launcher(line).text == line);
  }
}

TEST_CASE("a text without a last line end has a last line that is not complete") {
  LogLines lines("a\r\nb");
  REQUIRE(lines.next());
  CHECK(lines.line().text == "a");
  CHECK(lines.line().complete);
  REQUIRE(lines.next());
  CHECK(lines.line().text == "b");
  CHECK(lines.line().number == 2);
  CHECK_FALSE(lines.line().complete);
  CHECK_FALSE(lines.next());
}

}  // namespace dlscale::analysis
