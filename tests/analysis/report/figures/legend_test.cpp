// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/legend.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/figures/svg_figure.hpp"
#include "tests/analysis/support/sample_page.hpp"

namespace dlscale::analysis {

using Catch::Contains;

TEST_CASE("a legend names axes by the shortest end of their names") {
  const std::vector<CurveKey> keys{{{"models.a.hidden", "1"}, {"models.a.depth", "2"}},
                                   {{"models.b.hidden", "3"}, {"models.a.depth", "4"}}};
  CHECK(Legend(keys, "GPU").title() == "a.hidden, depth, b.hidden");
}

TEST_CASE("a series without a value is labelled as such") {
  const std::vector<CurveKey> keys{{{"training.init", ""}}, {{"training.init", "imagenet"}}};
  CHECK(Legend(keys, "GPU").series(keys[0]).label == "no init");
  const std::vector<CurveKey> batches{{{"global_batch", ""}}, {{"global_batch", "64"}}};
  CHECK(Legend(batches, "GPU").series(batches[0]).label == "unknown");
}

TEST_CASE("an axis without any value is not in the legend") {
  const std::vector<CurveKey> keys{{{"depth", "1"}, {"init", ""}}, {{"depth", "2"}}};
  CHECK(Legend(keys, "GPU").title() == "depth");
  CHECK(Legend({{{"init", ""}}, {}}, "GPU").title() == "init");
}

TEST_CASE("a long label is wrapped in an SVG file") {
  Figure figure = test::sample_figure();
  std::string label;
  for (int i = 0; i < 40; ++i) label += "word" + std::to_string(i) + " ";
  figure.series.front().label = label + "end";
  const std::string svg = svg_file(figure, "f");
  CHECK_THAT(svg, Contains(">word0 word1 ") && Contains(" end</text>"));
  CHECK_THAT(svg, !Contains(">word0 " + label.substr(6) + "end</text>"));
}

}  // namespace dlscale::analysis
