// SPDX-License-Identifier: Apache-2.0
#include "trainer/about/capabilities.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/framework_styles.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "trainer/parallel/parallel_style.hpp"

using namespace dlscale;

namespace {

/// Returns the error message for an unavailable run description, or an empty string if the
/// description passes.
std::string said_of_capabilities(const contract::RunSpec& spec) {
  try {
    trainer::require_available(spec, "run.json");
    return "";
  } catch (const base::SpecError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("every name in this build is in the vocabulary, and every family has at least one name") {
  const auto available = trainer::capabilities();
  for (const std::string& family : contract::families()) {
    INFO(family);
    if (family == "log_format") continue;  // `dlscale collect` reads logs of other trainers
    REQUIRE(available.families.contains(family));
    CHECK(!available.families.at(family).empty());
    for (const std::string& name : available.families.at(family)) {
      INFO(name);
      CHECK(contract::is_known(family, name));
    }
  }
}

TEST_CASE("every model, loader and data set has traits") {
  const auto available = trainer::capabilities();
  for (const char* family : {"model", "loader", "dataset"}) {
    for (const std::string& name : available.families.at(family)) {
      INFO(family << " " << name);
      const contract::Traits* traits = available.traits_of(family, name);
      REQUIRE(traits != nullptr);
      CHECK(!traits->samples.empty());
      CHECK(traits->task.empty() == (family == std::string("loader")));
    }
  }
  const contract::Traits* script = available.traits_of("model", "script:");
  REQUIRE(script != nullptr);
  CHECK(script->is_one_block);
}

TEST_CASE("data sets with images of one size report their shape") {
  const auto available = trainer::capabilities();
  const auto shape = [&](const char* set) { return available.traits_of("dataset", set)->shape; };
  CHECK(shape("mnist") == "1x28x28");
  CHECK(shape("fashion_mnist") == "1x28x28");
  CHECK(shape("cifar10") == "3x32x32");
  CHECK(shape("image_folder").empty());
}

TEST_CASE("the capabilities file of this build matches the trainer's capabilities") {
  const std::string file = DLSCALE_BINARY_DIR "/share/dlscale/capabilities.json";
  CHECK(contract::capabilities_from_json(base::read_file(file), file) == trainer::capabilities());
}

TEST_CASE(
    "the committed capabilities of a full trainer contain the families and traits of this source") {
  const std::string file = DLSCALE_SOURCE_DIR "/tests/data/capabilities/cuda-dali.json";
  const auto committed = contract::capabilities_from_json(base::read_file(file), file);
  const auto here = trainer::capabilities();
  CHECK((committed.traits == here.traits));
  for (const auto& [family, names] : here.families) {
    INFO(family);
    for (const std::string& name : names) {
      INFO(name);
      CHECK(committed.has(family, name));
    }
  }
}

TEST_CASE("a run description with available names is accepted") {
  contract::RunSpec spec;
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
}

TEST_CASE("a known name missing in this build is rejected with the key and the available names") {
  contract::RunSpec spec;
  spec.loader = "dali_gpu";
  CHECK_THROWS_WITH(
      trainer::require_available(spec, "run.json"),
      Catch::Contains("run.json: loader: this dlscale-train has no loader \"dali_gpu\" (it has: "
                      "memory"));
  spec = {};
  spec.resources.communicator = "thread";
  CHECK_THROWS_WITH(
      trainer::require_available(spec, "run.json"),
      Catch::Contains("resources.communicator: this dlscale-train has no communicator"));
}

TEST_CASE("a build without GPUs rejects GPU settings and names the build command") {
  if (trainer::capabilities().has("device", "cuda")) {
    SUCCEED("this build has them");
    return;
  }
  CHECK_FALSE(trainer::capabilities().has("communicator", "nccl"));
  CHECK(trainer::capabilities().built_with.at("cuda") == "no");
  contract::RunSpec spec;
  spec.resources.communicator = "nccl";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    "run.json: resources.communicator: this dlscale-train has no communicator "
                    "\"nccl\" (it has: single, mpi): this build has no NCCL; use communicator "
                    "\"mpi\", or build with: cmake --preset cuda (docs/gpu.md)");
  spec = {};
  spec.resources.device = "cuda";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    "run.json: resources.device: this dlscale-train has no device \"cuda\" (it "
                    "has: cpu): this build has no CUDA; build with: cmake --preset cuda "
                    "(docs/gpu.md)");
}

TEST_CASE("a run with another training program is rejected") {
  contract::RunSpec spec;
  spec.trainer.command = "python train.py";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    Catch::Contains("run.json: trainer.command: this run uses another"));
}

TEST_CASE("options that cannot take effect are rejected with the reason") {
  contract::RunSpec spec;
  spec.framework = "horovod";
  spec.framework_options.compression = "powersgd";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    "run.json: framework_options.compression: powersgd is supported only by ddp; "
                    "use none, fp16 or bf16");
  spec.framework = "ddp";
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  spec.precision = "fp16";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    Catch::Contains("framework_options.compression: powersgd adds the error"));
  spec = {};
  spec.framework = "deepspeed";
  spec.framework_options.offload_optimizer = true;
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    "run.json: framework_options.offload_optimizer: applies only to GPUs; on a CPU "
                    "the optimizer state is already in host memory");
}

TEST_CASE("loader options without effect are rejected with the loader's name") {
  contract::RunSpec spec;
  spec.loader_options.threads = 2;
  for (const char* loader : {"memory", "synthetic"}) {
    spec.loader = loader;
    CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                      "run.json: loader_options.threads: applies to loaders that decode images in "
                      "the background, such as native; " +
                          std::string(loader) +
                          " keeps the samples of synthetic_digits in memory; omit this key");
  }
  spec.dataset = {.kind = "image_folder", .image_size = 32};
  for (const char* loader : {"native", "packed", "synthetic"}) {
    spec.loader = loader;
    CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  }
  spec = {};
  spec.model = "nbow";
  spec.dataset.kind = "text_sst";
  for (const char* loader : {"text", "synthetic"}) {
    spec.loader = loader;
    spec.loader_options = {.prefetch = 1};
    CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                      Catch::Contains(std::string(loader) + " keeps the samples of text_sst"));
    spec.loader_options = {.sample_order = "pytorch"};
    CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                      Catch::Contains("run.json: loader_options.sample_order: is pytorch"));
  }
}

TEST_CASE("tf32 without a GPU and synchronised batch norms with data_parallel are rejected") {
  contract::RunSpec spec;
  spec.precision = "tf32";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    "run.json: precision: is tf32, which only NVIDIA GPUs support; on the device "
                    "cpu use fp32 or bf16");
  spec = {};
  spec.framework = "data_parallel";
  spec.batch_norm = "synchronised";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    Catch::Contains("run.json: batch_norm: is synchronised, but in data_parallel"));
}

TEST_CASE("inference is accepted in every style that does not cut the model") {
  contract::RunSpec spec;
  spec.mode = "inference";
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  for (const trainer::StyleEntry* style : trainer::style_table()) {
    INFO(style->name);
    spec.framework = style->name;
    CHECK((said_of_capabilities(spec).find("run.json: mode: is inference") == 0) ==
          (contract::framework_style(style->name).stages != contract::Stages::one));
  }
}

TEST_CASE("a TorchScript module is accepted although this build does not list it as a model") {
  contract::RunSpec spec;
  spec.model = "script:net.pt";
  for (const char* framework : {"ddp", "data_parallel", "layerwise", "hybrid"}) {
    spec.framework = framework;
    CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  }
}

TEST_CASE("a TorchScript module cannot be cut into stages or synchronise batch norms") {
  contract::RunSpec spec;
  spec.model = "script:net.pt";
  spec.framework = "pipeline";
  spec.gpus = 2;
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    "run.json: model: a TorchScript module is a single block and cannot be divided "
                    "into the 2 stages of pipeline; use a framework that replicates the model");
  spec.framework = "ddp";
  spec.batch_norm = "synchronised";
  CHECK_THROWS_WITH(
      trainer::require_available(spec, "run.json"),
      Catch::Contains(
          "run.json: batch_norm: is synchronised, but batch norms in a TorchScript module"));
}

TEST_CASE("zero_init_gamma is rejected for models without residual blocks") {
  contract::RunSpec spec;
  spec.zero_init_gamma = true;
  spec.model = "resnet50";
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  for (const char* model : {"vgg16", "frozen_backbone", "script:net.pt"}) {
    spec.model = model;
    CHECK_THROWS_WITH(
        trainer::require_available(spec, "run.json"),
        Catch::StartsWith("run.json: zero_init_gamma: requires a model with residual blocks"));
  }
}

TEST_CASE("incompatible models, data, loaders and settings are rejected with the key") {
  contract::RunSpec spec;
  spec.model = "nbow";
  CHECK(said_of_capabilities(spec) ==
        "run.json: model: nbow takes text, but the data set synthetic_digits contains images");
  spec.model = "seq2seq";
  spec.dataset.kind = "text_multi30k";
  CHECK(said_of_capabilities(spec) ==
        "run.json: loader: memory delivers images, but the data set text_multi30k contains text; "
        "use text");
  spec.loader = "text";
  CHECK(said_of_capabilities(spec).empty());
  spec.framework = "pipeline";
  spec.gpus = 2;
  CHECK(said_of_capabilities(spec) ==
        "run.json: model: seq2seq is a single block and cannot be divided into the 2 stages of "
        "pipeline; use a framework that replicates the model");
  spec = {};
  spec.model = "conv_autoencoder";
  CHECK(said_of_capabilities(spec).empty());
  spec.label_smoothing = 0.1;
  CHECK_THAT(said_of_capabilities(spec),
             Catch::StartsWith("run.json: label_smoothing: does not apply to"));
}
