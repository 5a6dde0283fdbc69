// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "contract/records/capabilities.hpp"
#include "contract/run_spec/run_id.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

TEST_CASE("the published study on JUWELS has its points, exclusions and learning rates") {
  const auto planning = test::plan_example("juwels", "juwels-booster");
  const auto& plan = planning.plan;
  // ResNet50 by framework and loader, the larger models with DALI, profiles of three models, the
  // other runs of ResNet101, and two further schedules.
  CHECK(plan.runs.size() == 3 * (2 * 26 + 8 + 2 * 9 + 3 * (8 + 9) + 8 + 8 + 9 + 2 * 9));
  CHECK(plan.skipped.size() == 26);
  CHECK(plan.baseline.gpus == 4);
  std::map<int, std::set<double>> peaks;
  for (const auto& run : plan.runs) peaks[run.gpus].insert(run.lr_peak);
  REQUIRE(peaks.size() == 9);
  CHECK(*peaks.at(4).begin() == Approx(0.1));
  CHECK(*peaks.at(1024).begin() == Approx(25.6));
  for (const auto& [gpus, values] : peaks) CHECK(values.size() == 1);
  for (const auto& run : test::runs_of(planning)) {
    CHECK(run.lr_schedule.origin ==
          (run.lr_schedule.kind == "exponential" ? "after_warmup" : "start"));
    CHECK(run.resources.nodes * 4 == run.gpus);
  }
}

TEST_CASE("the published study on NEF gives each global batch to every number of GPUs") {
  const auto planning = test::plan_example("nef", "nef");
  CHECK(planning.plan.warnings.empty());
  for (const auto& run : test::runs_of(planning)) {
    CHECK(run.point.at("global_batch") == std::to_string(run.global_batch));
    CHECK(run.batch_per_gpu == (run.global_batch + run.gpus - 1) / run.gpus);
  }
}

TEST_CASE("run ids are unique, and jobs are named after their runs") {
  const auto planning = test::plan_example("demo", "local", {"study.repeats=2"});
  std::set<std::string> runs, points;
  std::map<std::string, std::vector<std::string>> jobs;
  for (const auto& job : planning.plan.jobs) jobs[job.name] = job.run_ids;
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    runs.insert(planning.run(i).run_id);
    points.insert(contract::point_id(planning.run(i).run_id));
    CHECK(planning.plan.runs[i].run_id == planning.run(i).run_id);
    CHECK(planning.plan.runs[i].job == planning.run(i).run_id);
    CHECK(jobs.at(planning.plan.runs[i].job) == std::vector{planning.run(i).run_id});
  }
  CHECK(runs.size() == 32);
  CHECK(points.size() == 16);
}

TEST_CASE("the plan states the format that trainer.read names, and run ids do not depend on it") {
  const auto run_of = [](const std::string& trainer_key) {
    const test::TempDir dir;
    const auto planning = test::plan_texts(
        "[study]\nname = \"own\"\n[matrix]\ngpus = 1\nbatch_per_gpu = 8\n[trainer]\ncommand = "
        "\"train\"\n" +
            trainer_key,
        base::read_text_file(test::kSource / "sites/local.toml"), dir);
    return planning.plan.runs.at(0);
  };
  const contract::PlannedRun without = run_of(""), read = run_of("read = \"timm\"");
  const contract::PlannedRun named = run_of("log_format = \"timm\"");
  CHECK(without.log_format.empty());
  CHECK(read.log_format == "timm");
  CHECK(named.log_format == "timm");
  CHECK(read.run_id == without.run_id);
  CHECK(named.run_id != without.run_id);
}

TEST_CASE("a plan above its budget is rejected with its cost") {
  const auto message =
      test::error_of([] { test::plan_example("nef", "nef", {"resources.max_gpu_hours=100"}); });
  CHECK(message ==
        "-S resources.max_gpu_hours=100: resources.max_gpu_hours: the plan may take up to 230 "
        "GPU-hours (every run for its whole walltime), but the limit is 100");
  CHECK_NOTHROW(test::plan_example("nef", "nef", {"resources.max_gpu_hours=230"}));
  CHECK(test::error_of([] {
          test::plan_example("demo", "local", {"resources.max_gpu_hours=9"});
        }).find("cannot be checked because neither the study nor the site sets a walltime") !=
        std::string::npos);
}

TEST_CASE("the longer time limit counts for a run that sub-studies share") {
  const auto hours = [](const std::string& first, const std::string& second) {
    const test::TempDir dir;
    const auto substudy = [](const std::string& name, const std::string& resources) {
      return "[[substudy]]\nname = '" + name + "'\n[substudy.resources]\n" + resources + "\n";
    };
    const auto planning = test::plan_texts(
        test::StudyText{.rest = substudy("a", first) + substudy("b", second)}.text(),
        "scheduler = 'slurm'\nlauncher = 'srun'\nwalltime = '02:00:00'\n"
        "[[partitions]]\nname = 'p'\ncores_per_node = 8\n",
        dir);
    REQUIRE(planning.plan.runs.size() == 2);
    CHECK(planning.run(1).resources == planning.plan.jobs[1].resources);
    const bool noted =
        planning.plan.warnings == std::vector<std::string>{
                                      "sub-studies a and b set different time limits for shared "
                                      "runs: the longer limit applies"};
    return std::pair(planning.run(1).resources.walltime_s / 3600, noted);
  };
  CHECK(hours("walltime = '01:00:00'", "walltime = '03:00:00'") == std::pair(3.0, true));
  CHECK(hours("walltime = '03:00:00'", "walltime = '01:00:00'") == std::pair(3.0, true));
  CHECK(hours("walltime = '01:00:00'", "walltime = 'auto'") == std::pair(2.0, true));
  CHECK(hours("walltime = '02:00:00'", "walltime = 'auto'") == std::pair(2.0, false));
}

namespace {

void write_small_capabilities(const std::filesystem::path& file) {
  contract::Capabilities capabilities{"1", {}, {}};
  capabilities.families = {{"framework", {"ddp"}},    {"model", {"mlp"}},
                           {"loader", {"memory"}},    {"lr_schedule", {"step", "cosine"}},
                           {"optimizer", {"sgd"}},    {"dataset", {"synthetic_digits"}},
                           {"communicator", {"mpi"}}, {"device", {"cpu"}}};
  base::write_file_atomically(file, contract::to_json(capabilities));
}

/// Returns the resources of a program built with these capabilities, with a trainer next to it.
planner::Resources built_small(const test::TempDir& dir) {
  write_small_capabilities(dir / "caps.json");
  auto resources = test::shipped_resources();
  resources.capabilities = dir / "caps.json";
  resources.trainer = dir / "dlscale-train";
  return resources;
}

std::vector<std::string> warnings_of(const std::string& study, const std::string& site,
                                     const std::vector<std::string>& overrides,
                                     const planner::Resources& resources) {
  const auto file = test::kSource / "examples/studies" / study / "study.toml";
  return planner::make_plan({file, site, overrides}, resources).plan.warnings;
}

}  // namespace

TEST_CASE("each name that the site's trainer lacks is one warning") {
  test::TempDir dir;
  write_small_capabilities(dir / "caps.json");
  const std::string site = "scheduler = 'local'\n";
  const auto planning = test::plan_demo_on(site + "capabilities = 'caps.json'", dir);
  REQUIRE(planning.plan.warnings.size() == 1);
  CHECK(planning.plan.warnings[0] ==
        "the trainer has no framework \"synchronous\": 24 of 48 runs would fail (" +
            (dir / "caps.json").string() + ")");
}

TEST_CASE("names that the local trainer lacks are warnings if the site's trainer is unknown") {
  test::TempDir dir;
  const auto warnings = warnings_of("nef", "nef", {}, built_small(dir));
  REQUIRE(warnings.size() == 6);
  for (const char* name :
       {"communicator \"nccl\"", "dataset \"image_folder\"", "device \"cuda\"", "loader \"native\"",
        "lr_schedule \"constant\"", "model \"densenet121\""}) {
    const auto text = std::string("the trainer of this installation has no ") + name +
                      " (the trainer of the site may have it): 110 of 110 runs";
    CHECK(std::count(warnings.begin(), warnings.end(), text) == 1);
  }
  CHECK(warnings_of("demo", "local", {}, built_small(dir)) ==
        std::vector{"the trainer has no framework \"synchronous\": 24 of 48 runs would fail (" +
                    (dir / "caps.json").string() + ")"});
}

TEST_CASE("each setting that the trainer would reject is one warning with key and reason") {
  test::TempDir dir;
  const std::vector<std::string> conflict{"training.label_smoothing=0.1",
                                          "training.dataset.classes=3"};
  const auto warnings = [&](const std::string& study, const std::string& site) {
    return warnings_of(study, site, conflict, built_small(dir));
  };
  CHECK(warnings("demo", "local").size() == 1);  // warning on framework "synchronous"
  auto known = contract::capabilities_from_json(base::read_file(dir / "caps.json"), "caps.json");
  known.traits = {{"model", {{"mlp", {.samples = "images", .task = "classification"}}}},
                  {"loader", {{"memory", {.samples = "images"}}}},
                  {"dataset",
                   {{"synthetic_digits", {.samples = "images", .task = "classification"}},
                    {"synthetic", {.samples = "images", .task = "classification"}}}}};
  const auto with_traits = [&](const std::string& site, const std::string& kind) {
    auto resources = built_small(dir);
    base::write_file_atomically(dir / "caps.json", contract::to_json(known));
    std::vector<std::string> overrides = conflict;
    overrides.push_back("training.dataset.kind='" + kind + "'");
    return warnings_of("demo", site, overrides, resources).back();
  };
  CHECK(with_traits("local", "synthetic_digits") ==
        "the trainer rejects dataset.classes (applies only to the data set synthetic; "
        "synthetic_digits has a fixed value; omit this key): 48 of 48 runs would fail (" +
            (dir / "caps.json").string() + ")");
  CHECK(
      with_traits("nef", "synthetic") ==
      "the trainer of this installation rejects label_smoothing (does not apply to classification, "
      "the task of mlp; omit this key; the trainer of the site may accept it): 48 of 48 runs");
}

TEST_CASE("settings that are invalid for any model and data are warnings") {
  test::TempDir dir;
  const auto resources = built_small(dir);
  const auto warning = [&](const std::string& site, const std::string& assignment) {
    return warnings_of("demo", site, {assignment}, resources).back();
  };
  CHECK(warning("local", "training.precision='tf32'") ==
        "the trainer rejects precision (is tf32, which only NVIDIA GPUs support; on the device cpu "
        "use fp32 or bf16): 48 of 48 runs would fail (" +
            (dir / "caps.json").string() + ")");
  CHECK(warning("nef", "training.all_reduce='ring'") ==
        "the trainer of this installation rejects all_reduce (is ring, an algorithm of mpi; omit "
        "this key, because nccl selects its own algorithm (environment variable NCCL_ALGO); the "
        "trainer of the "
        "site may accept it): 48 of 48 runs");
  CHECK(warning("local", "training.frameworks.ddp.powersgd_rank=4") ==
        "the trainer rejects framework_options.powersgd_rank (applies to compression = "
        "\"powersgd\", but compression is none; omit this key): 24 of 48 runs would fail (" +
            (dir / "caps.json").string() + ")");
}

TEST_CASE("inference and training are different runs") {
  const auto id = [](const char* mode) {
    return test::plan_example("demo", "local", {std::string("training.mode=") + mode})
        .plan.runs[0]
        .run_id;
  };
  CHECK(id("train") == test::plan_example("demo", "local").plan.runs[0].run_id);
  CHECK(id("train") != id("inference"));
  CHECK(test::runs_of(test::plan_example("demo", "local", {"matrix.mode=['train', 'inference']"}))
            .size() == 96);
}

TEST_CASE("a study of inference does not need a learning rate") {
  const test::TempDir dir;
  const auto planning = test::plan_texts(
      test::StudyText{.training = "mode = 'inference'\ndataset = { kind = 'synthetic_digits' }"}
          .text(),
      "scheduler = 'local'\nlauncher = 'mpirun'\n[[partitions]]\nname = 'p'\ncores_per_node = 8\n",
      dir);
  CHECK(planning.run(0).lr.scale == "none");
  CHECK(contract::run_spec_from_json(contract::to_json(planning.run(0)), "run.json").lr.peak == 0);
}

TEST_CASE("a warm-up as long as the run is a warning") {
  const auto warnings = [](const char* epochs) {
    return test::plan_example("demo", "local", {std::string("training.warmup_epochs=") + epochs})
        .plan.warnings;
  };
  CHECK(warnings("2.9").empty());
  CHECK(warnings("3") ==
        std::vector<std::string>{"the peak learning rate is never reached because warm-up is at "
                                 "least as long as the run: 48 of 48 runs"});
}

TEST_CASE("a study or site that cannot be read is a usage error") {
  CHECK_THROWS_AS(test::plan_example("nothing", "local"), base::UsageError);
  CHECK_THROWS_AS(test::plan_example("demo", "/nowhere/site.toml"), base::UsageError);
  CHECK(test::error_of([] { test::plan_example("demo", "/nowhere/site.toml"); }) ==
        "cannot read /nowhere/site.toml: No such file or directory");
}

TEST_CASE("a baseline without runs is a warning") {
  const auto planning = test::plan_example("demo", "local", {"matrix.gpus=[2]"});
  REQUIRE(planning.plan.warnings.size() == 1);
  CHECK(planning.plan.warnings[0] ==
        "no run has the 1 GPUs of the baseline: speed-ups cannot be computed");
}

TEST_CASE("the trainer comes from the site, then from this machine, then from PATH") {
  auto resources = test::shipped_resources();
  resources.trainer = "/opt/bin/dlscale-train";
  const auto study = test::kSource / "examples/studies/demo/study.toml";
  CHECK(planner::make_plan({study, "local", {}}, resources).site.trainer ==
        "/opt/bin/dlscale-train");
  CHECK(planner::make_plan({study, "juwels-booster", {}}, resources).site.trainer ==
        "dlscale-train");
  test::TempDir dir;
  CHECK(test::plan_demo_on("scheduler = 'local'\ntrainer = 'mine'", dir).site.trainer == "mine");
}

TEST_CASE("variables of the site are replaced in the data set paths of runs") {
  test::TempDir dir;
  const auto planning = test::plan_demo_on("scheduler = 'local'\nvariables = { DATA = '/d' }", dir,
                                           {"training.dataset.path=$DATA/$SCRATCH"});
  CHECK(planning.run(0).dataset.path == "/d/$SCRATCH");
}

TEST_CASE("a study that cannot be planned is rejected with one line") {
  CHECK(test::error_of([] {
          test::plan_example("demo", "mars");
        }).rfind("unknown site \"mars\"", 0) == 0);
  CHECK(test::error_of([] { test::plan_example("nothing", "local"); }).rfind("cannot read ", 0) ==
        0);
  CHECK(test::error_of([] {
          test::plan_example("demo", "local", {"exclude=[{when = 'true', why = 'x'}]"});
        }).find("every point of the study is excluded or skipped") != std::string::npos);
  CHECK(test::error_of([] {
          test::plan_example("demo", "local", {"training.optimizer.momentum=0"});
        }).find("optimizer.nesterov: needs momentum above 0") != std::string::npos);
}

TEST_CASE("a command that is started once gets several nodes only with a launcher") {
  test::TempDir dir;
  const std::string site =
      "scheduler = 'oar'\ndevice = 'cuda'\nwalltime = '01:00:00'\n[[partitions]]\nname = 'p'\n"
      "gpus_per_node = 4\ncores_per_node = 4\nmoldable = true";
  const auto plan = [&](const std::string& gpus, const std::string& launcher,
                        const std::string& program = "torchrun") {
    return test::plan_texts("[trainer]\ncommand = '" + program + " train'\n" + launcher +
                                "\n[study]\nname = 's'\n[matrix]\nmodel = 'm'\nbatch_per_gpu = "
                                "8\ngpus = " +
                                gpus,
                            site, dir);
  };
  CHECK(test::error_of([&] { plan("[2, 8]", ""); }) ==
        (dir / "study.toml").string() +
            ":2:11: trainer.command: is started once, but 8 GPUs are on 2 nodes of site; set "
            "launcher = \"torchrun\" or \"ranks\", or \"plain\" if the command starts processes on "
            "the other nodes itself");
  CHECK(
      plan("4", "").plan.warnings ==
      std::vector<std::string>{
          "jobs on p request only one shape although the partition is moldable, because the "
          "command cannot adapt to another shape; set launcher = \"ranks\" to allow other shapes"});
  CHECK(plan("[2, 8]", "launcher = 'ranks'", "python").plan.warnings.empty());
  for (const std::string launcher : {"torchrun", "plain"}) {
    CHECK(plan("8", "launcher = '" + launcher + "'").plan.jobs.size() == 1);
  }
}

TEST_CASE("an array holds the runs of one shape from all sub-studies") {
  const auto plan = test::plan_example("ensias", "generic-slurm", {"launch.array=true"}).plan;
  // The keys are the GPUs of a node and whether one process uses all of them.
  std::map<std::pair<int, bool>, std::size_t> runs;
  for (const auto& job : plan.jobs) {
    CHECK((job.kind == contract::JobKind::array) == (job.run_ids.size() > 1));
    const bool one_process = job.run_ids[0].starts_with("data_parallel");
    runs[{job.resources.ranks_per_node, one_process && job.resources.ranks_per_node > 1}] +=
        job.run_ids.size();
  }
  CHECK(plan.jobs.size() == runs.size());
  CHECK(runs == std::map<std::pair<int, bool>, std::size_t>{
                    {{1, false}, 6}, {{2, false}, 6}, {{4, false}, 3}});
}

TEST_CASE("warnings about the log format of a study are warnings of the plan") {
  const test::TempDir dir;
  base::write_file_atomically(dir / "study.toml",
                              "[study]\nname = 's'\n[matrix]\ngpus = 1\nbatch_per_gpu = 8\n"
                              "[trainer]\ncommand = 'train'\nread = { line = 'x' }\n");
  planner::Resources resources = test::shipped_resources();
  resources.own_format = [](const std::string& text, const std::string& file) {
    CHECK_THAT(text, Catch::Contains("line = \"x\""));
    return planner::Resources::OwnFormat{"mine", {file + ": a mistake"}};
  };
  const std::string study = (dir / "study.toml").string();
  const auto plan = planner::make_plan({study, "local", {}}, resources).plan;
  CHECK(plan.runs.at(0).log_format == "mine");
  CHECK(plan.warnings == std::vector<std::string>{study + ", trainer.read: a mistake"});
}
