// SPDX-License-Identifier: Apache-2.0
#include "analysis/cells/number_cell.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "analysis/cells/cell_unit.hpp"

using namespace dlscale::analysis;

namespace {

NumberCell read(const std::string& text, DecimalMark mark = DecimalMark::point) {
  return read_number_cell(text, mark);
}

double value_of(const std::string& text, DecimalMark mark = DecimalMark::point) {
  const NumberCell cell = read(text, mark);
  INFO(text << ": " << cell.problem);
  CHECK(cell.problem.empty());
  return cell.value;
}

}  // namespace

TEST_CASE("thousands separators do not change a number") {
  for (const char* text : {"1,024", "1 024", "1\u00A0024", "1\u2009024", "1\u202F024", "1'024",
                           "1\u2019024", "1_024"}) {
    INFO(text);
    CHECK(value_of(text) == 1024);
  }
  CHECK(value_of("1,234,567") == 1234567);
  CHECK(value_of("1.234.567") == 1234567);
  CHECK(value_of("1,234.5") == 1234.5);
  CHECK(value_of("1 234,5") == 1234.5);
  CHECK(value_of("-1,024") == -1024);
  CHECK(value_of("\u22125.5") == -5.5);
}

TEST_CASE("a separator before three digits is read according to the decimal mark of the file") {
  CHECK(value_of("1,024", DecimalMark::point) == 1024);
  CHECK(value_of("1,024", DecimalMark::comma) == 1.024);
  CHECK(value_of("1.024", DecimalMark::comma) == 1024);
  CHECK(value_of("1.024", DecimalMark::point) == 1.024);
  CHECK(value_of("1.024", DecimalMark::unknown) == 1.024);
  const NumberCell ambiguous = read("1,024", DecimalMark::unknown);
  CHECK(ambiguous.is_ambiguous);
  CHECK(ambiguous.problem.find("decimal comma") != std::string::npos);
  CHECK(read_number_cell("1,024", DecimalMark::unknown, true).value == 1024);
  CHECK(read_number_cell("2,000", DecimalMark::unknown, true).is_ambiguous);
}

TEST_CASE("a point before three digits is ambiguous without a known decimal mark") {
  const NumberCell open = read_number_cell("1.900", DecimalMark::open);
  CHECK(open.is_ambiguous);
  CHECK(open.problem.find("a separator of thousands") != std::string::npos);
  CHECK(read_number_cell("1.900", DecimalMark::unknown).value == 1.9);
  CHECK(read_number_cell("1.024", DecimalMark::open, /*whole=*/true).value == 1024);
  CHECK(read_number_cell("0.950", DecimalMark::open).value == 0.95);
  CHECK(read_number_cell("1.9", DecimalMark::open).value == 1.9);
}

TEST_CASE("an unambiguous decimal mark is read in every file") {
  for (const DecimalMark mark : {DecimalMark::unknown, DecimalMark::point, DecimalMark::comma}) {
    CHECK(value_of("98,5", mark) == 98.5);
    CHECK(value_of("98.5", mark) == 98.5);
    CHECK(value_of("0,125", mark) == 0.125);
    CHECK(value_of("1.024,5", mark) == 1024.5);
    CHECK(value_of("1.5e-3", mark) == 0.0015);
    CHECK(value_of(".5", mark) == 0.5);
    CHECK(value_of("5.", mark) == 5);
  }
  CHECK(decimal_mark_of("98,5") == DecimalMark::comma);
  CHECK(decimal_mark_of("1.024,5") == DecimalMark::comma);
  CHECK(decimal_mark_of("1,024,000") == DecimalMark::point);
  CHECK(decimal_mark_of("0.125 s") == DecimalMark::point);
  for (const char* text : {"1,024", "1.024", "12", "OOM", "1.13.1"}) {
    INFO(text);
    CHECK(decimal_mark_of(text) == DecimalMark::unknown);
  }
}

TEST_CASE("emphasis, footnote marks, spreads and remarks do not change a value") {
  for (const char* text :
       {"980*",       "980†",      "980‡",           "980[1]",      "980 [a]",   "980[^1]",
        "980¹",       "**980**",   "*980*",          "_980_",       "`980`",     "$980$",
        "†980",       "980 ± 5",   "980±5",          "980 +/- 5",   "980 +- 5",  "$980 \\pm 5$",
        "980 (5)",    "980 (±5)",  "980 [970, 990]", "980 (1.94x)", "980 (97%)", "980 (n=3)",
        "980 (sd 5)", "980 * ± 5†"}) {
    INFO(text);
    CHECK(value_of(text) == 980);
    CHECK(read(text).relation == "=");
  }
  CHECK(read("980 ± 5 img/s").unit == "img/s");
  CHECK(read("980 img/s ± 5").unit == "img/s");
  CHECK(read("980 img/s*").unit == "img/s");
  CHECK(read("1.5 (ms)").unit == "ms");
  CHECK(read("1.94×").unit == "x");
}

TEST_CASE("approximate numbers and bounds are distinguished from exact numbers") {
  for (const auto& [text, relation] :
       std::vector<std::pair<std::string, std::string>>{{"~980", "~"},
                                                        {"≈ 980", "~"},
                                                        {"ca. 980", "~"},
                                                        {"approx. 980", "~"},
                                                        {">980", ">"},
                                                        {"> 980", ">"},
                                                        {"<980", "<"},
                                                        {"≤980", "<="},
                                                        {">=980", ">="},
                                                        {"980+", ">="}}) {
    INFO(text);
    CHECK(value_of(text) == 980);
    CHECK(read(text).relation == relation);
  }
}

TEST_CASE("cells with no number or several numbers are reported") {
  for (const char* text : {"OOM", "fast", "", "~~980~~", "x980"}) {
    INFO(text);
    CHECK(read(text).problem == "is not a number");
  }
  for (const char* text :
       {"980-1020", "980–1020", "980/1020", "980 1020", "1,02", "1:30:00", "980 (estimated)", "10³",
        "1,0244,5", "12,34,567", "980 (5", "1.13.1", "2024-05-01", "1e999"}) {
    const NumberCell cell = read(text);
    INFO(text << " is " << cell.value << " " << cell.unit);
    CHECK((!cell.problem.empty() || !parse_cell_unit(cell.unit).has_value() || cell.value == 1.02));
  }
}

TEST_CASE("a number comes with half of its last printed place") {
  CHECK(read("98.5").half_place == Approx(0.05));
  CHECK(read("1,024").half_place == Approx(0.5));
  CHECK(read("1.9e3").half_place == Approx(50));
  CHECK(read("1.024,50", DecimalMark::comma).half_place == Approx(0.005));
}

TEST_CASE("blank cells are distinguished from words") {
  for (const char* text : {"", " ", "-", "–", "—", "n/a", "N/A", "None", "/"}) {
    CHECK(is_blank_cell(text));
  }
  for (const char* text : {"0", "OOM", "nan", "-1"}) CHECK_FALSE(is_blank_cell(text));
}

TEST_CASE("units of rates, times, counts and shares are known with their factors") {
  const auto unit = [](const char* text) {
    const auto found = parse_cell_unit(text);
    REQUIRE(found);
    return *found;
  };
  CHECK(unit("img/s").kind == UnitKind::rate);
  CHECK(unit("images / sec").factor == 1);
  CHECK(unit("kimg/s").factor == 1000);
  CHECK(unit("k img/s").factor == 1000);
  CHECK(unit("tokens per second").thing == "sample");
  CHECK(unit("it/s").thing == "step");
  CHECK(unit("img/min").factor == Approx(1.0 / 60));
  CHECK(unit("img/s/GPU").per_gpu);
  CHECK(unit("ms").factor == Approx(1e-3));
  CHECK(unit("min").factor == 60);
  CHECK(unit("%").factor == 0.01);
  CHECK(unit("x").kind == UnitKind::ratio);
  CHECK(unit("GB").factor == 1e9);
  CHECK(unit("GiB").factor == 1073741824.0);
  CHECK(unit("k").factor == 1000);
  CHECK(unit("M").factor == 1e6);
  CHECK(unit("GPUs").thing == "gpu");
  for (const char* text : {"m", "banana", "img/banana", "/", "ms/img", "img/s/s"}) {
    INFO(text);
    CHECK_FALSE(parse_cell_unit(text));
  }
}
