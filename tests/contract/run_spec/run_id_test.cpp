// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/run_id.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::contract;

TEST_CASE("SHA-256 agrees with the published test vector") {
  // Test vector of FIPS 180-2, appendix B.1.
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a run id contains the main settings and ends with the repetition") {
  RunSpec spec;
  spec.gpus = 4;
  spec.global_batch = 256;
  spec.repetition = 3;
  const std::string id = make_run_id(spec);
  CHECK(id.rfind("ddp-mlp-constant-g4-b64-", 0) == 0);
  CHECK(id.size() == 24 + 10 + 3);
  CHECK(id.substr(id.size() - 3) == "-r3");
}

TEST_CASE("the run ids of repetitions differ only in their suffix") {
  RunSpec spec;
  const std::string first = make_run_id(spec);
  spec.repetition = 12;
  CHECK(point_id(make_run_id(spec)) == point_id(first));
  CHECK(make_run_id(spec) != first);
}

TEST_CASE("the run id of an external trainer contains only settings of the study") {
  RunSpec spec;
  spec.trainer.command = "train";
  spec.framework = spec.lr_schedule.kind = "";
  CHECK(make_run_id(spec).rfind("mlp-g1-b64-", 0) == 0);
}

TEST_CASE("resources, paths and the study's name do not change a run's identity") {
  RunSpec spec;
  const std::string id = make_run_id(spec);
  spec.resources = {"cuda", "nccl", 2, 4, 12, 3600};
  spec.dataset.path = "/elsewhere";
  spec.study = "another";
  spec.point["gpus"] = "1";
  CHECK(make_run_id(spec) == id);
}

TEST_CASE("paths and checkpoint settings change the run id only if they are axes") {
  RunSpec path, elsewhere, often;
  path.point["dataset.path"] = path.dataset.path = "$DATA/a";
  elsewhere.point["dataset.path"] = elsewhere.dataset.path = "$DATA/b";
  CHECK(make_run_id(path) != make_run_id(elsewhere));
  often.point["checkpoint.every_epochs"] = "5";
  const std::string never = make_run_id(often);
  often.checkpoint.every_epochs = 5;
  CHECK(make_run_id(often) != never);
  often.point = {{"checkpoints", "5"}};
  CHECK(make_run_id(often) == make_run_id(RunSpec{}));
  // The hash does not contain the path.
  CHECK(description_hash(path) == description_hash(elsewhere));
}

TEST_CASE("a script model is named after its file stem with safe characters") {
  RunSpec spec;
  spec.model = "script:$DATA/my net, v2.1.pt";
  CHECK(make_run_id(spec).rfind("ddp-my_net__v2.1-constant-g1-b64-", 0) == 0);
  CHECK(model_word("script:../nets/é.pt") == "__");
  CHECK(model_word("script:/nets/gru") == "gru");
  CHECK(model_word("resnet18") == "resnet18");
}

TEST_CASE("weights and scripts change the run id, but moving them keeps the hash") {
  RunSpec spec, moved;
  spec.weights = "$DATA/a.safetensors";
  CHECK(make_run_id(spec) != make_run_id(RunSpec{}));
  spec.model = "script:$DATA/net.pt";
  spec.run_id = moved.run_id = make_run_id(spec);
  moved.weights = "/disk/a.safetensors";
  moved.model = "script:/disk/net.pt";
  CHECK(description_hash(spec) == description_hash(moved));
  moved.model = "mlp";
  CHECK(description_hash(spec) != description_hash(moved));
}

TEST_CASE("every setting that changes the training changes the run id") {
  const std::string id = make_run_id(RunSpec{});
  RunSpec lr, seed, samples, smoothing, bucket;
  lr.lr.peak = 0.2;
  seed.seed = 2;
  samples.dataset.train_samples = 10;
  smoothing.label_smoothing = 0.1;
  bucket.framework_options.bucket_cap_mb = 1;
  for (const RunSpec& other : {lr, seed, samples, smoothing, bucket})
    CHECK(make_run_id(other) != id);
}

TEST_CASE("run ids are the same as in earlier versions") {
  RunSpec spec;
  spec.lr.base = 0.025;
  spec.lr.peak = 0.30000000000000004;
  CHECK(make_run_id(spec) == "ddp-mlp-constant-g1-b64-7c61c82bb6-r1");
  spec.lr.warmup_steps = 100;  // field that earlier versions did not have
  CHECK(make_run_id(spec) == "ddp-mlp-constant-g1-b64-7c61c82bb6-r1");
}

TEST_CASE("the work hash ignores the number of GPUs, the batch and the length of a run") {
  RunSpec measured;
  measured.trainer.command = "python train.py";
  RunSpec longer = measured;
  longer.gpus = 8;
  longer.batch_per_gpu = 128;
  longer.global_batch = 1024;
  longer.epochs = 0;
  longer.steps = 5000;
  longer.seed = 7;
  longer.lr.base = 0.5;
  longer.dataset.train_samples = 50000;
  longer.trainer.launcher = "torchrun";
  longer.trainer.log_format = "nanogpt";
  longer.resources.nodes = 2;
  CHECK(work_hash(longer) == work_hash(measured));
}

TEST_CASE("runs with other commands, parameters or variables have other work hashes") {
  RunSpec measured;
  measured.trainer.command = "python train.py";
  measured.parameters["width"] = "8";
  RunSpec command = measured, parameter = measured, variable = measured, file = measured;
  command.trainer.command = "python other.py";
  parameter.parameters["width"] = "800";
  variable.environment["OMP_NUM_THREADS"] = "1";
  file.trainer.files.push_back({"0123", "config.yaml"});
  for (const RunSpec& other : {command, parameter, variable, file}) {
    CHECK(work_hash(other) != work_hash(measured));
  }
}

TEST_CASE("a learning rate that is an axis is part of the work hash") {
  RunSpec first, second;
  second.lr.base = 2 * first.lr.base + 1;
  CHECK(work_hash(first) == work_hash(second));
  first.point["lr.base"] = "1";
  second.point["lr.base"] = "2";
  CHECK(work_hash(first) != work_hash(second));
}
