// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "analysis/publications/axes.hpp"
#include "tests/analysis/publications/publication.hpp"

using namespace dlscale;
using analysis::allowed;
using analysis::AxisCell;
using analysis::read_reference_table;
using Catch::Message;

namespace {

const std::string kHead = "# source: a paper\n# where: Table 2\n# kind: R\n";

}  // namespace

TEST_CASE("a measured column and a stated value are read with unit, point and place") {
  const auto table =
      read_reference_table(kHead +
                               "model,gpus,epoch_time@median [ms],quantity,relation,value,unit\n"
                               "\"a, b\",4,20.5,,,,\nvgg11,8,,efficiency,<,0.44,1\n",
                           "t.csv");
  REQUIRE(table.values.size() == 2);
  const analysis::Published &time = table.values[0], &efficiency = table.values[1];
  CHECK(time.quantity == "epoch_time");
  CHECK(time.statistic == "median");
  CHECK(time.number->value == Approx(0.0205));
  CHECK(time.number->low == Approx(0.02045));
  CHECK(time.axes == std::map<std::string, std::string>{{"gpus", "4"}, {"model", "a, b"}});
  CHECK(time.where == "Table 2");
  CHECK(time.place.line == 5);
  CHECK(time.place.column == 10);
  CHECK(allowed(efficiency).high == Approx(0.44));
  CHECK(describe(efficiency) == "efficiency < 0.44 at gpus 8, model vgg11");
}

TEST_CASE("errors in a table are reported with line and column") {
  const auto complaint = [](const std::string& text, const char* message) {
    INFO(text);
    CHECK_THROWS_MATCHES(read_reference_table(text, "t.csv"), base::SpecError, Message(message));
  };
  complaint("", "t.csv:1:1: no header line");
  complaint("gpus,time [s]\n", "t.csv:1:1: no \"# source: …\" line above the header");
  complaint("# source: x\ngpus,time [s]\n",
            "t.csv:2:1: no \"# kind: R\" (or D, C) line above the header");
  complaint(kHead + "gpus,model\n",
            "t.csv:4:1: the table needs a column \"quantity\" or a column with a unit, for example "
            "\"time [s]\"");
  complaint(kHead + "gpus,time [sek]\n", "t.csv:4:6: unknown unit \"sek\"");
  complaint(kHead + "gpus,time [s\n", "t.csv:4:6: \"time [s\": ] is missing");
  complaint(kHead + "gpus,gpus,time [s]\n", "t.csv:4:6: column \"gpus\" occurs twice");
  complaint(kHead + "gpus,time [s]\n4,fast\n", "t.csv:5:3: \"fast\" is not a number");
  complaint(kHead + "gpus,time [s]\n4\n", "t.csv:5:1: 1 cells, but the header has 2 columns");
  complaint(kHead + "gpus,time [s]\n4,1,9\n", "t.csv:5:5: 3 cells, but the header has 2 columns");
  complaint(kHead + "gpus,time [s]\n\"4,1\n",
            "t.csv:5:1: the quote that begins here is not closed");
  complaint(kHead + "gpus,time [s]\n\"4\"x,1\n",
            "t.csv:5:4: a comma is missing after the closing quote");
  complaint(kHead + "gpus,quantity,value\n4,time,\n",
            "t.csv:5:3: the quantity has no value: fill the column \"value\"");
  complaint(kHead + "gpus,quantity,relation\n4,time,rises\n",
            "t.csv:5:3: \"rises\" needs a column \"along\"");
}

TEST_CASE("unknown heads and relations are reported with the nearest name") {
  CHECK_THROWS_WITH(
      read_reference_table("# sourse: x\ngpus,time [s]\n", "t.csv"),
      Catch::StartsWith("t.csv:1:1: unknown head \"sourse\"; did you mean \"source\"?"));
  CHECK_THROWS_WITH(
      read_reference_table(kHead + "quantity,relation,value\ntime,rise,1\n", "t.csv"),
      Catch::StartsWith("t.csv:5:6: unknown relation \"rise\"; did you mean \"rises\"?"));
  CHECK_THROWS_WITH(read_reference_table("# source: x\n# kind: X\ngpus,time [s]\n", "t.csv"),
                    Catch::StartsWith("t.csv:2:1: kind must be R (printed), D"));
}

TEST_CASE("a heading line that begins like a comment is the header above numbers") {
  const auto table = read_reference_table(
      kHead + "# GPUs,Throughput [img/s],Speedup\n1,100,1.0\n2,150,1.5\n", "t.csv");
  REQUIRE(table.values.size() == 4);
  CHECK(table.values[0].axis("gpus") == "1");
  CHECK(table.values[3].place.line == 6);
  const auto named =
      read_reference_table(kHead + "# model;gpus;time [s]\na;1;2,5\nb;1;2,5\n", "t.csv");
  CHECK(named.values[1].axis("model") == "b");
  const auto plain = read_reference_table(kHead + "# note: a,b\ngpus,time [s]\n1,2\n", "t.csv");
  CHECK(plain.values.size() == 1);
}

TEST_CASE("numbers below an unknown heading are noted, and settings are not") {
  const auto notes = [](const std::string& rows) {
    return read_reference_table(kHead + rows, "t.csv").notes;
  };
  const auto found = notes("gpus,time [s],Rate of work\n1,2,10\n2,1,20\n");
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0],
             Catch::StartsWith("t.csv:4:15: column \"Rate of work\" contains numbers, but neither "
                               "its name nor a unit is known"));
  CHECK(notes("gpus,batch size,epochs,time [s]\n1,64,90,2\n").empty());
  CHECK(notes("gpus,model,time [s]\n1,a,2\n2,50,1\n").empty());
  const auto unknown = notes("gpus,Latency [ms],Loss [1]\n1,64,2\n2,60,3\n");
  REQUIRE(unknown.size() == 1);
  CHECK_THAT(unknown[0],
             Catch::StartsWith("t.csv:4:6: column \"Latency [ms]\" has a known unit but "
                               "an unknown name"));
  CHECK(notes("gpus,Wall-clock [s]\n1,64\n2,60\n").empty());
}

TEST_CASE("only the word weak marks the scaling of a table as weak") {
  const auto work = [](const std::string& rows) {
    return read_reference_table(kHead + rows, "t.csv").work;
  };
  CHECK(work("gpus,time [s],Weak scaling efficiency\n1,2,1\n") == "per_gpu");
  CHECK(work("scaling,gpus,time [s]\nweak,1,2\nstrong,1,2\n").empty());
  CHECK(work("gpus,time [s]\n1,2\n").empty());
}

TEST_CASE("CRLF, byte order marks and quotes over several lines do not change values") {
  const auto table = read_reference_table(
      "\xEF\xBB\xBF# source: x\r\n# kind: D\r\nnote,time [s]\r\n\"two\nlines \"\"q\"\"\",1.5\r\n",
      "t.csv");
  REQUIRE(table.values.size() == 1);
  CHECK(table.values[0].axis("note") == "two\nlines \"q\"");
  CHECK(table.values[0].kind == 'D');
  CHECK(table.values[0].number->value == 1.5);
}

TEST_CASE("axis cells can match alternatives, bounds and ranges") {
  CHECK(AxisCell("ddp|horovod").meets(AxisCell("Horovod")));
  CHECK_FALSE(AxisCell("ddp").meets(AxisCell("horovod")));
  CHECK(AxisCell("<=256").meets(AxisCell("256")));
  CHECK_FALSE(AxisCell("<256").meets(AxisCell("256")));
  CHECK(AxisCell("4..64").contains(AxisCell("8..16")));
  CHECK(AxisCell("4..64").meets(AxisCell("64")));
  CHECK(AxisCell("*").contains(AxisCell("x")));
  CHECK_FALSE(AxisCell("x").contains(AxisCell("*")));
  CHECK(AxisCell("?a|b").is_unsaid());
  CHECK(AxisCell("ResNet-50").meets(AxisCell("resnet50")));
  CHECK(AxisCell("1024").number() == 1024);
  CHECK_FALSE(AxisCell("1|2").number());
}

TEST_CASE("a printed number represents all values that round to it") {
  CHECK(analysis::parse_printed("0.76")->high == Approx(0.765));
  CHECK(analysis::parse_printed("220")->low == Approx(219.5));
  CHECK(analysis::parse_printed("1/2")->low == 0.5);
  CHECK(analysis::parse_printed("20..40")->high == Approx(40.5));
  CHECK(analysis::parse_printed("7.007e9")->high == Approx(7.0075e9));
  for (const char* bad : {"", "fast", "1/0", "40..20", "nan", "1e999", "1,5"}) {
    INFO(bad);
    CHECK_FALSE(analysis::parse_printed(bad));
  }
  CHECK(analysis::parse_unit("Gbit/s")->factor == Approx(1.25e8));
  CHECK(analysis::parse_unit("GiB")->factor == Approx(1073741824.0));
  CHECK_FALSE(analysis::parse_unit("Gbps"));
  CHECK_FALSE(analysis::parse_unit("m"));
}
