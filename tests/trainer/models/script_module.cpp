// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/models/script_module.hpp"

#include <torch/script.h>

namespace dlscale::test {
namespace {

constexpr const char* kClassifier = R"(
def forward(self, x):
    h = torch.relu(torch.matmul(torch.flatten(x, 1), self.hidden))
    return torch.matmul(h, self.scores) + self.shift
)";

}  // namespace

void save_script(const std::filesystem::path& file, int inputs, int outputs,
                 const std::string& forward) {
  torch::manual_seed(7);
  torch::jit::Module module("Classifier");
  const auto trained = [](const at::Tensor& values) {
    return values.detach().set_requires_grad(true);
  };
  module.register_parameter("hidden", trained(torch::randn({inputs, 32}) * 0.05), false);
  module.register_parameter("scores", trained(torch::randn({32, outputs}) * 0.1), false);
  module.register_attribute("training", c10::BoolType::get(), true);
  module.register_buffer("shift", torch::ones(outputs));
  module.define(forward.empty() ? kClassifier : forward);
  module.save(file.string());
}

}  // namespace dlscale::test
