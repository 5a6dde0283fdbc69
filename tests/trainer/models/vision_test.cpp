// SPDX-License-Identifier: Apache-2.0
// Tests of the common properties of torchvision's models, and of models other than residual
// networks.
#include <cmath>

#include "tests/trainer/models/made_model.hpp"

using namespace dlscale;
using test::make_model;
using test::model_context;
using test::weight;
using trainer::Precision;

namespace {

double deviation(const at::Tensor& weights) {
  return weights.std().item<double>();
}
double largest(const at::Tensor& weights) {
  return weights.abs().max().item<double>();
}

}  // namespace

TEST_CASE("a VGG network is initialised with torchvision's distributions") {
  const auto model = make_model("vgg11", model_context({3, 32, 32}, 10));
  CHECK(deviation(weight(*model, "features.8.weight")) ==
        Approx(std::sqrt(2.0 / (256 * 9))).epsilon(0.01));
  CHECK(deviation(weight(*model, "classifier.0.weight")) == Approx(0.01).epsilon(0.01));
  CHECK(largest(weight(*model, "features.8.bias")) == 0);
  CHECK(largest(weight(*model, "classifier.0.bias")) == 0);
}

TEST_CASE("AlexNet, SqueezeNet and DenseNet are initialised with torchvision's distributions") {
  const auto alexnet = make_model("alexnet", model_context({3, 32, 32}, 10));
  CHECK(largest(weight(*alexnet, "features.8.weight")) ==
        Approx(1 / std::sqrt(384.0 * 9)).epsilon(0.001));
  CHECK(largest(weight(*alexnet, "features.8.bias")) > 0);
  const auto squeezenet = make_model("squeezenet1_0", model_context({3, 32, 32}, 1000));
  CHECK(largest(weight(*squeezenet, "features.12.expand3x3.weight")) ==
        Approx(std::sqrt(6.0 / (64 * 9))).epsilon(0.001));
  CHECK(deviation(weight(*squeezenet, "classifier.1.weight")) == Approx(0.01).epsilon(0.01));
  CHECK(largest(weight(*squeezenet, "features.12.expand3x3.bias")) == 0);
  const auto densenet = make_model("densenet121", model_context({3, 32, 32}, 1000));
  CHECK(deviation(weight(*densenet, "features.transition3.conv.weight")) ==
        Approx(std::sqrt(2.0 / 1024)).epsilon(0.01));
  CHECK(largest(weight(*densenet, "classifier.weight")) ==
        Approx(1 / std::sqrt(1024.0)).epsilon(0.001));
  CHECK(largest(weight(*densenet, "classifier.bias")) == 0);
}

TEST_CASE("networks have a small form for images of at most 64 pixels per side") {
  const auto shape_of = [](const char* model, const char* name, int side) {
    return weight(*make_model(model, model_context({3, 32, side}, 10)), name).sizes().vec();
  };
  using Shape = std::vector<std::int64_t>;
  CHECK(shape_of("alexnet", "features.0.weight", 64) == Shape{64, 3, 3, 3});
  CHECK(shape_of("alexnet", "features.0.weight", 65) == Shape{64, 3, 11, 11});
  CHECK(shape_of("alexnet", "classifier.1.weight", 64) == Shape{4096, 256});
  CHECK(shape_of("squeezenet1_0", "features.0.weight", 64) == Shape{96, 3, 3, 3});
  CHECK(shape_of("squeezenet1_0", "features.0.weight", 65) == Shape{96, 3, 7, 7});
  CHECK(shape_of("densenet121", "features.conv0.weight", 64) == Shape{64, 3, 3, 3});
  CHECK(shape_of("densenet121", "features.conv0.weight", 65) == Shape{64, 3, 7, 7});
  CHECK(shape_of("vgg11", "classifier.0.weight", 64) == Shape{4096, 512});
}

TEST_CASE("a network that is cut between two of its blocks computes the same values") {
  for (const char* name : {"resnet18", "squeezenet1_0", "densenet121"}) {
    INFO(name);
    const auto context = model_context({3, 16, 16}, 5, Precision::fp64);
    const auto whole = make_model(name, context);
    const std::size_t blocks = whole->blocks().size();
    whole->set_training(false);
    const at::NoGradGuard no_gradients;
    const at::Tensor input = torch::randn({2, 3, 16, 16}, torch::kDouble);
    const at::Tensor expected = whole->forward(input);
    for (const std::size_t cut : {std::size_t{1}, std::size_t{4}, blocks / 2, blocks - 1}) {
      const auto front = make_model(name, context), back = make_model(name, context);
      front->keep_blocks(0, cut);
      back->keep_blocks(cut, blocks);
      CHECK(front->state().size() + back->state().size() == whole->state().size());
      at::Tensor value = input;
      for (std::size_t i = 0; i < blocks; ++i) {
        auto& model = i < cut ? *front : *back;
        model.set_training(false);
        value = model.forward_block(i, value);
      }
      CHECK(torch::equal(value, expected));
    }
  }
}

TEST_CASE("zero_init_gamma initialises the last batch norm of each residual block with 0") {
  auto context = model_context({3, 16, 16}, 5);
  context.zero_init_gamma = true;
  for (const auto& [name, last] :
       {std::pair{"resnet18", ".bn2.weight"}, {"resnet50", ".bn3.weight"}}) {
    const auto model = make_model(name, context);
    int zeros = 0;
    for (const trainer::NamedTensor& part : model->weights()) {
      if (!part.name.ends_with(last)) continue;
      CHECK(largest(part.tensor.detach()) == 0);
      ++zeros;
    }
    CHECK(zeros == (std::string(name) == "resnet18" ? 8 : 16));
    CHECK(weight(*model, "layer2.0.downsample.1.weight").eq(1).all().item<bool>());
  }
}
