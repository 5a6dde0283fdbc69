// SPDX-License-Identifier: Apache-2.0
// `dlscale predict`, run as users do.
#include <catch2/catch.hpp>

#include "tests/cli/dlscale_program.hpp"
#include "tests/predict/made_card.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;

namespace {

const std::string kStudy = R"(
[study]
name = "small"
scaling = "weak"
[matrix]
framework = ["synchronous", "ddp"]
model = ["mlp"]
gpus = [1, 2, 4, 8]
batch_per_gpu = [32]
[training]
dataset = { kind = "cifar10", path = "data" }
epochs = 2
lr.base = 0.1
)";

/// The program in a folder with the study and a card of its model.
struct Prediction {
  Prediction() {
    base::write_file_atomically(dlscale.folder.path() / "study.toml", kStudy);
    contract::ModelCard card = test::made_card();
    card.model = "mlp";
    card.input = {3, 32, 32};
    card.classes = 10;
    const auto cards = dlscale.folder.path() / "made";
    std::filesystem::create_directories(cards);
    base::write_file_atomically(cards / "mlp-3x32x32-10.json", to_json(card));
  }
  test::Ran run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"predict", "study.toml", "--cards", "made"});
    return dlscale.run(arguments);
  }
  test::DlscaleProgram dlscale;
};

}  // namespace

TEST_CASE("a study is predicted without a trainer, up to the GPUs asked for") {
  Prediction prediction;
  const test::Ran ran = prediction.run({"--site", "altec", "--format", "csv", "--up-to", "64"});
  CHECK(ran.err == "");
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("synchronous,1,1,32,") && Contains("ddp,64,64,32,") &&
                          Contains(",memory,") && Contains("no step was measured"));
}

TEST_CASE("other hardware gives other times") {
  Prediction prediction;
  const std::vector<std::string> site{"--site", "altec", "--format", "csv", "--up-to", "8"};
  auto slow = site;
  slow.insert(slow.end(), {"--what-if", "link=1Gbps"});
  const test::Ran as_it_is = prediction.run(site), slower = prediction.run(slow);
  CHECK(slower.exit_code == 0);
  CHECK_THAT(slower.out, Contains("what if: link 1 Gbit/s"));
  CHECK(as_it_is.out != slower.out);
}

TEST_CASE("what a GPU cannot hold is said with the layer and the batch that fits") {
  Prediction prediction;
  const test::Ran ran =
      prediction.run({"--site", "altec", "--format", "csv", "--what-if", "capacity=2GiB"});
  CHECK(ran.exit_code == 0);
  CHECK_THAT(ran.out, Contains("does not fit,first,"));
}

TEST_CASE("tables and figures are written where they are wanted") {
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

TEST_CASE("what cannot be predicted is one line with the remedy, and exit code 2") {
  Prediction prediction;
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    const test::Ran ran = prediction.run(arguments);
    CHECK(ran.exit_code == 2);
    CHECK(ran.out.empty());
    CHECK_THAT(ran.err, StartsWith("dlscale: ") && Contains(message));
  };
  refused({}, "the site local does not say which GPU it has: write gpu = \"NAME\"");
  refused({"--site", "altec", "-S", "matrix.model=[\"cnn\"]"},
          "dlscale-train --describe cnn --input 3x32x32 --classes 10 > ");
  refused({"--site", "altec", "-S", "matrix.framework=[\"pipeline\"]", "-S",
           "training.frameworks.pipeline.model_parallel_size=1"},
          "");
  refused({"--site", "altec", "--what-if", "gpu=a100"}, "unknown device \"a100\"");
  refused({"--site", "altec", "--sweep", "lnk"}, "did you mean \"link\"");
  refused({"--site", "altec", "-S", "training.precision=tf32"}, "has no peak for tf32");
  refused({"--site", "altec", "--calibration", "none.json"}, "none.json");
}

TEST_CASE("measured steps and all-reduces count where a calibration has them") {
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
  // One GPU: 3.25 s; eight: two layers' all-reduces of half a second each, and one of a bias.
  CHECK_THAT(ran.out, Contains("synchronous,1,1,32,3.25,") && Contains("synchronous,8,8,32,4.75,"));
}

TEST_CASE("on CPUs memory is judged by what a rank has and what its process takes first") {
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
  CHECK_THAT(two.out, Contains("no all-reduce that says anything of 2 ranks"));
}

TEST_CASE("a plan leaves out what cannot fit its GPU, and is refused where nothing is left") {
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
  CHECK_THAT(refused.err, StartsWith("dlscale: study.toml: no point fits the GPUs of nef: out of "
                                     "memory on NVIDIA T4") &&
                              Contains("% of them of features.denseblock1, most of "));
  CHECK_FALSE(std::filesystem::exists(dlscale.folder.path() / "large"));
}
