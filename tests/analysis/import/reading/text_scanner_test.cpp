// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/log_lines.hpp"

#include <catch2/catch.hpp>

namespace dlscale::analysis {

TEST_CASE("numbers must be finite, and integers must not end within a longer number") {
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

TEST_CASE("a text without a final line end has an incomplete last line") {
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

TEST_CASE("a date and time gives seconds, with a comma or point before the fraction") {
  const auto seconds = [](const char* text) {
    TextScanner scanner(text);
    double value = -1;
    return date_and_time(scanner, value) ? value : -1;
  };
  CHECK(seconds("1970-01-02 00:00:01,250] [INFO]") == Approx(86401.25));
  CHECK(seconds("2024-03-01 00:00:00.5 - ") - seconds("2024-02-28 23:59:59") == Approx(86401.5));
  for (const char* text :
       {"", "2024-02-30 00:00:00", "2024-13-01 00:00:00", "24:00", "2024-02-1"}) {
    INFO(text);
    CHECK(seconds(text) == -1);
  }
}

}  // namespace dlscale::analysis
