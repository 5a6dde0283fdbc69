// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/log_format.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "contract/run_spec/vocabulary.hpp"

namespace dlscale::analysis {

TEST_CASE("studies may name the log formats that have a file in the launch folder") {
  std::vector<std::string> names;
  for (const LogFormat* format : log_formats()) {
    if (*format->file != 0) names.push_back(format->name);
  }
  std::vector<std::string> known = contract::vocabulary("log_format");
  std::sort(names.begin(), names.end());
  std::sort(known.begin(), known.end());
  CHECK(names == known);
}

TEST_CASE("log formats do not throw on any content") {
  for (const LogFormat* format : log_formats()) {
    INFO(format->name);
    for (const std::string& text :
         std::vector<std::string>{"", "\n", "{", "Train: ", "Train: 0 [", std::string(3, '\0'),
                                  "Train: 0 [ 1/2 (5%)] Loss: x", "\xff\xff"}) {
      CHECK_NOTHROW(format->read(text, {}));
      CHECK_FALSE(format->recognises(text));
    }
  }
}

TEST_CASE("every log format describes itself and its rates") {
  for (const LogFormat* format : log_formats()) {
    INFO(format->name);
    CHECK(*format->summary != 0);
    CHECK(*format->rates != 0);
  }
}

}  // namespace dlscale::analysis
