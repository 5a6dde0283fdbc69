// SPDX-License-Identifier: Apache-2.0
#include "validation/refusal.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using contract::RunSpec;

namespace {

contract::Capabilities small_trainer() {
  return {
      .version = "1",
      .families = {{"framework", {"ddp"}},
                   {"model", {"mlp", "frozen_backbone"}},
                   {"backbone", {"vgg16"}},
                   {"loader", {"memory", "dali_gpu"}},
                   {"lr_schedule", {"constant"}},
                   {"dataset", {"synthetic_digits", "image_folder"}},
                   {"optimizer", {"sgd"}},
                   {"all_reduce", {"auto"}},
                   {"communicator", {"mpi", "nccl"}},
                   {"device", {"cpu", "cuda"}}},
      .traits = {
          {"model",
           {{"mlp", {.samples = "images", .task = "classification"}},
            {"frozen_backbone", {.samples = "images", .task = "classification"}}}},
          {"loader",
           {{"memory", {.samples = "images", .is_in_memory = true}},
            {"dali_gpu", {.samples = "images", .any_size = true, .needs_gpu = true}}}},
          {"dataset",
           {{"synthetic_digits", {.samples = "images", .task = "classification"}},
            {"image_folder", {.samples = "images", .task = "classification", .any_size = true}}}}}};
}

std::string said_of_run(const RunSpec& run) {
  const auto refusal = validation::find_refusal(small_trainer(), run);
  return refusal ? refusal->key + ": " + refusal->reason : "no error";
}

}  // namespace

TEST_CASE("names that a trainer lacks are listed with family, key and name") {
  RunSpec run;
  CHECK(validation::missing_names(small_trainer(), run).empty());
  run.framework = "horovod";
  run.optimizer.kind = "lars";
  run.all_reduce = "ring";
  run.resources.communicator = "single";
  std::vector<std::string> missing;
  for (const auto& name : validation::missing_names(small_trainer(), run)) {
    missing.push_back(name.family + " " + name.key + " " + name.name);
  }
  CHECK(missing == std::vector<std::string>{
                       "framework framework horovod", "optimizer optimizer.kind lars",
                       "all_reduce all_reduce ring", "communicator resources.communicator single"});
}

TEST_CASE("a TorchScript module is accepted without being a listed model") {
  RunSpec run;
  run.model = "script:net.pt";
  CHECK(validation::missing_names(small_trainer(), run).empty());
}

TEST_CASE("GPUs require nccl, and nccl requires GPUs") {
  RunSpec run;
  CHECK(said_of_run(run) == "no error");
  run.resources.device = "cuda";
  CHECK_THAT(said_of_run(run),
             Catch::StartsWith("resources.communicator: is mpi, which cannot access GPU memory; "
                               "use nccl with the device cuda"));
  run.resources.communicator = "nccl";
  CHECK(said_of_run(run) == "no error");
  run.resources.device = "cpu";
  CHECK(said_of_run(run) ==
        "resources.communicator: is nccl, which requires GPUs; use mpi with the device cpu");
}

TEST_CASE("the communicator single is for one process with any number of devices") {
  RunSpec run;
  run.resources.communicator = "single";
  CHECK(said_of_run(run) == "no error");
  run.gpus = 2;
  CHECK(said_of_run(run) ==
        "resources.communicator: \"single\" supports only one rank; use \"mpi\"");
  run.framework = "data_parallel";
  CHECK(said_of_run(run) == "no error");
}

TEST_CASE("a GPU loader is rejected on other devices") {
  RunSpec run;
  run.loader = "dali_gpu";
  run.dataset = {.kind = "image_folder", .image_size = 224};
  CHECK(said_of_run(run) ==
        "loader: is dali_gpu, which requires a GPU; on the device cpu use another loader, such as "
        "dali_cpu or native");
  run.resources = {.device = "cuda", .communicator = "nccl"};
  CHECK(said_of_run(run) == "no error");
}

TEST_CASE("a frozen backbone must be a supported backbone model") {
  RunSpec run;
  run.model = "frozen_backbone";
  CHECK_THAT(said_of_run(run), Catch::StartsWith("model_options.backbone: is not set;"));
  run.model_options.backbone = "mlp";
  CHECK_THAT(said_of_run(run), Catch::StartsWith("model_options.backbone: is mlp, which cannot"));
  run.model_options.backbone = "vgg16";
  CHECK(said_of_run(run) == "no error");
}

TEST_CASE("errors in settings and data are found in addition to missing names") {
  RunSpec run;
  run.optimizer = {.kind = "adam", .momentum = 0.9};
  CHECK_THAT(said_of_run(run),
             Catch::StartsWith("optimizer.momentum: applies only to sgd and lars"));
  run = {};
  run.loader = "dali_gpu";
  run.dataset.kind = "image_folder";
  CHECK_THAT(said_of_run(run), Catch::StartsWith("dataset.image_size: is missing"));
}

TEST_CASE("images in files that are read into memory must have one size") {
  RunSpec run;
  CHECK(validation::data_condition(small_trainer(), run).empty());
  run.dataset.kind = "image_folder";
  CHECK(validation::data_condition(small_trainer(), run) ==
        "all images of image_folder have the same size (dataset.image_size is not set)");
  run.dataset.image_size = 224;
  CHECK(validation::data_condition(small_trainer(), run).empty());
}
