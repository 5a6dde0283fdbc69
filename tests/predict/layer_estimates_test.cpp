// SPDX-License-Identifier: Apache-2.0
#include "predict/layer_estimates.hpp"

#include <catch2/catch.hpp>

#include "tests/predict/made_layers.hpp"

using namespace dlscale;
using Catch::Contains;
using predict::Stage;

TEST_CASE("each stage of a layer is the sum of its kernels") {
  const auto estimates = predict::estimate_layers(test::made_step(), test::made_models());
  REQUIRE(estimates.layers.size() == 2);
  CHECK(*estimates.layers[0].at(Stage::forward).estimated_s == Approx(0.011));
  CHECK(*estimates.layers[0].at(Stage::backward).estimated_s == Approx(0.018));
  CHECK(*estimates.layers[0].at(Stage::update).estimated_s == Approx(0.001));
  CHECK(*estimates.layers[1].at(Stage::backward).estimated_s == Approx(0.005));
  CHECK_FALSE(estimates.layers[1].at(Stage::update).estimated_s);
  CHECK(estimates.unknown.empty());
}

TEST_CASE("WRE divides the mean difference by the mean measured time of the stage") {
  const auto estimates = predict::estimate_layers(test::made_step(), test::made_models());
  const auto backward = predict::errors_of(estimates, {Stage::backward});
  REQUIRE(backward);
  CHECK(backward->layers == 2);
  CHECK(backward->relative == Approx((0.1 + 0.25) / 2));
  CHECK(backward->weighted == Approx((0.002 + 0.001) / 0.024));
  CHECK(backward->of_total() == Approx(0.023 / 0.024 - 1));
  CHECK(*estimates.layers[0].at(Stage::backward).error() == Approx(-0.1));
  CHECK(*estimates.layers[1].at(Stage::backward).error() == Approx(0.25));
  CHECK_FALSE(estimates.layers[1].at(Stage::update).error());
  CHECK(backward->covered == Approx(1));
}

TEST_CASE("layers without a kernel model reduce the covered share and are named") {
  auto models = test::made_models();
  models.erase(models.begin());  // linear_forward
  const auto estimates = predict::estimate_layers(test::made_step(), models);
  const auto forward = predict::errors_of(estimates, {Stage::forward});
  REQUIRE(forward);
  CHECK(forward->layers == 1);
  CHECK(forward->covered == Approx(2.0 / 12));
  REQUIRE(estimates.unknown.size() == 1);
  CHECK(estimates.unknown[0] == "addmm forward: there is no model of linear_forward");
}

TEST_CASE("a batch outside the sizes of the models has no estimate") {
  auto models = test::made_models();
  models[0].input_most[0] = 4;  // batches up to 4
  const auto estimates = predict::estimate_layers(test::made_step(), models);
  CHECK_FALSE(estimates.layers[0].at(Stage::forward).estimated_s);
  CHECK_THAT(estimates.unknown.at(0), Contains("outside the sizes on which linear_forward"));
}

TEST_CASE("without kernel models there are no errors") {
  CHECK_FALSE(predict::errors_of(predict::estimate_layers(test::made_step(), {}),
                                 {Stage::forward, Stage::backward, Stage::update}));
}
