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
