// SPDX-License-Identifier: Apache-2.0
#include "planner/study/axes_reader.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;

namespace {

/// Returns the values of a range as tables show them, or the error.
std::string values(const std::string& text) {
  const Node root = parse_document("r = " + text, "f");
  const Node& node = std::get<Table>(root.value)[0].node;
  std::string shown;
  const std::string error = test::error_of([&] {
    for (const Node& value : range_values({node, "r"})) {
      shown += (shown.empty() ? "" : " ") + to_text(value);
    }
  });
  return error.empty() ? shown : error;
}

}  // namespace

TEST_CASE("a range is given by a factor, a step or a count") {
  CHECK(values("{ from = 4, to = 64, times = 2 }") == "4 8 16 32 64");
  CHECK(values("{ from = 4, to = 63, times = 2 }") == "4 8 16 32");
  CHECK(values("{ from = 1, to = 1000, times = 10 }") == "1 10 100 1000");
  CHECK(values("{ from = 0, to = 10, step = 2 }") == "0 2 4 6 8 10");
  CHECK(values("{ from = 3, to = -3, step = -3 }") == "3 0 -3");
  CHECK(values("{ from = 0, to = 1, step = 0.1 }") == "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
  CHECK(values("{ from = 0, to = 1, count = 5 }") == "0 0.25 0.5 0.75 1");
  CHECK(values("{ from = 10, to = 1, count = 4, spacing = \"linear\" }") == "10 7 4 1");
  CHECK(values("{ from = 0.01, to = 1, count = 5, spacing = \"log\" }") ==
        "0.01 0.0316227766017 0.1 0.316227766017 1");
}

TEST_CASE("the values of a range are whole numbers only if all of them are whole") {
  const auto kinds = [](const std::string& text) {
    const Node root = parse_document("r = " + text, "f");
    std::string result;
    for (const Node& value : range_values({std::get<Table>(root.value)[0].node, "r"})) {
      result += std::holds_alternative<std::int64_t>(value.value) ? 'w' : 'n';
    }
    return result;
  };
  CHECK(kinds("{ from = 1, to = 8, times = 2 }") == "wwww");
  CHECK(kinds("{ from = 1.0, to = 3.0, step = 1 }") == "www");
  CHECK(kinds("{ from = 1, to = 100, count = 3, spacing = 'log' }") == "www");
  CHECK(kinds("{ from = 0, to = 1, step = 0.5 }") == "nnn");
}

TEST_CASE("a range that is endless, empty or too long is rejected") {
  const std::string_view start = "f:1:5: ";
  const std::pair<const char*, const char*> cases[] = {
      {"{}", "r: a range needs the keys \"from\" and \"to\""},
      {"{ from = 1, times = 2 }", "r: a range needs the keys \"from\" and \"to\""},
      {"{ from = 1, to = 8 }",
       "r: a range needs exactly one of the keys \"times\", \"step\" and \"count\""},
      {"{ from = 1, to = 8, step = 1, times = 2 }",
       "r: a range needs exactly one of the keys \"times\", \"step\" and \"count\""},
      {"{ from = 1, to = 8, step = 1, spacing = 'log' }",
       "r: the key \"spacing\" requires the key \"count\""},
      {"{ from = 8, to = 8, step = 1 }", "r: \"from\" and \"to\" must differ"},
      {"{ from = 8, to = 1, step = 1 }",
       "r: the sign of \"step\" is wrong: \"step\" must lead from the value of \"from\" to the "
       "value of \"to\""},
      {"{ from = 8, to = 1, times = 2 }",
       "r: the key \"times\" requires that \"from\" is above 0 and \"to\" is above \"from\""},
      {"{ from = 0, to = 8, times = 2 }",
       "r: the key \"times\" requires that \"from\" is above 0 and \"to\" is above \"from\""},
      {"{ from = 0, to = 8, count = 3, spacing = 'log' }",
       "r: log spacing requires that \"from\" and \"to\" are above 0"},
      {"{ from = 0, to = 1, step = 0.00001 }", "r: the range has more than 10000 values"},
  };
  for (const auto& [text, message] : cases) CHECK(values(text) == std::string(start) + message);
  CHECK(values("{ from = 1, to = 8, times = 1 }") == "f:1:33: r.times: must be at least 2 (got 1)");
  CHECK(values("{ from = 1, to = 8, step = 0 }") ==
        "f:1:32: r.step: must not be 0: the range would be endless");
  CHECK(values("{ from = 1, to = 8, count = 1 }") == "f:1:33: r.count: must be at least 2 (got 1)");
  CHECK(values("{ from = 1, too = 8 }") ==
        "f:1:17: r.too: unknown key; did you mean \"to\"? (known: from, to, times, step, count, "
        "spacing)");
}
