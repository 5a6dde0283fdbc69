// SPDX-License-Identifier: Apache-2.0
#include "planner/study/study_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_id.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "planner/study/matrix_reader.hpp"
#include "planner/study/overlay.hpp"

namespace dlscale::planner {
namespace {

enum Section {
  kStudy,
  kMatrix,
  kZip,
  kInclude,
  kExclude,
  kOverride,
  kSubstudy,
  kTraining,
  kTrainer,
  kResources,
  kLaunch,
  kSectionCount
};
const std::vector<std::string> kSections{"study",   "matrix",    "zip",      "include",
                                         "exclude", "override",  "substudy", "training",
                                         "trainer", "resources", "launch"};

constexpr std::int64_t kMostRepeats = 10'000;
const std::vector<std::string> kScalings{"weak", "strong", "throughput"};

void read_baseline(Study& study, const config::Item& item) {
  if (std::holds_alternative<config::Table>(item.node.value)) {
    study.baseline.rule = "gpus";
    read_fields<Study>(item,
                       {{"gpus",
                         [](Study& s, const config::Item& i) {
                           s.baseline.gpus = static_cast<int>(i.whole(1, config::kMostGpus));
                         }}},
                       study);
    if (study.baseline.gpus == 0) item.fail("expected { gpus = N }");
  } else {
    study.baseline.rule = item.one_of("baseline", {"smallest-common", "per-curve"});
  }
}

/// Reads the publication that the study is compared with. The path of a file is relative to the
/// folder of the study file.
void read_reference(Study& study, const config::Item& item) {
  namespace fs = std::filesystem;
  const std::string& word = item.word();
  const bool is_file =
      word.find('/') != std::string::npos || word.ends_with(".toml") || word.ends_with(".csv");
  study.reference = word;
  if (!is_file) return;
  const bool in_file = item.node.where.line > 0;  // line 0: the setting is on the command line
  const fs::path file =
      in_file ? fs::path(item.node.where.file).parent_path() / word : fs::path(word);
  study.reference = fs::absolute(file).lexically_normal().string();
  if (!fs::is_regular_file(study.reference)) item.fail(study.reference + ": no such file");
}

/// Reads the rule that ends repetitions (`until`). `until.first` holds the maximum number of
/// repetitions at first. plan_most_repeats() later swaps it with study.repeats.
void read_until(Study& study, const config::Item& item) {
  static const std::vector<config::Field<contract::RepeatUntil>> fields{
      {"efficiency_ci", [](contract::RepeatUntil& u,
                           const config::Item& i) { u.efficiency_ci = i.number(1e-6, 1); }},
      {"max", [](contract::RepeatUntil& u,
                 const config::Item& i) { u.first = static_cast<int>(i.whole(1, kMostRepeats)); }},
  };
  config::read_fields(item, fields, study.until);
  if (study.until.efficiency_ci == 0 || study.until.first == 0) {
    item.fail("expected { efficiency_ci = NUMBER, max = REPETITIONS }");
  }
}

/// Plans as many repetitions as `until` may need. `until.first` becomes the number of repetitions
/// that are submitted first.
void plan_most_repeats(const config::Item& section, Study& study) {
  if (study.until.efficiency_ci == 0) return;
  if (study.until.first < study.repeats) {
    section.fail(fmt::format("until.max is {}, but must be at least repeats ({})",
                             study.until.first, study.repeats));
  }
  if (study.launch.pack) {
    section.fail(
        "with the key \"until\", dlscale submits one repetition at a time, which cannot be "
        "combined with launch.pack; remove one of the two keys");
  }
  std::swap(study.until.first, study.repeats);
}

const std::vector<config::Field<Study>>& study_fields() {
  static const std::vector<config::Field<Study>> fields{
      {"name", [](Study& s, const config::Item& i) { s.name = i.plain_name(); }},
      {"scaling",
       [](Study& s, const config::Item& i) { s.scaling = i.one_of("scaling", kScalings); }},
      {"baseline", read_baseline},
      {"reference", read_reference},
      {"repeats",
       [](Study& s, const config::Item& i) {
         s.repeats = static_cast<int>(i.whole(1, kMostRepeats));
       }},
      {"until", read_until},
      {"order",
       [](Study& s, const config::Item& i) {
         s.order = i.one_of("order", {"repetitions", "points"});
       }},
      {"seed",
       [](Study& s, const config::Item& i) { s.seed = static_cast<std::uint64_t>(i.whole(0)); }},
      {"uneven_batch",
       [](Study& s, const config::Item& i) {
         s.uneven_batch = i.one_of("value", {"error", "skip", "floor", "spread"});
       }},
  };
  return fields;
}

/// Reads shell lines. A text with line breaks counts as several lines.
void read_setup(Study& study, const config::Item& item) {
  study.environment_setup_where = item.node.where;
  for (const std::string& text : item.texts()) {
    for (const std::string_view line : base::lines_of(text)) {
      study.environment_setup.emplace_back(line);
    }
  }
}

/// Returns the path of a file in the launch folder of a run. Throws base::SpecError for a path that
/// leaves this folder or names a file that dlscale writes there.
std::string path_in_launch(const config::Item& item) {
  namespace fs = std::filesystem;
  const std::string& text = item.word();
  const fs::path path = fs::path(text).lexically_normal();
  const bool leaves = path.is_absolute() || *path.begin() == "..";
  if (leaves || !path.has_filename() || path == ".") {
    item.fail("must be the path of a file below the launch folder, without \"..\"");
  }
  if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    item.fail("must not contain control characters");
  const contract::LaunchDir launch{fs::path()};
  for (const fs::path& own : {launch.out(), launch.err(), launch.results(), launch.rank_stop(),
                              launch.weights(), launch.checkpoint()}) {
    if (*path.begin() != own) continue;
    item.fail(fmt::format("{} is a file of dlscale in the launch folder; choose another name",
                          own.string()));
  }
  return path.string();
}

/// Throws base::SpecError if two configuration files have the same path, or if the path of one file
/// is a folder in the path of the other file.
void check_apart(const std::vector<FileTemplate>& files, const config::Item& item) {
  const std::string last = files.back().to + "/";
  for (std::size_t i = 0; i + 1 < files.size(); ++i) {
    const std::string other = files[i].to + "/";
    if (!last.starts_with(other) && !other.starts_with(last)) continue;
    item.fail(
        fmt::format("trainer.files[{}] already writes {}; choose another name", i, files[i].to));
  }
}

void read_trainer_file(Study& study, const config::Item& table) {
  FileTemplate& file = study.files.emplace_back();
  static const std::vector<config::Field<FileTemplate>> fields{
      {"template",
       [](FileTemplate& f, const config::Item& i) {
         f.file = i.word();
         f.where = i.node.where;
         f.key = i.key;
       }},
      {"to", [](FileTemplate& f, const config::Item& i) { f.to = path_in_launch(i); }},
  };
  config::read_fields(table, fields, file);
  if (file.file.empty()) table.fail("template is missing");
  if (file.to.empty()) table.fail("the key \"to\" is missing");
  check_apart(study.files, table);
  const std::filesystem::path path =
      std::filesystem::path(folder_of(file.where, study.file)) / file.file;
  if (!std::filesystem::is_regular_file(path)) {
    throw base::SpecError(file.where, file.key, path.string() + ": no such file");
  }
  file.file = path.lexically_normal().string();
  file.text = base::read_text_file(path);
  study.trainer.files.push_back({contract::sha256_hex(file.text), file.to});
}

/// Reads how the output of the trainer is read: the name of a format, the path of a format file,
/// relative to the folder of the study file, or a format in the study itself.
void read_log_format(Study& study, const config::Item& item) {
  if (std::holds_alternative<config::Table>(item.node.value)) {
    study.log_format = {item.node.where.file + ", " + item.key, config::toml_text(item.node)};
    return;
  }
  namespace fs = std::filesystem;
  const std::string& word = item.word();
  if (!word.ends_with(".toml") && word.find('/') == std::string::npos) {
    study.read_format = item.one_of("log format", contract::vocabulary("log_format"));
    return;
  }
  const bool in_file = item.node.where.line > 0;  // line 0: the setting is on the command line
  const fs::path file =
      in_file ? fs::path(item.node.where.file).parent_path() / word : fs::path(word);
  if (!fs::is_regular_file(file)) item.fail(file.string() + ": no such file");
  study.log_format = {file.string(), base::read_text_file(file)};
}

void read_trainer(const config::Item& section, Study& study) {
  static const std::vector<config::Field<Study>> fields{
      {"command",
       [](Study& s, const config::Item& i) {
         if (base::trimmed(i.text(), " \t\r\n").empty()) i.fail("must not be empty");
         s.trainer.command = i.text();
         s.command_where = i.node.where;
       }},
      {"log_format",
       [](Study& s, const config::Item& i) {
         s.trainer.log_format = i.one_of("log format", contract::vocabulary("log_format"));
       }},
      {"read", read_log_format},
      {"launcher",
       [](Study& s, const config::Item& i) {
         s.trainer.launcher = i.one_of("launcher", {"plain", "ranks", "torchrun"});
       }},
      {"environment_setup", read_setup},
      {"files",
       [](Study& s, const config::Item& i) {
         for (const config::Item& file : i.items()) read_trainer_file(s, file);
       }},
  };
  config::read_fields(section, fields, study);
  if (study.trainer.command.empty()) section.fail("command is missing");
  const config::Table& keys = section.table();
  const config::Entry* const read = config::find_key(keys, "read");
  if (read != nullptr && config::find_key(keys, "log_format") != nullptr) {
    config::Item{read->node, section.key + ".read"}.fail(
        "cannot be combined with log_format; remove one of the two keys");
  }
}

/// Sections of a study or sub-study. Missing sections are empty.
class Sections {
 public:
  /// Reads the sections whose keys are in `names`. Passes keys that are not sections to `other`.
  Sections(const config::Item& root, const std::vector<std::string>& names,
           const std::function<void(const config::Item&)>& other)
      : prefix_(root.key.empty() ? "" : root.key + "."),
        nothing_{config::Table{}, root.node.where} {
    config::match_keys(root, names, [&](std::size_t i, const config::Item& item) {
      const auto known = std::find(kSections.begin(), kSections.end(), names[i]);
      if (known == kSections.end()) return other(item);
      nodes_[static_cast<std::size_t>(known - kSections.begin())] = &item.node;
    });
  }
  bool has(Section section) const { return nodes_[section] != nullptr; }
  config::Item operator[](Section section) const {
    return {has(section) ? *nodes_[section] : nothing_, prefix_ + kSections[section]};
  }
  std::vector<config::Item> list(Section section) const {
    return has(section) ? (*this)[section].items() : std::vector<config::Item>{};
  }
  MatrixSections of_matrix() const {
    return {(*this)[kMatrix], (*this)[kTraining], (*this)[kResources], list(kZip),
            list(kInclude),   list(kOverride),    list(kExclude)};
  }

 private:
  std::string prefix_;
  config::Node nothing_;
  std::array<const config::Node*, kSectionCount> nodes_{};
};

std::vector<config::Item> joined(std::vector<config::Item> first,
                                 const std::vector<config::Item>& then) {
  for (const config::Item& item : then) first.push_back(item);
  return first;
}

/// Sub-study with its own keys, before its sections are merged with those of the study.
struct SubstudyText {
  SubstudyText(const config::Item& item, const std::string& scaling_of_study)
      : where(item.node.where), key(item.key), scaling(scaling_of_study) {
    sections.emplace(item,
                     std::vector<std::string>{"name", "scaling", "matrix", "zip", "include",
                                              "exclude", "override", "training", "resources"},
                     [this](const config::Item& value) {
                       if (value.key == key + ".name") {
                         name = value.plain_name();
                         name_where = value.node.where;
                       } else {
                         scaling = value.one_of("scaling", kScalings);
                       }
                     });
    if (name.empty()) item.fail("name is missing");
  }
  base::Location where, name_where;
  std::string key, name, scaling;
  std::optional<Sections> sections;
};

/// Returns the tables of a study merged with those of a sub-study. Values of the sub-study replace
/// values of the study.
config::Node merged_tables(const Sections& study, const Sections& substudy) {
  const auto tables = [](const Sections& sections) {
    config::Node root{config::Table{}, {}};
    for (const Section section : {kMatrix, kTraining, kResources, kZip}) {
      if (!sections.has(section)) continue;
      const config::Item item = sections[section];
      std::get<config::Table>(root.value)
          .push_back({kSections[section], item.node.where, item.node});
    }
    return root;
  };
  config::Node result = tables(study);
  overlay(result, tables(substudy));
  return result;
}

std::vector<SubstudyText> read_substudies(const Sections& sections, const std::string& scaling) {
  std::vector<SubstudyText> substudies;
  for (const config::Item& item : sections.list(kSubstudy)) {
    SubstudyText next(item, scaling);
    for (const SubstudyText& known : substudies) {
      if (known.name != next.name) continue;
      throw base::SpecError(
          next.name_where, next.key + ".name",
          fmt::format("another sub-study is also named {}; use a different name", next.name));
    }
    substudies.push_back(std::move(next));
  }
  return substudies;
}

/// Clears the defaults of dlscale-train, which do not apply to an external trainer. The run then
/// has only the settings that the study gives.
void forget_defaults(contract::RunSpec& run) {
  for (std::string* name : {&run.framework, &run.loader, &run.dataset.kind, &run.lr_schedule.kind,
                            &run.optimizer.kind, &run.precision, &run.last_batch}) {
    name->clear();
  }
  run.model.clear();
  run.epochs = 0;
}

void read_matrices(const Sections& sections, Study& study) {
  Matrix begun{.where = sections[kMatrix].node.where, .scaling = study.scaling};
  begun.recipe.run.trainer = study.trainer;
  if (!study.trainer.command.empty()) forget_defaults(begun.recipe.run);
  const std::vector<SubstudyText> substudies = read_substudies(sections, study.scaling);
  if (substudies.empty()) {
    study.matrices.push_back(read_matrix(sections.of_matrix(), std::move(begun), {}));
    return;
  }
  for (const config::Item& include : sections.list(kInclude)) {
    include.fail(
        "a study with sub-studies has no other points; move this [[include]] into one of the "
        "sub-studies");
  }
  check_values(sections.of_matrix(), begun);
  std::vector<std::string> names;
  for (const SubstudyText& substudy : substudies) names.push_back(substudy.name);
  for (const SubstudyText& substudy : substudies) {
    const Sections& own = *substudy.sections;
    const config::Node tables = merged_tables(sections, own);
    const config::Node nothing{config::Table{}, substudy.where};
    const auto table = [&](Section section) {
      const config::Entry* entry =
          config::find_key(std::get<config::Table>(tables.value), kSections[section]);
      return config::Item{entry != nullptr ? entry->node : nothing,
                          substudy.key + "." + kSections[section]};
    };
    Matrix matrix = begun;
    matrix.name = substudy.name;
    matrix.key = substudy.key + ".";
    matrix.where = substudy.where;
    matrix.scaling = substudy.scaling;
    study.matrices.push_back(
        read_matrix({table(kMatrix), table(kTraining), table(kResources),
                     joined(sections.list(kZip), own.list(kZip)), own.list(kInclude),
                     joined(sections.list(kOverride), own.list(kOverride)),
                     joined(sections.list(kExclude), own.list(kExclude))},
                    std::move(matrix), names));
  }
}

}  // namespace

std::string read_from_disk(const std::string& file) {
  return base::read_text_file(file);
}

Study read_study(std::string_view text, const std::string& file,
                 const std::vector<std::string>& overrides, const FileReader& read) {
  Study study;
  config::Node root = read_extended(text, file, read, study.bases);
  for (const std::string& assignment : overrides) config::apply_override(root, assignment);
  std::vector<std::string> names = kSections;
  names.push_back("extends");
  const Sections sections({root, ""}, names, [](const config::Item& extends) {
    extends.fail("must be set in the study file, not on the command line");
  });
  study.file = file;
  config::read_fields(sections[kStudy], study_fields(), study);
  if (study.name.empty()) sections[kStudy].fail("name is missing");
  if (sections.has(kTrainer)) read_trainer(sections[kTrainer], study);
  read_matrices(sections, study);
  study.launch = read_launch(sections[kLaunch]);
  plan_most_repeats(sections[kStudy], study);
  return study;
}

}  // namespace dlscale::planner
