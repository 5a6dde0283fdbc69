// SPDX-License-Identifier: Apache-2.0
// Tests of the plans of the shipped studies.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "tests/planner/planned.hpp"

using namespace dlscale;
namespace fs = std::filesystem;

namespace {

/// Returns the TOML files with a section [study] below a folder.
std::vector<fs::path> studies_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    if (base::read_file(entry.path()).find("\n[study]\n") != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  return files;
}

planner::Planning planned(const fs::path& file) {
  return planner::make_plan({file, "local"}, test::shipped_resources());
}

}  // namespace

TEST_CASE("each accuracy study is planned on this machine without warnings") {
  int studies = 0;
  for (const char* folder : {"accuracy", "accuracy-vs-batch"}) {
    for (const fs::path& file : studies_in(test::kSource / "examples/studies" / folder)) {
      INFO(file);
      const planner::Planning planning = planned(file);
      for (const std::string& warning : planning.plan.warnings) CHECK(warning.empty());
      for (const contract::RunSpec& run : test::runs_of(planning)) {
        CHECK(run.dataset.path.rfind("$DATA/", 0) == 0);
      }
      ++studies;
    }
  }
  CHECK(studies == 8);
}

TEST_CASE("the Princeton study has the classifiers of its table") {
  const auto planning = test::plan_example("princeton", "ionic");
  std::set<std::string> seen;
  for (const contract::RunSpec& run : test::runs_of(planning)) {
    const contract::ModelOptions& options = run.model_options;
    CHECK_THAT(run.weights,
               Catch::StartsWith("$WEIGHTS/" + options.backbone + "-") && Catch::EndsWith(".pth"));
    seen.insert(options.backbone + " " + std::to_string(options.classifier_hidden));
  }
  CHECK(seen == std::set<std::string>{"alexnet 4096", "densenet121 4096", "resnet18 0",
                                      "squeezenet1_0 0", "vgg16 1024", "vgg16 2048", "vgg16 4096"});
}

TEST_CASE("accuracy is measured for batches from 32 to 4096 with scaled learning rates") {
  const auto planning = planned(test::kSource / "examples/studies/accuracy-vs-batch/study.toml");
  CHECK(planning.plan.runs.size() == 3 * 8 * 3);
  for (const contract::RunSpec& run : test::runs_of(planning)) {
    CHECK(run.lr.peak == Approx(0.0025 * static_cast<double>(run.global_batch) / 32));
    CHECK(run.warmup_epochs == 1);
  }
}

TEST_CASE("loaders are compared on the same images in three framework styles") {
  const auto planning = planned(test::kSource / "examples/studies/loaders/study.toml");
  std::map<std::string, int> runs;
  for (const contract::RunSpec& run : test::runs_of(planning)) {
    ++runs[run.loader + " " + run.dataset.path];
    CHECK(run.dataset.image_size == 32);
    CHECK(run.loader_options.threads == 1);
    CHECK(run.epochs == (run.model == "mlp" ? 8 : 3));
  }
  constexpr int kEach = 3 * 2 * 2 * 3;  // frameworks, models, GPU counts, repeats
  CHECK(runs == std::map<std::string, int>{{"dali_cpu $DATA/files", kEach},
                                           {"native $DATA/files", kEach},
                                           {"packed $DATA/jpeg256", kEach},
                                           {"packed $DATA/raw256", kEach},
                                           {"synthetic $DATA/files", kEach}});
}

TEST_CASE("each run of the JUWELS study has a time limit from the shipped throughput") {
  const fs::path rows = test::kSource / "examples/studies/juwels/throughput-juwels-booster.toml";
  const auto planning =
      test::plan_example("juwels", "juwels-booster", {"resources.calibration=" + rows.string()});
  std::map<std::string, double> native_s;
  for (const contract::PlannedRun& run : planning.plan.runs) {
    INFO(run.run_id);
    CHECK(run.predicted_s > 0);
    if (run.point.at("loader") != "native" || run.point.at("model") != "resnet50") continue;
    native_s[run.point.at("framework") + " " + std::to_string(run.gpus)] = run.predicted_s;
  }
  // The efficiencies that the paper prints for the native loader, relative to 4 GPUs.
  const auto efficiency = [&](const std::string& framework, int gpus) {
    return native_s.at(framework + " 4") * 4 /
           (native_s.at(framework + " " + std::to_string(gpus)) * gpus);
  };
  CHECK(efficiency("ddp", 256) == Approx(0.44).epsilon(0.001));
  CHECK(efficiency("horovod", 128) == Approx(0.50).epsilon(0.001));
  CHECK(efficiency("deepspeed", 128) == Approx(0.33).epsilon(0.001));
  for (const char* framework : {"ddp", "horovod", "deepspeed"}) {
    CHECK(efficiency(framework, 512) == Approx(0.24).epsilon(0.001));
  }
}
