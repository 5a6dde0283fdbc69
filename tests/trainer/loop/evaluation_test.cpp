// SPDX-License-Identifier: Apache-2.0
// Tests of the results that each rank records for its share of the test set.
#include "trainer/loop/evaluation.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;

namespace {

/// Returns a run of one epoch with 2 steps and 50 test samples.
contract::RunSpec evaluated_recipe(int ranks) {
  contract::RunSpec spec;
  spec.precision = "fp64";
  spec.dataset = {"synthetic_digits", "", 48, 50};
  spec.gpus = ranks;
  spec.batch_per_gpu = 24 / ranks;
  spec.global_batch = 24;
  spec.lr = {.base = 0.01, .peak = 0.01};
  return spec;
}

}  // namespace

TEST_CASE("the results of ranks on their shares of the test set add up to the evaluation") {
  const auto eval = all<contract::EvalRecord>(test::run(evaluated_recipe(3)).records)[0];
  REQUIRE(eval.rank_loss.size() == 3);
  REQUIRE(eval.rank_accuracy.size() == 3);
  REQUIRE(eval.rank_wall_s.size() == 3);
  const double shares[] = {16, 17, 17};  // 50 test samples in total
  double loss = 0, correct = 0;
  for (int rank = 0; rank < 3; ++rank) {
    loss += eval.rank_loss[rank] * shares[rank] / 50;
    correct += eval.rank_accuracy[rank] * shares[rank];
    CHECK(eval.rank_wall_s[rank] > 0);
    CHECK(eval.rank_wall_s[rank] < eval.wall_s * (1 + 1e-4));
  }
  CHECK(loss == Approx(eval.loss).epsilon(1e-4));
  CHECK(correct == Approx(static_cast<double>(eval.correct)).epsilon(1e-4));
}

TEST_CASE("ranks without a share of the test set have no results, and others have theirs") {
  auto spec = evaluated_recipe(3);
  spec.dataset.test_samples = 2;
  const auto eval = all<contract::EvalRecord>(test::run(spec).records)[0];
  REQUIRE(eval.rank_loss.size() == 3);
  CHECK(std::isnan(eval.rank_loss[0]));
  CHECK(std::isnan(eval.rank_accuracy[0]));
  CHECK(std::isfinite(eval.rank_loss[1] + eval.rank_loss[2]));
  CHECK(eval.samples == 2);
}

TEST_CASE("results of ranks are left out if ranks share work, and their times if ranks wait") {
  auto spec = evaluated_recipe(2);
  spec.framework = GENERATE("layerwise", "vanilla_data_parallel", "data_parallel");
  CAPTURE(spec.framework);
  auto eval = all<contract::EvalRecord>(test::run(spec).records)[0];
  CHECK(eval.rank_loss.empty());
  CHECK(eval.rank_accuracy.empty());
  CHECK(eval.rank_wall_s.empty());
  CHECK(all<contract::EvalRecord>(test::run(evaluated_recipe(1)).records)[0].rank_loss.empty());
  spec.framework = "deepspeed";
  spec.framework_options.zero_stage = 3;  // the forward pass gathers parameters
  spec.framework_options.persistence_threshold_elements = 0;
  eval = all<contract::EvalRecord>(test::run(spec).records)[0];
  CHECK(eval.rank_loss.size() == 2);
  CHECK(eval.rank_wall_s.empty());
}
