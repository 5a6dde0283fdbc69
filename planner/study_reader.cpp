// SPDX-License-Identifier: Apache-2.0
#include "planner/study_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "planner/settings.hpp"

namespace dlscale::planner {
namespace {

const std::vector<std::string> kSections{"study",    "matrix",    "exclude", "include",
                                         "training", "resources", "launch"};
enum Section { kStudy, kMatrix, kExclude, kInclude, kTraining, kResources, kLaunch, kSectionCount };

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

/// An axis alone: each of its values is a row.
Factor factor_of(std::size_t axis, std::uint32_t first, std::size_t count) {
  Factor factor{{axis}, {}};
  for (std::uint32_t i = 0; i < count; ++i) factor.rows.push_back({first + i});
  return factor;
}

void add_values(StudyAxis& axis, std::vector<Node> values) {
  for (Node& value : values) {
    axis.texts.push_back(to_text(value));
    axis.values.push_back(std::move(value));
  }
}

void read_matrix(const Item& section, Matrix& matrix) {
  const std::vector<Setting>& settings = axis_settings();
  Block product;
  match_keys(section, names_of(settings), [&](std::size_t i, const Item& item) {
    StudyAxis axis{settings[i], {}, {}, item.node.where};
    add_values(axis, read_values(settings[i], item));
    product.push_back(factor_of(matrix.axes.size(), 0, axis.values.size()));
    matrix.axes.push_back(std::move(axis));
  });
  matrix.blocks.push_back(std::move(product));
}

const StudyAxis* find_axis(const Matrix& matrix, std::string_view name) {
  const auto found = std::find_if(matrix.axes.begin(), matrix.axes.end(),
                                  [&](const StudyAxis& axis) { return axis.name() == name; });
  return found == matrix.axes.end() ? nullptr : &*found;
}

void check_axes(const Item& section, const Matrix& matrix) {
  const auto missing = [&](const std::string& name, const std::string& hint) {
    throw base::SpecError(section.node.where, "matrix." + name, "missing" + hint);
  };
  const StudyAxis* per_gpu = find_axis(matrix, "batch_per_gpu");
  const StudyAxis* global = find_axis(matrix, "global_batch");
  if (find_axis(matrix, "model") == nullptr) missing("model", "");
  if (find_axis(matrix, "gpus") == nullptr) missing("gpus", "");
  if (per_gpu != nullptr && global != nullptr) {
    throw base::SpecError(global->where, "matrix.global_batch",
                          "batch_per_gpu is given too; keep one of them");
  }
  if (matrix.scaling == "weak" && global != nullptr) {
    throw base::SpecError(global->where, "matrix.global_batch",
                          "weak scaling keeps the batch of a GPU fixed: give batch_per_gpu, or "
                          "study.scaling = \"strong\"");
  }
  if (matrix.scaling == "strong" && per_gpu != nullptr) {
    throw base::SpecError(per_gpu->where, "matrix.batch_per_gpu",
                          "strong scaling keeps the global batch fixed: give global_batch, or "
                          "study.scaling = \"weak\"");
  }
  if (per_gpu == nullptr && global == nullptr) {
    missing(matrix.scaling == "strong" ? "global_batch" : "batch_per_gpu", "");
  }
}

void read_training(const Item& training, Matrix& matrix) {
  const std::vector<Setting>& settings = training_settings();
  match_keys(training, names_of(settings), [&](std::size_t i, const Item& item) {
    settings[i].read(matrix.recipe, item);
    if (settings[i].symbol.name == "dataset.kind") matrix.dataset_where = item.node.where;
  });
}

/// A study without a learning rate, or with two, is a study of something else than meant.
void check_learning_rate(const Matrix& matrix, const base::Location& where) {
  const bool per_gpu = matrix.recipe.lr_base_per_gpu || find_axis(matrix, "lr.base_per_gpu");
  const bool whole_run = matrix.recipe.lr_base || find_axis(matrix, "lr.base");
  if (!per_gpu && !whole_run) {
    throw base::SpecError(where, "training.lr",
                          "missing: give { base_per_gpu = … } or { base = … }");
  }
  if (per_gpu && whole_run) {
    throw base::SpecError(where, "training.lr", "has base_per_gpu and base; keep one of them");
  }
}

void read_include(const Item& include, Matrix& matrix) {
  Block block = matrix.blocks.front();
  std::vector<std::string> names;
  for (const StudyAxis& axis : matrix.axes) names.push_back(axis.name());
  match_keys(include, names, [&](std::size_t i, const Item& item) {
    StudyAxis& axis = matrix.axes[i];
    const auto first = static_cast<std::uint32_t>(axis.values.size());
    add_values(axis, read_values(axis.setting, item));
    block[i] = factor_of(i, first, axis.values.size() - first);
  });
  matrix.blocks.push_back(std::move(block));
}

void read_exclude(const Item& exclude, Matrix& matrix) {
  const Node *when = nullptr, *why = nullptr;
  match_keys(exclude, {"when", "why"}, [&](std::size_t i, const Item& item) {
    item.word();
    (i == 0 ? when : why) = &item.node;
  });
  if (when == nullptr) exclude.fail("has no when = 'condition'");
  if (why == nullptr) exclude.fail("has no why = \"reason\"");
  matrix.exclusions.push_back(
      {Expression({*when, exclude.key + ".when"}, study_symbols(matrix.axes)),
       std::get<std::string>(why->value)});
}

}  // namespace

std::vector<Symbol> study_symbols(const std::vector<StudyAxis>& axes) {
  std::vector<Symbol> symbols;
  for (const StudyAxis& axis : axes) symbols.push_back(axis.setting.symbol);
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
  std::array<const Node*, kSectionCount> sections{};
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
  Matrix matrix{.scaling = study.scaling};
  read_matrix(section(kMatrix), matrix);
  check_axes(section(kMatrix), matrix);
  read_training(section(kTraining), matrix);
  check_learning_rate(matrix, section(kTraining).node.where);
  if (sections[kInclude] != nullptr) {
    for (const Item& item : section(kInclude).items()) read_include(item, matrix);
  }
  if (sections[kExclude] != nullptr) {
    for (const Item& item : section(kExclude).items()) read_exclude(item, matrix);
  }
  matrix.resources = read_resources(section(kResources));
  study.matrices.push_back(std::move(matrix));
  study.launch = read_launch(section(kLaunch));
  return study;
}

}  // namespace dlscale::planner
