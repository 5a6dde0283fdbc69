// SPDX-License-Identifier: Apache-2.0
// Tests of optimizers, decay groups and parameter means in every style, compared with one rank and
// with an uninterrupted run.
#include <catch2/catch.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;
using test::largest_difference;
using test::run;
using test::style_spec;

namespace {

std::vector<contract::RunSpec> summing_styles(int ranks) {
  std::vector<contract::RunSpec> specs = test::style_specs(ranks);
  specs.push_back(style_spec("deepspeed", ranks, 3));
  specs.back().framework_options.offload_optimizer = true;
  return specs;
}

/// Returns `spec` with this optimizer, with weight decay of a part of the parameters, and with an
/// exponential moving average of the parameters. A style could handle each of these wrongly.
contract::RunSpec with_optimizer(contract::RunSpec spec, const std::string& optimizer) {
  spec.optimizer = {.kind = optimizer, .weight_decay = 0.05, .decayed = "weights"};
  spec.ema_decay = 0.7;
  if (optimizer == "sgd" || optimizer == "lars") spec.optimizer.momentum = 0.9;
  if (optimizer.starts_with("adam")) spec.lr = {.base = 1e-3, .peak = 1e-3};
  if (optimizer == "lars") spec.optimizer.lars.trust_coefficient = 0.02;
  return spec;
}

std::string title_of_recipe(const contract::RunSpec& spec) {
  return spec.optimizer.kind + " in " + test::title_of(spec);
}

}  // namespace

TEST_CASE("every optimizer, with decay groups and a mean, trains in every style like one rank") {
  for (const char* optimizer : {"sgd", "adam", "adamw", "lars"}) {
    const auto alone = run(with_optimizer(style_spec("synchronous", 1), optimizer));
    const auto expected = all<contract::EvalRecord>(alone.records).back();
    for (const int ranks : {2, 3}) {
      for (const auto& style : summing_styles(ranks)) {
        const auto spec = with_optimizer(style, optimizer);
        INFO(title_of_recipe(spec));
        const auto found = run(spec);
        CHECK(largest_difference(found.parameters, alone.parameters) < 1e-9);
        const auto eval = all<contract::EvalRecord>(found.records).back();
        CHECK(eval.correct == expected.correct);
        // The evaluation uses the mean of the parameters.
        CHECK(eval.loss == Approx(expected.loss).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("a resumed run with adam and a parameter mean ends with the same parameters") {
  for (const auto& style : summing_styles(2)) {
    const auto spec = with_optimizer(style, "adam");
    INFO(title_of_recipe(spec));
    const auto second = test::run_with_stop(spec);
    const auto whole = run(spec);
    CHECK(second.parameters == whole.parameters);
    CHECK(all<contract::EvalRecord>(second.records).back().loss ==
          all<contract::EvalRecord>(whole.records).back().loss);
  }
}

TEST_CASE("each rank of ZeRO saves and loads its own shard") {
  for (const int stage : {0, 1, 2, 3}) {
    INFO("stage " << stage);
    const auto spec = with_optimizer(style_spec("deepspeed", 2, stage), "adam");
    test::TempDir folder;
    test::launch(spec, folder.path(), {.rank = 1, .question = 1});
    const auto saved = contract::RunDir(folder.path()).launch(1).all_saved();
    REQUIRE(saved.size() == 1);
    const auto shard = saved[0].root() / contract::CheckpointDir::rank_file(1);
    CHECK(std::filesystem::exists(shard) == (stage > 0));
    if (stage == 0) continue;
    std::filesystem::resize_file(shard, 100);
    CHECK(test::launch(spec, folder.path(), {.rank = 1, .question = 0}).resumed_from.empty());
  }
}
