// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/error.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/models/made_model.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/models/weights.hpp"

using namespace dlscale;
using test::make_model;
using test::model_context;
using test::weight;

namespace {

trainer::ModelContext on_digits(const std::string& backbone, int hidden, double dropout = 0) {
  auto context = model_context({1, 28, 28}, 10);
  context.options = {.backbone = backbone, .classifier_hidden = hidden, .dropout = dropout};
  return context;
}

}  // namespace

TEST_CASE("classifiers on frozen backbones have the published parameter counts") {
  // The source is Banerjee and Shah, Benchmarking Distributed Training and Inference on NVIDIA's
  // A6000 GPUs, Princeton 2023, section 4. For SqueezeNet and ResNet18, the paper counts one linear
  // layer.
  struct Published {
    const char* backbone;
    int hidden;
    std::int64_t parameters;
  };
  for (const auto& [backbone, hidden, parameters] :
       {Published{"squeezenet1_0", 0, 5'130}, Published{"resnet18", 0, 5'130},
        Published{"alexnet", 4096, 54'575'114}, Published{"densenet121", 4096, 21'020'682},
        Published{"vgg16", 4096, 119'586'826}, Published{"vgg16", 2048, 55'599'114},
        Published{"vgg16", 1024, 26'750'986}}) {
    INFO(backbone << " and " << hidden);
    const auto model = make_model("frozen_backbone", on_digits(backbone, hidden));
    CHECK(trainer::parameter_count(*model) == parameters);
    CHECK(trainer::total_parameter_count(*model) > parameters);
  }
}

TEST_CASE("a grey image is enlarged to three equal channels of 224 x 224 pixels") {
  const auto grey = make_model("frozen_backbone", on_digits("squeezenet1_0", 8));
  auto context = on_digits("squeezenet1_0", 8);
  context.input = {3, 224, 224};
  const auto large = make_model("frozen_backbone", context);
  const at::Tensor images = torch::rand({2, 1, 28, 28});
  const at::NoGradGuard no_gradients;
  const at::Tensor scores = grey->forward(images);
  CHECK(scores.sizes() == at::IntArrayRef{2, 10});
  const at::Tensor enlarged = at::upsample_bilinear2d(images, {224, 224}, false);
  CHECK(torch::equal(large->forward(at::cat({enlarged, enlarged, enlarged}, 1)), scores));
  CHECK(weight(*grey, "backbone.features.0.weight").size(2) == 7);
}

TEST_CASE("training changes only the classifier, not the backbone's statistics") {
  const auto model = make_model("frozen_backbone", on_digits("resnet18", 0));
  CHECK(model->parameter_names() ==
        std::vector<std::string>{"classifier.0.weight", "classifier.0.bias"});
  const at::Tensor before = weight(*model, "backbone.bn1.running_mean").clone();
  model->set_training(true);
  model->forward(torch::rand({2, 1, 28, 28})).sum().backward();
  CHECK(torch::equal(weight(*model, "backbone.bn1.running_mean"), before));
  CHECK(weight(*model, "backbone.bn1.num_batches_tracked").item<std::int64_t>() == 0);
  CHECK(model->parameters()[0].grad().defined());
  CHECK(model->blocks().front().parameters.empty());
}

TEST_CASE("the classifier applies dropout only in training") {
  const auto model = make_model("frozen_backbone", on_digits("squeezenet1_0", 64, 0.5));
  const at::Tensor image = torch::rand({1, 1, 28, 28});
  const at::NoGradGuard no_gradients;
  CHECK(!torch::equal(model->forward(image), model->forward(image)));
  model->set_training(false);
  CHECK(torch::equal(model->forward(image), model->forward(image)));
  CHECK(model->state().back().name == "random.classifier.5.passes");
}

TEST_CASE("a backbone's file fills only the backbone, and the model's own file fills everything") {
  test::TempDir folder;
  const std::string file = folder.path() / "weights.safetensors";
  auto context = model_context({3, 224, 224}, 1000);
  context.seed = 9;
  const auto trained = make_model("squeezenet1_0", context);
  trainer::write_safetensors(file, trained->weights());
  const auto model = make_model("frozen_backbone", on_digits("squeezenet1_0", 16));
  const at::Tensor classifier = weight(*model, "classifier.3.weight").clone();
  trainer::load_weights(*model, file);
  CHECK(torch::equal(weight(*model, "backbone.features.3.squeeze.weight"),
                     weight(*trained, "features.3.squeeze.weight")));
  CHECK(torch::equal(weight(*model, "classifier.3.weight"), classifier));
  trainer::write_safetensors(file, model->weights());
  auto other = on_digits("squeezenet1_0", 16);
  other.seed = 4;
  const auto again = make_model("frozen_backbone", other);
  trainer::load_weights(*again, file);
  CHECK(torch::equal(weight(*again, "classifier.3.weight"), classifier));
}

TEST_CASE("an unknown backbone is an error that lists the choices") {
  CHECK_THROWS_WITH(make_model("frozen_backbone", on_digits("", 8)),
                    Catch::StartsWith("model_options.backbone: frozen_backbone needs one of: "));
  CHECK_THROWS_WITH(make_model("frozen_backbone", on_digits("vgg61", 8)),
                    Catch::Contains("unknown backbone \"vgg61\"; did you mean \"vgg"));
  CHECK_THROWS_WITH(make_model("frozen_backbone", on_digits("mlp", 8)),
                    Catch::Contains("unknown backbone \"mlp\""));
  auto context = on_digits("resnet18", 8);
  context.input.channels = 4;
  CHECK_THROWS_WITH(make_model("frozen_backbone", context),
                    "model frozen_backbone needs images of 1 or 3 channels, but these have 4");
}
