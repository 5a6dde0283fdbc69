// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/pgfplots.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/analysis/support/sample_page.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {

using Catch::Contains;

TEST_CASE("a LaTeX figure is a document with logarithmic ticks, error bars and the ideal line") {
  const std::string text = pgfplots_figure(test::sample_figure());
  for (const char* part :
       {"\\documentclass[border=2pt]{standalone}", "compat=1.18", "xmode=log, log basis x=2",
        "xtick={1,2}", "log ticks with fixed point", "y dir=both, y explicit",
        "black, dashed, mark=none] coordinates {\n      (1,1)\n      (2,1)};",
        "\\addlegendentry{ddp}", "\\definecolor{dlscale0}{HTML}{0072B2}", "\\end{document}\n"}) {
    CHECK_THAT(text, Contains(part));
  }
  CHECK(text == pgfplots_figure(test::sample_figure()));
}

TEST_CASE("a line in a LaTeX figure has its own points, with bounds as differences") {
  const std::string text = pgfplots_figure(test::sample_figure());
  CHECK_THAT(text, Contains("error bar style={solid}] coordinates {\n"
                            "      (1,1) += (0,0) -= (0,0)\n"
                            "      (2,0.9) += (0,0.07) -= (0,0.05)};\n"));
  CHECK_THAT(text, !Contains("table") && !Contains(".csv"));
  const std::string bars = pgfplots_figure(test::sample_bars());
  CHECK_THAT(bars, Contains("] coordinates {\n      (0,3)\n      (1,4)};\n") &&
                       Contains("] coordinates {\n      (0,6)\n      (1,7)};\n"));
}

TEST_CASE("marks of several lines are placed next to each other, on both kinds of axis") {
  Figure figure = test::sample_figure();
  figure.series.push_back(figure.series[0]);
  CHECK_THAT(pgfplots_figure(figure),
             Contains("      (1.95884,0.9) +=") && Contains("      (2.04202,0.9) +="));
  figure.x.log_base = 0;
  CHECK_THAT(pgfplots_figure(figure),
             Contains("      (1.97,0.9) +=") && Contains("      (2.03,0.9) +="));
  figure.marks = false;
  CHECK_THAT(pgfplots_figure(figure),
             Contains("      (2,0.9)};") && !Contains("(2.03") && !Contains("+="));
}

TEST_CASE("bounds are a band in figures with bands") {
  Figure figure = test::sample_figure();
  figure.band = true;
  const std::string text = pgfplots_figure(figure);
  CHECK_THAT(text, Contains("fill between[of=low0 and high0]") && !Contains("y explicit"));
  CHECK_THAT(text, Contains("name path=low0, draw=none, forget plot] coordinates {\n"
                            "      (1,1)\n      (2,0.85)};"));
  CHECK_THAT(text, Contains("name path=high0, draw=none, forget plot] coordinates {\n"
                            "      (1,1)\n      (2,0.97)};"));
}

TEST_CASE("stacked bars are hatched, and their names are text") {
  const std::string text = pgfplots_figure(test::sample_bars());
  CHECK_THAT(text, Contains("ybar stacked") && Contains("pattern=north east lines"));
  CHECK_THAT(text, Contains("xticklabels={{ddp, 1 GPU},{ddp\\_2 \\& 100 \\%}}"));
  CHECK_THAT(text, !Contains("bubble"));
}

TEST_CASE("special characters in texts give neither commands nor unterminated comments") {
  Figure figure = test::sample_figure();
  figure.title = "a\n\\input{passwd}";
  figure.series[0].label = "\\input{passwd} % $x_1$";
  figure.note_id = "gpus";
  figure.series[0].points[0].note = "8}\\x,";
  const std::string text = pgfplots_figure(figure);
  CHECK_THAT(text, Contains("% a \\input{passwd}\n"));
  CHECK_THAT(text,
             Contains("\\addlegendentry{\\textbackslash{}input\\{passwd\\} \\% \\$x\\_1\\$}"));
  CHECK_THAT(text, Contains("(1,1) += (0,0) -= (0,0) [8x]\n") && Contains("-= (0,0.05) []};"));
}

TEST_CASE("a LaTeX figure gets a sample of a function's points and all measured points") {
  Figure figure = test::sample_figure();
  figure.ideal.reset();
  figure.series[0].points.clear();
  for (int i = 0; i < 1000; ++i) figure.series[0].points.push_back({double(i), 1, {}});
  const auto points = [](const Figure& of) {
    std::size_t n = 0;
    const std::string text = pgfplots_figure(of);
    for (std::size_t at = 0; (at = text.find("\n      (", at)) != std::string::npos; ++at) ++n;
    return n;
  };
  CHECK(points(figure) == 1000);
  figure.marks = false;
  CHECK(points(figure) < 250);
  CHECK_THAT(pgfplots_figure(figure), Contains("\n      (999,1)};"));
}

TEST_CASE("non-finite numbers are not points") {
  Figure figure = test::sample_figure();
  figure.series[0].points[0].y = std::nan("");
  CHECK_THAT(pgfplots_figure(figure),
             !Contains("nan") && Contains("coordinates {\n      (2,0.9) +="));
}

TEST_CASE("a line without a number is left out of the legend too") {
  Figure figure = test::sample_figure();
  for (FigurePoint& point : figure.series[0].points) point.y = std::nan("");
  CHECK_THAT(pgfplots_figure(figure), !Contains("coordinates {\n      }") && !Contains("{ddp}") &&
                                          Contains("\\addlegendentry{ideal}"));
}

TEST_CASE("a LaTeX figure is written with its CSV, under names that LaTeX can read") {
  test::TempDir folder;
  const auto files = write_pgfplots(test::sample_figure(), folder / "e_1");
  REQUIRE(files.size() == 2);
  CHECK(files[1] == folder / "e_1.tex");
  CHECK_THAT(base::read_file(files[0]), Contains("series,gpus,efficiency,low,high"));
  CHECK_THROWS_AS(write_pgfplots(test::sample_figure(), folder / "50%"), base::UsageError);
  CHECK_THROWS_WITH(write_pgfplots(test::sample_figure(), folder / "a b"),
                    Contains("LaTeX cannot read a file with this name: a b.tex"));
}

}  // namespace dlscale::analysis
