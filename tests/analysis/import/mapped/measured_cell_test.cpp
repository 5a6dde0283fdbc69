// SPDX-License-Identifier: Apache-2.0
// Tests that table cells with units, decimal commas and bounds are read as measurements or
// rejected.
#include "analysis/import/mapped/measured_cell.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/analysis/support/log_folder.hpp"
#include "tests/support/records.hpp"

namespace dlscale::analysis {
namespace {

using contract::StepWindow;
using test::all;
using test::format_of;

contract::RunSpec one_gpu() {
  contract::RunSpec run;
  run.gpus = 1;
  run.global_batch = 1;
  run.point = {{"gpus", "1"}, {"global_batch", "1"}};
  return run;
}

/// Returns the rates of a table with one column.
std::vector<double> rates(const std::string& text, const MappedFormat& format) {
  std::vector<double> found;
  for (const StepWindow& window : all<StepWindow>(read_mapped(text, format, {}, one_gpu()).file)) {
    found.push_back(test::rate_of(window));
  }
  return found;
}

std::vector<std::string> problems(const std::string& text, const MappedFormat& format) {
  return read_mapped(text, format, {}, one_gpu()).file.skipped;
}

std::string problem_of(Measure measure, const std::string& text, double factor = 1) {
  double value = 0;
  return read_measure(measure, text, DecimalMark::point, factor, value);
}

double value_of(Measure measure, const std::string& text, double factor = 1) {
  double value = 0;
  const std::string problem = read_measure(measure, text, DecimalMark::point, factor, value);
  INFO(text << ": " << problem);
  CHECK(problem.empty());
  return value;
}

const MappedFormat kRate = format_of("csv", {"samples_per_s=r"});

}  // namespace

TEST_CASE("units in cells are converted to those of the field") {
  CHECK(value_of(Measure::wall_s, "520 ms") == Approx(0.52));
  CHECK(value_of(Measure::wall_s, "1.5 min") == Approx(90));
  CHECK(value_of(Measure::samples_per_s, "980 img/s") == 980);
  CHECK(value_of(Measure::samples_per_s, "1.9k") == Approx(1900));
  CHECK(value_of(Measure::samples_per_s, "60 img/min") == Approx(1));
  CHECK(value_of(Measure::accuracy, "98.5%") == Approx(0.985));
  CHECK(value_of(Measure::samples, "1.28M") == 1280000);
  CHECK(value_of(Measure::steps, "500 steps") == 500);
  CHECK(value_of(Measure::samples_per_s, "98.5 img/s", 2) == Approx(197));
}

TEST_CASE("units of other fields are reported, and so is a unit combined with a factor") {
  CHECK(problem_of(Measure::wall_s, "980 img/s").find("does not accept") != std::string::npos);
  CHECK(problem_of(Measure::samples_per_s, "98 it/s").find("does not accept") != std::string::npos);
  CHECK(problem_of(Measure::samples_per_s, "98 bananas") ==
        "samples_per_s: \"98 bananas\" has an unknown unit \"bananas\"");
  CHECK(problem_of(Measure::samples_per_s, "98 img/s/GPU").find("rate of one GPU") !=
        std::string::npos);
  CHECK(problem_of(Measure::wall_s, "520 ms", 0.001).find("remove the factor") !=
        std::string::npos);
  CHECK(problem_of(Measure::accuracy, "98 %", 0.01).find("remove the factor") != std::string::npos);
}

TEST_CASE("bounds and approximate numbers do not count as measured") {
  CHECK(problem_of(Measure::samples_per_s, ">980") ==
        "samples_per_s: \">980\" is a bound, but only exact numbers count as measured");
  CHECK(problem_of(Measure::samples_per_s, "~980").find("approximate") != std::string::npos);
  CHECK(problem_of(Measure::samples_per_s, "OOM") == "samples_per_s is not a number: \"OOM\"");
}

TEST_CASE("csv: decimal commas are read if the file shows that it uses them") {
  CHECK(rates("r;x\n98,5;1\n190,25;1\n", kRate)[0] == Approx(98.5));
  CHECK(rates("r;x\n98,5;1\n190,25;1\n", kRate)[1] == Approx(190.25));
  CHECK(rates("r;x\n98,5;1\n1,024;1\n", kRate)[1] == Approx(1.024));
  CHECK(rates("r;x\n98,5;1\n1.024;1\n", kRate)[1] == Approx(1024));
  CHECK(rates("r;x\n98.5;1\n1.024;1\n", kRate)[1] == Approx(1.024));
  CHECK(rates("r,x\n\"98,5\",1\n\"190,25\",1\n", kRate)[1] == Approx(190.25));
  CHECK(rates("r,x\n\"1,900\",1\n", kRate)[0] == Approx(1900));
}

TEST_CASE("csv: other columns show the decimal comma of a file") {
  const auto format = format_of("csv", {"samples_per_s=r", "lr=lr"});
  CHECK(rates("r;lr\n1,024;0,1\n", format)[0] == Approx(1.024));
  CHECK(rates("r;lr\n1,024;0.1\n", format)[0] == Approx(1024));
}

TEST_CASE("csv: a point before three digits is reported in a file with semicolons") {
  const auto named = problems("r;x\n980;1\n1.900;1\n", kRate);
  REQUIRE(named.size() == 1);
  CHECK_THAT(named[0], Catch::StartsWith("line 3: samples_per_s: \"1.900\" is ambiguous") &&
                           Catch::Contains("--decimal comma or --decimal point"));
  CHECK(rates("r;x\n980.5;1\n1.900;1\n", kRate)[1] == Approx(1.9));
  CHECK(rates("r;x\n980;0.95\n1.900;1.0\n", kRate)[1] == Approx(1.9));
  CHECK(rates("x;r\n0,95;980\n1,0;1.900\n", kRate)[1] == Approx(1900));
  CHECK(problems("r;torch\n1.900;2.1\n", kRate).size() == 1);  // 2.1 is a version number
  CHECK(rates("r,x\n980,1\n1.900,1\n", kRate)[1] == Approx(1.9));
  CHECK(rates("r\tx\n980\t1\n1.900\t1\n", kRate)[1] == Approx(1.9));
  CHECK(problems("r;x\n98,5;1\n98.5;1\n1.900;1\n", kRate).size() == 1);
  CHECK(axis_text("gpus", "1.024", DecimalMark::open) == "1024");
}

TEST_CASE("csv: an ambiguous number is reported with the option that decides") {
  const auto named = problems("r;x\n1,024;1\n", kRate);
  REQUIRE(named.size() == 1);
  CHECK(named[0].find("decimal comma") != std::string::npos);
  CHECK(named[0].find("--decimal comma or --decimal point") != std::string::npos);
  MappedFormat stated = kRate;
  stated.decimal = DecimalMark::comma;
  CHECK(rates("r;x\n1,024;1\n", stated)[0] == Approx(1.024));
  stated.decimal = DecimalMark::point;
  CHECK(rates("r;x\n1,024;1\n", stated)[0] == Approx(1024));
}

TEST_CASE("markdown: numbers are read as they are displayed") {
  const auto format = format_of("markdown", {"samples_per_s=r"});
  const std::string head = "| r |\n|---|\n";
  for (const char* cell : {"**1,900**", "1900\\*", "1,900<sup>1</sup>", "1&nbsp;900", "[1,900](a)",
                           "1900 &plusmn; 20", "1.9k img/s"}) {
    INFO(cell);
    const auto found = rates(head + "| " + cell + " |\n", format);
    REQUIRE(found.size() == 1);
    CHECK(found[0] == Approx(1900));
  }
  CHECK(problems(head + "| ~~980~~ |\n", format).size() == 1);
  CHECK(problems(head + "| &gt;980 |\n", format).size() == 1);
}

TEST_CASE("counts of axes are normalised, and other axes keep their texts") {
  CHECK(axis_text("gpus", "1,024", DecimalMark::point) == "1024");
  CHECK(axis_text("gpus", "8 GPUs", DecimalMark::point) == "8");
  CHECK(axis_text("gpus", "8x", DecimalMark::point) == "8");
  CHECK(axis_text("gpus", "4.0", DecimalMark::point) == "4");
  CHECK(axis_text("global_batch", "8k", DecimalMark::point) == "8000");
  CHECK(axis_text("gpus", "-", DecimalMark::point).empty());
  CHECK(axis_text("gpus", "many", DecimalMark::point) == "many");
  CHECK(axis_text("gpus", "~8", DecimalMark::point) == "~8");
  CHECK(axis_text("gpus", "2 nodes", DecimalMark::point) == "2 nodes");
  CHECK(axis_text("model", "1,024", DecimalMark::point) == "1,024");
}

TEST_CASE("csv: rows with differently written counts belong to one run") {
  const auto format = format_of("csv", {"samples_per_s=r", "gpus=g"});
  CHECK(runs_in("g,r\n\"1,024\",5\n1024,6\n", format).size() == 1);
}

TEST_CASE("csv: a bad row before the first run of several is reported with that run") {
  const auto format = format_of("csv", {"samples_per_s=r", "gpus=g"});
  const std::string text = "g,r\n1,2,3\n1,98\n2,190\n";
  const auto runs = runs_in(text, format);
  REQUIRE(runs.size() == 2);
  const auto file = read_mapped(text, format, runs[0], one_gpu()).file;
  CHECK(file.skipped == std::vector<std::string>{"line 2: has 3 of 2 columns"});
  CHECK(all<StepWindow>(file).size() == 1);
  CHECK(read_mapped(text, format, runs[1], one_gpu()).file.skipped.empty());
}

}  // namespace dlscale::analysis
