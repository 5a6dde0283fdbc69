// SPDX-License-Identifier: Apache-2.0
// Every framework style, on 1 to 4 ranks: they learn what one rank with the whole batch learns.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "contract/process_count.hpp"
#include "contract/run_outcome.hpp"
#include "contract/vocabulary.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;
using test::frameworks;
using test::largest_difference;
using test::run;

namespace {

constexpr int kSteps = 10;

/// 10 steps.
contract::RunSpec recipe(const std::string& framework, int ranks, const std::string& model) {
  auto spec = test::style_spec(framework, ranks);
  spec.model = model;
  spec.dataset.train_samples = kSteps * test::kStepSamples;
  spec.window_steps = 4;
  return spec;
}

/// Of how many neighbouring ranks each does other work; 0: all do the same.
int unlike_ranks(const contract::RunSpec& spec) {
  if (spec.framework == "hybrid") {
    const int stages = spec.framework_options.model_parallel_size;
    return stages > 1 ? stages : 0;
  }
  const bool unlike = spec.framework == "pipeline" || spec.framework == "layerwise" ||
                      spec.framework == "vanilla_data_parallel";  // its first rank leads
  return unlike ? spec.gpus : 0;
}

/// Of each process, where there are several.
void check_rank_times(const contract::RunSpec& spec, const test::ThreadLaunch& found) {
  const auto times = all<contract::RankTimes>(found.records);
  const auto processes = static_cast<std::size_t>(contract::process_count(spec));
  REQUIRE(times.size() == (processes > 1 ? 1 : 0));
  if (times.empty()) return;
  REQUIRE(times[0].work_s.size() == processes);
  for (const double work_s : times[0].work_s) CHECK(work_s > 0);
  CHECK(times[0].stages == unlike_ranks(spec));
}

void check_learns_alike(const contract::RunSpec& spec, const test::ThreadLaunch& alone) {
  INFO(spec.framework << " with " << spec.gpus << " ranks");
  const auto found = run(spec);
  CHECK(largest_difference(found.parameters, alone.parameters) < 1e-10);
  const auto expected = all<contract::EvalRecord>(alone.records).back();
  const auto eval = all<contract::EvalRecord>(found.records).back();
  check_rank_times(spec, found);
  CHECK(eval.samples == 50);
  CHECK(eval.correct == expected.correct);
  CHECK(eval.loss == Approx(expected.loss).epsilon(1e-10));
  CHECK(all<contract::EpochRecord>(found.records)[0].train_loss ==
        Approx(all<contract::EpochRecord>(alone.records)[0].train_loss).epsilon(1e-10));
}

}  // namespace

TEST_CASE("every framework learns on 1 to 4 ranks what one rank with the whole batch learns") {
  const auto alone = run(recipe("synchronous", 1, "mlp"));
  for (const std::string& framework : frameworks()) {
    CHECK(contract::is_known("framework", framework));
    for (int ranks = 1; ranks <= 3; ++ranks) {
      check_learns_alike(recipe(framework, ranks, "mlp"), alone);
    }
  }
}

TEST_CASE("a convolutional network over four ranks") {
  const auto alone = run(recipe("synchronous", 1, "cnn"));
  for (const std::string& framework : frameworks()) {
    check_learns_alike(recipe(framework, 4, "cnn"), alone);
  }
}

TEST_CASE("micro-batches in either order, over replicas or not, change nothing that is learnt") {
  const auto alone = run(recipe("synchronous", 1, "mlp"));
  for (const char* schedule : {"1f1b", "gpipe"}) {
    for (const int micro_batches : {1, 2, 4}) {
      auto spec = recipe("pipeline", 3, "mlp");
      spec.framework_options.micro_batches = micro_batches;
      spec.framework_options.pipeline_schedule = schedule;
      check_learns_alike(spec, alone);
      spec = recipe("hybrid", 4, "mlp");
      spec.framework_options.micro_batches = micro_batches;
      spec.framework_options.pipeline_schedule = schedule;
      spec.framework_options.model_parallel_size = 2;
      check_learns_alike(spec, alone);
    }
  }
}

TEST_CASE("every ZeRO stage learns the same, with blocks ahead or not, kept whole or not") {
  const auto alone = run(recipe("synchronous", 1, "cnn"));
  for (const int stage : {0, 1, 2, 3}) {
    for (const std::int64_t elements : {0, 5000, 50'000'000}) {
      auto spec = recipe("deepspeed", 3, "cnn");
      spec.framework_options.zero_stage = stage;
      spec.framework_options.prefetch_elements = elements;
      spec.framework_options.persistence_threshold_elements = elements;
      spec.framework_options.reduce_bucket_elements = elements + 1;
      INFO("stage " << stage << ", " << elements << " elements");
      check_learns_alike(spec, alone);
    }
  }
}

TEST_CASE("gradients that are clipped are clipped by the norm of the whole model's") {
  auto spec = recipe("synchronous", 1, "mlp");
  spec.clip_norm = 0.05;
  const auto alone = run(spec);
  CHECK(largest_difference(alone.parameters, run(recipe("synchronous", 1, "mlp")).parameters) >
        1e-3);
  for (const std::string& framework : frameworks()) {
    auto shared = recipe(framework, 2, "mlp");
    shared.clip_norm = 0.05;
    check_learns_alike(shared, alone);
  }
}

TEST_CASE("replicas that accumulate gradients learn what one big batch teaches") {
  const auto alone = run(recipe("synchronous", 1, "mlp"));
  for (const std::string framework :
       {"synchronous", "ddp", "horovod", "deepspeed", "data_parallel"}) {
    const auto names = frameworks();
    if (std::find(names.begin(), names.end(), framework) == names.end()) continue;
    auto spec = recipe(framework, 2, "mlp");
    spec.batch_per_gpu = 4;
    spec.accumulation_steps = 3;
    check_learns_alike(spec, alone);
  }
}

namespace {

/// Every framework and stage of ZeRO, the optimizer's state in host memory, and PowerSGD.
std::vector<contract::RunSpec> all_styles(int ranks) {
  std::vector<contract::RunSpec> specs;
  for (const auto& style : test::style_specs(ranks)) {
    specs.push_back(recipe(style.framework, ranks, "mlp"));
    specs.back().framework_options = style.framework_options;
  }
  specs.push_back(recipe("ddp", ranks, "mlp"));
  specs.back().framework_options.compression = "powersgd";
  specs.back().framework_options.powersgd_start_step = 2;
  specs.push_back(recipe("deepspeed", ranks, "mlp"));
  specs.back().framework_options.offload_optimizer = true;
  return specs;
}

/// Those of them that change no gradient.
std::vector<contract::RunSpec> exact_styles(int ranks) {
  std::vector<contract::RunSpec> specs = all_styles(ranks);
  std::erase_if(specs,
                [](const auto& spec) { return spec.framework_options.compression != "none"; });
  return specs;
}

std::string name_of(const contract::RunSpec& spec) {
  return spec.framework + " of stage " + std::to_string(spec.framework_options.zero_stage) + ", " +
         spec.framework_options.compression;
}

}  // namespace

TEST_CASE("channels last in memory change nothing that is learnt in any style") {
  const auto with = [](contract::RunSpec spec, const std::string& format) {
    spec.model = "cnn";
    spec.dataset = {"synthetic", "", kSteps * 24, 50, "3x8x8", 5};
    spec.memory_format = format;
    return spec;
  };
  const auto alone = run(with(recipe("synchronous", 1, "cnn"), ""));
  for (const auto& style : exact_styles(2)) {
    INFO(name_of(style));
    const auto spec = with(style, "channels_last");
    check_learns_alike(spec, alone);
    CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
  }
}

TEST_CASE("frozen parameters stay as they were and the others learn as on one rank") {
  const auto with = [](contract::RunSpec spec, const std::string& frozen) {
    spec.frozen = frozen;
    return spec;
  };
  for (const char* frozen : {"hidden1.", "hidden2,output.bias"}) {
    INFO("frozen " << frozen);
    const auto alone = run(with(recipe("synchronous", 1, "mlp"), frozen));
    for (const int ranks : {2, 3}) {
      for (const auto& style : exact_styles(ranks)) {
        INFO(name_of(style));
        check_learns_alike(with(style, frozen), alone);
      }
    }
  }
  auto untrained = recipe("synchronous", 1, "mlp");
  untrained.lr = {.base = 0, .peak = 0};
  const std::string before = run(untrained).parameters;
  const std::string after = run(with(recipe("synchronous", 1, "mlp"), "hidden1.")).parameters;
  constexpr std::size_t kFrozenBytes = (784 * 512 + 512) * sizeof(double);
  CHECK(after.substr(0, kFrozenBytes) == before.substr(0, kFrozenBytes));
  CHECK(after.substr(kFrozenBytes) != before.substr(kFrozenBytes));
}

TEST_CASE("a run that stops and goes on ends where it would have ended") {
  for (const auto& spec : all_styles(2)) {
    INFO(name_of(spec));
    CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
  }
}

TEST_CASE("replicas of stages go on from the state of the first replica's") {
  const auto spec = recipe("hybrid", 4, "mlp");
  CHECK(largest_difference(test::run_with_stop(spec).parameters, run(spec).parameters) < 1e-12);
}

TEST_CASE("a rank with fewer batches to evaluate keeps no other waiting") {
  for (auto spec : all_styles(2)) {
    spec.dataset.test_samples = 513;  // two batches for one rank, one for the other
    INFO(name_of(spec));
    CHECK(all<contract::EvalRecord>(run(spec).records).back().samples == 513);
  }
}

TEST_CASE("all ranks break off an evaluation when one is told to stop in it") {
  for (auto spec : all_styles(2)) {
    spec.dataset.test_samples = 1200;
    // Asked before training, after each window of 4, 4 and 2 steps, then before each batch.
    INFO(name_of(spec));
    for (const int question : {4, 5}) {
      test::TempDir folder;
      const int last_rank = contract::process_count(spec) - 1;
      const auto stopped =
          test::launch(spec, folder.path(), {.rank = last_rank, .question = question});
      CHECK(stopped.outcome == contract::RunOutcome::Preempted);
      CHECK(all<contract::EvalRecord>(stopped.records).empty());
    }
  }
}

TEST_CASE(
    "bytes of a step are all gradients, and what ZeRO gathers and clipping sums beside them") {
  // The MLP's parameters in double precision, and its last block's, which stage 3 keeps whole.
  constexpr double kAll = 8.0 * (784 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10);
  constexpr double kLast = 8.0 * (512 * 10 + 10);
  const auto bytes_of = [](const std::string& framework, int stage, double clip_norm) {
    auto spec = recipe(framework, 2, "mlp");
    spec.framework_options.zero_stage = stage;
    spec.clip_norm = clip_norm;
    const auto window = all<contract::StepWindow>(run(spec).records)[1];
    return window.bytes_sent / window.steps;
  };
  CHECK(bytes_of("synchronous", 0, 0) == kAll);
  CHECK(bytes_of("ddp", 0, 0.05) == kAll);
  for (const double clip_norm : {0.0, 0.05}) {
    const double norm = clip_norm > 0 ? 8 : 0;
    CHECK(bytes_of("deepspeed", 0, clip_norm) == kAll);
    CHECK(bytes_of("deepspeed", 1, clip_norm) == kAll + kAll / 2 + norm);
    CHECK(bytes_of("deepspeed", 2, clip_norm) == kAll + kAll / 2 + norm);
    CHECK(bytes_of("deepspeed", 3, clip_norm) == kAll + (kAll - kLast) + kLast / 2 + norm);
  }
}

TEST_CASE("PowerSGD learns to read digits") {
  auto spec = recipe("ddp", 2, "mlp");
  spec.precision = "fp32";
  spec.dataset = {"synthetic_digits", "", 3200, 500};
  spec.batch_per_gpu = 32;
  spec.global_batch = 64;
  spec.epochs = 2;
  const double plain = all<contract::EvalRecord>(run(spec).records).back().accuracy;
  spec.framework_options.compression = "powersgd";
  spec.framework_options.powersgd_rank = 4;
  spec.framework_options.powersgd_start_step = 2;
  const double compressed = all<contract::EvalRecord>(run(spec).records).back().accuracy;
  INFO(plain << " without compression, " << compressed << " with it");
  CHECK(compressed > 0.5);
  CHECK(compressed > plain - 0.15);
}

TEST_CASE("what Horovod's thread does is in the records of windows") {
  const auto windows = all<contract::StepWindow>(run(recipe("horovod", 2, "mlp")).records);
  for (const contract::StepWindow& window : windows) {
    for (const char* key :
         {"horovod_cycles", "horovod_negotiations", "horovod_cache_hits", "horovod_control_bytes",
          "horovod_all_reduces", "horovod_tensors", "horovod_fused_tensors", "horovod_bytes"}) {
      INFO(key);
      CHECK(window.extra.find(std::string("\"") + key + "\":") != std::string::npos);
    }
    CHECK(window.extra.find("\"horovod_tensors\":" + std::to_string(6 * window.steps)) !=
          std::string::npos);
  }
  const auto others = all<contract::StepWindow>(run(recipe("ddp", 2, "mlp")).records);
  CHECK(others[0].extra.find("horovod") == std::string::npos);
}

TEST_CASE("ranks, blocks and samples that do not divide are refused by every rank") {
  auto spec = recipe("layerwise", 4, "mlp");
  CHECK_THROWS_WITH(run(spec),
                    "layerwise: the model mlp has 3 blocks and cannot be cut into 4 stages");
  spec = recipe("hybrid", 3, "mlp");
  spec.framework_options.model_parallel_size = 2;
  CHECK_THROWS_WITH(run(spec), "hybrid: 3 ranks cannot be divided into models of 2 stages");
  spec = recipe("hybrid", 2, "mlp");
  spec.framework_options.model_parallel_size = 4;
  CHECK_THROWS_WITH(run(spec), "hybrid: 2 ranks cannot be divided into models of 4 stages");
  spec = recipe("pipeline", 2, "mlp");
  spec.framework_options.micro_batches = 5;
  CHECK_THROWS_WITH(run(spec), "pipeline: a model's 24 samples cannot be cut into 5 micro-batches");
  spec = recipe("pipeline", 4, "cnn");
  spec.framework_options.model_parallel_size = 2;
  CHECK_THROWS_WITH(run(spec),
                    "pipeline: model_parallel_size is 2, but one model lies over all 4 ranks; use "
                    "hybrid for several");
}

TEST_CASE("texts of different lengths are learnt alike by every framework that can divide them") {
  test::TempDir data;
  for (const std::string model : {"nbow", "seq2seq"}) {
    const std::string kind = model == "nbow" ? "text_trec" : "text_multi30k";
    test::write_samples(kind, data.path());
    const auto recipe_of_texts = [&](const std::string& framework, int ranks) {
      auto spec = recipe(framework, ranks, model);
      spec.dataset = {kind, data.path(), 60, 30};
      spec.loader = "text";
      spec.model_options = {.embedding = 6, .hidden = 5};
      return spec;
    };
    const auto alone = run(recipe_of_texts("synchronous", 1));
    CHECK(all<contract::EvalRecord>(alone.records).back().samples == 30);
    for (const std::string& framework : frameworks()) {
      const int ranks = model == "seq2seq" && test::cuts_models(framework) ? 1 : 2;  // one block
      INFO(model << ", " << framework);
      const auto found = run(recipe_of_texts(framework, ranks));
      CHECK(largest_difference(found.parameters, alone.parameters) < 1e-10);
      const auto metrics = [](const test::ThreadLaunch& launch) {
        return all<contract::EvalRecord>(launch.records).back().metrics;
      };
      for (const auto& [name, value] : metrics(alone)) {
        CHECK(metrics(found).at(name) == Approx(value).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("a model of one block cannot be cut, and says so") {
  test::TempDir data;
  test::write_samples("text_multi30k", data.path());
  auto spec = recipe("layerwise", 2, "seq2seq");
  spec.dataset = {"text_multi30k", data.path()};
  spec.loader = "text";
  CHECK_THROWS_WITH(run(spec), Catch::Contains("the model seq2seq has 1 blocks and cannot be cut"));
}
