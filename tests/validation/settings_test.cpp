// SPDX-License-Identifier: Apache-2.0
#include "validation/settings.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "contract/run_spec/framework_styles.hpp"

using namespace dlscale;
using contract::RunSpec;

namespace {

std::string said_of_settings(const RunSpec& spec) {
  const auto conflict = validation::find_setting_conflict(spec);
  return conflict ? conflict->key + ": " + conflict->reason : "no error";
}

RunSpec run_of_style(std::string_view framework) {
  RunSpec run;
  run.framework = framework;
  run.gpus = 4;
  run.global_batch = 4 * run.batch_per_gpu;
  return run;
}

}  // namespace

TEST_CASE("the default settings are accepted on CPUs and GPUs") {
  RunSpec spec;
  CHECK(said_of_settings(spec) == "no error");
  spec.resources.device = "cuda";
  CHECK(said_of_settings(spec) == "no error");
}

TEST_CASE("tf32 requires GPUs") {
  RunSpec spec;
  spec.precision = "tf32";
  CHECK(said_of_settings(spec) ==
        "precision: is tf32, which only NVIDIA GPUs support; on the device cpu use fp32 or bf16");
  spec.resources.device = "cuda";
  CHECK(said_of_settings(spec) == "no error");
}

TEST_CASE("settings that an optimizer does not have are rejected") {
  RunSpec spec;
  for (const char* kind : {"sgd", "lars"}) {
    spec.optimizer = {.kind = kind, .momentum = 0.9};
    CHECK(said_of_settings(spec) == "no error");
  }
  spec.optimizer = {.kind = "adamw", .momentum = 0.9};
  CHECK(said_of_settings(spec) ==
        "optimizer.momentum: applies only to sgd and lars; for adamw use optimizer.adam.beta1");
  spec.optimizer = {.kind = "lars", .momentum = 0.9, .nesterov = true};
  CHECK(said_of_settings(spec) ==
        "optimizer.nesterov: applies only to sgd; lars does not support it");
  spec.optimizer = {.kind = "adam", .dampening = 0.1};
  CHECK(said_of_settings(spec) ==
        "optimizer.dampening: applies only to sgd; adam does not support it");
}

TEST_CASE("a static graph of ddp requires one pass per step") {
  RunSpec spec;
  spec.framework_options.static_graph = true;
  CHECK(said_of_settings(spec) == "no error");
  spec.accumulation_steps = 2;
  CHECK_THAT(said_of_settings(spec), Catch::StartsWith("framework_options.static_graph: is true,"));
}

TEST_CASE("CUDA graphs require GPUs and passes with one shape and no communication") {
  RunSpec spec;
  spec.cuda_graph = true;
  spec.framework = "synchronous";
  CHECK(said_of_settings(spec) ==
        "cuda_graph: is true, but CUDA graphs require the device cuda and the device is cpu; omit "
        "this key");
  spec.resources.device = "cuda";
  CHECK(said_of_settings(spec) == "no error");
  for (const char* framework : {"ddp", "horovod", "data_parallel", "pipeline", "deepspeed"}) {
    spec.framework = framework;
    CHECK_THAT(said_of_settings(spec),
               Catch::StartsWith(std::string("cuda_graph: is true, but ") + framework) &&
                   Catch::Contains("use synchronous, or deepspeed"));
  }
  spec.framework_options.zero_stage = 1;
  CHECK(said_of_settings(spec) == "no error");
  spec.framework_options.overlap_comm = "on";
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("cuda_graph: is true, but deepspeed with overlap_comm on"));
  spec = {.framework = "synchronous", .batch_norm = "synchronised", .cuda_graph = true};
  spec.resources.device = "cuda";
  CHECK_THAT(said_of_settings(spec), Catch::Contains("synchronised batch norms exchange data"));
  spec.batch_norm.clear();
  spec.loader = "text";
  CHECK_THAT(said_of_settings(spec), Catch::Contains("batches of text vary in length"));
}

TEST_CASE("an uneven batch requires gradients that are averaged, and passes that may differ") {
  RunSpec spec{.framework = "ddp", .gpus = 3, .uneven_batch = contract::kSpreadBatch};
  for (const char* framework :
       {"synchronous", "ddp", "horovod", "deepspeed", "data_parallel", "vanilla_data_parallel"}) {
    spec.framework = framework;
    CHECK(said_of_settings(spec) == "no error");
  }
  for (const char* framework : {"layerwise", "pipeline", "hybrid"}) {
    spec.framework = framework;
    if (spec.framework == "hybrid") spec.framework_options.model_parallel_size = 3;
    CHECK_THAT(said_of_settings(spec),
               Catch::StartsWith(std::string("uneven_batch: is spread, but ") + framework +
                                 " divides the model"));
  }
  spec = {.framework = "synchronous", .accumulation_steps = 2};
  spec.uneven_batch = contract::kSpreadBatch;
  CHECK(said_of_settings(spec) == "no error");
  spec.mode = "inference";
  CHECK_THAT(said_of_settings(spec), Catch::Contains("inference does not accumulate gradients"));
  spec.mode.clear();
  spec.cuda_graph = true;
  spec.resources.device = "cuda";
  CHECK_THAT(said_of_settings(spec), Catch::StartsWith("uneven_batch: is spread, but the 2 accum"));
}

TEST_CASE("synchronised batch norms are rejected for data_parallel and script models") {
  RunSpec spec;
  spec.batch_norm = "synchronised";
  CHECK(said_of_settings(spec) == "no error");
  spec.framework = "data_parallel";
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("batch_norm: is synchronised, but in data_"));
  spec.framework = "ddp";
  spec.model = "script:net.pt";
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("batch_norm: is synchronised, but batch norms in "));
}

TEST_CASE("the all-reduce algorithm cannot be set on GPUs") {
  RunSpec spec;
  spec.all_reduce = "ring";
  CHECK(said_of_settings(spec) == "no error");
  spec.resources.device = "cuda";
  CHECK(said_of_settings(spec) ==
        "all_reduce: is ring, an algorithm of mpi; omit this key, because nccl selects its own "
        "algorithm (environment variable NCCL_ALGO)");
  spec.all_reduce = "auto";
  CHECK(said_of_settings(spec) == "no error");
  spec.framework = "horovod";
  spec.framework_options.hierarchical_all_reduce = true;
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("framework_options.hierarchical_all_reduce: applies only to mpi"));
  spec.resources.device = "cpu";
  CHECK(said_of_settings(spec) == "no error");
}

TEST_CASE("cpu_kernels is rejected for runs on GPUs") {
  RunSpec spec;
  spec.cpu_kernels = "framework";
  CHECK(said_of_settings(spec) == "no error");
  spec.resources.device = "cuda";
  CHECK(said_of_settings(spec) ==
        "cpu_kernels: is framework, but the run is on GPUs; omit this key");
}

TEST_CASE("gpu_kernels is rejected for runs on CPUs") {
  RunSpec spec;
  spec.gpu_kernels = "framework";
  CHECK(said_of_settings(spec) ==
        "gpu_kernels: is framework, but the run is on CPUs; omit this key");
  spec.resources.device = "cuda";
  CHECK(said_of_settings(spec) == "no error");
}

TEST_CASE("all_reduce is rejected for runs that reduce nothing between ranks") {
  RunSpec spec;
  spec.all_reduce = "ring";
  for (const char* framework : {"synchronous", "ddp", "horovod", "deepspeed", "hybrid"}) {
    spec.framework = framework;
    CHECK(said_of_settings(spec) == "no error");
  }
  for (const char* framework : {"data_parallel", "layerwise", "pipeline"}) {
    spec.framework = framework;
    CHECK_THAT(said_of_settings(spec),
               Catch::StartsWith("all_reduce: is ring, but " + spec.framework + " ") &&
                   Catch::EndsWith("; omit this key"));
  }
  spec.framework = "vanilla_data_parallel";
  CHECK(said_of_settings(spec) ==
        "all_reduce: is ring, but vanilla_data_parallel sends gradients to rank 0, one message "
        "after the other; omit this key");
  spec.batch_norm = "synchronised";  // the ranks all-reduce the statistics of batch norms
  CHECK(said_of_settings(spec) == "no error");
  spec.mode = "inference";
  CHECK_THAT(said_of_settings(spec), Catch::Contains("reduces no gradients in inference"));
  for (const char* usual : {"", "auto"}) {
    spec = {.framework = "pipeline", .all_reduce = usual};
    CHECK(said_of_settings(spec) == "no error");
  }
}

TEST_CASE("powersgd requires ddp and a precision that does not overflow") {
  RunSpec spec;
  spec.framework_options.compression = "powersgd";
  CHECK(said_of_settings(spec) == "no error");
  spec.precision = "fp16";
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("framework_options.compression: powersgd adds the error"));
  spec.framework = "horovod";
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("framework_options.compression: powersgd is supported only by ddp"));
}

TEST_CASE("offload_optimizer requires GPUs and a ZeRO stage that partitions the optimizer") {
  RunSpec spec;
  spec.framework = "deepspeed";
  spec.framework_options.offload_optimizer = true;
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("framework_options.offload_optimizer: applies only to GPUs"));
  spec.resources.device = "cuda";
  for (const int stage : {1, 2, 3}) {
    spec.framework_options.zero_stage = stage;
    CHECK(said_of_settings(spec) == "no error");
  }
  spec.framework_options.zero_stage = 0;
  CHECK(said_of_settings(spec) ==
        "framework_options.offload_optimizer: requires zero_stage 1, 2 or 3, in which each rank "
        "holds a part of the optimizer state, but zero_stage is 0");
}

TEST_CASE("inference is rejected for styles that divide the model") {
  RunSpec spec;
  spec.mode = "inference";
  for (const char* framework :
       {"synchronous", "ddp", "horovod", "deepspeed", "data_parallel", "vanilla_data_parallel"}) {
    spec.framework = framework;
    CHECK(said_of_settings(spec) == "no error");
  }
  for (const char* framework : {"pipeline", "layerwise", "hybrid"}) {
    spec.framework = framework;
    CHECK(said_of_settings(spec) ==
          "mode: is inference, which needs the whole model on each rank, but " + spec.framework +
              " divides the model over ranks; use another framework");
  }
}

TEST_CASE("sample orders are rejected in inference") {
  RunSpec spec;
  spec.loader_options = {.shuffle_window = 64};
  CHECK(said_of_settings(spec) == "no error");
  spec.mode = "inference";
  CHECK(said_of_settings(spec) ==
        "loader_options.shuffle_window: applies only to training; inference reads the samples of "
        "the test set in order");
  spec.loader_options = {.sample_order = "pytorch"};
  CHECK_THAT(said_of_settings(spec),
             Catch::StartsWith("loader_options.sample_order: applies only to tr"));
  spec.loader_options = {};
  CHECK(said_of_settings(spec) == "no error");
}

TEST_CASE("runs are rejected as stated in the table of framework styles") {
  for (const contract::FrameworkStyle& style : contract::framework_styles()) {
    INFO(style.name);
    const std::string name(style.name);
    CHECK(said_of_settings(run_of_style(name)) == "no error");

    RunSpec reducing = run_of_style(name);
    reducing.all_reduce = "ring";
    CHECK(said_of_settings(reducing) ==
          (style.no_all_reduce.empty() ? "no error"
                                       : "all_reduce: is ring, but " + name + " " +
                                             std::string(style.no_all_reduce) + "; omit this key"));

    RunSpec sharing = run_of_style(name);
    sharing.batch_norm = "synchronised";
    CHECK(said_of_settings(sharing) == (style.own_statistics.empty()
                                            ? "no error"
                                            : "batch_norm: is synchronised, but in " + name + " " +
                                                  std::string(style.own_statistics) +
                                                  "; use the value local or another framework"));

    RunSpec inferring = run_of_style(name);
    inferring.mode = "inference";
    CHECK((said_of_settings(inferring) == "no error") == (style.stages == contract::Stages::one));
  }
}
