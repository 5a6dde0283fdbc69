// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "contract/capabilities.hpp"
#include "contract/run_id.hpp"
#include "planner/jobs/calibration.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "planner/script/shell_text.hpp"
#include "planner/site/dataset_path.hpp"
#include "planner/site/resources.hpp"
#include "planner/site/site_reader.hpp"
#include "planner/study/expand.hpp"
#include "planner/study/resolved.hpp"
#include "planner/study/study_reader.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

/// What is known of a trainer: the site's own, or the one built here, or both in one.
struct Knowledge {
  contract::Capabilities capabilities;
  std::string file;
  bool built_here;
  bool runs_there;  ///< it is the site's
};

/// A file the user named: that it cannot be read is a fault of the command line.
std::string read_named_file(const fs::path& file) {
  try {
    return base::read_file(file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

/// True for a site that runs the trainer built here.
bool uses_trainer_here(const Site& site, const Resources& resources) {
  return site.trainer.empty() && site.scheduler == "local" && resources.trainer;
}

/// From the site's file, else from the build here, if there is one.
std::optional<Knowledge> known_trainer(const Site& site, const Resources& resources) {
  if (!site.capabilities.empty()) {
    const std::string text = read_named_file(site.capabilities);
    return Knowledge{contract::capabilities_from_json(text, site.capabilities), site.capabilities,
                     false, true};
  }
  if (!resources.capabilities) return std::nullopt;
  const std::string file = resources.capabilities->string();
  return Knowledge{contract::capabilities_from_json(base::read_file(file), file), file, true,
                   uses_trainer_here(site, resources)};
}

/// Counts, while the runs go by, what would fail or differs from what was meant.
class Warnings {
 public:
  explicit Warnings(const std::optional<Knowledge>& known) : known_(known) {}

  void look_at(const contract::RunSpec& run, int repeats) {
    runs_ += repeats;
    if (run.warmup_epochs >= run.epochs) endless_warmups_ += repeats;
    if (!known_ || !run.trainer.command.empty()) return;
    if (run.accumulation_steps > 1) accumulating_ += repeats;
    if (!run.mode.empty()) inferring_ += repeats;
    const std::pair<const char*, const std::string*> names[] = {
        {"framework", &run.framework},
        {"model", &run.model},
        {"loader", &run.loader},
        {"lr_schedule", &run.lr_schedule.kind},
        {"dataset", &run.dataset.kind},
        {"optimizer", &run.optimizer.kind},
        {"communicator", &run.resources.communicator},
        {"device", &run.resources.device}};
    for (const auto& [family, name] : names) {
      if (!known_->capabilities.has(family, *name)) missing_[{family, *name}] += repeats;
    }
  }

  void add_to(std::vector<std::string>& warnings) const {
    if (endless_warmups_ > 0) {
      warnings.push_back(
          fmt::format("the peak learning rate is never reached, for warmup_epochs is not below "
                      "epochs: {} of {} runs",
                      endless_warmups_, runs_));
    }
    for (const auto& [name, count] : missing_) warnings.push_back(missing(name, count));
    if (!known_ || !known_->built_here) return;
    if (accumulating_ > 0) {
      warnings.push_back(refused("accumulation_steps above 1", accumulating_));
    }
    if (inferring_ > 0) warnings.push_back(refused("mode inference", inferring_));
  }

 private:
  std::string refused(const char* what, int count) const {
    return fmt::format("the trainer built here refuses {}{}: {} of {} runs{}", what,
                       known_->runs_there ? "" : " (this site's may not)", count, runs_,
                       known_->runs_there ? " would fail" : "");
  }
  std::string missing(const std::pair<std::string, std::string>& name, int count) const {
    if (known_->runs_there) {
      return fmt::format("the trainer has no {} \"{}\": {} of {} runs would fail ({})", name.first,
                         name.second, count, runs_, known_->file);
    }
    return fmt::format("the trainer built here has no {} \"{}\" (this site's may): {} of {} runs",
                       name.first, name.second, count, runs_);
  }

  const std::optional<Knowledge>& known_;
  int runs_ = 0, endless_warmups_ = 0, accumulating_ = 0, inferring_ = 0;
  std::map<std::pair<std::string, std::string>, int> missing_;  // family and name → runs
};

std::vector<std::string> substudies_of(const Study& study, const Point& point) {
  std::vector<std::string> names;
  const auto add = [&](std::uint32_t matrix) {
    const std::string& name = study.matrices[matrix].name;
    if (!name.empty()) names.push_back(name);
  };
  add(point.matrix);
  for (const std::uint32_t matrix : point.also) add(matrix);
  return names;
}

/// Lists each repetition of a point; job, times and cost are not known yet.
void list_runs(const Study& study, const Point& point, contract::RunSpec run,
               std::vector<contract::PlannedRun>& runs) {
  contract::PlannedRun planned{.point = std::move(run.point),
                               .substudies = substudies_of(study, point),
                               .log_format = run.trainer.log_format,
                               .gpus = run.gpus,
                               .batch_per_gpu = run.batch_per_gpu,
                               .global_batch = run.global_batch,
                               .lr_peak = run.lr.peak};
  for (int repetition = 1; repetition <= study.repeats; ++repetition) {
    planned.repetition = repetition;
    planned.run_id = contract::run_id_of(point.id, repetition);
    runs.push_back(planned);
  }
}

/// Keeps the points whose runs are chosen.
void keep_chosen(const PlanRequest& request, Planning& planning) {
  if (!request.choose) return;
  const Study& study = planning.study;
  contract::Plan all = planning.plan;
  for (const Point& point : planning.expansion.points) {
    list_runs(study, point, run_of(study, point), all.runs);
  }
  const std::set<std::string> chosen = request.choose(all);
  std::erase_if(planning.expansion.points, [&](const Point& point) {
    int runs = 0;
    for (int repetition = 1; repetition <= study.repeats; ++repetition) {
      if (chosen.contains(contract::run_id_of(point.id, repetition))) ++runs;
    }
    if (runs == 0 || runs == study.repeats) return runs == 0;
    throw base::UsageError(
        fmt::format("{} of the {} repetitions of {} are selected, and a point is planned with all "
                    "of them; fewer repetitions are a matter of study.repeats",
                    runs, study.repeats, point.id));
  });
}

void add_runs(Planning& planning, Warnings& warnings, RunTimes& times) {
  const Study& study = planning.study;
  const std::vector<Point>& points = planning.expansion.points;
  planning.allocations.reserve(points.size());
  planning.plan.runs.reserve(points.size() * static_cast<std::size_t>(study.repeats));
  for (const Point& point : points) {
    contract::RunSpec run = run_of(study, point);
    const ResourceWishes& wishes = study.matrices[point.matrix].resources;
    const double predicted_s = times.of(run, wishes);
    planning.allocations.push_back(
        allocate(planning.site, wishes, gpus_of(study, point), predicted_s));
    run.resources = planning.allocations.back().request;
    contract::validate(run, study.file);
    warnings.look_at(run, study.repeats);
    const std::size_t first = planning.plan.runs.size();
    list_runs(study, point, std::move(run), planning.plan.runs);
    for (std::size_t i = first; i < planning.plan.runs.size(); ++i) {
      planning.plan.runs[i].predicted_s = predicted_s;
    }
  }
}

/// What the site cannot do of what the study wants, and how far predictions can be trusted.
void note_resources(Planning& planning, const RunTimes& times) {
  std::vector<std::string> notes = times.notes();
  for (const Matrix& matrix : planning.study.matrices) {
    const auto wishes = unheard(planning.site, matrix.resources, planning.study.launch);
    for (const std::string& note : wishes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  std::vector<std::string>& warnings = planning.plan.warnings;
  warnings.insert(warnings.end(), notes.begin(), notes.end());
}

void warn_of_baseline(const contract::Plan& plan, std::vector<std::string>& warnings) {
  if (plan.baseline.rule != "gpus") return;
  const bool planned = std::any_of(plan.runs.begin(), plan.runs.end(),
                                   [&](const auto& run) { return run.gpus == plan.baseline.gpus; });
  if (!planned) {
    warnings.push_back(
        fmt::format("no run has the baseline's {} GPUs: there will be no speed-up "
                    "to compute",
                    plan.baseline.gpus));
  }
}

void add_axes(const Matrix& matrix, std::vector<contract::Axis>& axes) {
  for (const StudyAxis& axis : matrix.axes) {
    auto known = std::find_if(axes.begin(), axes.end(), [&](const contract::Axis& other) {
      return other.name == axis.name();
    });
    if (known == axes.end()) known = axes.insert(axes.end(), {axis.name(), {}});
    for (const std::string& text : axis.texts) {
      const auto& values = known->values;
      if (std::find(values.begin(), values.end(), text) == values.end()) {
        known->values.push_back(text);
      }
    }
  }
}

contract::Plan plan_of(const Study& study, const Site& site, Expansion& expansion) {
  contract::Plan plan;
  plan.study = study.name;
  plan.scaling = study.scaling;
  plan.site = site.name;
  plan.scheduler = site.scheduler;
  plan.baseline = study.baseline;
  plan.repeats = study.repeats;
  for (const Matrix& matrix : study.matrices) add_axes(matrix, plan.axes);
  plan.skipped = std::move(expansion.skipped);
  plan.warnings = expansion.notes;
  return plan;
}

/// The study as it was read, below a note of what the command line changed.
std::string with_overrides(const std::string& study, const std::vector<std::string>& overrides) {
  if (overrides.empty()) return study;
  std::string note = "# Planned with changes from the command line, which are not in this text:\n";
  for (const std::string& assignment : overrides) {
    note += "#   -S " + shell_quote(assignment) + "\n";
  }
  return note + "\n" + study;
}

}  // namespace

Planning make_plan(const PlanRequest& request, const Resources& resources) {
  Planning planning;
  const std::string study_text = read_named_file(request.study);
  planning.study = read_study(study_text, request.study.string(), request.overrides);
  const fs::path site_path = site_file(request.site, resources.sites);
  planning.site_toml = read_named_file(site_path);
  planning.expansion = expand(planning.study);
  if (planning.expansion.points.empty()) {
    throw base::SpecError({planning.study.file}, "", "every point of the study is left out");
  }
  planning.site = read_site(planning.site_toml, site_path);
  const auto known = known_trainer(planning.site, resources);
  if (planning.site.trainer.empty()) {
    planning.site.trainer = uses_trainer_here(planning.site, resources)
                                ? fs::absolute(*resources.trainer).lexically_normal().string()
                                : "dlscale-train";
  }
  planning.plan = plan_of(planning.study, planning.site, planning.expansion);
  keep_chosen(request, planning);
  Warnings warnings(known);
  RunTimes times;
  add_runs(planning, warnings, times);
  const LaunchWishes& launch = planning.study.launch;
  std::vector<contract::PlannedJob> existing;
  if (request.existing && (launch.array || launch.pack)) existing = request.existing(planning.plan);
  plan_jobs(planning, request.fit, existing);
  note_resources(planning, times);
  warn_of_baseline(planning.plan, planning.plan.warnings);
  warnings.add_to(planning.plan.warnings);
  planning.resolved = resolved_study(study_text, request.study.string(), request.overrides);
  planning.study_toml =
      planning.study.bases.empty()
          ? with_overrides(study_text, request.overrides)
          : "# This study and what it extends, as one text.\n" + planning.resolved;
  return planning;
}

}  // namespace dlscale::planner
