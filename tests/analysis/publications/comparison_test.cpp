// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/comparison.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/publications/publication.hpp"
#include "tests/analysis/support/rows.hpp"

using namespace dlscale;
using analysis::Comparison;
using analysis::Publication;
using test::frame_of;
using test::run_at;

namespace {

/// Comparison, together with the data to which the comparison refers.
struct Compared {
  Compared(Publication what, std::vector<analysis::RunRow> runs)
      : publication(std::move(what)),
        frame(frame_of(std::move(runs))),
        curves(scaling_curves(frame)),
        points(own_points(curves)),
        comparison(compare(publication, points)) {}

  Publication publication;
  analysis::Frame frame;
  std::vector<analysis::ScalingCurve> curves;
  std::vector<analysis::OwnPoint> points;
  Comparison comparison;
};

}  // namespace

TEST_CASE("efficiency is compared at the publication's baseline instead of the smallest count") {
  Publication publication = test::publication_of(
      "framework,gpus,quantity,relation,value\nddp,8,efficiency,=,0.80\nhorovod,8,efficiency,=,0."
      "7\n");
  publication.baseline_gpus = 4;
  const Compared it(publication, {run_at(1, 300), run_at(4, 1000), run_at(8, 1800)});
  REQUIRE(it.comparison.matches.size() == 1);
  const analysis::Match& match = it.comparison.matches[0];
  CHECK(match.own.value == Approx(0.9));
  CHECK(match.own.n == 1);
  CHECK(difference(*match.published, match.own.value) == Approx(0.125));
  CHECK(verdict(match) == "higher");
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("efficiency follows the formula of the publication") {
  Publication publication = test::publication_of("gpus,quantity,value\n8,efficiency,0.10\n");
  publication.baseline_gpus = 4;
  publication.definitions["efficiency"].formula = "speedup / gpus";
  const std::vector<analysis::RunRow> runs{run_at(4, 1000), run_at(8, 1600)};
  CHECK(Compared(publication, runs).comparison.matches.at(0).own.value == Approx(0.2));
  publication.definitions["efficiency"].reading = "speedup / nodes";
  CHECK(Compared(publication, runs).comparison.matches.at(0).own.value == Approx(0.8));
}

TEST_CASE("without a point at the publication's baseline there is no measured efficiency") {
  Publication publication = test::publication_of("gpus,quantity,value\n8,efficiency,0.80\n");
  publication.baseline_gpus = 4;
  const Compared it(publication, {run_at(1, 300), run_at(8, 1800)});
  CHECK(it.comparison.matches.empty());
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("throughput follows the publication's formula if runs recorded the parts") {
  Publication publication = test::publication_of(
      "gpus,throughput@own [image/s],throughput@median [image/s]\n2,100,100\n");
  publication.definitions["throughput"] = {
      "batch / (loading_s + compute_s)", "", "own", "", {}, {}};
  analysis::RunRow slow = run_at(2, 64), fast = run_at(2, 128, "ddp", 2);
  for (analysis::RunRow* run : {&slow, &fast}) {
    run->global_batch = 128;
    run->steps.steps = 1;
    run->steps.samples = 128;
  }
  slow.steps.wall_s = 2;
  slow.steps.parts_s = {0.5, 0, 1.5};
  fast.steps.wall_s = 1;
  fast.steps.parts_s = {0.5, 0, 0.5};
  const Compared it(publication, {slow, fast});
  REQUIRE(it.comparison.matches.size() == 2);
  CHECK(it.comparison.matches[0].own.value == Approx(128 / 1.5));  // rate at the mean time
  CHECK(it.comparison.matches[0].own.interval.kind == analysis::Interval::Kind::None);
  CHECK(it.comparison.matches[1].own.value == Approx(128 / 1.5));  // rate at the median
  CHECK(it.comparison.matches[1].own.interval.kind == analysis::Interval::Kind::Range);
}

TEST_CASE("a gain between two counts is compared with the same two measured points") {
  const Compared it(test::publication_of("quantity,relation,value,unit,along,from,to\n"
                                         "throughput,gain,40,%,gpus,1,2\n"
                                         "throughput,gain,40,%,gpus,1,16\n"),
                    {run_at(1, 1000), run_at(2, 1500)});
  REQUIRE(it.comparison.matches.size() == 1);
  CHECK(it.comparison.matches[0].own.value == Approx(0.5));
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("values within a published bound or range have a difference of 0") {
  Publication publication = test::publication_of(
      "gpus,quantity,relation,value,unit\n2,throughput,>,900,image/"
      "s\n2,throughput,=,800..900,image/s\n"
      "2,throughput,<,500,image/s\n");
  const Compared it(publication, {run_at(2, 1000)});
  REQUIRE(it.comparison.matches.size() == 3);
  CHECK(difference(*it.comparison.matches[0].published, 1000) == 0);
  CHECK(verdict(it.comparison.matches[0]) == "agrees");
  CHECK(difference(*it.comparison.matches[1].published, 1000) == Approx(0.11).margin(0.001));
  CHECK(difference(*it.comparison.matches[2].published, 1000) == Approx(1));
  CHECK(verdict(it.comparison.matches[2]) == "higher");
}

TEST_CASE("runs on CPUs are compared with cores instead of GPUs") {
  analysis::RunRow run = run_at(2, 5);
  run.conditions["device"] = "cpu";
  const Compared it(test::publication_of("gpus,cores,throughput [image/s]\n2,,7\n,2,7\n"), {run});
  REQUIRE(it.comparison.matches.size() == 1);
  CHECK(it.comparison.matches[0].published->axis("cores") == "2");
}

TEST_CASE(
    "missing axes of measured runs are matched and reported, and other axes prevent a match") {
  const Compared it(test::publication_of("gpus,loader,throughput [image/s]\n2,native,7\n"
                                         "4,native,9\n"),
                    {run_at(2, 5)});
  CHECK(it.comparison.matches.size() == 1);
  CHECK(it.comparison.unsaid == std::set<std::string>{"loader"});
  const Compared other(test::publication_of("gpus,message,throughput [image/s]\n2,big,7\n"),
                       {run_at(2, 5)});
  CHECK(other.comparison.matches.empty());
}
