// SPDX-License-Identifier: Apache-2.0
#include "validation/compatibility.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using contract::Traits;

namespace {

const Traits kClassifier{.samples = "images", .task = "classification", .smooths_labels = true};

const Traits kScript{.samples = "images",
                     .task = "classification",
                     .smooths_labels = true,
                     .has_dropout = true,
                     .is_one_block = true};

/// Returns the capabilities of a trainer with a few models, loaders and data sets.
contract::Capabilities build() {
  return {
      .version = "1",
      .traits = {
          {"model",
           {{"mlp", kClassifier},
            {"script:", kScript},
            {"resnet50", {.samples = "images", .task = "classification", .is_residual = true}},
            {"vgg11", {.samples = "images", .task = "classification", .blocks = 11}},
            {"nbow", {.samples = "text", .task = "classification"}},
            {"seq2seq", {.samples = "text", .task = "translation", .is_one_block = true}},
            {"conv_autoencoder",
             {.samples = "images", .task = "reconstruction", .input_is_target = true}}}},
          {"loader",
           {{"memory", {.samples = "images", .augments = true, .is_in_memory = true}},
            {"text", {.samples = "text", .is_in_memory = true}},
            {"native", {.samples = "images", .augments = true, .any_size = true}},
            {"synthetic", {.samples = "any", .any_size = true, .is_in_memory = true}}}},
          {"dataset",
           {{"mnist", {.samples = "images", .task = "classification"}},
            {"cifar10", {.samples = "images", .task = "classification"}},
            {"image_folder", {.samples = "images", .task = "classification", .any_size = true}},
            {"synthetic", {.samples = "images", .task = "classification", .is_generated = true}},
            {"synthetic_digits",
             {.samples = "images", .task = "classification", .is_generated = true}},
            {"text_sst", {.samples = "text", .task = "classification"}},
            {"text_multi30k", {.samples = "text", .task = "translation"}}}}}};
}

contract::RunSpec run_of(const std::string& model, const std::string& data,
                         const std::string& loader) {
  contract::RunSpec spec;
  spec.model = model;
  spec.dataset.kind = data;
  spec.loader = loader;
  return spec;
}

std::string error_of(const contract::RunSpec& spec) {
  const auto conflict = validation::find_conflict(build(), spec);
  return conflict ? conflict->key + ": " + conflict->reason : "no error";
}

}  // namespace

TEST_CASE("models with matching data and loaders are accepted") {
  CHECK(error_of(run_of("mlp", "mnist", "memory")) == "no error");
  CHECK(error_of(run_of("script:net.pt", "cifar10", "synthetic")) == "no error");
  CHECK(error_of(run_of("conv_autoencoder", "mnist", "memory")) == "no error");
  CHECK(error_of(run_of("nbow", "text_sst", "text")) == "no error");
  CHECK(error_of(run_of("seq2seq", "text_multi30k", "text")) == "no error");
}

TEST_CASE("a model that does not match the data is an error that names both") {
  CHECK_THAT(error_of(run_of("mlp", "text_sst", "text")),
             Catch::EndsWith("model: mlp takes images, but the data set text_sst contains text"));
  CHECK_THAT(error_of(run_of("nbow", "mnist", "memory")),
             Catch::EndsWith("model: nbow takes text, but the data set mnist contains images"));
  CHECK_THAT(error_of(run_of("nbow", "text_multi30k", "text")),
             Catch::EndsWith("model: nbow is for classification, but the data set text_multi30k is "
                             "for translation"));
  CHECK_THAT(error_of(run_of("seq2seq", "text_sst", "text")),
             Catch::EndsWith("seq2seq is for translation, but the data set text_sst is for "
                             "classification"));
}

TEST_CASE("a loader that does not match the data is an error that names a suitable loader") {
  CHECK_THAT(error_of(run_of("mlp", "mnist", "text")),
             Catch::EndsWith(
                 "loader: text delivers text, but the data set mnist contains images; use memory"));
  CHECK_THAT(
      error_of(run_of("nbow", "text_sst", "memory")),
      Catch::EndsWith(
          "loader: memory delivers images, but the data set text_sst contains text; use text"));
}

TEST_CASE("random crop and flip are errors for texts and for loaders without augmentation") {
  auto spec = run_of("mlp", "mnist", "memory");
  spec.dataset.random_crop = 2;
  spec.dataset.random_flip = true;
  CHECK(error_of(spec) == "no error");
  spec.loader = "synthetic";
  CHECK_THAT(error_of(spec), Catch::EndsWith("dataset.random_crop: the loader synthetic delivers "
                                             "images unchanged; use loader = \"memory\""));
  spec = run_of("nbow", "text_sst", "text");
  spec.dataset.random_flip = true;
  CHECK_THAT(error_of(spec), Catch::EndsWith("dataset.random_flip: applies to images, but the data "
                                             "set text_sst contains text; omit this key"));
}

TEST_CASE("dataset.image_size is for images of any size and loaders that decode them") {
  auto spec = run_of("mlp", "image_folder", "native");
  CHECK_THAT(error_of(spec), Catch::StartsWith("dataset.image_size: is missing; the loader native "
                                               "scales images of any size to squares"));
  spec.dataset.image_size = 224;
  spec.dataset.random_flip = true;
  CHECK(error_of(spec) == "no error");
  spec.loader = "synthetic";
  CHECK(error_of(spec) == "no error");
  spec.loader = "memory";
  CHECK(error_of(spec) ==
        "dataset.image_size: requires a loader that decodes images; memory does not scale "
        "images and requires images of one size; use the loader native");
  spec.dataset.kind = "cifar10";
  CHECK(error_of(spec) ==
        "dataset.image_size: applies to images of any size, but the images of the data set cifar10 "
        "have a fixed size; omit this key");
  spec = run_of("mlp", "image_folder", "native");
  spec.dataset.image_size = 224;
  spec.dataset.random_crop = 4;
  CHECK_THAT(error_of(spec),
             Catch::StartsWith("dataset.random_crop: applies to images of one size"));
}

TEST_CASE("options of decoding loaders are errors if the samples are in memory") {
  using Change = void (*)(contract::LoaderOptions&);
  const auto [key, change] = GENERATE(table<std::string, Change>({
      {"threads", [](contract::LoaderOptions& o) { o.threads = 2; }},
      {"prefetch", [](contract::LoaderOptions& o) { o.prefetch = 4; }},
      {"on_broken", [](contract::LoaderOptions& o) { o.on_broken = "skip"; }},
      {"hand_over", [](contract::LoaderOptions& o) { o.hand_over = "uint8"; }},
  }));
  for (auto spec : {run_of("mlp", "mnist", "memory"), run_of("nbow", "text_sst", "text"),
                    run_of("mlp", "mnist", "synthetic"), run_of("nbow", "text_sst", "synthetic")}) {
    CHECK(error_of(spec) == "no error");
    change(spec.loader_options);
    CHECK(error_of(spec) ==
          "loader_options." + key +
              ": applies to loaders that decode images in the background, such as native; " +
              spec.loader + " keeps the samples of " + spec.dataset.kind +
              " in memory; omit this key");
  }
  for (const char* loader : {"native", "synthetic"}) {
    auto spec = run_of("mlp", "image_folder", loader);
    spec.dataset.image_size = 224;
    change(spec.loader_options);
    CHECK(error_of(spec) == "no error");
  }
}

TEST_CASE("a sample order or number format that a run cannot use is an error") {
  auto spec = run_of("nbow", "text_sst", "text");
  spec.loader_options.shuffle_window = 100;
  CHECK(error_of(spec) == "no error");
  spec.loader_options = {.sample_order = "pytorch"};
  CHECK(error_of(spec) ==
        "loader_options.sample_order: is pytorch, but the texts of text_sst are sorted by length "
        "and have no other order; omit this key");
  spec = run_of("mlp", "mnist", "memory");
  spec.loader_options.sample_order = "pytorch";
  CHECK(error_of(spec) == "no error");
  spec = run_of("mlp", "image_folder", "native");
  spec.dataset.image_size = 224;
  spec.loader_options.hand_over = "fp32";
  CHECK(error_of(spec) == "no error");
  spec.precision = "fp64";
  CHECK(error_of(spec) ==
        "loader_options.hand_over: is fp32, but with the precision fp64 images are normalised on "
        "the device; omit this key");
}

TEST_CASE("settings without effect are errors") {
  auto spec = run_of("mlp", "mnist", "memory");
  spec.dataset.max_length = 9;
  CHECK_THAT(error_of(spec), Catch::EndsWith("dataset.max_length: applies to texts, but the data "
                                             "set mnist contains images; omit this key"));
  spec = run_of("mlp", "synthetic", "memory");
  spec.dataset.first_classes = 3;
  CHECK_THAT(error_of(spec),
             Catch::Contains("dataset.first_classes: does not apply to the data set synthetic"));
  spec.dataset = {"synthetic_digits"};
  spec.dataset.sha256 = "00";
  CHECK_THAT(error_of(spec),
             Catch::Contains("dataset.sha256: the data set synthetic_digits is generated"));
  spec = run_of("seq2seq", "text_multi30k", "text");
  spec.dataset.first_classes = 3;
  CHECK_THAT(
      error_of(spec),
      Catch::Contains(
          "dataset.first_classes: the data set text_multi30k has no classes; omit this key"));
  spec = run_of("conv_autoencoder", "mnist", "memory");
  spec.label_smoothing = 0.1;
  CHECK_THAT(error_of(spec), Catch::Contains("label_smoothing: does not apply to reconstruction"));
}

TEST_CASE("setting the shape or classes of a data set with fixed ones is an error") {
  auto spec = run_of("mlp", "synthetic", "memory");
  spec.dataset.shape = "3x32x32";
  spec.dataset.classes = 7;
  CHECK(error_of(spec) == "no error");
  spec.dataset.kind = "mnist";
  CHECK(error_of(spec) ==
        "dataset.shape: applies only to the data set synthetic; mnist has a fixed value; omit this "
        "key");
  spec.dataset.shape = "";
  CHECK(error_of(spec) ==
        "dataset.classes: applies only to the data set synthetic; mnist has a fixed value; omit "
        "this key");
}

TEST_CASE("settings for training are errors in inference") {
  using Change = void (*)(contract::RunSpec&);
  const auto [key, change] = GENERATE(table<std::string, Change>({
      {"accumulation_steps", [](contract::RunSpec& s) { s.accumulation_steps = 2; }},
      {"label_smoothing", [](contract::RunSpec& s) { s.label_smoothing = 0.1; }},
      {"clip_norm", [](contract::RunSpec& s) { s.clip_norm = 1; }},
      {"ema_decay", [](contract::RunSpec& s) { s.ema_decay = 0.9; }},
      {"target.accuracy", [](contract::RunSpec& s) { s.target.accuracy = 0.9; }},
      {"target.loss", [](contract::RunSpec& s) { s.target.loss = 0.1; }},
      {"target.train_loss", [](contract::RunSpec& s) { s.target.train_loss = 0.1; }},
      {"plateau_epochs", [](contract::RunSpec& s) { s.plateau_epochs = 3; }},
      {"evaluate_every", [](contract::RunSpec& s) { s.evaluate_every = 2; }},
      {"profile", [](contract::RunSpec& s) { s.profile = true; }},
      {"checkpoint.every_epochs", [](contract::RunSpec& s) { s.checkpoint.every_epochs = 1; }},
      {"checkpoint.every_minutes", [](contract::RunSpec& s) { s.checkpoint.every_minutes = 1; }},
      {"checkpoint.keep", [](contract::RunSpec& s) { s.checkpoint.keep = 2; }},
      {"checkpoint.asynchronous", [](contract::RunSpec& s) { s.checkpoint.asynchronous = true; }},
      {"checkpoint.weights", [](contract::RunSpec& s) { s.checkpoint.weights = true; }},
  }));
  auto spec = run_of("mlp", "mnist", "memory");
  spec.mode = "inference";
  CHECK(error_of(spec) == "no error");
  spec.mode = "";
  change(spec);
  CHECK(error_of(spec) == "no error");
  spec.mode = "inference";
  CHECK(error_of(spec) ==
        key + ": applies only to training, but mode is \"inference\"; omit this key");
}

TEST_CASE("a model of one block cannot be divided into stages") {
  auto spec = run_of("seq2seq", "text_multi30k", "text");
  for (const char* framework : {"layerwise", "pipeline", "hybrid"}) {
    spec.framework = framework;
    spec.gpus = 1;
    spec.framework_options.model_parallel_size = 1;
    CHECK(error_of(spec) == "no error");
    spec.gpus = spec.framework_options.model_parallel_size = 2;
    CHECK(error_of(spec) ==
          "model: seq2seq is a single block and cannot be divided into the 2 stages of " +
              std::string(framework) + "; use a framework that replicates the model");
  }
  spec.framework = "ddp";
  CHECK(error_of(spec) == "no error");
}

TEST_CASE("a model can be divided into at most as many stages as it has blocks") {
  auto spec = run_of("vgg11", "cifar10", "memory");
  for (const char* framework : {"layerwise", "pipeline"}) {
    spec.framework = framework;
    spec.gpus = 11;
    CHECK(error_of(spec) == "no error");
    spec.gpus = 12;
    CHECK(error_of(spec) ==
          "gpus: is 12, but the model vgg11 has only 11 blocks and cannot be divided into that "
          "many stages");
  }
  spec.framework = "hybrid";
  spec.framework_options.model_parallel_size = 12;
  CHECK_THAT(error_of(spec),
             Catch::StartsWith("framework_options.model_parallel_size: is 12, but"));
  spec.framework = "ddp";
  spec.framework_options.model_parallel_size = 1;
  spec.gpus = 64;
  CHECK(error_of(spec) == "no error");
}

TEST_CASE("unsupported targets and zero_init_gamma without residual blocks are errors") {
  auto spec = run_of("conv_autoencoder", "mnist", "memory");
  spec.target.accuracy = 0.9;
  CHECK_THAT(error_of(spec),
             Catch::StartsWith("target.accuracy: conv_autoencoder has no accuracy"));
  spec.target = {};
  spec.plateau_epochs = 1;
  CHECK_THAT(error_of(spec), Catch::StartsWith("plateau_epochs: applies only to classification"));
  spec = run_of("resnet50", "mnist", "memory");
  spec.zero_init_gamma = true;
  CHECK(error_of(spec) == "no error");
  spec.model = "mlp";
  CHECK(error_of(spec) ==
        "zero_init_gamma: requires a model with residual blocks, but dlscale knows no residual "
        "blocks in mlp; omit this key");
}

TEST_CASE("a BLEU target is only for the training of translation models") {
  auto spec = run_of("seq2seq", "text_multi30k", "text");
  spec.target.bleu = 20;
  CHECK(error_of(spec) == "no error");
  spec.mode = "inference";
  CHECK(error_of(spec) ==
        "target.bleu: applies only to training, but mode is \"inference\"; omit this key");
  spec = run_of("mlp", "mnist", "memory");
  spec.target.bleu = 20;
  CHECK(error_of(spec) ==
        "target.bleu: applies only to translation, but the task of mlp is classification; use "
        "target.accuracy or target.loss");
  spec.model = "conv_autoencoder";
  CHECK(error_of(spec) ==
        "target.bleu: applies only to translation, but the task of conv_autoencoder is "
        "reconstruction; use target.loss");
}

TEST_CASE("names that a build does not describe are accepted") {
  const auto spec = run_of("nbow", "mnist", "memory");
  CHECK(validation::find_conflict(build(), spec));
  for (const char* family : {"model", "dataset", "loader"}) {
    auto silent = build();
    silent.traits.erase(family);
    CHECK_FALSE(validation::find_conflict(silent, spec));
  }
  CHECK_FALSE(validation::find_conflict(build(), run_of("nbow", "video", "memory")));
}

TEST_CASE("CUDA graphs are errors for models that draw random numbers") {
  auto spec = run_of("mlp", "mnist", "memory");
  spec.cuda_graph = true;
  CHECK(error_of(spec) == "no error");
  spec.model_options.dropout = 0.5;
  CHECK_THAT(error_of(spec),
             Catch::StartsWith("cuda_graph: is true, but mlp draws random numbers"));
  spec = run_of("script:net.pt", "mnist", "memory");
  CHECK(error_of(spec) == "no error");
  spec.cuda_graph = true;
  CHECK_THAT(error_of(spec), Catch::Contains("script:net.pt may draw random numbers in each pass"));
}

TEST_CASE("zero_init_gamma cannot be combined with weights from a file") {
  auto spec = run_of("resnet50", "cifar10", "memory");
  spec.weights = "/w/resnet50.safetensors";
  CHECK(error_of(spec) == "no error");
  spec.zero_init_gamma = true;
  CHECK(error_of(spec) ==
        "zero_init_gamma: sets initial values, but training starts from the weights in "
        "/w/resnet50.safetensors; omit one of the two keys");
}
