// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/init_study.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/file.hpp"
#include "cli/options/completer.hpp"
#include "planner/script/shell_text.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// Template of the example study. The study can be planned for the local site, with and without the
/// lines that are comments in the template.
constexpr const char* kStudy = R"toml(# A scaling study. Try it on this machine:
#   dlscale plan {file} --explain --dry-run
#   dlscale run {file} -o {stem}
# Lines that begin with # are suggestions; docs/study-format.md describes every key.

[study]
name = "{stem}"
scaling = "weak"           # fixed batch per GPU; "strong": fixed global batch
baseline = {{ gpus = 1 }}    # reference of speed-ups, or "smallest-common"
repeats = 3                # runs of each point; run ids stay the same if you add more

# Every key is an axis, and the study is the product of their values.
[matrix]
framework = ["synchronous", "ddp"]
model = ["mlp"]
lr_schedule = ["step", "cosine"]
gpus = [1, 2]              # or a range: {{ from = 1, to = 64, times = 2 }}
batch_per_gpu = [32]       # or global_batch, for strong scaling
# Any key of [training] can also be an axis, with its dotted name:
# optimizer.weight_decay = [0, 1e-4]

# Points to leave out; the plan lists them with the reason.
[[exclude]]
when = 'framework == "synchronous" && lr_schedule == "cosine"'
why = "one schedule is enough for the simplest framework"

# Points in addition to the product: axes not named here take all of their values.
# [[include]]
# gpus = 4
# framework = "ddp"

# Settings common to all runs.
[training]
dataset = {{ kind = "synthetic_digits" }}   # generated: nothing to download
epochs = 3
warmup_epochs = 0.5                       # epochs in which the learning rate rises to its peak
lr = {{ base_per_gpu = 0.05, scale = "linear" }}   # peak = base x GPUs
optimizer = {{ kind = "sgd", momentum = 0.9, nesterov = true, weight_decay = 1e-4 }}

# Parameters of each schedule in [matrix].
[training.schedules.step]
milestones = [2]           # epochs at which the rate is multiplied by factor
factor = 0.1

# Resources that each job requests. "auto": from the prediction or the site.
[resources]
walltime = "auto"          # or "02:00:00"
# partition = "gpu"        # default: the first partition of the site that fits the job
# max_gpu_hours = 1000     # a plan that could exceed this is rejected

# How runs become jobs of a batch system.
# [launch]
# pack = true              # small runs share an allocation
# array = true             # runs of one shape become a job array
)toml";

struct InitStudyOptions {
  std::string file = "study.toml";
  bool force = false;
};

/// Returns the name of the study: the name of the file, in which each invalid character is replaced
/// by "-".
std::string study_name(const fs::path& file) {
  std::string name = file.stem().string();
  for (char& c : name) {
    const bool allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    if (!allowed) c = '-';
  }
  return name;
}

int init_study(const InitStudyOptions& options) {
  const fs::path file = options.file;
  if (!options.force && fs::exists(fs::symlink_status(file))) {
    throw base::UsageError(
        fmt::format("{} exists; choose another file with -o, or --force", options.file));
  }
  const std::string shown = planner::shell_quote(options.file);
  base::write_file_atomically(
      file, fmt::format(kStudy, fmt::arg("file", shown), fmt::arg("stem", study_name(file))));
  fmt::print("wrote {0}; next: dlscale plan {0} --explain --dry-run\n", shown);
  return kExitOk;
}

}  // namespace

Action define_init_study(CLI::App& app) {
  const auto options = std::make_shared<InitStudyOptions>();
  app.add_option("-o,--output", options->file, "file to write")
      ->type_name(value_kind::kFile)
      ->capture_default_str();
  app.add_flag("--force", options->force, "replace an existing file");
  app.footer("Example:\n  dlscale init study -o resnet.toml");
  return [options] { return init_study(*options); };
}

}  // namespace dlscale::cli
