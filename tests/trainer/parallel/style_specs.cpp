// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/parallel/style_specs.hpp"

#include "contract/run_spec/framework_styles.hpp"
#include "contract/run_spec/process_count.hpp"
#include "trainer/about/capabilities.hpp"

namespace dlscale::test {

std::vector<std::string> frameworks() {
  return trainer::capabilities().families.at("framework");
}

bool cuts_models(const std::string& framework) {
  return contract::framework_style(framework).stages != contract::Stages::one;
}

contract::RunSpec style_spec(const std::string& framework, int ranks, int zero_stage) {
  contract::RunSpec spec;
  spec.run_id = "run";
  spec.framework = framework;
  spec.framework_options.zero_stage = zero_stage;
  if (framework == "deepspeed" && zero_stage == 3) {
    // Stage 3 keeps the first and the last block of the CNN and prefetches one block at a time.
    spec.framework_options.persistence_threshold_elements = 1000;
    spec.framework_options.prefetch_elements = 20'000;
  }
  const contract::Stages stages = contract::framework_style(framework).stages;
  if (stages == contract::Stages::model_parallel_size && ranks % 2 == 0) {
    spec.framework_options.model_parallel_size = 2;
  }
  spec.model = "cnn";
  spec.precision = "fp64";
  spec.dataset = {.kind = "synthetic",
                  .train_samples = 5 * kStepSamples,
                  .test_samples = 50,
                  .shape = "1x6x6",
                  .classes = 5};
  spec.gpus = ranks;
  spec.batch_per_gpu = kStepSamples / ranks;
  spec.global_batch = kStepSamples;
  spec.lr = {.base = 0.1, .peak = 0.1};
  spec.optimizer = {.momentum = 0.9};
  spec.window_steps = 2;
  return spec;
}

std::vector<contract::RunSpec> style_specs(int ranks) {
  std::vector<contract::RunSpec> specs;
  for (const std::string& framework : frameworks()) specs.push_back(style_spec(framework, ranks));
  for (const int stage : {0, 1, 3}) specs.push_back(style_spec("deepspeed", ranks, stage));
  return specs;
}

contract::RunSpec ten_steps(const std::string& framework, int ranks, int zero_stage) {
  auto spec = style_spec(framework, ranks, zero_stage);
  spec.dataset.train_samples = 10 * kStepSamples;
  spec.window_steps = 4;
  return spec;
}

std::vector<contract::RunSpec> all_styles(int ranks) {
  std::vector<contract::RunSpec> specs;
  for (const auto& style : style_specs(ranks)) {
    specs.push_back(ten_steps(style.framework, ranks, style.framework_options.zero_stage));
  }
  specs.push_back(ten_steps("ddp", ranks));
  specs.back().framework_options.compression = "powersgd";
  specs.back().framework_options.powersgd_start_step = 2;
  specs.push_back(ten_steps("deepspeed", ranks));
  specs.back().framework_options.offload_optimizer = true;
  return specs;
}

std::vector<contract::RunSpec> exact_styles(int ranks) {
  std::vector<contract::RunSpec> specs = all_styles(ranks);
  std::erase_if(specs,
                [](const auto& spec) { return spec.framework_options.compression != "none"; });
  return specs;
}

std::vector<contract::RunSpec> styles_of_processes(int processes) {
  auto specs = exact_styles(processes);
  std::erase_if(specs,
                [&](const auto& spec) { return contract::process_count(spec) != processes; });
  for (const char* framework : {"pipeline", "hybrid"}) {
    for (const char* schedule : {"1f1b", "gpipe"}) {
      specs.push_back(ten_steps(framework, processes));
      specs.back().framework_options.micro_batches = 4;
      specs.back().framework_options.pipeline_schedule = schedule;
    }
  }
  return specs;
}

std::string title_of(const contract::RunSpec& spec) {
  const contract::FrameworkOptions& options = spec.framework_options;
  std::string title = spec.framework + " on " + std::to_string(spec.gpus);
  if (spec.framework == "deepspeed") title += ", stage " + std::to_string(options.zero_stage);
  if (options.offload_optimizer) title += ", offloaded";
  if (options.compression != "none") title += ", " + options.compression;
  if (options.micro_batches > 1) {
    title += ", " + options.pipeline_schedule + " of " + std::to_string(options.micro_batches);
  }
  return title;
}

}  // namespace dlscale::test
