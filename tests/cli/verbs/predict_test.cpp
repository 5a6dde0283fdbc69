// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale predict` through the program.
#include <catch2/catch.hpp>
#include <cmath>

#include "contract/plan/plan.hpp"
#include "contract/records/run_prediction.hpp"
#include "tests/cli/predicted_mlp.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

using test::Prediction;

void check_refused(const test::Ran& ran, const std::string& message) {
  CHECK(ran.exit_code == 2);
  CHECK(ran.out.empty());
  CHECK_THAT(ran.err, StartsWith("dlscale: ") && Contains(message));
}

}  // namespace

TEST_CASE("a study is predicted without a trainer up to the requested number of GPUs") {
  Prediction prediction;
  const test::Ran ran = prediction.run({"--site", "altec", "--format", "csv", "--up-to", "64"});
  CHECK(ran.err == "");
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("synchronous,1,1,32,") && Contains("ddp,64,64,32,") &&
                          Contains(",memory,") && Contains("no step was measured"));
}

TEST_CASE("changed hardware changes the predicted times") {
  Prediction prediction;
  const std::vector<std::string> site{"--site", "altec", "--format", "csv", "--up-to", "8"};
  auto slow = site;
  slow.insert(slow.end(), {"--what-if", "link=1Gbps"});
  const test::Ran as_it_is = prediction.run(site), slower = prediction.run(slow);
  CHECK(slower.exit_code == 0);
  CHECK_THAT(slower.out, Contains("what if: link 1 Gbit/s"));
  CHECK(as_it_is.out != slower.out);
}

TEST_CASE("a model that exceeds the GPU is reported with the layer and the batch that fits") {
  Prediction prediction;
  const test::Ran ran =
      prediction.run({"--site", "altec", "--format", "csv", "--what-if", "capacity=2GiB"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("does not fit,first,"));
}

TEST_CASE("tables and figures are written to the given folder") {
  Prediction prediction;
  const test::Ran ran =
      prediction.run({"--site", "altec", "-o", "out", "--sweep", "link=1,100", "--sweep", "batch"});
  CHECK(ran.exit_code == 0);
  const auto out = prediction.dlscale.folder.path() / "out";
  for (const char* file :
       {"predicted-times.csv", "predicted-times.md", "predicted-memory.tex", "predicted-knee.csv",
        "sweep-link.csv", "sweep-batch.csv", "predicted-efficiency.csv", "sweep-link-figure.csv"}) {
    INFO(file);
    CHECK(std::filesystem::exists(out / file));
  }
}

TEST_CASE("an impossible prediction gives one line with a remedy and exit code 2") {
  Prediction prediction;
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const test::Ran ran = prediction.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, StartsWith("dlscale: ") && Contains(message));
  };
  refused({}, "the site local does not name its GPU: set gpu = \"NAME\"");
  refused({"--site", "altec", "-S", "matrix.model=[\"cnn\"]"},
          "dlscale-train --describe cnn --input 3x32x32 --classes 10 > ");
  refused({"--site", "altec", "-S", "matrix.framework=[\"pipeline\"]", "-S",
           "training.frameworks.pipeline.model_parallel_size=1"},
          "the steps of pipeline are not modelled");
  refused({"--site", "altec", "--what-if", "gpu=a100"},
          "ambiguous device \"a100\": a100-sxm4-40gb and a100-sxm4-80gb begin");
  refused({"--site", "altec", "--sweep", "lnk"}, "did you mean \"link\"");
  refused({"--site", "altec", "-S", "training.precision=tf32"}, "has no peak for tf32");
  refused({"--site", "altec", "--calibration", "none.json"}, "none.json");
}

TEST_CASE("measured steps and all-reduces of a calibration are used") {
  Prediction prediction;
  base::write_file_atomically(prediction.dlscale.folder.path() / "calibration.json",
                              R"({"schema_version": 1,
          "all_reduce": [{"nodes": 8, "gpus": 8, "bytes": 1000, "seconds": 0.5},
                         {"nodes": 8, "gpus": 8, "bytes": 1000000000, "seconds": 0.5}],
          "compute": [{"model": "mlp", "input": [3, 32, 32], "batch": 32, "forward_s": 1,
                       "backward_s": 2, "optimizer_s": 0.25}]})");
  const test::Ran ran = prediction.run(
      {"--site", "altec", "--format", "csv", "--up-to", "8", "--calibration", "calibration.json"});
  CHECK(ran.exit_code == 0);
  // One GPU takes 3.25 s. Eight GPUs also need 0.5 s for each of two layers and the all-reduce of
  // one bias.
  CHECK_THAT(ran.out, Contains("synchronous,1,1,32,3.25,") && Contains("synchronous,8,8,32,4.75,"));
}

TEST_CASE("on CPUs predicted memory is compared with the memory of a rank, including its process") {
  Prediction prediction;
  base::write_file_atomically(prediction.dlscale.folder.path() / "calibration.json",
                              R"({"schema_version": 1,
          "compute": [{"model": "mlp", "input": [3, 32, 32], "batch": 32, "forward_s": 1,
                       "backward_s": 2, "optimizer_s": 0.25}]})");
  const auto said = [&](const std::string& what) {
    return prediction
        .run({"--calibration", "calibration.json", "-S", "matrix.gpus=[1]", "--up-to", "1",
              "--format", "csv", "--what-if", what})
        .out;
  };
  CHECK_THAT(said("capacity=4GiB"), Contains(",fits,") && !Contains("does not fit"));
  CHECK_THAT(said("capacity=4GiB,context=150MiB"), Contains(",fits,") && Contains("context 150"));
  CHECK_THAT(said("capacity=4GiB,context=2GiB"), Contains("does not fit"));
  const test::Ran two = prediction.run(
      {"--calibration", "calibration.json", "--format", "csv", "--what-if", "capacity=4GiB"});
  CHECK_THAT(two.out, Contains("no all-reduce that applies to 2 ranks"));
}

TEST_CASE("a plan leaves out points that exceed the GPU, and is rejected if no point is left") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(dlscale.folder.path() / "study.toml", R"(
[study]
name = "large"
scaling = "weak"
[matrix]
framework = ["ddp"]
model = ["densenet121"]
gpus = [1]
batch_per_gpu = [64, 512]
[training]
dataset = { kind = "image_folder", path = "data", train_samples = 1000 }
epochs = 1
lr.base = 0.1
)");
  const test::Ran planned = dlscale.run({"plan", "study.toml", "--site", "nef", "--dry-run"});
  CHECK(planned.exit_code == 0);
  CHECK_THAT(planned.out, Contains("out of memory on NVIDIA T4: does not fit 14.58 GiB") &&
                              Contains("features.denseblock1") && Contains("large: 1 run "));
  const test::Ran refused = dlscale.run(
      {"plan", "study.toml", "--site", "nef", "--dry-run", "-S", "matrix.batch_per_gpu=[512]"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             StartsWith("dlscale: study.toml: no point fits the GPUs of nef: out of "
                        "memory on NVIDIA T4") &&
                 Contains("% of them from features.denseblock1, the largest part from "));
  CHECK_FALSE(std::filesystem::exists(dlscale.folder.path() / "large"));
}

TEST_CASE("a calibration is rejected for a device on which it was not measured") {
  Prediction prediction;
  prediction.calibrate("a CPU");
  const std::vector<std::string> by{"--calibration", "calibration.json"};
  check_refused(prediction.on_altec(by),
                "measured on a CPU, but these runs use NVIDIA V100 PCIe 32 GB");
  prediction.calibrate("Tesla V100-PCIE-32GB");
  CHECK_THAT(prediction.on_altec(by).out, Contains("synchronous,1,1,32,3.25,"));
  auto other = by;
  other.insert(other.end(), {"--what-if", "link=400Gbps,gpu=h100"});
  check_refused(prediction.on_altec(other),
                "measured on Tesla V100-PCIE-32GB, but these runs use NVIDIA H100 SXM5 80 GB");
  const test::Ran data_sheet = prediction.on_altec({"--what-if", "link=400Gbps,gpu=h100"});
  CHECK(data_sheet.exit_code == 0);
  CHECK_THAT(data_sheet.out, Contains("the roofline of NVIDIA H100 SXM5 80 GB"));
}

TEST_CASE("measured steps are rejected with a changed peak or memory bandwidth") {
  Prediction prediction;
  prediction.calibrate("");
  const auto asked = [&](const std::string& option, const std::string& value) {
    return prediction.on_altec({"--calibration", "calibration.json", option, value});
  };
  check_refused(asked("--what-if", "peak=100TFLOPS"),
                "--what-if peak: the calibration contains steps");
  check_refused(asked("--what-if", "memory=2000GB/s"),
                "--what-if memory: the calibration contains");
  check_refused(asked("--sweep", "peak"), "--sweep peak: the calibration contains steps of mlp");
  check_refused(asked("--sweep", "memory"), "--sweep memory: the calibration contains steps of");
  CHECK(asked("--sweep", "batch").exit_code == 0);
  CHECK(asked("--what-if", "capacity=16GiB").exit_code == 0);
  CHECK(prediction.on_altec({"--sweep", "peak", "--what-if", "memory=2000GB/s"}).exit_code == 0);
}

TEST_CASE("a changed link replaces all-reduces that were measured between nodes") {
  Prediction prediction;
  prediction.calibrate("");
  const auto with = [&](const std::string& what) {
    return prediction.on_altec({"--calibration", "calibration.json", "--what-if", what}).out;
  };
  const std::string measured = "synchronous,2,2,32,4.75,";
  CHECK_THAT(with("capacity=16GiB"), Contains(measured));
  for (const char* what : {"link=1Gbps", "latency=2us"}) {
    INFO(what);
    CHECK_THAT(with(what),
               Contains("synchronous,1,1,32,3.25,") && Contains("synchronous,2,2,32,") &&
                   Contains("are predicted from the requested link") && !Contains(measured));
  }
}

TEST_CASE("nodes with an unknown link use all-reduces that were measured on them") {
  // The site has a GPU with a data sheet on each of eight nodes and does not name the link between
  // them.
  const std::string unlinked = R"(
name = "unlinked"
scheduler = "slurm"
device = "cuda"
communicator = "nccl"
launcher = "srun"
walltime = "01:00:00"
[[partitions]]
name = "all"
gpu = "v100-pcie-32gb"
nodes = 8
gpus_per_node = 1
cores_per_node = 4
)";
  Prediction prediction;
  prediction.calibrate("");
  base::write_file_atomically(prediction.dlscale.folder / "unlinked.toml", unlinked);
  const std::vector<std::string> site{"--site", "unlinked.toml", "--up-to", "8", "--format", "csv"};
  auto measured = site;
  measured.insert(measured.end(), {"--calibration", "calibration.json"});
  CHECK_THAT(prediction.run(measured).out, Contains("synchronous,2,2,32,4.75,") &&
                                               !Contains("synchronous,4,4,") &&
                                               !Contains("synchronous,8,8,"));
  CHECK_THAT(prediction.run(site).out,
             Contains("synchronous,1,1,32,") && !Contains("synchronous,2,2,"));
  REQUIRE(prediction.dlscale.run({"plan", "study.toml", "--site", "unlinked.toml", "-o", "out"})
              .exit_code == 0);
  measured.insert(measured.end(), {"--keep", "out"});
  CHECK_THAT(prediction.run(measured).err, Contains("4 predictions saved"));
}

TEST_CASE("the study's own calibration is used unless another or none is given") {
  Prediction prediction;
  prediction.calibrate("");
  base::write_file_atomically(prediction.dlscale.folder.path() / "rows.toml",
                              "[[throughput]]\ngpus = 1\nsamples_per_s = 100\n");
  const std::vector<std::string> own{"-S", "resources.calibration=calibration.json"};
  CHECK_THAT(prediction.on_altec(own).out,
             Contains("synchronous,1,1,32,3.25,") &&
                 Contains("does not name its device, which is assumed to be NVIDIA V100 PCIe"));
  auto none = own;
  none.insert(none.end(), {"--calibration", "none"});
  CHECK_THAT(prediction.on_altec(none).out, Contains("no step was measured"));
  const test::Ran rows = prediction.on_altec({"-S", "resources.calibration=rows.toml"});
  CHECK(rows.exit_code == 0);
  CHECK_THAT(rows.out, Contains("no step was measured"));
}

TEST_CASE("saved memory predictions are those of the allocator without the context") {
  Prediction prediction;
  const test::Ran planned =
      prediction.dlscale.run({"plan", "study.toml", "--site", "altec", "-o", "out"});
  INFO(planned.err);
  REQUIRE(planned.exit_code == 0);
  const test::Ran ran = prediction.run({"--site", "altec", "--keep", "out"});
  CHECK_THAT(ran.err, Contains("8 predictions saved"));
  const contract::PlanDir out(prediction.dlscale.folder.path() / "out");
  const auto kept = contract::parse_predictions(base::read_file(out.predictions())).predictions;
  REQUIRE(kept.size() == 8);
  for (const contract::RunPrediction& said : kept) {
    // The expected memory consists of the parameters, 32 samples and the gradients. With DDP, the
    // gradients take the memory of buckets for all layers. With the other styles, only the
    // gradients of the last layer count.
    const bool has_buckets = said.point_id.starts_with("ddp");
    CHECK(said.memory_bytes.value == Approx(301e6 + 32 * 60e6 + (has_buckets ? 300e6 : 100e6)));
  }
}

TEST_CASE("settings without a model are noted, and frozen models are not predicted") {
  Prediction prediction;
  const auto with = [&](const std::string& setting) {
    return prediction.on_altec({"-S", setting});
  };
  CHECK_THAT(with("training.batch_norm=synchronised").out,
             Contains("the exchange of statistics is not counted"));
  check_refused(with("training.frozen=hidden1"), "partly frozen models are not modelled");
}

TEST_CASE("dropping the last samples changes the predicted epoch") {
  Prediction prediction;
  const auto with = [&](const std::string& last_batch) {
    return prediction.on_altec({"-S", "training.last_batch=" + last_batch}).out;
  };
  CHECK(with("drop") != with("pad"));  // 50000 samples are 1562.5 batches of 32 samples
}

TEST_CASE("runs that a plan assigns to other GPUs form another curve") {
  Prediction prediction;
  const test::Ran ran = prediction.run({"--site", "altec", "--format", "csv", "--up-to", "16", "-S",
                                        "matrix.gpus=[8,16]", "-S", "matrix.framework=[\"ddp\"]"});
  INFO(ran.err);
  CHECK_THAT(ran.out, Contains("altec,8,8,32,") && Contains("ampere,16,16,32,") &&
                          Contains("NVIDIA A100 SXM4 40 GB"));
}

TEST_CASE("the planned time of a run is its prediction on the site's own devices") {
  Prediction prediction;
  prediction.calibrate("Tesla V100-PCIE-32GB");
  const test::Ran planned = prediction.dlscale.run(
      {"plan", "study.toml", "--site", "altec", "-o", "out", "-S", "matrix.gpus=[2]", "-S",
       "matrix.framework=[\"ddp\"]", "-S", "training.dataset.train_samples=6400", "-S",
       "resources.calibration=calibration.json"});
  INFO(planned.err);
  REQUIRE(planned.exit_code == 0);
  const contract::PlanDir out(prediction.dlscale.folder.path() / "out");
  const auto runs = contract::read_plan(out).runs;
  const auto kept = contract::parse_predictions(base::read_file(out.predictions())).predictions;
  REQUIRE(runs.size() == 1);
  REQUIRE(kept.size() == 1);
  CHECK(runs[0].predicted_s > 0);
  CHECK(runs[0].predicted_s == Approx(kept[0].run_s.value));
  const contract::Plan plan = contract::read_plan(out);
  const double limit_s = 60 * std::ceil((1.5 * runs[0].predicted_s + 120) / 60);
  CHECK(plan.jobs[0].resources.walltime_s == limit_s);
  CHECK(runs[0].gpu_hours == Approx(2 * limit_s / 3600));
}

TEST_CASE("data parallelism in one process is predicted within a node, without its memory") {
  Prediction prediction;
  const test::Ran ran =
      prediction.run({"--site", "juwels-booster", "--format", "csv", "--up-to", "16", "-S",
                      "matrix.framework=['data_parallel']", "-S", "matrix.gpus=[1,2,4]"});
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("data_parallel,4,1,32,") || Contains("mlp,4,1,32,"));
  CHECK_THAT(ran.out, !Contains(",8,2,32,") && !Contains("predicted-memory"));
}

TEST_CASE("training and inference with equal settings are separate curves") {
  Prediction prediction;
  const test::Ran ran = prediction.on_altec({"-S", "matrix.framework=['ddp']", "-S",
                                             "matrix.mode=['train','inference']", "-S",
                                             "training.dataset.test_samples=10000"});
  INFO(ran.err);
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("train,1,1,32,") && Contains("inference,1,1,32,") &&
                          Contains("inference,2,2,32,") &&
                          Contains("a step is the forward pass of one batch"));
}
