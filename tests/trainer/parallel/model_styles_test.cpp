// SPDX-License-Identifier: Apache-2.0
// Models beside the classifiers of framework_test in every style.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "contract/process_count.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/models/made_model.hpp"
#include "tests/trainer/models/script_module.hpp"
#include "tests/trainer/thread_launch.hpp"
#include "trainer/capabilities.hpp"
#include "trainer/checkpoint/safetensors.hpp"

using namespace dlscale;
using test::all;
using test::largest_difference;
using test::run;

namespace {

/// 5 steps of 24 samples, in double precision.
contract::RunSpec recipe(const std::string& framework, int ranks, const std::string& model) {
  contract::RunSpec spec;
  spec.run_id = "run";
  spec.framework = framework;
  spec.model = model;
  spec.precision = "fp64";
  spec.dataset = {"synthetic_digits", "", 120, 50};
  spec.gpus = ranks;
  spec.batch_per_gpu = 24 / ranks;
  spec.global_batch = 24;
  if (framework == "hybrid" && ranks % 2 == 0) spec.framework_options.model_parallel_size = 2;
  spec.lr = {.base = 0.1, .peak = 0.1};
  spec.optimizer = {.momentum = 0.9};
  spec.window_steps = 2;
  return spec;
}

/// Every framework, and ZeRO's last stage.
std::vector<contract::RunSpec> all_styles(int ranks, const std::string& model) {
  std::vector<contract::RunSpec> specs;
  const auto families = trainer::capabilities().families;
  for (const std::string& framework : families.at("framework")) {
    specs.push_back(recipe(framework, ranks, model));
  }
  specs.push_back(recipe("deepspeed", ranks, model));
  specs.back().framework_options.zero_stage = 3;
  return specs;
}

void check_learns_alike(const contract::RunSpec& spec, const test::ThreadLaunch& alone) {
  INFO(spec.framework << " with " << spec.gpus << " ranks");
  const auto found = run(spec);
  CHECK(largest_difference(found.parameters, alone.parameters) < 1e-10);
  CHECK(all<contract::EvalRecord>(found.records).back().loss ==
        Approx(all<contract::EvalRecord>(alone.records).back().loss).epsilon(1e-10));
}

}  // namespace

TEST_CASE("an autoencoder learns on two ranks of every style what it learns on one") {
  const auto alone = run(recipe("synchronous", 1, "conv_autoencoder"));
  for (const auto& spec : all_styles(2, "conv_autoencoder")) check_learns_alike(spec, alone);
}

TEST_CASE("a TorchScript module learns alike in every style that copies models") {
  test::TempDir folder;
  const std::string file = folder.path() / "net.pt";
  test::save_script(file, 28 * 28, 10);
  const auto alone = run(recipe("synchronous", 1, "script:" + file));
  for (const auto& spec : all_styles(2, "script:" + file)) {
    const bool cuts =
        spec.framework == "layerwise" || spec.framework == "pipeline" || spec.framework == "hybrid";
    if (!cuts) check_learns_alike(spec, alone);
  }
}

TEST_CASE("a run that drops out, stopped and gone on with, ends where it would have ended") {
  for (auto spec : all_styles(2, "squeezenet1_0")) {
    spec.dataset = {"synthetic", "", 120, 50, "1x8x8", 5};
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    test::TempDir folder;
    const int last_rank = contract::process_count(spec) - 1;
    const auto first = test::launch(spec, folder.path(), {.rank = last_rank, .question = 1});
    REQUIRE(first.outcome == contract::RunOutcome::Preempted);
    const auto second = test::launch(spec, folder.path());
    CHECK(second.resumed_from == "launch-1");
    CHECK(second.parameters == run(spec).parameters);
  }
}

TEST_CASE("weights of a file, which rank 0 reads, are what training begins with in every style") {
  test::TempDir folder;
  const std::string file = folder.path() / "weights.safetensors";
  const auto model = test::make_model("mlp", test::model_context({1, 28, 28}, 10));
  trainer::write_safetensors(file, model->weights());
  std::string expected;
  for (const trainer::NamedTensor& part : model->weights()) {
    const at::Tensor values = part.tensor.detach().to(at::kDouble);
    expected.append(static_cast<const char*>(values.data_ptr()), values.nbytes());
  }
  for (auto spec : all_styles(2, "mlp")) {
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    spec.lr = {.base = 0, .peak = 0};
    spec.weights = file;
    CHECK(run(spec).parameters == expected);
  }
}
