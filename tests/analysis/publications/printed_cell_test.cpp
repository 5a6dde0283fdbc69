// SPDX-License-Identifier: Apache-2.0
// Tests of reference tables that are copied as printed, with headings, separators, units and words
// in cells.
#include <catch2/catch.hpp>
#include <string>

#include "analysis/publications/reference_study.hpp"
#include "analysis/publications/reference_value.hpp"
#include "base/error.hpp"

using namespace dlscale;
using analysis::Published;
using analysis::read_reference_table;
using Catch::Contains;

namespace {

const std::string kPaperHead = "# source: a paper\n# kind: R\n";

std::vector<Published> values_of(const std::string& rows) {
  return read_reference_table(kPaperHead + rows, "t.csv").values;
}

std::string refusal(const std::string& rows) {
  try {
    values_of(rows);
  } catch (const base::SpecError& error) {
    return error.what();
  }
  return "no complaint";
}

}  // namespace

TEST_CASE("headings are recognised by their common names") {
  const auto values = values_of(
      "Model,# GPUs,Images per second (img/s),Speed-up,Scaling efficiency [%]\n"
      "a,2,150,1.5x,75\n");
  REQUIRE(values.size() == 3);
  CHECK(values[0].quantity == "throughput");
  CHECK(values[0].axis("gpus") == "2");
  CHECK(values[1].quantity == "speedup");
  CHECK(values[1].number->value == 1.5);
  CHECK(values[2].quantity == "efficiency");
  CHECK(values[2].number->value == Approx(0.75));
}

TEST_CASE("a quantity without a unit is rejected with the unit to write") {
  CHECK(refusal("gpus,throughput,speedup\n1,100,1\n") ==
        "t.csv:3:6: column \"throughput\" has no unit: write the unit in brackets, for example "
        "\"throughput [image/s]\"");
  CHECK(refusal("gpus,efficiency\n1,100\n") ==
        "t.csv:4:3: the efficiency 100 has no unit: call the column \"efficiency [%]\"");
  CHECK(values_of("gpus,efficiency\n1,100 %\n2,95 %\n")[1].number->value == Approx(0.95));
  CHECK(refusal("GPUs,gpus,time [s]\n1,1,2\n") == "t.csv:3:6: column \"gpus\" occurs twice");
}

TEST_CASE("cells with groups, units, spreads and marks are numbers in base units") {
  const auto values = values_of(
      "gpus,throughput [image/s],epoch_time [s]\n"
      "\"1,024\",\"12,300 img/s\",520 ms\n8 GPUs,1.9k*,1.5 ± 0.1 min\n");
  REQUIRE(values.size() == 4);
  CHECK(values[0].axis("gpus") == "1024");
  CHECK(values[0].number->value == 12300);
  CHECK(values[1].number->value == Approx(0.52));
  CHECK(values[1].number->low == Approx(0.5195));
  CHECK(values[2].axis("gpus") == "8");
  CHECK(values[2].number->value == Approx(1900));
  CHECK(values[2].number->low == Approx(1850));
  CHECK(values[3].number->value == Approx(90));
}

TEST_CASE("approximate cells and bounds keep their relation, and failures are words") {
  const auto values = values_of("gpus,throughput [image/s]\n1,~980\n2,>1900\n4,OOM\n8,-\n");
  REQUIRE(values.size() == 3);
  CHECK(values[0].relation == "~");
  CHECK(describe(values[0]) == "throughput ~ 980 image/s at gpus 1");
  CHECK(values[1].relation == ">");
  CHECK_FALSE(values[2].number);
  CHECK(values[2].text == "OOM");
  CHECK_THAT(refusal("gpus,throughput [image/s]\n1,980 MB/s\n"),
             Contains("does not fit its column"));
  CHECK_THAT(refusal("gpus,throughput [image/s]\n1,98 img/s/GPU\n"),
             Contains("does not fit its column"));
}

TEST_CASE("semicolons separate columns, and numbers may then have decimal commas") {
  const auto values = values_of("gpus;epoch_time [s]\n1;98,5\n2;1.024,5\n4;1.024\n");
  REQUIRE(values.size() == 3);
  CHECK(values[0].number->value == 98.5);
  CHECK(values[0].number->low == Approx(98.45));
  CHECK(values[1].number->value == 1024.5);
  CHECK(values[2].number->value == 1024);
  CHECK_THAT(refusal("gpus;epoch_time [s]\n1;1,024\n"), Contains("# decimal: comma"));
  const std::string stated = "# decimal: comma\ngpus;epoch_time [s]\n1;1,024\n";
  CHECK(values_of(stated)[0].number->value == 1.024);
  CHECK(refusal("# decimal: dot\ngpus;epoch_time [s]\n1;1\n") ==
        "t.csv:3:1: decimal must be comma or point, not \"dot\"");
}

TEST_CASE("a point before three digits is reported in a file with semicolons") {
  CHECK_THAT(refusal("gpus;throughput [img/s]\n1;980\n2;1.900\n"),
             Contains("t.csv:5:3: \"1.900\" is ambiguous") && Contains("# decimal: comma"));
  CHECK(values_of("gpus;throughput [img/s];eff\n1;980;1\n2;1.900;0,97\n")[2].number->value == 1900);
  CHECK(values_of("gpus;throughput [img/s];lr\n1;980.5;0.1\n2;1.900;0.1\n")[1].number->value ==
        1.9);
  CHECK(values_of("gpus,throughput [img/s]\n1,980\n2,1.900\n")[1].number->value == 1.9);
  CHECK(values_of("gpus\tthroughput [img/s]\n1\t980\n2\t1.900\n")[1].number->value == 1.9);
  CHECK(values_of("gpus;time [s]\n1.024;98,5\n")[0].axis("gpus") == "1024");
}

TEST_CASE("two rates in one table are different statistics without a contradiction") {
  const auto values = values_of("gpus,images/s,tokens/s\n1,10,5000\n");
  REQUIRE(values.size() == 2);
  CHECK(values[0].quantity == "throughput");
  CHECK(values[0].statistic.empty());
  CHECK(values[1].quantity == "throughput");
  CHECK(values[1].statistic == "tokens/s");
  const auto per_gpu = values_of("gpus,Throughput [img/s/GPU]\n2,98 img/s/GPU\n");
  CHECK(per_gpu[0].number->value == 98);
}

TEST_CASE("a column of integers that end in zeros was rounded to fewer digits") {
  const auto rounded = values_of("gpus,throughput [image/s]\n1,12300\n2,24100\n4,47000\n");
  CHECK(rounded[0].number->low == 12250);
  CHECK(rounded[2].number->high == 47050);
  const auto exact = values_of("gpus,throughput [image/s]\n1,12300\n2,24101\n4,47000\n");
  CHECK(exact[0].number->low == 12299.5);
  const auto mixed = values_of("gpus,throughput [img/s]\n1,201.8\n2,1612 img/s\n4,11370 img/s\n");
  CHECK(mixed[2].number->low == 11365);
  CHECK(mixed[1].number->low == 1611.5);
  const auto decimals = values_of("gpus;efficiency [1]\n1;1,000\n2;0,752\n4;1,480\n");
  CHECK(decimals[2].number->low == Approx(1.4795));
  const auto small = values_of("gpus,throughput [image/s]\n1,100\n2,150\n4,300\n");
  CHECK(small[0].number->low == 99.5);
}
