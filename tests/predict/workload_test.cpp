// SPDX-License-Identifier: Apache-2.0
#include "predict/workload.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using namespace dlscale::predict;
using Catch::Contains;
using contract::DatasetSpec;
using contract::RunSpec;

TEST_CASE("the shape of samples follows from the data set if it is known") {
  CHECK(sample_shape({.kind = "cifar10"}) == SampleShape{{3, 32, 32}, 10});
  CHECK(sample_shape({.kind = "mnist", .first_classes = 2}) == SampleShape{{1, 28, 28}, 2});
  CHECK(sample_shape({.kind = "image_folder"}) == SampleShape{{3, 224, 224}, 1000});
  CHECK(sample_shape({.kind = "synthetic", .shape = "3x64x48", .classes = 7}) ==
        SampleShape{{3, 64, 48}, 7});
  CHECK_FALSE(sample_shape({.kind = "synthetic", .shape = "3xx"}));
  CHECK_FALSE(sample_shape({.kind = "text_sst"}));
}

TEST_CASE("replicas are modelled, and other styles are reported as not modelled") {
  for (const char* framework :
       {"synchronous", "ddp", "horovod", "deepspeed", "data_parallel", "vanilla_data_parallel"}) {
    CHECK(not_modelled({.framework = framework}).empty());
  }
  CHECK(not_modelled({.framework = "pipeline"}) ==
        "the steps of pipeline are not modelled, only the steps of data-parallel replicas are");
  CHECK(not_modelled({.mode = "inference"}).empty());
  RunSpec external;
  external.trainer.command = "python train.py";
  CHECK_FALSE(not_modelled(external).empty());
}

TEST_CASE("memory is not modelled for inference and for a central device") {
  CHECK(predict::memory_not_modelled({.framework = "ddp"}).empty());
  CHECK_THAT(predict::memory_not_modelled({.mode = "inference", .framework = "ddp"}),
             Contains("inference"));
  for (const char* framework : {"data_parallel", "vanilla_data_parallel"}) {
    CHECK_THAT(predict::memory_not_modelled({.framework = framework}), Contains(framework));
  }
}

TEST_CASE("one process sends to its devices in parallel, and ranks one after another") {
  const auto setting = predict::step_setting({.framework = "data_parallel"});
  CHECK(setting.agreement == predict::Agreement::central);
  CHECK(setting.sends_in_parallel);
  CHECK_FALSE(setting.forward_only);
  CHECK_FALSE(predict::step_setting({.framework = "vanilla_data_parallel"}).sends_in_parallel);
  CHECK(predict::step_setting({.mode = "inference", .framework = "ddp"}).forward_only);
}

TEST_CASE("frozen parameters and partly sent gradients are not modelled") {
  CHECK(not_modelled({.framework = "ddp", .frozen = "layer1"}) ==
        "partly frozen models are not modelled, because cost models assume that all parameters are "
        "trained");
  RunSpec run{.framework = "ddp"};
  run.framework_options.compression = "fp16";
  CHECK(not_modelled(run).empty());
  run.framework_options.compression = "powersgd";
  CHECK_THAT(not_modelled(run), Contains("powersgd"));
}

TEST_CASE("only settings that the prediction ignores are listed") {
  CHECK(not_counted({.framework = "horovod", .all_reduce = "ring"}).empty());
  CHECK(not_counted({.framework = "ddp", .all_reduce = "auto"}).empty());
  RunSpec run{.framework = "horovod", .all_reduce = "rabenseifner", .batch_norm = "synchronised"};
  run.framework_options.hierarchical_all_reduce = run.framework_options.autotune = true;
  const auto notes = not_counted(run);
  REQUIRE(notes.size() == 4);
  CHECK_THAT(notes[0], Contains("batch_norm"));
  CHECK_THAT(notes[1], Contains("hierarchical_all_reduce"));
  CHECK_THAT(notes[2], Contains("autotune"));
  CHECK_THAT(notes[3], Contains("all_reduce = \"rabenseifner\""));
  RunSpec offloading{.framework = "deepspeed"};
  offloading.framework_options.offload_optimizer = true;
  REQUIRE(not_counted(offloading).size() == 1);
  CHECK_THAT(not_counted(offloading)[0], Contains("offload_optimizer"));
}

TEST_CASE("each framework exchanges gradients in its own way") {
  CHECK(step_setting({.framework = "synchronous"}).agreement == Agreement::each_gradient);
  const StepSetting ddp = step_setting({.framework = "ddp", .accumulation_steps = 4});
  CHECK(ddp.agreement == Agreement::buckets);
  CHECK(ddp.bucket == kBucket);
  CHECK(ddp.first_bucket == kFirstBucket);
  CHECK(ddp.passes == 4);
  RunSpec run{.framework = "horovod"};
  run.framework_options.cycle_time_ms = 5;
  CHECK(step_setting(run).cycle.value == Approx(2.5e-3));
}

TEST_CASE("gradients in 16 bits have fewer bytes and fill a fusion buffer later") {
  RunSpec run{.framework = "ddp"};
  run.framework_options.compression = "bf16";
  CHECK(step_setting(run).compression == 0.5);
  CHECK(step_setting(run).volume == 1);
  CHECK(step_setting(run).bucket == kBucket);  // the full bucket is cast
  run.framework = "horovod";
  CHECK(step_setting(run).compression == 0.5);
  CHECK(step_setting(run).bucket == kMebibyte * 256);  // gradients are cast before fusion
  run.precision = "fp64";
  CHECK(step_setting(run).compression == 0.25);
}

namespace {

StepSetting of_stage(int stage, const std::string& overlap_comm = "auto",
                     bool reduce_scatter = false) {
  RunSpec run{.framework = "deepspeed", .accumulation_steps = 4};
  run.framework_options.zero_stage = stage;
  run.framework_options.overlap_comm = overlap_comm;
  run.framework_options.use_reduce_scatter = reduce_scatter;
  return step_setting(run);
}

}  // namespace

TEST_CASE("stage 0 all-reduces once after the backward pass for all settings") {
  for (const StepSetting& setting : {of_stage(0), of_stage(0, "on", true)}) {
    CHECK(setting.agreement == Agreement::at_once);
    CHECK(setting.volume == 1);
    CHECK(setting.after_step == 0);
    CHECK_FALSE(setting.every_pass);
    CHECK(setting.bucket == Bytes{2e9});
  }
}

TEST_CASE("stages 1 and 2 all-reduce and then gather parameters, stage 2 in every pass") {
  for (const int stage : {1, 2}) {
    const StepSetting setting = of_stage(stage);
    CHECK(setting.agreement == Agreement::at_once);
    CHECK(setting.volume == 1);
    CHECK(setting.after_step == 0.5);
    CHECK(setting.every_pass == (stage == 2));
    const StepSetting beside = of_stage(stage, "on");
    CHECK(beside.agreement == Agreement::buckets);
    CHECK(beside.every_pass);  // stage 1 uses hooks too
    const StepSetting to_owners = of_stage(stage, "off", true);
    CHECK(to_owners.agreement == Agreement::at_once);
    CHECK(to_owners.volume == 0.5);
    CHECK(of_stage(stage, "on", true).agreement == Agreement::buckets);
  }
}

TEST_CASE("stage 3 gathers parameters twice and reduces by blocks, in every pass") {
  const StepSetting setting = of_stage(3);
  CHECK(setting.agreement == Agreement::buckets);
  CHECK(setting.by_block);
  CHECK(setting.volume == 1.5);
  CHECK(setting.after_step == 0);
  CHECK(setting.every_pass);
  CHECK(of_stage(3, "off").agreement == Agreement::at_once);
  CHECK(of_stage(3, "off").by_block);
}

TEST_CASE("a run with all_reduce = ring uses the ring") {
  CHECK(all_reduce_of({.all_reduce = "ring"}) == AllReduce::ring);
  CHECK(all_reduce_of({}) == AllReduce::fastest);
}

TEST_CASE("the memory of a rank follows from its framework and optimizer") {
  RunSpec run{.framework = "ddp", .gpus = 4, .accumulation_steps = 2};
  run.optimizer.momentum = 0.9;
  CHECK(memory_setting(run).buckets);
  CHECK(memory_setting(run).gradients_in_buckets);
  CHECK(memory_setting(run).optimizer_states == 1);
  CHECK(memory_setting(run).passes == 2);
  run.ema_decay = 0.999;
  CHECK(memory_setting(run).optimizer_states == 2);
  run.gpus = 1;
  CHECK(memory_setting(run).buckets);  // buckets of PyTorch's reducer, also for one rank
  run.framework = "synchronous";
  CHECK_FALSE(memory_setting(run).buckets);
}

TEST_CASE("horovod keeps a fusion buffer on several ranks, and copies in 16 bits") {
  RunSpec run{.framework = "horovod", .gpus = 4};
  CHECK(memory_setting(run).bucket_limit == kMebibyte * 128);
  CHECK_FALSE(memory_setting(run).gradients_in_buckets);
  CHECK(memory_setting(run).compressed == 0);
  run.framework_options.compression = "fp16";
  CHECK(memory_setting(run).compressed == 0.5);
  run.gpus = 1;
  CHECK_FALSE(memory_setting(run).buckets);
}

TEST_CASE("deepspeed keeps buckets below stage 3, and states unless they are offloaded") {
  RunSpec run{.framework = "deepspeed", .gpus = 4};
  run.optimizer.kind = "adam";
  const auto at_stage = [&](int stage) {
    run.framework_options.zero_stage = stage;
    return memory_setting(run);
  };
  for (int stage = 0; stage <= 3; ++stage) {
    CHECK(at_stage(stage).zero_stage == stage);
    CHECK(at_stage(stage).buckets == (stage < 3));
    CHECK(at_stage(stage).bucket_limit == Bytes{2e9});
    CHECK(at_stage(stage).optimizer_states == 2);
  }
  run.framework_options.overlap_comm = "on";
  CHECK_FALSE(at_stage(0).fills_beside);
  CHECK(at_stage(1).fills_beside);
  run.framework_options.offload_optimizer = true;
  CHECK(at_stage(1).optimizer_states == 0);
  CHECK(at_stage(0).optimizer_states == 2);
  run.precision = "fp64";
  CHECK(at_stage(2).bucket_limit == Bytes{4e9});
}

TEST_CASE("the cost model of fp32 serves tf32, and that of bf16 serves fp16") {
  CHECK(card_precision("tf32") == "fp32");
  CHECK(card_precision("fp16") == "bf16");
  CHECK(card_precision("fp64") == "fp64");
}
