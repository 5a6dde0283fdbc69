// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/formats/log_format.hpp"

#include <catch2/catch.hpp>

#include "contract/vocabulary.hpp"

namespace dlscale::analysis {

TEST_CASE("the log formats a study may name are those that can be read") {
  std::vector<std::string> names;
  for (const LogFormat* format : log_formats()) names.push_back(format->name);
  CHECK(names == contract::vocabulary("log_format"));
}

TEST_CASE("no log format throws on content") {
  for (const LogFormat* format : log_formats()) {
    INFO(format->name);
    for (const std::string text :
         {"", "\n", "{", "Train: ", "Train: 0 [", std::string(3, '\0').c_str(),
          "Train: 0 [ 1/2 (5%)] Loss: x", "\xff\xff"}) {
      CHECK_NOTHROW(format->read(text, {}));
    }
  }
}

}  // namespace dlscale::analysis
