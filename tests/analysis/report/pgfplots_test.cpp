// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/pgfplots.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/analysis/support/sample_page.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {

using Catch::Contains;

TEST_CASE(
    "a figure for LaTeX is a document with logarithmic ticks, error bars and the ideal line") {
  const std::string text = pgfplots_figure(test::sample_figure(), "e.pgf.csv");
  for (const char* part :
       {"\\documentclass[border=2pt]{standalone}", "compat=1.18", "xmode=log, log basis x=2",
        "xtick={1,2}", "log ticks with fixed point", "y dir=both, y explicit",
        "y error minus=minus, y error plus=plus", "{e.pgf.csv}", "black, dashed",
        "\\addlegendentry{ddp}", "\\definecolor{dlscale0}{HTML}{0072B2}", "\\end{document}\n"}) {
    CHECK_THAT(text, Contains(part));
  }
  CHECK(text == pgfplots_figure(test::sample_figure(), "e.pgf.csv"));
}

TEST_CASE("the data of a figure for LaTeX is numbers with the ends of bars as differences") {
  CHECK(pgfplots_data(test::sample_figure()) ==
        "series,x,y,minus,plus\n0,1,1,0,0\n0,2,1,0,0\n1,1,1,0,0\n"
        "1,2,0.9,0.050000000000000044,0.06999999999999995\n");
  CHECK(pgfplots_data(test::sample_bars()) == "bar,part1,part2,part3\n0,3,6,0\n1,4,7,0\n");
}

TEST_CASE("bounds are a band in figures that ask for one") {
  Figure figure = test::sample_figure();
  figure.band = true;
  const std::string text = pgfplots_figure(figure, "e.csv");
  CHECK_THAT(text, Contains("fill between[of=low0 and high0]") && !Contains("y explicit"));
}

TEST_CASE("stacked bars are hatched, and their names are text") {
  const std::string text = pgfplots_figure(test::sample_bars(), "b.csv");
  CHECK_THAT(text, Contains("ybar stacked") && Contains("pattern=north east lines"));
  CHECK_THAT(text, Contains("xticklabels={{ddp, 1 GPU},{ddp\\_2 \\& 100 \\%}}"));
  CHECK_THAT(text, !Contains("bubble"));
}

TEST_CASE("hostile texts are neither commands nor comments that end") {
  Figure figure = test::sample_figure();
  figure.title = "a\n\\input{passwd}";
  figure.series[0].label = "\\input{passwd} % $x_1$";
  figure.note_id = "gpus";
  figure.series[0].points[0].note = "8}\\x,";
  const std::string text = pgfplots_figure(figure, "e.csv");
  CHECK_THAT(text, Contains("% a \\input{passwd}\n"));
  CHECK_THAT(text,
             Contains("\\addlegendentry{\\textbackslash{}input\\{passwd\\} \\% \\$x\\_1\\$}"));
  CHECK_THAT(pgfplots_data(figure), Contains("1,1,1,0,0,8x\n"));
}

TEST_CASE("of a function LaTeX gets some points and the last, of measurements all") {
  Figure figure = test::sample_figure();
  figure.ideal.reset();
  figure.series[0].points.clear();
  for (int i = 0; i < 1000; ++i) figure.series[0].points.push_back({double(i), 1, {}});
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(lines(pgfplots_data(figure)) == 1001);
  figure.marks = false;
  CHECK(lines(pgfplots_data(figure)) < 250);
  CHECK_THAT(pgfplots_data(figure), Contains("1,999,1,0,0\n"));
}

TEST_CASE("numbers that are none are no points") {
  Figure figure = test::sample_figure();
  figure.series[0].points[0].y = std::nan("");
  CHECK_THAT(pgfplots_data(figure), !Contains("nan") && Contains("1,2,0.9,"));
}

TEST_CASE(
    "writing a figure for LaTeX makes its CSV, its numbers and itself, under names LaTeX reads") {
  test::TempDir folder;
  const auto files = write_pgfplots(test::sample_figure(), folder / "e_1");
  REQUIRE(files.size() == 3);
  CHECK(files[2] == folder / "e_1.tex");
  CHECK_THAT(base::read_file(files[0]), Contains("series,gpus,efficiency,low,high"));
  CHECK_THROWS_AS(write_pgfplots(test::sample_figure(), folder / "50%"), base::UsageError);
  CHECK_THROWS_WITH(write_pgfplots(test::sample_figure(), folder / "a b"),
                    Contains("LaTeX does not read files of this name: a b.tex"));
}

}  // namespace dlscale::analysis
