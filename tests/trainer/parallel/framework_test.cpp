// SPDX-License-Identifier: Apache-2.0
// Tests of run options in combination with every framework style.
#include <catch2/catch.hpp>

#include "contract/run_outcome.hpp"
#include "contract/run_spec/process_count.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "tests/trainer/parallel/learns_alike.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;
using test::all_styles;
using test::check_learns_alike;
using test::exact_styles;
using test::frameworks;
using test::largest_difference;
using test::run;
using test::ten_steps;
using test::title_of;

TEST_CASE("micro-batches and their schedule do not change the trained parameters") {
  const auto alone = run(ten_steps("synchronous", 1));
  for (const char* schedule : {"1f1b", "gpipe"}) {
    for (const int micro_batches : {1, 2, 4}) {
      auto spec = ten_steps("pipeline", 3);
      spec.framework_options.micro_batches = micro_batches;
      spec.framework_options.pipeline_schedule = schedule;
      check_learns_alike(spec, alone);
      spec = ten_steps("hybrid", 4);
      spec.framework_options.micro_batches = micro_batches;
      spec.framework_options.pipeline_schedule = schedule;
      check_learns_alike(spec, alone);
    }
  }
}

TEST_CASE("every ZeRO stage trains the same parameters with any bucket, prefetch and threshold") {
  const auto alone = run(ten_steps("synchronous", 1));
  for (const int stage : {0, 1, 2, 3}) {
    for (const std::int64_t elements : {0, 5000, 50'000'000}) {
      auto spec = ten_steps("deepspeed", 3, stage);
      auto& options = spec.framework_options;
      (stage == 3 ? options.prefetch_elements : options.reduce_bucket_elements) = elements + 1;
      if (stage == 3) options.persistence_threshold_elements = elements;
      INFO(elements << " elements");
      check_learns_alike(spec, alone);
    }
  }
}

namespace {

contract::RunSpec clipped(contract::RunSpec spec, double norm) {
  spec.clip_norm = norm;
  return spec;
}

/// Returns a run with the same steps, in which 3 micro-batches form a step.
contract::RunSpec accumulating(contract::RunSpec spec) {
  spec.batch_per_gpu /= 3;
  spec.accumulation_steps = 3;
  return spec;
}

}  // namespace

TEST_CASE("gradients are clipped by the norm of the whole model") {
  const auto alone = run(clipped(ten_steps("synchronous", 1), 0.05));
  CHECK(largest_difference(alone.parameters, run(ten_steps("synchronous", 1)).parameters) > 1e-3);
  for (const int ranks : {2, 4}) {
    for (const auto& style : exact_styles(ranks)) check_learns_alike(clipped(style, 0.05), alone);
  }
}

TEST_CASE("accumulated gradients train like one large batch, with and without clipping") {
  for (const double norm : {0.0, 0.05}) {
    const auto alone = run(clipped(ten_steps("synchronous", 1), norm));
    auto styles = exact_styles(2);
    for (const auto& style : test::styles_of_processes(4)) {
      if (test::cuts_models(style.framework)) styles.push_back(style);
    }
    for (auto& style : styles) {
      if (style.framework_options.micro_batches > 1) style.framework_options.micro_batches = 2;
      check_learns_alike(clipped(accumulating(style), norm), alone);
    }
  }
}

TEST_CASE("compressed sums of accumulated gradients are as accurate as those of one batch") {
  const auto alone = run(ten_steps("synchronous", 1));
  for (const char* framework : {"ddp", "horovod"}) {
    for (const char* compression : {"fp16", "bf16"}) {
      auto spec = ten_steps(framework, 2);
      spec.framework_options.compression = compression;
      const double once = largest_difference(run(spec).parameters, alone.parameters);
      spec = accumulating(spec);
      INFO(title_of(spec));
      const double found = largest_difference(run(spec).parameters, alone.parameters);
      CHECK(once > 1e-6);
      CHECK(found > 0.2 * once);
      CHECK(found < 5 * once);
    }
  }
}

TEST_CASE("an epoch with an incomplete last batch trains every style like one rank") {
  for (const char* last_batch : {"pad", "drop"}) {
    const auto uneven = [&](contract::RunSpec spec) {
      spec.dataset.train_samples = 10 * test::kStepSamples - 7;
      spec.last_batch = last_batch;
      return spec;
    };
    const auto alone = run(uneven(ten_steps("synchronous", 1)));
    const auto epoch = all<contract::EpochRecord>(alone.records)[0];
    REQUIRE(epoch.steps == (last_batch == std::string("pad") ? 10 : 9));
    for (const int ranks : {2, 3}) {
      for (const auto& style : exact_styles(ranks)) {
        INFO(last_batch);
        check_learns_alike(uneven(style), alone);
      }
    }
  }
}

TEST_CASE("contiguous images and weights train in every style like channels last") {
  const auto with = [](contract::RunSpec spec, const std::string& format) {
    spec.dataset.shape = "3x6x6";
    spec.memory_format = format;
    return spec;
  };
  const auto alone = run(with(ten_steps("synchronous", 1), "channels_last"));
  for (const auto& style : exact_styles(2)) {
    INFO(title_of(style));
    const auto spec = with(style, "contiguous");
    const auto found = run(spec);
    test::check_alike(spec, found, alone);
    CHECK(test::run_with_stop(spec).parameters == found.parameters);
  }
}

TEST_CASE("frozen parameters do not change, and the others train like on one rank") {
  const auto with = [](contract::RunSpec spec, const std::string& frozen) {
    spec.frozen = frozen;
    return spec;
  };
  for (const char* frozen : {"conv1.", "hidden,output.bias"}) {
    INFO("frozen " << frozen);
    const auto alone = run(with(ten_steps("synchronous", 1), frozen));
    for (const int ranks : {2, 3}) {
      for (const auto& style : exact_styles(ranks)) {
        check_learns_alike(with(style, frozen), alone);
      }
    }
  }
  auto untrained = ten_steps("synchronous", 1);
  untrained.lr = {.base = 0, .peak = 0};
  const std::string before = run(untrained).parameters;
  const std::string after = run(with(ten_steps("synchronous", 1), "conv1.")).parameters;
  constexpr std::size_t kFrozenBytes = (32 * 9 + 32) * sizeof(double);
  CHECK(after.substr(0, kFrozenBytes) == before.substr(0, kFrozenBytes));
  CHECK(after.substr(kFrozenBytes) != before.substr(kFrozenBytes));
}

TEST_CASE("a resumed run ends with the same parameters in every style") {
  for (const auto& spec : all_styles(2)) {
    INFO(title_of(spec));
    CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
  }
}

TEST_CASE("replicas of stages resume from the state of the first replica") {
  const auto spec = ten_steps("hybrid", 4);
  CHECK(largest_difference(test::run_with_stop(spec).parameters, run(spec).parameters) < 1e-12);
}

TEST_CASE("a rank with fewer evaluation batches does not block the other ranks") {
  for (auto spec : all_styles(2)) {
    spec.dataset.test_samples = 25;  // 3 batches of up to 12: two for one rank, one for the other
    INFO(title_of(spec));
    CHECK(all<contract::EvalRecord>(run(spec).records).back().samples == 25);
  }
}

TEST_CASE("all ranks stop an evaluation when one rank gets a stop request") {
  for (auto spec : all_styles(2)) {
    spec.dataset.test_samples = 120;
    // Ranks poll for a stop before training, after each window of 4, 4 and 2 steps, and then before
    // each evaluation batch.
    INFO(title_of(spec));
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

TEST_CASE("PowerSGD learns to read digits") {
  auto spec = ten_steps("ddp", 2);
  spec.model = "mlp";
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

TEST_CASE("window records contain the work of Horovod's thread") {
  const auto windows = all<contract::StepWindow>(run(ten_steps("horovod", 2)).records);
  for (const contract::StepWindow& window : windows) {
    for (const char* key :
         {"horovod_cycles", "horovod_negotiations", "horovod_cache_hits", "horovod_control_bytes",
          "horovod_all_reduces", "horovod_tensors", "horovod_fused_tensors", "horovod_bytes"}) {
      INFO(key);
      CHECK(window.extra.find(std::string("\"") + key + "\":") != std::string::npos);
    }
    CHECK(window.extra.find("\"horovod_tensors\":" + std::to_string(8 * window.steps)) !=
          std::string::npos);
  }
  const auto others = all<contract::StepWindow>(run(ten_steps("ddp", 2)).records);
  CHECK(others[0].extra.find("horovod") == std::string::npos);
}

TEST_CASE("numbers of ranks, blocks and samples that do not divide are rejected by every rank") {
  for (const std::string framework : {"layerwise", "pipeline", "hybrid"}) {
    auto deep = ten_steps(framework, 4);
    deep.model = "mlp";
    if (framework == "hybrid") deep.framework_options.model_parallel_size = 4;
    CHECK_THROWS_WITH(
        run(deep),
        framework + ": the model mlp has only 3 blocks and cannot be divided into 4 stages");
  }
  auto spec = ten_steps("hybrid", 3);
  spec.framework_options.model_parallel_size = 2;
  CHECK_THROWS_WITH(run(spec), "hybrid: 3 ranks cannot be divided into models of 2 stages each");
  spec = ten_steps("hybrid", 2);
  spec.framework_options.model_parallel_size = 4;
  CHECK_THROWS_WITH(run(spec), "hybrid: 2 ranks cannot be divided into models of 4 stages each");
  spec = ten_steps("pipeline", 2);
  spec.framework_options.micro_batches = 5;
  CHECK_THROWS_WITH(
      run(spec),
      "pipeline: the 24 samples of a pass cannot be divided into 5 micro-batches of equal size");
  spec = ten_steps("pipeline", 4);
  spec.framework_options.model_parallel_size = 2;
  CHECK_THROWS_WITH(run(spec),
                    "pipeline: model_parallel_size is 2, but one model spans all 4 ranks; use "
                    "hybrid for several models");
}

TEST_CASE("texts of different lengths train alike in every style that can divide them") {
  test::TempDir data;
  for (const std::string model : {"nbow", "seq2seq"}) {
    const std::string kind = model == "nbow" ? "text_trec" : "text_multi30k";
    test::write_samples(kind, data.path());
    const auto recipe_of_texts = [&](const std::string& framework, int ranks) {
      auto spec = ten_steps(framework, ranks);
      spec.model = model;
      spec.dataset = {kind, data.path(), 60, 30};
      spec.loader = "text";
      spec.model_options = {.embedding = 6, .hidden = 5};
      return spec;
    };
    const auto alone = run(recipe_of_texts("synchronous", 1));
    CHECK(all<contract::EvalRecord>(alone.records).back().samples == 30);
    for (const std::string& framework : frameworks()) {
      // The model seq2seq is a single block, which cannot be cut.
      const int ranks = model == "seq2seq" && test::cuts_models(framework) ? 1 : 2;
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

TEST_CASE("cutting a model of one block is an error") {
  test::TempDir data;
  test::write_samples("text_multi30k", data.path());
  auto spec = ten_steps("layerwise", 2);
  spec.model = "seq2seq";
  spec.dataset = {"text_multi30k", data.path()};
  spec.loader = "text";
  CHECK_THROWS_WITH(run(spec),
                    Catch::Contains("the model seq2seq has only 1 blocks and cannot be divided"));
}
