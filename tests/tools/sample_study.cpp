// SPDX-License-Identifier: Apache-2.0
// Program that writes a plan folder with results computed by a formula, for tests of the analysis.
// Some axis values would do harm if they became markup.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace {

using namespace dlscale;

struct Size {
  int recipes = 2;  ///< number of recipes; the study has the axes framework and recipe
  int repeats = 3;
  int epochs = 6;
  std::string axis = "recipe";  ///< name of the axis of the recipes
};

struct Point {
  std::size_t framework = 0;
  int recipe = 0;
  int gpus = 1;
  int repetition = 1;
};

const std::vector<std::string> kFrameworks{"ddp", "horovod", "deepspeed"};
const std::vector<int> kGpus{1, 2, 4, 8, 16};
constexpr std::int64_t kSamples = 50000;

std::string recipe_name(int recipe) {
  const std::vector<std::string> names{"plain",
                                       "<script>document.title = 'taken'</script>",
                                       "\"quoted\" 'single' & <b>bold</b>",
                                       "größe 模型 \xF0\x9F\x9A\x80",
                                       "100 % of $x_1^2 \\input{passwd} # ~ {a|b}",
                                       "control \x01\x1b[31m end"};
  const auto i = static_cast<std::size_t>(recipe);
  return i < names.size() ? names[i] : fmt::format("recipe-{}", recipe);
}

/// Returns a reproducible value between -1 and 1.
double noise(const Point& point, int salt) {
  const int seed = 7919 * point.gpus + 104729 * point.repetition + 1299709 * point.recipe +
                   15485863 * static_cast<int>(point.framework) + 32452843 * salt;
  return std::sin(static_cast<double>(seed % 100003));
}

double samples_per_s(const Point& point) {
  const double lost = (0.02 + 0.015 * static_cast<double>(point.framework)) *
                      std::log2(static_cast<double>(point.gpus));
  return 400.0 * point.gpus * (1 - lost) * (1 + 0.01 * noise(point, 0)) /
         (1 + 0.1 * static_cast<double>(point.recipe % 5));
}

double accuracy(const Point& point, int epoch) {
  const double limit = 0.93 - 0.004 * std::log2(static_cast<double>(point.gpus)) -
                       0.005 * static_cast<double>(point.recipe % 5);
  return limit * (1 - std::exp(-0.9 * (epoch + 1))) + 0.002 * noise(point, 1 + epoch);
}

contract::RunSpec spec_of(const Point& point, const std::string& axis) {
  contract::RunSpec spec;
  spec.framework = kFrameworks[point.framework];
  spec.gpus = point.gpus;
  spec.batch_per_gpu = 64;
  spec.global_batch = 64 * point.gpus;
  spec.repetition = point.repetition;
  spec.point = {{"framework", spec.framework},
                {axis, recipe_name(point.recipe)},
                {"gpus", std::to_string(point.gpus)}};
  spec.run_id =
      fmt::format("{}-{}-g{}-r{}", spec.framework, point.recipe, point.gpus, point.repetition);
  return spec;
}

contract::RunStart start_of(const contract::RunSpec& spec) {
  contract::RunStart start;
  start.run_id = spec.run_id;
  start.time = 1000;
  start.world_size = spec.gpus;
  start.nodes = (spec.gpus + 3) / 4;
  start.environment = {{"gpu", "made up by a formula"}, {"torch", "2.11.0"}};
  start.trainable_parameters = 25'000'000;
  start.train_samples = kSamples;
  start.steps_per_epoch = kSamples / spec.global_batch;
  return start;
}

contract::StepWindow window_of(const Point& point, const contract::RunSpec& spec, int epoch) {
  contract::StepWindow window;
  window.epoch = epoch;
  window.steps = static_cast<int>(kSamples / spec.global_batch);
  window.first_step = static_cast<std::int64_t>(epoch) * window.steps;
  window.warmup = epoch == 0;
  window.samples = static_cast<std::int64_t>(window.steps) * spec.global_batch;
  window.wall_s = static_cast<double>(window.samples) / samples_per_s(point);
  const double waiting = point.gpus > 1 ? 0.05 * std::log2(point.gpus) : 0;
  const double shares[] = {0.04, 0.02, 0.28, 0.52 - waiting, waiting, 0.1, 0, 0.04};
  for (std::size_t i = 0; i < contract::kStepParts; ++i) {
    window.parts[i].mean = shares[i] * window.wall_s;
  }
  if (point.gpus > 1) window.bytes_sent = 4.0 * 25e6 * window.steps;
  return window;
}

std::string results_of(const Point& point, const contract::RunSpec& spec, int epochs) {
  std::string text = to_json_line(contract::ResultRecord(start_of(spec))) + "\n";
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const contract::StepWindow window = window_of(point, spec, epoch);
    const double top1 = accuracy(point, epoch);
    text += to_json_line(contract::ResultRecord(window)) + "\n";
    contract::EpochRecord record;
    record.epoch = epoch;
    record.wall_s = window.wall_s;
    record.steps = window.steps;
    record.samples = window.samples;
    record.train_loss = 2.5 * std::exp(-0.6 * epoch);
    text += to_json_line(contract::ResultRecord(record)) + "\n";
    contract::EvalRecord eval;
    eval.epoch = epoch;
    eval.samples = 10000;
    eval.correct = static_cast<std::int64_t>(10000 * top1);
    eval.accuracy = top1;
    eval.loss = 1 - top1;
    text += to_json_line(contract::ResultRecord(eval)) + "\n";
  }
  contract::RunStop stop;
  stop.time = 2000;
  return text + to_json_line(contract::ResultRecord(stop)) + "\n";
}

void write_run(const contract::PlanDir& folder, const Point& point, const Size& size,
               contract::Plan& plan) {
  const contract::RunSpec spec = spec_of(point, size.axis);
  const contract::RunDir run = folder.run(spec.run_id);
  base::make_directories(run.launch(1).root());
  base::write_file_atomically(run.run_json(), to_json(spec));
  base::write_file_atomically(run.launch(1).results(), results_of(point, spec, size.epochs));
  plan.runs.push_back({.run_id = spec.run_id,
                       .repetition = spec.repetition,
                       .point = spec.point,
                       .job = "job-" + spec.run_id,
                       .gpus = spec.gpus});
  plan.jobs.push_back({"job-" + spec.run_id, {spec.run_id}, {}});
}

void write_study(const std::filesystem::path& root, const Size& size) {
  const contract::PlanDir folder(root);
  contract::Plan plan;
  plan.study = "made up";
  plan.scaling = "weak";
  plan.site = "local";
  plan.scheduler = "local";
  plan.axes = {{"framework", kFrameworks}, {size.axis, {}}, {"gpus", {}}};
  for (int i = 0; i < size.recipes; ++i) plan.axes[1].values.push_back(recipe_name(i));
  for (const int gpus : kGpus) plan.axes[2].values.push_back(std::to_string(gpus));
  for (std::size_t framework = 0; framework < kFrameworks.size(); ++framework) {
    for (int recipe = 0; recipe < size.recipes; ++recipe) {
      for (const int gpus : kGpus) {
        for (int repetition = 1; repetition <= size.repeats; ++repetition) {
          write_run(folder, {framework, recipe, gpus, repetition}, size, plan);
        }
      }
    }
  }
  base::make_directories(folder.logs());
  base::write_file_atomically(folder.plan_json(), to_json(plan));
}

}  // namespace

int main(int count, char** words) try {
  if (count < 2 || count > 6) {
    std::fputs("usage: sample_study DIR [RECIPES [REPEATS [EPOCHS [AXIS]]]]\n", stderr);
    return 2;
  }
  Size size;
  if (count > 2) size.recipes = std::stoi(words[2]);
  if (count > 3) size.repeats = std::stoi(words[3]);
  if (count > 4) size.epochs = std::stoi(words[4]);
  if (count > 5) size.axis = words[5];
  write_study(words[1], size);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "sample_study: %s\n", error.what());
  return 1;
}
