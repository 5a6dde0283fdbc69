// SPDX-License-Identifier: Apache-2.0
#include "planner/script/run_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "planner/script/script.hpp"

namespace dlscale::planner {
namespace {

constexpr std::string_view kPrefix = "parameters.";

/// Returns the name of a parameter without "parameters.", or an empty text for other settings.
std::string_view parameter_of(std::string_view setting) {
  return setting.starts_with(kPrefix) ? setting.substr(kPrefix.size()) : std::string_view();
}

}  // namespace

void check_parameters(const Study& study) {
  if (study.trainer.command.empty()) return;
  const std::vector<ScriptName> taken = script_names();
  const auto check = [&](std::string_view setting, const base::Location& where,
                         const std::string& key) {
    const std::string_view name = parameter_of(setting);
    const auto other = std::find_if(taken.begin(), taken.end(), [&](const ScriptName& known) {
      return known.name == name && known.kind != "partial";
    });
    if (other == taken.end()) return;
    throw base::SpecError(where, key,
                          fmt::format("the name is reserved: in scripts and commands {{{{{}}}}} is "
                                      "the {} \"{}\"; use another name for the parameter",
                                      name, other->kind, other->meaning));
  };
  for (const Matrix& matrix : study.matrices) {
    for (const StudyAxis& axis : matrix.axes) check(axis.name(), axis.where, axis.key);
    for (const auto& [name, where] : matrix.given) {
      check(name, where, matrix.key + "training." + name);
    }
    for (const Override& override : matrix.overrides) {
      for (const Override::Change& change : override.changes) {
        check(change.setting.symbol.name, change.node.where, change.key);
      }
    }
  }
}

std::vector<std::string> unused_parameters(const Study& study) {
  std::vector<std::string> notes;
  for (const Matrix& matrix : study.matrices) {
    for (const StudyAxis& axis : matrix.axes) {
      const std::string_view name = parameter_of(axis.name());
      if (name.empty() || names_value(study.trainer.command, name)) continue;
      const base::SpecError note(
          axis.where, axis.key,
          fmt::format(
              "the command does not contain {{{{{}}}}}, so the values of this axis have no effect",
              name));
      if (std::find(notes.begin(), notes.end(), note.what()) == notes.end()) {
        notes.emplace_back(note.what());
      }
    }
  }
  return notes;
}

namespace {

using contract::RunSpec;

struct Row {
  const char* name;
  const char* meaning;
  std::string (*value)(const RunSpec&);
};

template <class T>
std::string text(const T& value) {
  return fmt::format("{}", value);
}

constexpr const char* kCommand = "trainer.command";
constexpr const char* kDatasetPath = "dataset_path";
constexpr const char* kWeights = "weights";

/// Calls `make`. If `make` throws an error at a place in the command, throws the error at the place
/// of the command in the study instead.
template <class Make>
auto at_command(const base::Location& where, Make make) {
  try {
    return make();
  } catch (const base::SpecError& error) {
    const base::SpecError place(error.where(), error.key_path(), "");
    throw base::SpecError(where, kCommand,
                          std::string(error.what()).substr(std::strlen(place.what())));
  }
}

constexpr Row kRows[] = {
    {"study", "name of the study", [](const RunSpec& r) { return r.study; }},
    {"run_id", "id of the run", [](const RunSpec& r) { return r.run_id; }},
    {"repetition", "number of the repetition of the point, from 1",
     [](const RunSpec& r) { return text(r.repetition); }},
    {"seed", "random seed of this repetition",
     [](const RunSpec& r) { return text(r.seed + static_cast<std::uint64_t>(r.repetition) - 1); }},
    {"framework", "framework: ddp, horovod, …", [](const RunSpec& r) { return r.framework; }},
    {"model", "model: resnet50, …", [](const RunSpec& r) { return r.model; }},
    {"loader", "data loader: native, dali_gpu, …", [](const RunSpec& r) { return r.loader; }},
    {"dataset", "kind of the data set", [](const RunSpec& r) { return r.dataset.kind; }},
    {kDatasetPath, "folder of the data, with variables not expanded",
     [](const RunSpec& r) { return r.dataset.path; }},
    {kWeights, "file with initial weights, with variables not expanded; empty if there is none",
     [](const RunSpec& r) { return r.weights; }},
    {"mode", "train or inference",
     [](const RunSpec& r) { return r.mode.empty() ? "train" : r.mode; }},
    {"precision", "number format: fp32, fp64, tf32, bf16, fp16",
     [](const RunSpec& r) { return r.precision; }},
    {"gpus", "ranks of the run", [](const RunSpec& r) { return text(r.gpus); }},
    {"batch_per_gpu", "samples per rank and step",
     [](const RunSpec& r) { return text(r.batch_per_gpu); }},
    {"global_batch", "samples of all ranks per optimizer step",
     [](const RunSpec& r) { return text(r.global_batch); }},
    {"accumulation_steps", "batches per rank and optimizer step",
     [](const RunSpec& r) { return text(r.accumulation_steps); }},
    {"epochs", "number of epochs to train",
     [](const RunSpec& r) { return r.epochs > 0 ? text(r.epochs) : std::string(); }},
    {"warmup_epochs", "number of epochs until the peak learning rate",
     [](const RunSpec& r) { return text(r.warmup_epochs); }},
    {"lr_base", "learning rate before it is scaled",
     [](const RunSpec& r) { return r.lr.scale.empty() ? std::string() : text(r.lr.base); }},
    {"lr_peak", "learning rate after warm-up",
     [](const RunSpec& r) { return r.lr.scale.empty() ? std::string() : text(r.lr.peak); }},
    {"lr_schedule", "learning rate schedule: step, cosine, …",
     [](const RunSpec& r) { return r.lr_schedule.kind; }},
    {"optimizer", "optimizer: sgd, adam, …", [](const RunSpec& r) { return r.optimizer.kind; }},
    {"momentum", "momentum of the optimizer",
     [](const RunSpec& r) { return text(r.optimizer.momentum); }},
    {"weight_decay", "weight decay of the optimizer",
     [](const RunSpec& r) { return text(r.optimizer.weight_decay); }},
    {"label_smoothing", "label smoothing, from 0 to 1",
     [](const RunSpec& r) { return text(r.label_smoothing); }},
};

}  // namespace

std::vector<ScriptName> run_value_names() {
  std::vector<ScriptName> names;
  for (const Row& row : kRows) names.push_back({row.name, "value", row.meaning});
  return names;
}

bool names_value(std::string_view command, std::string_view name) {
  for (std::size_t at = 0; (at = command.find("{{", at)) != std::string_view::npos;) {
    at = std::min(command.find_first_not_of("{ ", at), command.size());
    if (command.substr(at, command.find_first_of("} ", at) - at) == name) return true;
  }
  return false;
}

void add_run_values(const RunSpec& run, TemplateData& data) {
  for (const Row& row : kRows) data.values.emplace_back(row.name, row.value(run));
  data.extras = run.parameters;
}

ExternalCommand::ExternalCommand(std::string command, base::Location where)
    : command_(std::move(command)),
      where_(std::move(where)),
      template_(at_command(where_, [&] { return ScriptTemplate::of_text(command_, kCommand); })) {}

std::string ExternalCommand::of(const RunSpec& run) {
  TemplateData data;
  add_run_values(run, data);
  for (const auto& [name, value] : data.values) {
    const bool may_be_empty =
        name == kDatasetPath || name == kWeights || run.parameters.contains(std::string(name));
    if (!value.empty() || may_be_empty || !names_value(command_, name)) continue;
    throw base::SpecError(where_, kCommand, fmt::format("the study does not set {}", name));
  }
  return at_command(where_, [&] { return template_.render(data); });
}

}  // namespace dlscale::planner
