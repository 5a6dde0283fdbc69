// SPDX-License-Identifier: Apache-2.0
#include "planner/study/derive.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::planner;
using namespace dlscale::config;

TEST_CASE("a limit on the batch per GPU gives the fewest even accumulation steps") {
  for (const int gpus : {1, 2, 3, 4, 8}) {
    for (std::int64_t global = gpus; global <= 600; global += gpus) {
      for (const std::int64_t most : {1, 5, 32, 1000}) {
        int steps = 1;
        while (global % (gpus * steps) != 0 || global / (gpus * steps) > most) ++steps;
        const Batches batches =
            split_batches({.global = global, .most_per_gpu = most}, gpus, "error");
        INFO(global << " over " << gpus << ", at most " << most);
        REQUIRE(batches.problem + batches.note == "");
        REQUIRE(batches.accumulation_steps == steps);
        REQUIRE(batches.batch_per_gpu * gpus * steps == global);
      }
    }
  }
}

TEST_CASE("a satisfied batch limit has no effect, and an impossible limit is a problem") {
  CHECK(split_batches({.global = 64, .most_per_gpu = 64}, 1, "error").accumulation_steps == 1);
  CHECK(split_batches({.per_gpu = 65, .most_per_gpu = 64}, 1, "error").problem ==
        "batch_per_gpu 65 is above max_batch_per_gpu 64");
  CHECK(split_batches({.global = 100, .most_per_gpu = 10}, 3, "error").problem ==
        "global_batch 100 over 3 GPUs x 4 accumulation steps does not divide evenly");
  const Batches floored = split_batches({.global = 100, .most_per_gpu = 10}, 3, "floor");
  CHECK(floored.global_batch == 96);
  CHECK(floored.note ==
        "global_batch 100 over 3 GPUs x 4 accumulation steps: 8 per GPU, so these runs have global "
        "batch 96");
  CHECK(split_batches({.global = 2, .most_per_gpu = 10}, 3, "floor").problem ==
        "global_batch 2 over 3 GPUs is less than one sample per GPU");
}

TEST_CASE("a spread batch has the fewest accumulation steps that respect the limit") {
  for (const int gpus : {1, 2, 3, 7}) {
    for (std::int64_t global = gpus; global <= 300; ++global) {
      for (const std::int64_t most : {1, 5, 32, 1000}) {
        const Batches batches =
            split_batches({.global = global, .most_per_gpu = most}, gpus, "spread");
        INFO(global << " over " << gpus << ", at most " << most);
        const std::int64_t parts = std::int64_t{gpus} * batches.accumulation_steps;
        if (global < parts) {  // the last GPU has fewer samples than accumulation steps
          REQUIRE(batches.problem.find("less than one sample per GPU") != std::string::npos);
          continue;
        }
        REQUIRE(batches.problem.empty());
        REQUIRE(batches.global_batch == global);
        REQUIRE(batches.is_spread == (global % parts != 0));
        REQUIRE(batches.batch_per_gpu == (global + parts - 1) / parts);
        REQUIRE(batches.batch_per_gpu <= most);
        if (batches.accumulation_steps == 1) continue;
        const std::int64_t fewer = parts - gpus;
        REQUIRE((global + fewer - 1) / fewer > most);
      }
    }
  }
  CHECK(split_batches({.per_gpu = 8, .global = 100}, 3, "spread").problem ==
        "global_batch 100 over 3 GPUs x batch_per_gpu 8 does not divide evenly; to spread the "
        "batch, give max_batch_per_gpu instead of batch_per_gpu");
}

TEST_CASE("the batch per GPU and the global batch determine the accumulation steps") {
  const Batches even = split_batches({.per_gpu = 8, .global = 96}, 3, "error");
  CHECK(even.accumulation_steps == 4);
  CHECK(even.global_batch == 96);
  CHECK(split_batches({.per_gpu = 8, .global = 100}, 3, "error").problem ==
        "global_batch 100 over 3 GPUs x batch_per_gpu 8 does not divide evenly");
  CHECK(split_batches({.per_gpu = 8, .global = 100}, 3, "floor").note ==
        "global_batch 100 over 3 GPUs x batch_per_gpu 8: 4 accumulation steps, so these runs have "
        "global batch 96");
  CHECK(split_batches({.per_gpu = 8, .global = 25}, 3, "floor").note ==
        "global_batch 25 over 3 GPUs x batch_per_gpu 8: 1 accumulation step, so these runs have "
        "global batch 24");
  CHECK(split_batches({.per_gpu = 8, .global = 16}, 3, "floor").problem ==
        "global_batch 16 over 3 GPUs x batch_per_gpu 8 is less than one step");
}
