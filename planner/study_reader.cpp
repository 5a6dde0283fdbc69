// SPDX-License-Identifier: Apache-2.0
#include "planner/study_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "planner/settings.hpp"

namespace dlscale::planner {
namespace {

const std::vector<std::string> kSections{"study",   "matrix",   "exclude",
                                         "include", "training", "resources"};
enum Section { kStudy, kMatrix, kExclude, kInclude, kTraining, kResources };

constexpr std::int64_t kMostRepeats = 10'000;

/// Names become folders, job names and directives, so they are plain.
void check_plain_name(const Item& item) {
  const std::string& name = item.word();
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c < 128 && std::isalnum(c)) || c == '.' || c == '_' || c == '-';
  });
  if (!plain || name[0] == '.' || name[0] == '-') {
    item.fail("may hold letters, digits and . _ - only, and begins with a letter, digit or _");
  }
}

void read_baseline(Study& study, const Item& item) {
  if (std::holds_alternative<Table>(item.node.value)) {
    study.baseline.rule = "gpus";
    read_fields<Study>(item,
                       {{"gpus",
                         [](Study& s, const Item& i) {
                           s.baseline.gpus = static_cast<int>(i.whole(1, kMostGpus));
                         }}},
                       study);
    if (study.baseline.gpus == 0) item.fail("expected { gpus = N }");
  } else {
    study.baseline.rule = item.one_of("baseline", {"smallest-common", "per-curve"});
  }
}

const std::vector<Field<Study>>& study_fields() {
  static const std::vector<Field<Study>> fields{
      {"name",
       [](Study& s, const Item& i) {
         check_plain_name(i);
         s.name = i.text();
       }},
      {"scaling",
       [](Study& s, const Item& i) {
         s.scaling = i.one_of("scaling", {"weak", "strong", "throughput"});
       }},
      {"baseline", read_baseline},
      {"repeats",
       [](Study& s, const Item& i) { s.repeats = static_cast<int>(i.whole(1, kMostRepeats)); }},
      {"seed", [](Study& s, const Item& i) { s.seed = static_cast<std::uint64_t>(i.whole(0)); }},
      {"uneven_batch",
       [](Study& s, const Item& i) {
         s.uneven_batch = i.one_of("value", {"error", "skip", "floor"});
       }},
  };
  return fields;
}

const std::vector<Field<ResourceWishes>>& resource_fields() {
  static const std::vector<Field<ResourceWishes>> fields{
      {"walltime", [](ResourceWishes& r,
                      const Item& i) { r.walltime_s = i.text() == "auto" ? 0 : i.duration_s(); }},
      {"cores_per_rank",
       [](ResourceWishes& r, const Item& i) {
         r.cores_per_rank = static_cast<int>(i.whole(1, kMostCoresPerRank));
       }},
      {"partition",
       [](ResourceWishes& r, const Item& i) {
         i.word();
         r.partition = i.node;
       }},
      {"max_gpu_hours",
       [](ResourceWishes& r, const Item& i) {
         i.number(0);
         r.max_gpu_hours = i.node;
       }},
  };
  return fields;
}

std::vector<std::string> names_of(const std::vector<Setting>& settings) {
  std::vector<std::string> names;
  for (const Setting& setting : settings) names.push_back(setting.symbol.name);
  return names;
}

/// The values an axis takes: each is checked as if it were a run's, and stands once.
std::vector<Node> read_values(const Setting& setting, const Item& item) {
  std::vector<Item> values = item.items();
  const bool one_list = setting.is_list && !values.empty() &&
                        !std::holds_alternative<List>(values.front().node.value);
  if (one_list) values = std::vector<Item>{item};
  if (values.empty()) item.fail("an empty axis; give it at least one value");
  std::vector<Node> nodes;
  std::set<std::string> seen;
  for (const Item& value : values) {
    Recipe scratch;
    setting.read(scratch, value);
    if (!seen.insert(to_text(value.node)).second) {
      value.fail(fmt::format("{} is listed twice", to_text(value.node)));
    }
    nodes.push_back(value.node);
  }
  return nodes;
}

void read_matrix(const Item& matrix, Study& study) {
  const std::vector<Setting>& settings = axis_settings();
  match_keys(matrix, names_of(settings), [&](std::size_t i, const Item& item) {
    study.axes.push_back({&settings[i], read_values(settings[i], item), item.node.where});
  });
}

const StudyAxis* find_axis(const Study& study, std::string_view name) {
  const auto found = std::find_if(study.axes.begin(), study.axes.end(),
                                  [&](const StudyAxis& axis) { return axis.name() == name; });
  return found == study.axes.end() ? nullptr : &*found;
}

void check_axes(const Item& matrix, const Study& study) {
  const auto missing = [&](const std::string& name, const std::string& hint) {
    throw base::SpecError(matrix.node.where, "matrix." + name, "missing" + hint);
  };
  const StudyAxis* per_gpu = find_axis(study, "batch_per_gpu");
  const StudyAxis* global = find_axis(study, "global_batch");
  if (find_axis(study, "model") == nullptr) missing("model", "");
  if (find_axis(study, "gpus") == nullptr) missing("gpus", "");
  if (per_gpu != nullptr && global != nullptr) {
    throw base::SpecError(global->where, "matrix.global_batch",
                          "batch_per_gpu is given too; keep one of them");
  }
  if (study.scaling == "weak" && global != nullptr) {
    throw base::SpecError(global->where, "matrix.global_batch",
                          "weak scaling keeps the batch of a GPU fixed: give batch_per_gpu, or "
                          "study.scaling = \"strong\"");
  }
  if (study.scaling == "strong" && per_gpu != nullptr) {
    throw base::SpecError(per_gpu->where, "matrix.batch_per_gpu",
                          "strong scaling keeps the global batch fixed: give global_batch, or "
                          "study.scaling = \"weak\"");
  }
  if (per_gpu == nullptr && global == nullptr) {
    missing(study.scaling == "strong" ? "global_batch" : "batch_per_gpu", "");
  }
}

void read_training(const Item& training, Study& study) {
  const std::vector<Setting>& settings = training_settings();
  match_keys(training, names_of(settings), [&](std::size_t i, const Item& item) {
    settings[i].read(study.recipe, item);
    if (settings[i].symbol.name == "dataset.kind") study.dataset_where = item.node.where;
  });
}

/// A study without a learning rate, or with two, is a study of something else than meant.
void check_learning_rate(const Study& study, const base::Location& where) {
  const bool per_gpu = study.recipe.lr_base_per_gpu || find_axis(study, "lr.base_per_gpu");
  const bool whole_run = study.recipe.lr_base || find_axis(study, "lr.base");
  if (!per_gpu && !whole_run) {
    throw base::SpecError(where, "training.lr",
                          "missing: give { base_per_gpu = … } or { base = … }");
  }
  if (per_gpu && whole_run) {
    throw base::SpecError(where, "training.lr", "has base_per_gpu and base; keep one of them");
  }
}

void read_include(const Item& include, Study& study) {
  std::vector<std::vector<Node>> values;
  std::vector<std::string> names;
  for (const StudyAxis& axis : study.axes) {
    values.push_back(axis.values);
    names.push_back(axis.name());
  }
  match_keys(include, names, [&](std::size_t i, const Item& item) {
    values[i] = read_values(*study.axes[i].setting, item);
  });
  study.includes.push_back(std::move(values));
}

void read_exclude(const Item& exclude, Study& study) {
  const Node *when = nullptr, *why = nullptr;
  match_keys(exclude, {"when", "why"}, [&](std::size_t i, const Item& item) {
    item.word();
    (i == 0 ? when : why) = &item.node;
  });
  if (when == nullptr) exclude.fail("has no when = 'condition'");
  if (why == nullptr) exclude.fail("has no why = \"reason\"");
  study.exclusions.push_back({Expression({*when, exclude.key + ".when"}, study_symbols(study.axes)),
                              std::get<std::string>(why->value)});
}

}  // namespace

std::vector<Symbol> study_symbols(const std::vector<StudyAxis>& axes) {
  std::vector<Symbol> symbols;
  for (const StudyAxis& axis : axes) symbols.push_back(axis.setting->symbol);
  for (const char* name : {"gpus", "batch_per_gpu", "global_batch"}) {
    const bool is_axis = std::any_of(symbols.begin(), symbols.end(),
                                     [&](const Symbol& symbol) { return symbol.name == name; });
    if (!is_axis) symbols.push_back({name, Symbol::Kind::number, {}});
  }
  return symbols;
}

Study read_study(std::string_view text, const std::string& file,
                 const std::vector<std::string>& overrides) {
  Node root = parse_document(text, file);
  for (const std::string& assignment : overrides) apply_override(root, assignment);
  std::array<const Node*, 6> sections{};
  match_keys({root, ""}, kSections,
             [&](std::size_t i, const Item& item) { sections[i] = &item.node; });
  const Node nothing{Table{}, {file}};
  const auto section = [&](Section i) {
    return Item{sections[i] != nullptr ? *sections[i] : nothing, kSections[i]};
  };
  Study study;
  study.file = file;
  read_fields(section(kStudy), study_fields(), study);
  if (study.name.empty()) section(kStudy).fail("name is missing");
  read_matrix(section(kMatrix), study);
  check_axes(section(kMatrix), study);
  read_training(section(kTraining), study);
  check_learning_rate(study, section(kTraining).node.where);
  if (sections[kInclude] != nullptr) {
    for (const Item& item : section(kInclude).items()) read_include(item, study);
  }
  if (sections[kExclude] != nullptr) {
    for (const Item& item : section(kExclude).items()) read_exclude(item, study);
  }
  read_fields(section(kResources), resource_fields(), study.resources);
  return study;
}

}  // namespace dlscale::planner
