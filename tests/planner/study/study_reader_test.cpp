// SPDX-License-Identifier: Apache-2.0
#include "planner/study/study_reader.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using test::StudyText;

namespace {

struct Broken {
  StudyText study;
  std::string message;
};

const std::vector<Broken> kBrokenSections{
    {{.study = "nmae = \"s\""},
     "s.toml:2:1: study.nmae: unknown key; did you mean \"name\"? (known: name, scaling, baseline, "
     "reference, repeats, until, order, seed, uneven_batch)"},
    {{.study = "name = \"s\"\nreference = \"\""},
     "s.toml:3:13: study.reference: must not be empty"},
    {{.study = "name = \"s\"\nreference = 3"},
     "s.toml:3:13: study.reference: expected a string, found a whole number"},
    {{.study = "name = \"s\"\nreference = \"/nowhere/mine.csv\""},
     "s.toml:3:13: study.reference: /nowhere/mine.csv: no such file"},
    {{.study = ""}, "s.toml:1:1: study: name is missing"},
    {{.study = "name = 3"}, "s.toml:2:8: study.name: expected a string, found a whole number"},
    {{.study = "name = \"\""}, "s.toml:2:8: study.name: must not be empty"},
    {{.study = "name = \"a b\""},
     "s.toml:2:8: study.name: may contain only letters, digits and . _ -, and must begin with a "
     "letter, a digit or _"},
    {{.study = "name = \"s\"\nscaling = \"waek\""},
     "s.toml:3:11: study.scaling: unknown scaling \"waek\"; did you mean \"weak\"? (known: weak, "
     "strong, throughput)"},
    {{.study = "name = \"s\"\nrepeats = 0"},
     "s.toml:3:11: study.repeats: must be at least 1 (got 0)"},
    {{.study = "name = \"s\"\nrepeats = 10001"},
     "s.toml:3:11: study.repeats: must be at most 10000 (got 10001)"},
    {{.resources = "cores_per_rank = 4097"},
     "s.toml:10:18: resources.cores_per_rank: must be at most 4096 (got 4097)"},
    {{.study = "name = \"s\"\norder = \"repetition\""},
     "s.toml:3:9: study.order: unknown order \"repetition\"; did you mean \"repetitions\"? (known: "
     "repetitions, points)"},
    {{.study = "name = \"s\"\nrepeats = 1.5"},
     "s.toml:3:11: study.repeats: expected a whole number, found 1.5"},
    {{.study = "name = \"s\"\nbaseline = { gpu = 4 }"},
     "s.toml:3:14: study.baseline.gpu: unknown key; did you mean \"gpus\"? (known: gpus)"},
    {{.study = "name = \"s\"\nbaseline = {}"},
     "s.toml:3:12: study.baseline: expected { gpus = N }"},
    {{.study = "name = \"s\"\nbaseline = \"smallest\""},
     "s.toml:3:12: study.baseline: unknown baseline \"smallest\"; did you mean "
     "\"smallest-common\"? (known: smallest-common, "
     "per-curve)"},
    {{.study = "name = \"s"},
     "s.toml:2:10: Error while parsing string: unescaped control characters other than TAB "
     "(U+0009) are explicitly prohibited"},
    {{.study = "name = 2020-01-01"}, "s.toml:2:8: dates and times must be in quotes"},
    {{.rest = "[lauch]\npack = true"},
     "s.toml:11:2: lauch: unknown key; did you mean \"launch\"? (known: study, matrix, zip, "
     "include, exclude, override, substudy, training, trainer, resources, launch, extends)"},
    {{.resources = "walltime = \"2h\""},
     "s.toml:10:12: resources.walltime: expected a time as \"HH:MM:SS\", found \"2h\""},
    {{.resources = "walltime = \"00:61:00\""},
     "s.toml:10:12: resources.walltime: expected a time as \"HH:MM:SS\", found \"00:61:00\""},
    {{.resources = "walltime = \"1000000:00:00\""},
     "s.toml:10:12: resources.walltime: expected a time as \"HH:MM:SS\" of at most 99999 hours, "
     "found "
     "\"1000000:00:00\""},
    {{.resources = "margin = inf"},
     "s.toml:10:10: resources.margin: must be a finite number (got inf)"},
    {{.resources = "max_gpu_hours = -1"},
     "s.toml:10:17: resources.max_gpu_hours: must be at least 0 (got -1)"},
};

const std::vector<Broken> kBrokenMatrices{
    {{.matrix = "modle = \"mlp\"\ngpus = 1\nbatch_per_gpu = 32"},
     "s.toml:4:1: matrix.modle: unknown key; did you mean \"model\"? (known: framework, model, "
     "loader, lr_schedule, gpus, batch_per_gpu, global_batch, max_batch_per_gpu, "
     "accumulation_steps, dataset, last_batch, loader_options, mode, all_reduce, epochs, "
     "steps, window_steps, evaluate_every, precision, batch_norm, memory_format, cpu_kernels, "
     "gpu_kernels, cuda_graph, "
     "profile, profile_epochs, "
     "warmup_epochs, warmup_steps, lr, label_smoothing, clip_norm, ema_decay, target, "
     "plateau_epochs, "
     "optimizer, schedules, checkpoint, frameworks, weights, zero_init_gamma, frozen, models, "
     "parameters, environment)"},
    {{.matrix = "gpus = 1\nbatch_per_gpu = 32"}, "s.toml:3:1: matrix.model: missing"},
    {{.matrix = "model = \"mlp\"\nbatch_per_gpu = 32"}, "s.toml:3:1: matrix.gpus: missing"},
    {{.matrix = "model = \"mlp\"\ngpus = 1"}, "s.toml:3:1: matrix.batch_per_gpu: missing"},
    {{.matrix = "model = []\ngpus = 1\nbatch_per_gpu = 32"},
     "s.toml:4:9: matrix.model: the list is empty; give at least one value"},
    {{.matrix = "model = \"mlp\"\ngpus = [1, 2, 1]\nbatch_per_gpu = 32"},
     "s.toml:5:15: matrix.gpus[2]: 1 is listed twice"},
    {{.matrix = "model = \"mlp\"\ngpus = [1, 0]\nbatch_per_gpu = 32"},
     "s.toml:5:12: matrix.gpus[1]: must be at least 1 (got 0)"},
    {{.matrix = "model = \"mlp\"\ngpus = [1, \"2\"]\nbatch_per_gpu = 32"},
     "s.toml:5:12: matrix.gpus[1]: expected a whole number, found a string"},
    {{.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 0"},
     "s.toml:6:17: matrix.batch_per_gpu: must be at least 1 (got 0)"},
    {{.matrix = "model = \"mlp\"\ngpus = 9999999999\nbatch_per_gpu = 1"},
     "s.toml:5:8: matrix.gpus: must be at most 1000000 (got 9999999999)"},
    {{.matrix = "model = \"mlp\"\ngpus = 1\nglobal_batch = 32"},
     "s.toml:6:16: matrix.global_batch: weak scaling keeps the batch per GPU fixed; give "
     "batch_per_gpu, or set study.scaling = \"strong\""},
    {{.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 8\nglobal_batch = 32"},
     "s.toml:7:16: matrix.global_batch: batch_per_gpu is also given; keep one of the two"},
    {{.study = "name = \"s\"\nscaling = \"strong\""},
     "s.toml:7:17: matrix.batch_per_gpu: strong scaling keeps the global batch fixed; give "
     "global_batch, or set study.scaling = \"weak\""},
    {{.rest = "[[exclude]]\nwhen = 'gpus > 1'"},
     "s.toml:11:1: exclude[0]: why = \"reason\" is missing"},
    {{.rest = "[[exclude]]\nwhy = 'because'"},
     "s.toml:11:1: exclude[0]: when = 'condition' is missing"},
    {{.rest = "[[exclude]]\nwhen = 'gpu > 1'\nwhy = 'because'"},
     "s.toml:12:8: exclude[0].when: character 1 of 'gpu > 1': unknown name \"gpu\"; did you mean "
     "\"gpus\"? (known: model, gpus, batch_per_gpu, keys of [training])"},
    {{.rest = "[[include]]\nprecision = \"fp64\""},
     "s.toml:12:1: include[0].precision: unknown key (known: model, gpus, batch_per_gpu)"},
};

const std::vector<Broken> kBrokenTraining{
    {{.training = ""},
     "s.toml:7:1: training.lr: missing; give { base_per_gpu = … } or { base = … }"},
    {{.training = "lr = { base = 1, base_per_gpu = 1 }"},
     "s.toml:8:15: training.lr.base: lr.base_per_gpu is also given; keep one of the two"},
    {{.training = "lr = 0.1"},
     "s.toml:8:6: training.lr: expected a table, found a number; give a key of the table: "
     "lr.base_per_gpu, lr.base, …. With a script of your own, parameters.lr is also possible"},
    {{.matrix = "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 1\nlr = [0.1, 0.2]"},
     "s.toml:7:6: matrix.lr: expected a table, found a list; give a key of the table: "
     "lr.base_per_gpu, lr.base, …. With a script of your own, parameters.lr is also possible"},
    {{.training = "lr = { base = nan }"},
     "s.toml:8:15: training.lr.base: must be a finite number (got nan)"},
    {{.training = "lr = { bse = 0.1 }"},
     "s.toml:8:8: training.lr.bse: unknown key; did you mean \"base\"? (known: base_per_gpu, base, "
     "base_batch, scale, warmup_from, warmup_update)"},
    {{.training = "epochs = true"},
     "s.toml:8:10: training.epochs: expected a whole number, found true or false"},
    {{.training = "label_smoothing = 2"},
     "s.toml:8:19: training.label_smoothing: must be between 0 and 0.999 (got 2)"},
    {{.training = "optimizer.kind = \"sdg\""},
     "s.toml:8:18: training.optimizer.kind: unknown optimizer \"sdg\"; did you mean \"sgd\"? "
     "(known: sgd, adam, adamw, lars)"},
    {{.training = "schedules.cosine.gamma = 0.9"},
     "s.toml:8:18: training.schedules.cosine.gamma: unknown key (known: lr_min, t_max_epochs, "
     "update, origin)"},
    {{.training = "frameworks.ddp.bucket_cap = 1"},
     "s.toml:8:16: training.frameworks.ddp.bucket_cap: unknown key; did you mean "
     "\"bucket_cap_mb\"? (known: bucket_cap_mb, first_bucket_mb, gradient_as_bucket_view, "
     "find_unused_parameters, static_graph, broadcast_buffers, compression, powersgd_rank, "
     "powersgd_start_step)"},
    {{.training = "frameworks.deepspeed.zero_stage = 4"},
     "s.toml:8:35: training.frameworks.deepspeed.zero_stage: must be at most 3 (got 4)"},
};

void check_all(const std::vector<Broken>& cases) {
  for (const Broken& broken : cases) {
    INFO(broken.study.text());
    CHECK(test::error_of([&] { test::read(broken.study); }) == broken.message);
  }
}

}  // namespace

TEST_CASE("a malformed section is rejected with location, key and remedy") {
  check_all(kBrokenSections);
}

TEST_CASE("a malformed matrix is rejected with location, key and remedy") {
  check_all(kBrokenMatrices);
}

TEST_CASE("malformed training settings are rejected with location, key and remedy") {
  check_all(kBrokenTraining);
}

TEST_CASE("axes have the order of the file, and a scalar is one value") {
  const auto study =
      test::read({.matrix = "gpus = [4, 8]\nmodel = \"mlp\"\noptimizer.momentum = [0, 0.9]\n"
                            "batch_per_gpu = [64]"});
  REQUIRE(study.matrices[0].axes.size() == 4);
  CHECK(study.matrices[0].axes[0].name() == "gpus");
  CHECK(study.matrices[0].axes[1].name() == "model");
  CHECK(study.matrices[0].axes[2].name() == "optimizer.momentum");
  CHECK(study.matrices[0].axes[2].values.size() == 2);
  CHECK(study.matrices[0].axes[3].values.size() == 1);
}

TEST_CASE("an axis of lists has lists as values") {
  const StudyText text{.matrix =
                           "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 1\n"
                           "schedules.step.milestones = [[1, 2], [3]]"};
  CHECK(test::read(text).matrices[0].axes[3].values.size() == 2);
  const StudyText one{.matrix =
                          "model = \"mlp\"\ngpus = 1\nbatch_per_gpu = 1\n"
                          "schedules.step.milestones = [1, 2]"};
  CHECK(test::read(one).matrices[0].axes[3].values.size() == 1);
}

TEST_CASE("the command line can change any key and is named in errors") {
  const auto study = test::read({}, {"study.name=other", "training.epochs=7", "matrix.gpus=[4]",
                                     "matrix.framework=[\"ddp\"]", "resources.walltime=01:30:00"});
  CHECK(study.name == "other");
  CHECK(study.matrices[0].recipe.run.epochs == 7);
  CHECK(study.matrices[0].axes[1].values.size() == 1);
  CHECK(study.matrices[0].axes.back().name() == "framework");
  CHECK(study.matrices[0].resources.walltime_s == 5400);
  CHECK(test::error_of([] { test::read({}, {"training.epochs=0"}); }) ==
        "-S training.epochs=0: training.epochs: must be at least 1 (got 0)");
  CHECK(test::error_of([] {
          test::read({}, {"study.sede=1"});
        }).rfind("-S study.sede=1: study.sede: unknown key; did you mean \"seed\"?", 0) == 0);
}

TEST_CASE("a study can name its publication, which changes no run") {
  const auto named = test::read({.study = "name = \"s\"\nreference = \"nef\""});
  CHECK(named.reference == "nef");
  CHECK(test::read({.study = "name = \"s\""}).reference.empty());
}
