// SPDX-License-Identifier: Apache-2.0
// Models beside the classifiers of framework_test in every style.
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

contract::RunSpec with_model(contract::RunSpec spec, const std::string& model) {
  spec.model = model;
  return spec;
}

std::vector<contract::RunSpec> styles_of(const std::string& model) {
  auto specs = test::style_specs(2);
  for (auto& spec : specs) spec.model = model;
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

TEST_CASE("an autoencoder learns on two ranks of every style what it learns on one") {
  const auto alone = run(with_model(style_spec("synchronous", 1), "conv_autoencoder"));
  for (const auto& spec : styles_of("conv_autoencoder")) check_trains_alike(spec, alone);
}

TEST_CASE("a TorchScript module learns alike in every style that copies models") {
  test::TempDir folder;
  const std::string file = folder.path() / "net.pt";
  test::save_script(file, 28 * 28, 10);
  const auto alone = run(with_model(style_spec("synchronous", 1), "script:" + file));
  for (const auto& spec : styles_of("script:" + file)) {
    if (!test::cuts_models(spec.framework)) check_trains_alike(spec, alone);
  }
}

TEST_CASE("a TorchScript module that is stopped and goes on ends where it would have ended") {
  test::TempDir folder;
  const std::string file = folder.path() / "net.pt";
  test::save_script(file, 28 * 28, 10);
  for (const auto& spec : styles_of("script:" + file)) {
    if (test::cuts_models(spec.framework)) continue;
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
  }
}

// Of one rank: those of a test are threads, for which TorchScript has one generator.
TEST_CASE("what a TorchScript module draws and counts goes on where it was stopped") {
  test::TempDir folder;
  const std::string file = folder.path() / "net.pt";
  test::save_script(file, 28 * 28, 10, R"(
def forward(self, x):
    h = torch.dropout(torch.matmul(torch.flatten(x, 1), self.hidden), 0.5, self.training)
    if self.training:
        self.shift.mul_(0.9)
    return torch.matmul(h, self.scores) + self.shift
)");
  const auto spec = with_model(style_spec("ddp", 1), "script:" + file);
  CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
}

TEST_CASE("a run that drops out, stopped and gone on with, ends where it would have ended") {
  for (auto spec : styles_of("squeezenet1_0")) {
    spec.dataset = {"synthetic", "", 120, 50, "1x8x8", 5};
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    CHECK(test::run_with_stop(spec).parameters == run(spec).parameters);
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
  for (auto spec : styles_of("mlp")) {
    INFO(spec.framework << ", stage " << spec.framework_options.zero_stage);
    spec.lr = {.base = 0, .peak = 0};
    spec.weights = file;
    CHECK(run(spec).parameters == expected);
  }
}
