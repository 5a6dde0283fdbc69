// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/weights.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/checkpoint/torch_file_writer.hpp"
#include "tests/trainer/models/made_model.hpp"
#include "trainer/checkpoint/safetensors.hpp"

using namespace dlscale;
using test::make_model;
using test::model_context;
using test::weight;
using trainer::NamedTensor;

namespace {

/// A file of weights, initially from a residual network with ten classes.
struct WeightsFile {
  test::TempDir folder;
  std::string path = folder.path() / "weights.safetensors";
  std::vector<NamedTensor> tensors;
  WeightsFile() {
    for (const auto& [name, tensor] : made(9)->weights()) {
      tensors.push_back({name, tensor.detach().clone()});
    }
  }
  static std::unique_ptr<trainer::Model> made(std::uint64_t seed) {
    auto context = model_context({3, 16, 16}, 10);
    context.seed = seed;
    return make_model("resnet18", context);
  }
  void write() const { trainer::write_safetensors(path, tensors); }
  NamedTensor& at(const std::string& name) {
    return *std::ranges::find(tensors, name, &NamedTensor::name);
  }
  /// Returns the error of loading the file, without the key and the file name.
  std::string refused() const {
    write();
    const auto model = made(3);
    const at::Tensor before = weight(*model, "conv1.weight").clone();
    try {
      trainer::load_weights(*model, path);
    } catch (const base::RunError& error) {
      CHECK(error.exit_code() == contract::kExitBadRunDescription);
      CHECK(torch::equal(weight(*model, "conv1.weight"), before));
      return std::string(error.what()).substr(("weights: " + path + ": ").size());
    }
    return "";
  }
};

}  // namespace

TEST_CASE("a weights file fills parameters and buffers of every precision") {
  WeightsFile file;
  file.at("bn1.num_batches_tracked").tensor.fill_(12);
  for (const auto type : {at::kFloat, at::kDouble, at::kHalf}) {
    NamedTensor& converted = file.at("layer1.0.conv1.weight");
    converted.tensor = converted.tensor.to(type);
    file.write();
    const auto model = WeightsFile::made(3);
    trainer::load_weights(*model, file.path);
    for (const auto& [name, tensor] : file.tensors) {
      INFO(name);
      CHECK(torch::equal(weight(*model, name), tensor.to(weight(*model, name).scalar_type())));
    }
  }
}

TEST_CASE("a weights file without batch counts, as from an older PyTorch, is accepted") {
  WeightsFile file;
  std::erase_if(file.tensors,
                [](const NamedTensor& part) { return part.name.ends_with("num_batches_tracked"); });
  CHECK(file.refused().empty());
}

TEST_CASE("files of torch.save() load the same weights as a safetensors file") {
  WeightsFile file;
  file.at("bn1.num_batches_tracked").tensor.fill_(12);
  file.write();
  const auto expected = WeightsFile::made(3);
  trainer::load_weights(*expected, file.path);
  for (const auto format : {test::TorchFormat::zip, test::TorchFormat::older}) {
    const std::string path = file.folder.path() / "weights.pth";
    base::write_file_atomically(path, test::TorchFileParts(file.tensors, format).file());
    const auto model = WeightsFile::made(4);
    trainer::load_weights(*model, path);
    for (const auto& [name, tensor] : expected->weights()) {
      INFO(name);
      CHECK(torch::equal(weight(*model, name), tensor));
    }
  }
}

TEST_CASE("the names of DenseNet's layers in torchvision's file are accepted") {
  auto context = model_context({3, 16, 16}, 10);
  const auto source = make_model("densenet121", context);
  std::vector<NamedTensor> old;
  for (const auto& [name, tensor] : source->weights()) {
    if (name.ends_with("num_batches_tracked")) continue;
    std::string renamed = name;
    const std::size_t layer = name.find("denselayer");
    for (const std::string kind : {"norm", "conv"}) {
      const std::size_t place = name.find("." + kind, std::min(layer, name.size()));
      if (layer != name.npos && place != name.npos) renamed.insert(place + 1 + kind.size(), ".");
    }
    old.push_back({renamed, tensor.detach()});
  }
  CHECK(std::ranges::find(old, "features.denseblock2.denselayer3.norm.1.weight",
                          &NamedTensor::name) != old.end());
  const test::TempDir folder;
  const std::string path = folder.path() / "densenet121-a639ec97.pth";
  base::write_file_atomically(path, test::TorchFileParts(old, test::TorchFormat::older).file());
  context.seed = 8;
  const auto model = make_model("densenet121", context);
  trainer::load_weights(*model, path);
  for (const auto& [name, tensor] : source->weights()) {
    INFO(name);
    CHECK(torch::equal(weight(*model, name), tensor));
  }
}

TEST_CASE("a damaged tensor leaves the model unchanged") {
  WeightsFile file;
  std::string bytes = test::TorchFileParts(file.tensors).file();
  const at::Tensor last = file.at("fc.weight").tensor;
  const std::string values(static_cast<const char*>(last.data_ptr()), last.nbytes());
  bytes[bytes.find(values)] ^= 1;
  const std::string path = file.folder.path() / "weights.pth";
  base::write_file_atomically(path, bytes);
  const auto model = WeightsFile::made(3);
  const at::Tensor before = weight(*model, "conv1.weight").clone();
  CHECK_THROWS_WITH(trainer::load_weights(*model, path),
                    Catch::StartsWith("weights: " + path + ": is damaged: the checksum of data/"));
  CHECK(torch::equal(weight(*model, "conv1.weight"), before));
}

TEST_CASE("wrong names, shapes and types are rejected, and nothing is loaded") {
  WeightsFile missing;
  std::erase_if(missing.tensors, [](const NamedTensor& part) { return part.name == "bn1.bias"; });
  CHECK(missing.refused() == "has no tensor \"bn1.bias\"");
  WeightsFile extra;
  extra.tensors.push_back({"layer5.0.conv1.weight", torch::ones(3)});
  CHECK(extra.refused() == "the model has no tensor \"layer5.0.conv1.weight\"");
  WeightsFile misspelt;
  misspelt.at("layer2.1.bn2.bias").name = "layer2.1.bn2.bais";
  CHECK(misspelt.refused() ==
        "the model has no tensor \"layer2.1.bn2.bais\"; the most similar name is "
        "\"layer2.1.bn2.bias\"");
  WeightsFile shape;
  shape.at("conv1.weight").tensor = torch::ones({64, 3, 7, 7});
  CHECK(shape.refused() ==
        "\"conv1.weight\" has shape [64, 3, 7, 7], but the model needs [64, 3, 3, 3]");
  WeightsFile type;
  type.at("conv1.weight").tensor = torch::ones({64, 3, 3, 3}, torch::kLong);
  CHECK(type.refused() == "\"conv1.weight\" has type I64, but the model needs Float");
}

TEST_CASE("a classifier for another number of classes is rejected with the remedy") {
  WeightsFile file;
  file.at("fc.weight").tensor = torch::ones({1000, 512});
  file.at("fc.bias").tensor = torch::ones({1000});
  CHECK(
      file.refused() ==
      "\"fc.weight\" has shape [1000, 512], but the model needs [10, 512]; the file is for another "
      "number of classes than the data set has; the model frozen_backbone can use the file "
      "without its classifier");
}

TEST_CASE("the remedy for backbones is omitted for other models") {
  const auto context = model_context({1, 6, 6}, 10);
  test::TempDir folder;
  const std::string path = folder.path() / "w";
  const auto model = make_model("mlp", context);
  std::vector<NamedTensor> tensors;
  for (const auto& [name, tensor] : model->weights()) tensors.push_back({name, tensor.detach()});
  std::vector<std::int64_t> shape = tensors[tensors.size() - 2].tensor.sizes().vec();
  shape[0] = 1000;
  tensors[tensors.size() - 2].tensor = torch::ones(shape);
  tensors.back().tensor = torch::ones({1000});
  trainer::write_safetensors(path, tensors);
  CHECK_THROWS_WITH(trainer::load_weights(*model, path),
                    Catch::EndsWith("; the file is for another number of classes than the data "
                                    "set has"));
}

TEST_CASE("every error in a weights file is reported with the key and the exit code") {
  const test::TempDir folder;
  const std::string path = folder.path() / "w";
  const auto model = make_model("mlp", model_context({1, 6, 6}, 10));
  const auto refused = [&] {
    try {
      trainer::load_weights(*model, path);
    } catch (const base::RunError& error) {
      CHECK(error.exit_code() == contract::kExitBadRunDescription);
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused() == "weights: " + path + ": cannot be read: No such file or directory");
  base::write_file_atomically(path, std::string("\2\0\0\0\0\0\0\0[]", 10));
  CHECK(refused() ==
        "weights: " + path + ": is not a safetensors file: its header is not a JSON object");
  const std::string bad = R"({"a":{"dtype":"F32","shape":[2]}})";
  base::write_file_atomically(path, std::string("\x21\0\0\0\0\0\0\0", 8) + bad);
  CHECK(refused() == "weights: " + path + ": a.data_offsets: missing");
}

TEST_CASE("the weights in a training state exclude the optimizer and the random numbers") {
  const at::Tensor one = torch::ones(1);
  const auto weights = trainer::weights_in(
      {{"model.fc.weight", one}, {"model.random.passes", one}, {"optimizer.momentum", one}});
  REQUIRE(weights.size() == 1);
  CHECK(weights[0].name == "fc.weight");
}
