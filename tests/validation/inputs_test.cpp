// SPDX-License-Identifier: Apache-2.0
#include "validation/compatibility.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using contract::RunSpec;
using validation::ImageExtents;

namespace {

contract::Capabilities trainer_of_inputs() {
  return {.version = "1",
          .traits = {{"model",
                      {{"mlp", {.samples = "images"}},
                       {"cnn", {.samples = "images", .smallest_side = 6}},
                       {"conv_autoencoder", {.samples = "images", .side_multiple = 4}},
                       {"frozen_backbone", {.samples = "images", .channels = {1, 3}}},
                       {"nbow", {.samples = "text"}}}},
                     {"dataset",
                      {{"synthetic",
                        {.samples = "images",
                         .is_generated = true,
                         .shape = "3x224x224",
                         .train_samples = 1024}},
                       {"image_folder", {.samples = "images", .any_size = true}},
                       {"text_sst", {.samples = "text"}}}}}};
}

RunSpec run_with(const std::string& model, const std::string& shape) {
  RunSpec run;
  run.model = model;
  run.dataset = {.kind = "synthetic", .shape = shape};
  return run;
}

std::string said_of_input(const RunSpec& run) {
  const auto conflict = validation::find_input_conflict(trainer_of_inputs(), run);
  return conflict ? conflict->key + ": " + conflict->reason : "no error";
}

}  // namespace

TEST_CASE("a shape is three whole numbers from 1 to 65,536") {
  CHECK(validation::image_extents("3x224x112") == ImageExtents{3, 224, 112});
  CHECK(validation::image_extents("1x65536x1") == ImageExtents{1, 65536, 1});
  for (const char* text : {"", "3", "3x224", "3x224x", "3x224x224x1", "0x28x28", "3x-1x28",
                           "1x65537x1", "x3x28x28", "3 x 28 x 28", "3x28x28 ", "3x99999999999x1"}) {
    INFO(text);
    CHECK_FALSE(validation::image_extents(text));
  }
}

TEST_CASE("an invalid shape or number of classes of the generated data set is rejected") {
  CHECK(said_of_input(run_with("mlp", "3x0x2")) ==
        "dataset.shape: \"3x0x2\" is not a shape; write channels x height x width, each from 1 to "
        "65536, for example \"3x224x224\"");
  RunSpec run = run_with("mlp", "");
  run.dataset.classes = 65536;
  CHECK(said_of_input(run) == "no error");
  run.dataset.classes = 65537;
  CHECK(said_of_input(run) == "dataset.classes: must be between 1 and 65536 (got 65537)");
}

TEST_CASE("images with an unsupported size or number of channels are rejected") {
  CHECK(said_of_input(run_with("cnn", "1x6x6")) == "no error");
  CHECK(said_of_input(run_with("cnn", "1x6x5")) ==
        "model: cnn needs images of at least 6x6 pixels, but the images of the data set synthetic "
        "have 6x5");
  CHECK(said_of_input(run_with("conv_autoencoder", "")) == "no error");
  CHECK(said_of_input(run_with("conv_autoencoder", "3x32x30")) ==
        "model: conv_autoencoder needs images with sides divisible by 4, but the images of the "
        "data set synthetic have 32x30 pixels");
  CHECK(said_of_input(run_with("frozen_backbone", "1x28x28")) == "no error");
  CHECK(said_of_input(run_with("frozen_backbone", "2x28x28")) ==
        "model: frozen_backbone needs images with 1 or 3 channels, but the images of the data set "
        "synthetic have 2");
}

TEST_CASE("the image size is checked only if dataset.image_size is set") {
  RunSpec run = run_with("conv_autoencoder", "");
  run.dataset = {.kind = "image_folder", .image_size = 30};
  CHECK_THAT(said_of_input(run), Catch::Contains("have 30x30 pixels"));
  run.dataset.image_size = 0;
  CHECK(said_of_input(run) == "no error");
}

TEST_CASE("a random crop must be smaller than the image") {
  RunSpec run = run_with("mlp", "1x28x20");
  run.dataset.random_crop = 19;
  CHECK(said_of_input(run) == "no error");
  run.dataset.random_crop = 20;
  CHECK_THAT(said_of_input(run), Catch::StartsWith("dataset.random_crop: is 20, but the images"));
}

TEST_CASE("dropping the last batch must leave at least one batch per epoch") {
  RunSpec run = run_with("mlp", "");
  run.last_batch = "drop";
  run.global_batch = 1024;
  CHECK(said_of_input(run) == "no error");
  run.global_batch = 1025;
  CHECK(said_of_input(run) ==
        "last_batch: is drop, which leaves no training step: 1024 training samples are fewer than "
        "a global batch of 1025; use pad, a smaller batch or more samples");
  run.dataset.train_samples = 1025;
  CHECK(said_of_input(run) == "no error");
  run.dataset = {.kind = "text_sst", .train_samples = 100, .folds = 5, .fold = 1};
  run.model = "nbow";
  CHECK(said_of_input(run) == "no error");  // fold sizes are unknown until the files are read
  run.dataset.folds = run.dataset.fold = 0;
  CHECK_THAT(said_of_input(run), Catch::StartsWith("last_batch: is drop"));
}

TEST_CASE("runs of a trainer that does not describe its models are accepted") {
  RunSpec run = run_with("cnn", "1x5x5");
  CHECK_FALSE(validation::find_input_conflict({.version = "1"}, run));
}
