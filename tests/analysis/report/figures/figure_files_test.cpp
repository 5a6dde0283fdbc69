// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/figure_files.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/figures/figures.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/analysis/support/rows.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using Catch::StartsWith;
using test::frame_of;
using test::run_at;

Frame measured_series() {
  Frame frame = frame_of({run_at(1, 1000, "ddp", 1), run_at(1, 1100, "ddp", 2), run_at(4, 3600),
                          run_at(1, 900, "horovod"), run_at(4, 3500, "horovod")});
  for (RunRow& run : frame.runs) {
    run.evals = {{0, 0.8, 1.0}, {1, 0.9, 0.5}};
    run.epochs = {{0, 3, 0.9}, {1, 2, 0.4}};
    run.size = {1000, 60000, 100};
    run.steps.bytes_sent = 4000;
    run.steps.comm_busy_s = 0.2 * run.steps.wall_s;
    run.steps.parts_s[0] = 0.1 * run.steps.wall_s;
  }
  return frame;
}

}  // namespace

TEST_CASE("every kind of figure is drawn with the same bytes each time") {
  test::TempDir folder;
  for (const FigureKind& kind : figure_kinds()) {
    INFO(kind.name);
    const Figure figure = kind.make(measured_series(), {});
    const Drawn first = write_figure(figure, folder.path() / kind.name, {"svg", "pdf"});
    CHECK(first.problem.empty());
    REQUIRE(first.files.size() == 3);
    const std::string svg = base::read_file(first.files[1]);
    const std::string pdf = base::read_file(first.files[2]);
    CHECK_THAT(svg, Contains("</svg>"));
    CHECK_THAT(pdf, StartsWith("%PDF"));
    write_figure(figure, folder.path() / kind.name, {"svg", "pdf"});
    CHECK(base::read_file(first.files[1]) == svg);
    CHECK(base::read_file(first.files[2]) == pdf);
  }
}

TEST_CASE("shares that are 0 everywhere are drawn too") {
  Frame frame = measured_series();
  for (RunRow& run : frame.runs) {
    run.conditions["trainer"] = "0.1";  // dlscale-train also records parts of 0 s
    run.steps.parts_s[0] = 0;
    run.steps.parts_s[4] = run.steps.wall_s;  // all communication is exposed
  }
  test::TempDir folder;
  for (const char* kind : {"overlap", "load-share"}) {
    const Drawn drawn =
        write_figure(find_figure_kind(kind).make(frame, {}), folder.path() / kind, {"svg"});
    CHECK(drawn.problem.empty());
    CHECK(drawn.files.size() == 2);
  }
}

TEST_CASE("every kind of figure without runs has no series") {
  for (const FigureKind& kind : figure_kinds()) {
    INFO(kind.name);
    CHECK(kind.make(frame_of({}), {}).series.empty());
  }
}

TEST_CASE("the CSV of a figure has its points with their bounds") {
  const std::string csv = figure_csv(find_figure_kind("throughput").make(measured_series(), {}));
  CHECK_THAT(csv, Contains("series,gpus,throughput_samples_per_s,low,high\n"));
  CHECK_THAT(csv, Contains("ddp,4,3600,,\n"));
  CHECK_THAT(csv, Contains("ddp,1,1047.6190476190477,1000,1100\n"));
}

TEST_CASE("without a converter the CSV and SVG files are written, and the package is named") {
  test::TempDir folder;
  const Figure figure = find_figure_kind("speedup").make(measured_series(), {});
  const Drawn drawn = write_figure(figure, folder / "s", {"svg", "pdf"}, "no-such-converter");
  CHECK_THAT(drawn.problem, Contains("not installed") && Contains("librsvg2-bin"));
  CHECK(drawn.files == std::vector<std::filesystem::path>{folder / "s.csv", folder / "s.svg"});
  CHECK_FALSE(std::filesystem::exists(folder / "s.pdf"));
}

TEST_CASE("a missing or failing converter keeps the earlier image") {
  test::TempDir folder;
  const Figure figure = find_figure_kind("speedup").make(measured_series(), {});
  base::write_file_atomically(folder / "s.png", "drawn before");
  CHECK_THAT(write_figure(figure, folder / "s", {"png"}, "no-such-converter").problem,
             Contains("not installed"));
  CHECK(write_figure(figure, folder / "s", {"png"}, "false").problem ==
        "false did not write the png file: no error message");
  CHECK(base::read_file(folder / "s.png") == "drawn before");
  const std::filesystem::directory_iterator entries(folder.path());
  CHECK(std::distance(begin(entries), end(entries)) == 2);  // PNG and CSV
}

TEST_CASE("a single PNG file is drawn, in a folder whose name begins with a hyphen") {
  test::TempDir folder;
  const Figure figure = find_figure_kind("breakdown").make(measured_series(), {});
  const Drawn drawn = write_figure(figure, folder / "-f" / "-s", {"png"});
  CHECK(drawn.problem.empty());
  CHECK_THAT(base::read_file(folder / "-f" / "-s.png"), StartsWith("\x89PNG"));
  CHECK_FALSE(std::filesystem::exists(folder / "-f" / "-s.svg"));
}

TEST_CASE("efficiency has a band, bars are hatched, and reference lines are labelled") {
  const auto svg = [](const char* kind) {
    return svg_file(find_figure_kind(kind).make(measured_series(), {}), "f");
  };
  CHECK_THAT(svg("efficiency"), Contains("class=\"band\"") && !Contains("class=\"bar\""));
  CHECK_THAT(svg("breakdown"), Contains("url(#f-part1)"));
  CHECK_THAT(svg("speedup"), Contains(">ideal</text>"));
  CHECK_THAT(svg("pareto"), Contains(">Pareto front</text>"));
}

TEST_CASE("an SVG file contains its title and its own colours") {
  Figure figure = find_figure_kind("speedup").make(measured_series(), {});
  figure.title = "it's <b>100 %</b> & a_b^c";
  figure.series[0].label = "d'Azur, \"x\" `date`";
  const std::string svg = svg_file(figure, "f");
  CHECK_THAT(svg, Contains("&lt;b&gt;100 %&lt;/b&gt; &amp; a_b^c</text>") &&
                      Contains("d&#39;Azur, &quot;x&quot; `date`</text>"));
  CHECK_THAT(svg, Contains(".c0 .line,.c0 .bar,.c0 .mark{stroke:#0072B2}"));
  CHECK_THAT(svg, !Contains("var("));  // few converters support var()
}

TEST_CASE("a folder that cannot be made is an error that names it") {
  test::TempDir folder;
  base::write_file_atomically(folder / "file", "");
  const Figure figure = find_figure_kind("speedup").make(measured_series(), {});
  CHECK_THROWS_WITH(write_figure(figure, folder.path() / "file" / "s", {"svg"}),
                    Contains("cannot make folder"));
}

TEST_CASE("the ideal line requires a baseline that all curves share") {
  Frame frame = measured_series();
  frame.runs.erase(frame.runs.begin() + 3);  // horovod then has runs on 4 GPUs only
  CHECK_FALSE(find_figure_kind("speedup").make(frame, {{"per-curve", 0}}).ideal.has_value());
  CHECK(find_figure_kind("speedup").make(measured_series(), {}).ideal.has_value());
}

TEST_CASE("an unknown kind of figure is a usage error with the nearest name") {
  CHECK_THROWS_WITH(find_figure_kind("speed-up"), Contains("did you mean \"speedup\""));
}

}  // namespace dlscale::analysis
