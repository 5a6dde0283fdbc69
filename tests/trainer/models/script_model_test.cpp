// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/script_model.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/models/made_model.hpp"
#include "tests/trainer/models/script_module.hpp"

using namespace dlscale;
using test::model_context;
using trainer::Precision;

namespace {

struct Script {
  test::TempDir folder;
  std::string path = folder.path() / "model.pt";

  std::unique_ptr<trainer::Model> made(Precision precision = Precision::fp32,
                                       int worker = 0) const {
    auto context = model_context({1, 6, 6}, 5, precision);
    context.worker = worker;
    return trainer::make_script_model(path, context);
  }
  void save(const std::string& forward) const { test::save_script(path, 36, 5, forward); }
  /// Returns the error of loading the module, or of training on a batch with `samples` samples.
  std::string refused(int samples = 0) const {
    try {
      const auto model = made();
      if (samples > 0) model->forward(torch::ones({samples, 1, 6, 6}));
    } catch (const base::RunError& error) {
      CHECK(error.exit_code() == contract::kExitBadRunDescription);
      return error.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE("a TorchScript module is a model of one block with its own parameters") {
  Script script;
  test::save_script(script.path, 36, 5);
  const auto model = script.made();
  CHECK(model->parameter_names() == std::vector<std::string>{"hidden", "scores"});
  CHECK(model->blocks().size() == 1);
  CHECK(trainer::parameter_count(*model) == 36 * 32 + 32 * 5);
  CHECK(model->buffers().size() == 1);
  const at::Tensor input = torch::randn({3, 1, 6, 6});
  const auto& parameters = model->parameters();
  const at::Tensor expected =
      input.flatten(1).matmul(parameters[0]).relu().matmul(parameters[1]) + 1;
  const at::Tensor output = model->forward(input);
  CHECK(torch::allclose(output, expected));
  output.sum().backward();
  CHECK(parameters[0].grad().abs().sum().item<float>() > 0);
  trainer::freeze_beginnings(*model, "hidden");
  CHECK(model->parameter_names() == std::vector<std::string>{"scores"});
  CHECK(trainer::total_parameter_count(*model) == 36 * 32 + 32 * 5);
}

TEST_CASE("a TorchScript module computes in double precision if requested") {
  Script script;
  test::save_script(script.path, 36, 5);
  const auto model = script.made(Precision::fp64);
  CHECK(model->forward(torch::randn({3, 1, 6, 6}, torch::kDouble)).scalar_type() == at::kDouble);
  CHECK(model->buffers()[0].scalar_type() == at::kDouble);
}

TEST_CASE("a TorchScript module draws random numbers by worker and pass, only in training") {
  Script script;
  test::save_script(script.path, 36, 5, R"(
def forward(self, x):
    h = torch.matmul(torch.flatten(x, 1), self.hidden)
    return torch.matmul(torch.dropout(h, 0.5, self.training), self.scores)
)");
  const auto one = script.made(), same = script.made(), other = script.made(Precision::fp32, 1);
  const at::Tensor input = torch::randn({3, 1, 6, 6});
  const at::Tensor first = one->forward(input).detach();
  CHECK(torch::equal(same->forward(input), first));
  CHECK(!torch::equal(other->forward(input), first));
  const at::Tensor second = one->forward(input).detach();
  CHECK(!torch::equal(second, first));
  same->state().back().tensor.fill_(1);
  CHECK(torch::equal(same->forward(input), second));
  one->set_training(false);
  CHECK(torch::equal(one->forward(input), one->forward(input)));
}

TEST_CASE("a missing or invalid TorchScript file is rejected") {
  Script script;
  CHECK_THAT(script.refused(), Catch::StartsWith("model: ") && Catch::Contains(script.path) &&
                                   Catch::Contains("No such file or directory"));
  base::write_file_atomically(script.path, "import torch\n");
  CHECK_THAT(script.refused(),
             Catch::StartsWith("model: " + script.path + " is not a TorchScript module"));
  CHECK(script.refused().find('\n') == std::string::npos);
}

TEST_CASE("a TorchScript module with a wrong input or output is rejected") {
  Script script;
  test::save_script(script.path, 64, 5);
  CHECK_THAT(script.refused(),
             Catch::StartsWith("model: " + script.path +
                               " cannot process a batch of shape [2, 1, 6, 6]: "));
  test::save_script(script.path, 36, 7);
  CHECK(
      script.refused() ==
      "model: " + script.path +
          " returns shape [2, 7] for a batch of shape [2, 1, 6, 6]; the scores of 2 samples for 5 "
          "classes must have shape [2, 5]");
  test::save_script(script.path, 36, 5, "def forward(self, x):\n    return 'five'\n");
  CHECK_THAT(script.refused(), Catch::Contains("cannot process a batch of shape [2, 1, 6, 6]: "));
}

TEST_CASE("a TorchScript module that fails only in training is rejected with its reason") {
  const Script script;
  const std::string begin = "model: " + script.path + " ";
  const std::string scores =
      "    s = torch.matmul(torch.relu(torch.matmul(torch.flatten(x, 1), "
      "self.hidden)), self.scores)\n";
  const std::string forward = "def forward(self, x):\n" + scores;
  script.save(forward + "    assert not self.training, 'no way'\n    return s\n");
  CHECK(script.refused() ==
        begin +
            "cannot process a batch of shape [2, 1, 6, 6] in training: RuntimeError: "
            "AssertionError: no way");
  script.save(forward + "    return s[:, :2] if self.training else s\n");
  CHECK(script.refused() ==
        begin +
            "returns shape [2, 2] for a batch of shape [2, 1, 6, 6] in training; the scores of 2 "
            "samples for 5 classes must have shape [2, 5]");
  script.save(forward + "    return s.detach()\n");
  CHECK(script.refused() == begin +
                                "returns scores without a gradient in training, because the scores "
                                "are detached from its parameters");
}

TEST_CASE("a later pass of a TorchScript module that fails is rejected with its reason") {
  const Script script;
  const std::string forward =
      "def forward(self, x):\n    h = torch.matmul(torch.flatten(x, 1), self.hidden)\n";
  script.save(forward + "    return torch.matmul(h, self.scores)[:2]\n");
  CHECK(script.refused(2).empty());
  CHECK_THAT(script.refused(3),
             Catch::Contains("returns shape [2, 5] for a batch of shape [3, 1, 6, 6] in training"));
  script.save(forward +
              "    assert x.sum() < 1, 'not these'\n"
              "    return torch.matmul(h, self.scores)\n");
  CHECK_THAT(script.refused(2),
             Catch::EndsWith("in training: RuntimeError: AssertionError: not these"));
}

TEST_CASE("a lack of memory is not reported as a fault of the TorchScript module") {
  const Script script;
  script.save("def forward(self, x):\n    assert False, 'CUDA out of memory.'\n    return x\n");
  CHECK_THROWS_WITH(script.made(), Catch::Contains("TorchScript interpreter") &&
                                       Catch::Contains("CUDA out of memory."));
}

TEST_CASE("trial passes do not change a TorchScript module") {
  const Script script;
  script.save(
      "def forward(self, x):\n    self.shift.add_(1)\n"
      "    return torch.matmul(torch.matmul(torch.flatten(x, 1), self.hidden), self.scores)\n");
  const auto model = script.made();
  CHECK(torch::equal(model->buffers()[0], torch::ones(5)));
  CHECK(model->state().back().tensor.item<std::int64_t>() == 0);
  model->forward(torch::ones({2, 1, 6, 6}));
  CHECK(torch::equal(model->buffers()[0], torch::full(5, 2.F)));
}
