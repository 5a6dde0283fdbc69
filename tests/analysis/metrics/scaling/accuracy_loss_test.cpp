// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/accuracy_loss.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/support/repeated_runs.hpp"

namespace dlscale::analysis {
namespace {

using test::add_accurate_repeats;
using test::frame_of;

std::vector<AccuracyLosses> losses_of(const Frame& frame) {
  return accuracy_losses(accuracy_points(frame));
}

}  // namespace

TEST_CASE("losses are relative to the smallest batch, with an interval of the difference") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 6);
  add_accurate_repeats(frame, 2, 0.946, 6);
  add_accurate_repeats(frame, 4, 0.90, 6);
  const std::vector<AccuracyLosses> list = losses_of(frame);
  REQUIRE(list.size() == 1);
  CHECK(list[0].first_batch == 64);
  REQUIRE(list[0].losses.size() == 2);
  CHECK(list[0].losses[0].global_batch == 128);
  CHECK(list[0].losses[0].loss.value == Approx(0.004));
  CHECK(list[0].losses[1].loss.value == Approx(0.05));
  CHECK(list[0].losses[1].loss.interval.kind == Interval::Kind::Confidence95);
  CHECK(list[0].losses[1].loss.interval.low > 0.048);
  CHECK(list[0].losses[1].loss.interval.high < 0.052);
  CHECK(list[0].finding == Finding::Faster);
}

TEST_CASE("an equal accuracy and few repeats are not a loss") {
  Frame equal = frame_of({});
  add_accurate_repeats(equal, 1, 0.95, 6);
  add_accurate_repeats(equal, 2, 0.95, 6);
  CHECK(losses_of(equal).at(0).finding == Finding::NotDistinguishable);
  Frame few = frame_of({});
  add_accurate_repeats(few, 1, 0.95, 3);
  add_accurate_repeats(few, 2, 0.85, 3);
  CHECK(losses_of(few).at(0).finding == Finding::TooFewRepeats);
  CHECK(losses_of(few).at(0).losses.at(0).loss.interval.kind == Interval::Kind::Range);
}

TEST_CASE("with a fixed batch per GPU, batches of a single GPU count are compared") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 4);
  add_accurate_repeats(frame, 1, 0.90, 4);
  for (std::size_t i = 4; i < frame.runs.size(); ++i) {
    frame.runs[i].run_id += std::to_string(i);
    frame.runs[i].global_batch = frame.runs[i].batch_per_gpu = 256;
  }
  const std::vector<AccuracyLosses> list = losses_of(frame);
  REQUIRE(list.size() == 1);
  CHECK(list[0].first_batch == 64);
  CHECK(list[0].losses.at(0).global_batch == 256);
  CHECK(to_string(list[0].key).find("batch") == std::string::npos);
  add_accurate_repeats(frame, 2, 0.93, 4);  // the curve of batch 64 now has two counts
  CHECK(losses_of(frame).at(0).losses.at(0).global_batch == 128);
}

TEST_CASE("a difference that only the number of groups hides has too few repeats") {
  Frame frame = frame_of({});
  for (const char* framework : {"ddp", "horovod", "deepspeed"}) {
    add_accurate_repeats(frame, 1, 0.95, 4, framework);
    add_accurate_repeats(frame, 2, framework[0] == 'h' ? 0.95 : 0.80, 4, framework);
  }
  const std::vector<AccuracyLosses> list = losses_of(frame);
  REQUIRE(list.size() == 3);
  CHECK(list[0].finding == Finding::TooFewRepeats);
  CHECK(list[1].finding == Finding::NotDistinguishable);
  CHECK(list[2].finding == Finding::TooFewRepeats);
}

TEST_CASE("with a fixed global batch, batches are compared at equal numbers of GPUs") {
  Frame frame = frame_of({});
  frame.scaling = "strong";
  add_accurate_repeats(frame, 1, 0.95, 4);
  add_accurate_repeats(frame, 1, 0.90, 4);
  add_accurate_repeats(frame, 2, 0.70, 4);
  for (std::size_t i = 0; i < frame.runs.size(); ++i) {
    frame.runs[i].run_id += std::to_string(i);
    frame.runs[i].global_batch = i < 4 ? 64 : 256;
    frame.runs[i].point["global_batch"] = i < 4 ? "64" : "256";
  }
  const std::vector<AccuracyLosses> list = losses_of(frame);
  REQUIRE(list.size() == 1);
  CHECK(value_of(list[0].key, "gpus") == "1");
  CHECK(list[0].losses.at(0).global_batch == 256);
}

TEST_CASE("a single batch or an unknown batch has no loss") {
  Frame frame = frame_of({});
  add_accurate_repeats(frame, 1, 0.95, 6);
  CHECK(losses_of(frame).empty());
  add_accurate_repeats(frame, 2, 0.90, 6);
  for (RunRow& run : frame.runs) run.global_batch = 0;
  CHECK(losses_of(frame).empty());
}

}  // namespace dlscale::analysis
