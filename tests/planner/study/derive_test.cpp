// SPDX-License-Identifier: Apache-2.0
#include "planner/study/derive.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "planner/study/expand.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale::planner;
using namespace dlscale::config;

namespace {

Recipe recipe(int gpus) {
  Recipe r;
  r.run.gpus = gpus;
  r.batch.per_gpu = 64;
  r.lr_base_per_gpu = 0.025;
  return r;
}

}  // namespace

TEST_CASE("the published peak learning rates follow from 0.025 per GPU") {
  const std::pair<int, double> table[] = {{4, 0.1},   {64, 1.6},   {128, 3.2},
                                          {256, 6.4}, {512, 12.8}, {1024, 25.6}};
  for (const auto& [gpus, peak] : table) {
    const Derived derived = derive(recipe(gpus), "error");
    CHECK(derived.run.lr.peak == Approx(peak).epsilon(1e-12));
    CHECK(derived.run.lr.base == 0.025);
    CHECK(derived.run.lr.scale == "linear");
    CHECK(derived.run.global_batch == 64 * gpus);
  }
}

TEST_CASE("a learning rate of the whole run is scaled only on request") {
  Recipe r = recipe(4);
  r.lr_base_per_gpu.reset();
  r.lr_base = 0.2;
  CHECK(derive(r, "error").run.lr.peak == 0.2);
  r.lr_scale = "sqrt";
  CHECK(derive(r, "error").run.lr.peak == Approx(0.4));
}

TEST_CASE("the global batch is per-GPU batch times GPUs times accumulation steps") {
  Recipe r = recipe(3);
  r.batch.accumulation_steps = 5;
  CHECK(derive(r, "error").run.global_batch == 64 * 3 * 5);
}

TEST_CASE("an uneven global batch is a problem or is rounded down with a note") {
  Recipe r = recipe(3);
  r.batch.per_gpu.reset();
  r.batch.global = 16;
  CHECK(derive(r, "error").problem->text == "global_batch 16 over 3 GPUs does not divide evenly");
  const Derived floored = derive(r, "floor");
  CHECK_FALSE(floored.problem);
  CHECK(floored.run.batch_per_gpu == 5);
  CHECK(floored.run.global_batch == 15);
  CHECK(floored.note ==
        "global_batch 16 over 3 GPUs: 5 per GPU, so these runs have global batch 15");
  r.batch.global = 2;
  CHECK(derive(r, "floor").problem->text ==
        "global_batch 2 over 3 GPUs is less than one sample per GPU");
}

TEST_CASE("an uneven global batch can be spread over the GPUs") {
  Recipe r = recipe(3);
  r.batch.per_gpu.reset();
  r.batch.global = 128;
  const Derived spread = derive(r, "spread");
  CHECK_FALSE(spread.problem);
  CHECK(spread.run.batch_per_gpu == 43);
  CHECK(spread.run.global_batch == 128);
  CHECK(spread.run.uneven_batch == "spread");
  CHECK(spread.note.empty());
  r.batch.global = 2;
  CHECK(derive(r, "spread").problem->text ==
        "global_batch 2 over 3 GPUs is less than one sample per GPU");
}

TEST_CASE("a batch that divides evenly gives the same run with and without spreading") {
  Recipe r = recipe(4);
  r.batch.per_gpu.reset();
  r.batch.global = 128;
  CHECK(derive(r, "spread").run == derive(r, "error").run);
  CHECK(derive(r, "spread").note.empty());
}

TEST_CASE("only styles that average gradients spread an uneven global batch") {
  Recipe r = recipe(3);
  r.batch.per_gpu.reset();
  r.batch.global = 128;
  for (const char* framework : {"layerwise", "pipeline", "hybrid"}) {
    r.run.framework = framework;
    const Derived refused = derive(r, "spread");
    REQUIRE(refused.problem);
    CHECK(refused.problem->key == "global_batch");
    CHECK_FALSE(refused.problem->of_batch);
    CHECK(refused.problem->text ==
          std::string("uneven_batch is spread, but ") + framework +
              " divides the model over ranks instead of averaging gradients of whole replicas; use "
              "a global batch that is a multiple of the number of GPUs, or another framework");
  }
  r.run.framework = "ddp";
  r.run.trainer.command = "train";
  CHECK(derive(r, "spread").problem->text ==
        "uneven_batch is spread, but only dlscale-train can weight parts of different sizes, and "
        "the run has another training program; use floor");
}

TEST_CASE("a batch too large for 64 bits is a problem") {
  Recipe r = recipe(2147483647);
  r.batch.per_gpu = 2147483647;
  r.batch.accumulation_steps = 2147483647;
  CHECK(derive(r, "error").problem->text == "the global batch is too large");
}

TEST_CASE("a run contains only the options of its own optimizer and model") {
  Recipe r = recipe(1);
  r.run.optimizer.adam.beta1 = 0.5;
  r.run.optimizer.lars.epsilon = 1;
  r.model_options["nbow"].embedding = 50;
  CHECK(derive(r, "error").run.optimizer == dlscale::contract::OptimizerSpec{});
  CHECK(derive(r, "error").run.model_options == dlscale::contract::ModelOptions{});
  r.run.optimizer.kind = "adamw";
  r.run.model = "nbow";
  const auto run = derive(r, "error").run;
  CHECK(run.optimizer.adam.beta1 == 0.5);
  CHECK(run.optimizer.lars.epsilon == 1e-8);
  CHECK(run.model_options.embedding == 50);
  r.run.optimizer.kind = "lars";
  CHECK(derive(r, "error").run.optimizer.lars.epsilon == 1);
}

TEST_CASE("a run contains only the parameters of its own schedule and framework") {
  Recipe r = recipe(1);
  r.schedules["cosine"].lr_min = 0.5;
  r.schedules["exponential"].gamma = 0.9;
  r.framework_options["ddp"].bucket_cap_mb = 7;
  r.run.lr_schedule.kind = "exponential";
  r.run.framework = "horovod";
  const auto run = derive(r, "error").run;
  CHECK(run.lr_schedule.kind == "exponential");
  CHECK(run.lr_schedule.gamma == 0.9);
  CHECK(run.lr_schedule.lr_min == 0);
  CHECK(run.framework_options == dlscale::contract::FrameworkOptions{});
}

TEST_CASE("a step schedule without steps is a problem") {
  Recipe r = recipe(1);
  r.run.lr_schedule.kind = "step";
  CHECK(derive(r, "error").problem->text ==
        "the step schedule needs training.schedules.step.milestones or .every_epochs");
  r.schedules["step"].every_epochs = 30;
  CHECK_FALSE(derive(r, "error").problem);
}

TEST_CASE("a learning rate for a reference batch scales with the global batch") {
  Recipe r = recipe(8);
  r.lr_base_per_gpu.reset();
  r.lr_base = 0.1;
  r.lr_base_batch = 256;
  CHECK(derive(r, "error").run.lr.peak == Approx(0.1 * 512 / 256));
  CHECK(derive(r, "error").run.lr.scale == "linear");
  r.lr_scale = "sqrt";
  CHECK(derive(r, "error").run.lr.peak == Approx(0.1 * std::sqrt(2.0)));
  r.lr_scale = "none";
  CHECK(derive(r, "error").run.lr.peak == 0.1);
  r.lr_base = 1e308;
  r.lr_scale = "linear";
  CHECK(derive(r, "error").problem->key == "lr.base");
}

TEST_CASE("the steps of an epoch are known if the number of samples is known") {
  Recipe r = recipe(8);
  r.run.dataset.kind = "mnist";
  CHECK(steps_per_epoch(derive(r, "error").run) == 118);  // 60,000 / 512 = 117.2
  r.run.last_batch = "drop";
  CHECK(steps_per_epoch(derive(r, "error").run) == 117);
  r.run.dataset.train_samples = 1024;
  CHECK(steps_per_epoch(derive(r, "error").run) == 2);
  r.run.dataset = {.kind = "image_folder"};
  CHECK_FALSE(steps_per_epoch(derive(r, "error").run));
}

TEST_CASE("warm-up in steps is converted to epochs if the number of samples is known") {
  Recipe r = recipe(1);
  r.run.dataset.train_samples = 640;
  r.warmup_steps = 25;
  CHECK(derive(r, "error").run.warmup_epochs == 2.5);
  CHECK(derive(r, "error").run.lr.warmup_steps == 25);  // the steps themselves are kept
  r.run.trainer.command = "python train.py";
  CHECK(derive(r, "error").run.lr.warmup_steps == 0);
  r.run.trainer.command = "";
  r.run.dataset = {.kind = "image_folder"};
  CHECK(derive(r, "error").problem->text ==
        "the number of samples of image_folder is unknown; set training.dataset.train_samples, or "
        "use warmup_epochs");
}

TEST_CASE("an epoch without a step is a problem") {
  Recipe r = recipe(1);
  r.run.dataset.train_samples = 63;
  CHECK_FALSE(derive(r, "error").problem);
  r.run.last_batch = "drop";
  const Derived derived = derive(r, "error");
  CHECK(derived.problem->text ==
        "last_batch \"drop\" leaves no step: 63 training samples are fewer than a global batch of "
        "64");
  CHECK(derived.problem->of_batch);
}

TEST_CASE("nesterov without momentum is a problem of the optimizer") {
  Recipe r = recipe(1);
  r.run.optimizer.nesterov = true;
  CHECK(derive(r, "error").problem->key == "optimizer.nesterov");
}

TEST_CASE("only a frozen backbone has classifier options") {
  Recipe r = recipe(1);
  r.model_options["frozen_backbone"].backbone = "vgg16";
  CHECK(derive(r, "error").run.model_options == dlscale::contract::ModelOptions{});
  r.run.model = "frozen_backbone";
  const auto run = derive(r, "error").run;
  CHECK(run.model_options == dlscale::contract::ModelOptions{"vgg16", 4096, 0.5});
  r.model_options["frozen_backbone"].backbone = "";
  const auto problem = derive(r, "error").problem;
  REQUIRE(problem);
  CHECK(problem->key == "model");
  CHECK(problem->text == "frozen_backbone needs training.models.frozen_backbone.backbone");
}

TEST_CASE("profiled epochs without a profile are a problem") {
  Recipe r = recipe(1);
  r.run.profile_epochs = 10;
  CHECK(derive(r, "error").problem->key == "profile_epochs");
  CHECK(derive(r, "error").problem->text == "needs profile = true");
  r.run.profile = true;
  CHECK_FALSE(derive(r, "error").problem);
}

TEST_CASE("a stop at a target needs a target, which may be the training loss") {
  Recipe r = recipe(1);
  r.run.target.stop = true;
  CHECK(derive(r, "error").problem->text ==
        "needs target.accuracy, target.loss, target.bleu or target.train_loss");
  r.run.target.train_loss = 0.5;
  CHECK_FALSE(derive(r, "error").problem);
}

TEST_CASE("a study gives the length of its runs in epochs or in steps") {
  const dlscale::test::StudyText text{.training = "lr = { base = 0.1 }\nsteps = 500"};
  const auto run = expand(dlscale::test::read(text)).points.at(0).run;
  CHECK(run.steps == 500);
  CHECK(run.epochs == 0);
  const std::string json = dlscale::contract::to_json(run);
  CHECK(json.find("\"steps\": 500") != std::string::npos);
  CHECK(dlscale::contract::run_spec_from_json(json, "f").steps == 500);
  const auto error = [](const std::string& training) {
    return dlscale::test::error_of(
        [&] { expand(dlscale::test::read({.training = "lr = { base = 0.1 }\n" + training})); });
  };
  CHECK(error("epochs = 2\nsteps = 500") ==
        "s.toml:10:9: training.steps: epochs is also given; keep one of the two");
  CHECK(error("steps = 0").find("training.steps: must be at least 1") != std::string::npos);
}

TEST_CASE("the description of a run without steps has no key for them") {
  const auto run = expand(dlscale::test::read({})).points.at(0).run;
  CHECK(dlscale::contract::to_json(run).find("\"steps\"") == std::string::npos);
}
