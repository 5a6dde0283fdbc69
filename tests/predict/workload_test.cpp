// SPDX-License-Identifier: Apache-2.0
#include "predict/workload.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using namespace dlscale::predict;
using contract::DatasetSpec;
using contract::RunSpec;

TEST_CASE("what a model sees follows from the data, as far as that is known") {
  CHECK(sample_shape({.kind = "cifar10"}) == SampleShape{{3, 32, 32}, 10});
  CHECK(sample_shape({.kind = "mnist", .first_classes = 2}) == SampleShape{{1, 28, 28}, 2});
  CHECK(sample_shape({.kind = "image_folder"}) == SampleShape{{3, 224, 224}, 1000});
  CHECK(sample_shape({.kind = "synthetic", .shape = "3x64x48", .classes = 7}) ==
        SampleShape{{3, 64, 48}, 7});
  CHECK_FALSE(sample_shape({.kind = "synthetic", .shape = "3xx"}));
  CHECK_FALSE(sample_shape({.kind = "text_sst"}));
}

TEST_CASE("replicas are modelled, other styles say that they are not") {
  for (const char* framework : {"synchronous", "ddp", "horovod", "deepspeed"}) {
    CHECK(not_modelled({.framework = framework}).empty());
  }
  CHECK(not_modelled({.framework = "pipeline"}) ==
        "the steps of pipeline are not modelled, only those of replicas");
  CHECK_FALSE(not_modelled({.mode = "inference"}).empty());
  RunSpec external;
  external.trainer.command = "python train.py";
  CHECK_FALSE(not_modelled(external).empty());
}

TEST_CASE("each framework exchanges gradients in its own way") {
  CHECK(step_setting({.framework = "synchronous"}).agreement == Agreement::each_gradient);
  const StepSetting ddp = step_setting({.framework = "ddp", .accumulation_steps = 4});
  CHECK(ddp.agreement == Agreement::buckets);
  CHECK(ddp.bucket == kBucket);
  CHECK(ddp.first_bucket == kFirstBucket);
  CHECK(ddp.passes == 4);
  RunSpec run{.framework = "deepspeed"};
  CHECK(step_setting(run).agreement == Agreement::at_once);
  run.framework_options.zero_stage = 3;
  CHECK(step_setting(run).agreement == Agreement::buckets);
  CHECK(step_setting(run).volume == 1.5);
  RunSpec halved{.framework = "ddp"};
  halved.framework_options.compression = "bf16";
  CHECK(step_setting(halved).volume == 0.5);
}

TEST_CASE("a run that asks for the ring gets the ring") {
  CHECK(all_reduce_of({.all_reduce = "ring"}) == AllReduce::ring);
  CHECK(all_reduce_of({}) == AllReduce::fastest);
}

TEST_CASE("a rank keeps what its framework and optimizer keep") {
  RunSpec run{.framework = "ddp", .gpus = 4};
  run.optimizer.momentum = 0.9;
  CHECK(memory_setting(run).buckets);
  CHECK(memory_setting(run).gradients_in_buckets);
  CHECK(memory_setting(run).optimizer_states == 1);
  run.gpus = 1;
  CHECK_FALSE(memory_setting(run).buckets);
  run.framework = "deepspeed";
  CHECK(memory_setting(run).zero_stage == 2);
}

TEST_CASE("a card of fp32 serves tf32, one of bf16 serves fp16") {
  CHECK(card_precision("tf32") == "fp32");
  CHECK(card_precision("fp16") == "bf16");
  CHECK(card_precision("fp64") == "fp64");
}
