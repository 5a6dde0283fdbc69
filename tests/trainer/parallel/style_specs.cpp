// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/parallel/style_specs.hpp"

#include "trainer/capabilities.hpp"

namespace dlscale::test {

std::vector<std::string> frameworks() {
  return trainer::capabilities().families.at("framework");
}

bool cuts_models(const std::string& framework) {
  return framework == "layerwise" || framework == "pipeline" || framework == "hybrid";
}

contract::RunSpec style_spec(const std::string& framework, int ranks, int zero_stage) {
  contract::RunSpec spec;
  spec.run_id = "run";
  spec.framework = framework;
  spec.framework_options.zero_stage = zero_stage;
  if (framework == "hybrid" && ranks % 2 == 0) spec.framework_options.model_parallel_size = 2;
  spec.precision = "fp64";
  spec.dataset = {
      .kind = "synthetic_digits", .train_samples = 5 * kStepSamples, .test_samples = 50};
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

}  // namespace dlscale::test
