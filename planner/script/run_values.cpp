// SPDX-License-Identifier: Apache-2.0
#include "planner/script/run_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "contract/plan/run_dir.hpp"
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
      if (name.empty() || names_value(study, name) || names_value(study, axis.name())) continue;
      const base::SpecError note(
          axis.where, axis.key,
          fmt::format("{} not contain {{{{{}}}}}, so the values of this axis have no effect",
                      study.files.empty() ? "the command does" : "the command and the files do",
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
  bool is_number = false;
};

template <class T>
std::string text(const T& value) {
  return fmt::format("{}", value);
}

constexpr const char* kCommand = "trainer.command";
constexpr const char* kDatasetPath = "dataset_path";
constexpr const char* kWeights = "weights";

/// Calls `make`. If `make` throws an error at a place in a text of the study, throws the error at
/// the place of this text in the study instead.
template <class Make>
auto at_place(const base::Location& where, const char* key, Make make) {
  try {
    return make();
  } catch (const base::SpecError& error) {
    const base::SpecError place(error.where(), error.key_path(), "");
    throw base::SpecError(where, key, std::string(error.what()).substr(std::strlen(place.what())));
  }
}

template <class Make>
auto at_command(const base::Location& where, Make make) {
  return at_place(where, kCommand, make);
}

constexpr Row kRows[] = {
    {"study", "name of the study", [](const RunSpec& r) { return r.study; }},
    {"run_id", "id of the run", [](const RunSpec& r) { return r.run_id; }},
    {"repetition", "number of the repetition of the point, from 1",
     [](const RunSpec& r) { return text(r.repetition); }, true},
    {"seed", "random seed of this repetition",
     [](const RunSpec& r) { return text(r.seed + static_cast<std::uint64_t>(r.repetition) - 1); },
     true},
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
    {"gpus", "ranks of the run", [](const RunSpec& r) { return text(r.gpus); }, true},
    {"batch_per_gpu", "samples per rank and step",
     [](const RunSpec& r) { return text(r.batch_per_gpu); }, true},
    {"global_batch", "samples of all ranks per optimizer step",
     [](const RunSpec& r) { return text(r.global_batch); }, true},
    {"accumulation_steps", "batches per rank and optimizer step",
     [](const RunSpec& r) { return text(r.accumulation_steps); }, true},
    {"epochs", "number of epochs to train",
     [](const RunSpec& r) { return r.epochs > 0 ? text(r.epochs) : std::string(); }, true},
    {"warmup_epochs", "number of epochs until the peak learning rate",
     [](const RunSpec& r) { return text(r.warmup_epochs); }, true},
    {"lr_base", "learning rate before it is scaled",
     [](const RunSpec& r) { return r.lr.scale.empty() ? std::string() : text(r.lr.base); }, true},
    {"lr_peak", "learning rate after warm-up",
     [](const RunSpec& r) { return r.lr.scale.empty() ? std::string() : text(r.lr.peak); }, true},
    {"lr_schedule", "learning rate schedule: step, cosine, …",
     [](const RunSpec& r) { return r.lr_schedule.kind; }},
    {"optimizer", "optimizer: sgd, adam, …", [](const RunSpec& r) { return r.optimizer.kind; }},
    {"momentum", "momentum of the optimizer",
     [](const RunSpec& r) { return text(r.optimizer.momentum); }, true},
    {"weight_decay", "weight decay of the optimizer",
     [](const RunSpec& r) { return text(r.optimizer.weight_decay); }, true},
    {"label_smoothing", "label smoothing, from 0 to 1",
     [](const RunSpec& r) { return text(r.label_smoothing); }, true},
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

bool names_value(const Study& study, std::string_view name) {
  return names_value(study.trainer.command, name) ||
         std::any_of(study.files.begin(), study.files.end(),
                     [&](const FileTemplate& file) { return names_value(file.text, name); });
}

void add_run_values(const RunSpec& run, TemplateData& data) {
  for (const Row& row : kRows) data.values.emplace_back(row.name, row.value(run));
  data.extras = run.parameters;
}

// The following functions provide the values that only commands and configuration files may name.

namespace {

struct PlaceRow {
  const char* name;
  const char* meaning;
  bool is_number;
  std::string (*value)(const RunSpec&, const RunPlace&);
};

std::string run_folder(const RunSpec& run, const RunPlace& place) {
  return contract::PlanDir(place.plan_folder).run(run.run_id).root().string();
}

constexpr PlaceRow kPlaceRows[] = {
    {"study_folder", "folder of the study file", false,
     [](const RunSpec&, const RunPlace& p) { return p.study_folder; }},
    {"plan_folder", "plan folder", false,
     [](const RunSpec&, const RunPlace& p) { return p.plan_folder; }},
    {"run_folder", "folder of the run, absolute", false, run_folder},
    {"ranks", "ranks of the run, like gpus", true,
     [](const RunSpec& r, const RunPlace&) { return text(r.gpus); }},
    {"nodes", "number of nodes of the run", true,
     [](const RunSpec& r, const RunPlace&) { return text(r.resources.nodes); }},
    {"ranks_per_node", "ranks of the run on each node", true,
     [](const RunSpec& r, const RunPlace&) { return text(r.resources.ranks_per_node); }},
    {"cores_per_rank", "cores per rank", true,
     [](const RunSpec& r, const RunPlace&) { return text(r.resources.cores_per_rank); }},
    {"steps", "number of optimizer steps of the run", true,
     [](const RunSpec& r, const RunPlace&) { return r.steps > 0 ? text(r.steps) : ""; }},
    {"gpus_per_node", "GPUs of each node of the partition", true,
     [](const RunSpec&, const RunPlace& p) { return text(p.gpus_per_node); }},
};

struct LaunchRow {
  const char* name;
  const char* meaning;
};
constexpr LaunchRow kLaunchRows[] = {
    {"launch_folder", "folder of this launch, in which the command starts"},
    {"master_address", "name of the first node; 127.0.0.1 if the run has one node"},
    {"master_port", "port for the rendezvous of the ranks"},
};

using Kind = CommandValue::Kind;

/// Returns the kind of a setting of the matrix: of an axis, or of a parameter of [training].
Kind kind_in(const Matrix& matrix, std::string_view setting) {
  const StudyAxis* const axis = find_axis(matrix, setting);
  if (axis != nullptr && axis->setting.is_list) return Kind::list;
  for (const config::Symbol& symbol : matrix.symbols) {
    if (symbol.name != setting) continue;
    return symbol.kind == config::Symbol::Kind::number  ? Kind::number
           : symbol.kind == config::Symbol::Kind::truth ? Kind::truth
                                                        : Kind::text;
  }
  return Kind::text;
}

}  // namespace

std::vector<ScriptName> command_names() {
  std::vector<ScriptName> names;
  for (const PlaceRow& row : kPlaceRows) names.push_back({row.name, "command", row.meaning});
  for (const LaunchRow& row : kLaunchRows) names.push_back({row.name, "command", row.meaning});
  return names;
}

const std::vector<std::string_view>& launch_value_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const LaunchRow& row : kLaunchRows) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

std::map<std::string, CommandValue> command_values(const RunSpec& run, const RunPlace& place,
                                                   const Matrix* matrix) {
  std::map<std::string, CommandValue> values;
  const auto kind_of = [&](const std::string& setting) {
    return matrix == nullptr ? Kind::text : kind_in(*matrix, setting);
  };
  for (const auto& [name, value] : run.parameters) {
    const std::string setting = std::string(kPrefix) + name;
    values[name] = values[setting] = {value, kind_of(setting)};
  }
  for (const Row& row : kRows) {
    values.try_emplace(row.name,
                       CommandValue{row.value(run), row.is_number ? Kind::number : Kind::text});
  }
  for (const PlaceRow& row : kPlaceRows) {
    values.try_emplace(
        row.name, CommandValue{row.value(run, place), row.is_number ? Kind::number : Kind::text});
  }
  for (const auto& [axis, value] : run.point) {
    values.try_emplace(axis, CommandValue{value, kind_of(axis)});
  }
  for (const auto& [name, value] : run.environment) {
    const std::string setting = "environment." + name;
    values.try_emplace(setting, CommandValue{value, kind_of(setting)});
  }
  return values;
}

std::string missing_value(const std::string& name, const CommandValue& value, const RunSpec& run) {
  const bool may_be_empty = name == kDatasetPath || name == kWeights ||
                            run.parameters.contains(name) || run.point.contains(name);
  return !value.text.empty() || may_be_empty ? "" : "the study does not set " + name;
}

namespace {

/// Returns whether bash reads this character as part of a word without any special meaning.
bool is_path_character(unsigned char c) {
  return c < 128 && (std::isalnum(c) || std::string_view("_./-+@%,").find(static_cast<char>(c)) !=
                                            std::string_view::npos);
}

bool ends_word(char c) {
  return std::string_view(" \t\n;|&()<>").find(c) != std::string_view::npos;
}

/// Returns the absolute path of a file in the folder. Returns an empty text in these cases: `word`
/// is not the path of such a file, `word` is the path of one of `files`, or the absolute path
/// contains `{{`, which a template would read as the beginning of a tag.
std::string file_at(std::string_view word, const std::string& folder,
                    const std::vector<contract::TrainerFile>& files) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(word).lexically_normal();
  if (word.empty() || path.is_absolute() || *path.begin() == "..") return {};
  const bool is_written = std::any_of(files.begin(), files.end(),
                                      [&](const auto& written) { return path == written.to; });
  if (is_written) return {};
  const fs::path file = fs::path(folder) / path;
  std::error_code unreadable;
  const bool is_usable =
      fs::is_regular_file(file, unreadable) && file.string().find("{{") == std::string::npos;
  return is_usable ? file.string() : std::string();
}

/// Returns the command, in which `replace(word)` replaces each whole word outside of quotes. A word
/// for which `replace` returns an empty text stays, and so do words after `>`.
template <class Replace>
std::string with_words(std::string_view command, Replace replace) {
  std::string result;
  Quoting quoting;
  const auto append = [&](std::string_view text) {
    quoting.read(text);
    result += text;
  };
  char before = ' ';     // last character that is not a blank
  bool at_start = true;  // the next character begins a word
  while (!command.empty()) {
    if (command.starts_with("{{")) {
      const std::size_t size = std::min(command.find("}}"), command.size() - 2) + 2;
      result += command.substr(0, size);
      quoting.read("x");  // "x" stands for the value, which contains no shell syntax
      command.remove_prefix(size);
      before = '}';
      at_start = false;
      continue;
    }
    std::size_t size = 0;
    while (size < command.size() && is_path_character(static_cast<unsigned char>(command[size])))
      ++size;
    const bool whole = size == command.size() || ends_word(command[size]);
    if (size > 0 && at_start && whole && before != '>' && quoting.takes_words()) {
      const std::string word = replace(command.substr(0, size));
      if (!word.empty()) {
        append(word);
        command.remove_prefix(size);
        before = '.';
        at_start = false;
        continue;
      }
    }
    size = std::max<std::size_t>(size, 1);
    append(command.substr(0, size));
    const char last = command[size - 1];
    at_start = ends_word(last);
    if (last != ' ' && last != '\t') before = last;
    command.remove_prefix(size);
  }
  return result;
}

}  // namespace

std::string with_paths(std::string_view command, const std::string& folder,
                       const std::vector<contract::TrainerFile>& files) {
  if (folder.empty()) return std::string(command);
  return with_words(command, [&](std::string_view word) {
    const std::string file = file_at(word, folder, files);
    return file.empty() ? std::string() : shell_quote(file);
  });
}

std::vector<std::string> named_files(std::string_view command, const std::string& folder,
                                     const std::vector<contract::TrainerFile>& files) {
  std::vector<std::string> words;
  with_words(command, [&](std::string_view word) {
    if (!file_at(word, folder, files).empty()) words.emplace_back(word);
    return std::string();
  });
  return words;
}

ExternalCommand::ExternalCommand(const contract::ExternalTrainer& trainer, base::Location where,
                                 const std::string& folder)
    : command_(with_paths(trainer.command, folder, trainer.files)),
      where_(std::move(where)),
      template_(at_command(where_, [&] { return ScriptTemplate::of_text(command_, kCommand); })) {}

std::string ExternalCommand::of(const RunSpec& run, const RunPlace& place) {
  TemplateData data;
  add_run_values(run, data);
  const auto is_run_value = [&](const std::string& name) {
    return std::any_of(data.values.begin(), data.values.end(),
                       [&](const auto& value) { return value.first == name; });
  };
  const std::map<std::string, CommandValue> values = command_values(run, place, nullptr);
  for (const auto& [name, value] : values) {
    const std::string missing = missing_value(name, value, run);
    if (!missing.empty() && names_value(command_, name)) {
      throw base::SpecError(where_, kCommand, missing);
    }
    if (!is_run_value(name)) data.extras.emplace(name, value.text);
  }
  for (const std::string_view name : launch_value_names()) {
    if (!values.contains(std::string(name)))
      data.expansions.emplace_back(name, fmt::format("\"${}\"", name));
  }
  return at_command(where_, [&] { return template_.render(data); });
}

std::string program_of(const contract::ExternalTrainer& trainer, std::string_view command) {
  if (trainer.launcher == "torchrun") return "torchrun";
  const std::string_view word = command.substr(0, command.find_first_of(" \t\n"));
  const bool is_plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_./-+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return is_plain ? std::string(word) : "";
}

std::vector<std::string> setup_lines(const Study& study, const RunPlace& place) {
  const std::string folder = folder_of(study.environment_setup_where, study.file);
  std::vector<std::string> lines;
  TemplateData data;
  data.values = {{"study", study.name},
                 {"study_folder", place.study_folder},
                 {"plan_folder", place.plan_folder}};
  for (const std::string& line : study.environment_setup) {
    lines.push_back(at_place(study.environment_setup_where, "trainer.environment_setup", [&] {
      return ScriptTemplate::of_text(with_paths(line, folder), "").render(data);
    }));
  }
  return lines;
}

}  // namespace dlscale::planner
