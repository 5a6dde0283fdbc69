// SPDX-License-Identifier: Apache-2.0
#include "analysis/frame.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace dlscale::analysis {

TEST_CASE("the epoch time is the median without the first epoch and epochs of unknown time") {
  RunRow run;
  CHECK_FALSE(epoch_time_s(run));
  run.epochs = {{0, std::nan(""), 3}, {1, std::nan(""), 2}};
  CHECK_FALSE(epoch_time_s(run));
  run.epochs = {{0, 90, 3}, {1, std::nan(""), 2}, {2, 10, 1}, {3, 20, 1}};
  CHECK(*epoch_time_s(run) == 15);
}

TEST_CASE("an incomplete last epoch does not count as an epoch's time") {
  RunRow run;
  run.size.steps_per_epoch = 10;
  run.epochs = {{.epoch = 0, .wall_s = 90, .steps = 10},
                {.epoch = 1, .wall_s = 20, .steps = 10},
                {.epoch = 2, .wall_s = 5, .steps = 3}};
  CHECK(epoch_time_s(run) == 20);
  run.epochs = {{.epoch = 0, .wall_s = 5, .steps = 3}};
  CHECK_FALSE(epoch_time_s(run));
}

TEST_CASE("a difference in packages names the packages, or the digests if a list is unknown") {
  RunRow a, b;
  a.conditions = {{"packages", "aaaa"}, {"torch", "2.4"}};
  b.conditions = {{"packages", "bbbb"}, {"torch", "2.5"}};
  using Values = std::pair<std::string, std::string>;
  a.packages = std::make_shared<const std::string>("numpy==1.26\ntorch==2.4\n");
  CHECK(shown_values("packages", a, b) == Values{"aaaa", "bbbb"});
  b.packages = std::make_shared<const std::string>("torch==2.5\n");
  CHECK(shown_values("packages", a, b) == Values{"numpy 1.26, torch 2.4", "no numpy, torch 2.5"});
  CHECK(shown_values("torch", a, b) == Values{"2.4", "2.5"});
  b.packages = a.packages;
  CHECK(shown_values("packages", a, b) == Values{"aaaa", "bbbb"});
}

TEST_CASE("workers are ranks on CPUs, GPUs on GPUs, and workers if a study has both") {
  RunRow cpu, gpu, unknown, unreadable;
  cpu.conditions = {{"device", "cpu"}};
  gpu.conditions = {{"device", "cuda"}};
  unreadable.outcome = kUnreadable;
  const auto noun = [](std::vector<RunRow> runs) {
    Frame frame;
    frame.runs = std::move(runs);
    return worker_noun(frame);
  };
  CHECK(noun({cpu, unreadable}) == "rank");
  CHECK(noun({gpu, unreadable}) == "GPU");
  CHECK(noun({unknown}) == "GPU");
  CHECK(noun({cpu, gpu}) == "worker");
  CHECK(noun({cpu, unknown}) == "worker");
}

}  // namespace dlscale::analysis
