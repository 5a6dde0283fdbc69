// SPDX-License-Identifier: Apache-2.0
// Tests of models other than the classifiers of framework_test, in every style.
#include <catch2/catch.hpp>

#include "tests/support/temp_dir.hpp"
#include "tests/trainer/models/made_model.hpp"
#include "tests/trainer/models/script_module.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"
#include "trainer/checkpoint/safetensors.hpp"

using namespace dlscale;
using test::all;
using test::largest_difference;
using test::run;
using test::style_spec;

namespace {

/// Returns the run with this model and images of 8 x 8 pixels.
contract::RunSpec with_model(contract::RunSpec spec, const std::string& model) {
  spec.model = model;
  spec.dataset.shape = "1x8x8";
  return spec;
}

std::vector<contract::RunSpec> styles_of(const std::string& model) {
  auto specs = test::style_specs(2);
  for (auto& spec : specs) spec = with_model(spec, model);
  return specs;
}

void check_trains_alike(const contract::RunSpec& spec, const test::ThreadLaunch& alone) {
  INFO(spec.framework << " with " << spec.gpus << " ranks");
  const auto found = run(spec);
  CHECK(largest_difference(found.parameters, alone.parameters) < 1e-10);
  CHECK(all<contract::EvalRecord>(found.records).back().loss ==
        Approx(all<contract::EvalRecord>(alone.records).back().loss).epsilon(1e-10));
}

}  // namespace

TEST_CASE("an autoencoder on two ranks of every style trains like on one rank") {
  const auto alone = run(with_model(style_spec("synchronous", 1), "conv_autoencoder"));
  for (const auto& spec : styles_of("conv_autoencoder")) check_trains_alike(spec, alone);
}

TEST_CASE("a TorchScript module trains alike in every style that copies models") {
  test::TempDir folder;
  const std::string file = folder.path() / "net.pt";
  test::save_script(file, 8 * 8, 5);
  const auto alone = run(with_model(style_spec("synchronous", 1), "script:" + file));
  for (const auto& spec : styles_of("script:" + file)) {
    if (!test::cuts_models(spec.framework)) check_trains_alike(spec, alone);
  }
}

TEST_CASE("a resumed run with a TorchScript module ends with the same parameters") {
  test::TempDir folder;
  const std::string file = folder.path() / "net.pt";
  test::save_script(file, 8 * 8, 5);
  for (const auto& spec : styles_of("script:" + file)) {
    if (test::cuts_models(spec.framework)) continue;
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
  }
}

// The run has one rank, because the ranks of a test are threads and TorchScript has one random
// generator for all threads.
TEST_CASE("random numbers and buffers of a TorchScript module continue in a resumed run") {
  test::TempDir folder;
  const std::string file = folder.path() / "net.pt";
  test::save_script(file, 8 * 8, 5, R"(
def forward(self, x):
    h = torch.dropout(torch.matmul(torch.flatten(x, 1), self.hidden), 0.5, self.training)
    if self.training:
        self.shift.mul_(0.9)
    return torch.matmul(h, self.scores) + self.shift
)");
  const auto spec = with_model(style_spec("ddp", 1), "script:" + file);
  CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
}

TEST_CASE("a resumed run with dropout ends with the same parameters") {
  for (auto spec : styles_of("squeezenet1_0")) {
    spec.global_batch = 4;  // 3 steps per epoch
    spec.batch_per_gpu = 2;
    spec.dataset.train_samples = 12;
    spec.dataset.test_samples = 4;
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
  }
}

TEST_CASE("a classifier on a frozen backbone trains on two ranks like on one") {
  const auto with_backbone = [](contract::RunSpec spec) {
    spec.model = "frozen_backbone";
    spec.model_options = {.backbone = "squeezenet1_0", .classifier_hidden = 8};
    spec.precision = "fp32";  // images of any size become 224 x 224 pixels
    spec.global_batch = 2;
    spec.batch_per_gpu = 2 / spec.gpus;
    spec.dataset.train_samples = 4;
    spec.dataset.test_samples = 2;
    return spec;
  };
  const auto alone = run(with_backbone(style_spec("synchronous", 1)));
  auto untrained = with_backbone(style_spec("synchronous", 1));
  untrained.lr = {.base = 0, .peak = 0};
  CHECK(largest_difference(run(untrained).parameters, alone.parameters) > 1e-3);
  for (const auto& style : test::style_specs(2)) {
    INFO(test::title_of(style));
    const auto found = run(with_backbone(style));
    CHECK(largest_difference(found.parameters, alone.parameters) < 1e-5);
  }
}

TEST_CASE("training starts from the weights file that rank 0 reads, in every style") {
  test::TempDir folder;
  const std::string file = folder.path() / "weights.safetensors";
  const auto model = test::make_model("cnn", test::model_context({1, 8, 8}, 5));
  trainer::write_safetensors(file, model->weights());
  std::string expected;
  for (const trainer::NamedTensor& part : model->weights()) {
    const at::Tensor values = part.tensor.detach().to(at::kDouble);
    expected.append(static_cast<const char*>(values.data_ptr()), values.nbytes());
  }
  for (auto spec : styles_of("cnn")) {
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    spec.lr = {.base = 0, .peak = 0};
    spec.weights = file;
    CHECK(run(spec).parameters == expected);
  }
}
