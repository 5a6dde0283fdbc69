// SPDX-License-Identifier: Apache-2.0
#include "workspace/reference_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/registry.hpp"
#include "config/expression/expression.hpp"
#include "config/toml/fields.hpp"
#include "contract/plan/plan.hpp"
#include "workspace/resources.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

using analysis::Definition;
using analysis::Publication;
using analysis::ReferenceStudy;
using config::Field;
using config::Item;

constexpr const char* kStudyFile = "reference.toml";
constexpr const char* kHardwareFile = "hardware.csv";

/// Names that formulas for speed-up, efficiency, throughput and transfer times may use.
const std::vector<std::string> kFormulaNames{
    "t",     "t0",     "speedup", "gpus",      "gpus0",     "nodes",     "nodes0",
    "batch", "step_s", "samples", "loading_s", "compute_s", "parameters"};

std::vector<std::string> words(const Item& item) {
  std::vector<std::string> found;
  for (const Item& one : item.items()) found.push_back(config::to_text(one.node));
  return found;
}

void read_settings(std::map<std::string, analysis::Words>& settings, const Item& item,
                   const std::string& prefix) {
  for (const config::Entry& entry : item.table()) {
    const Item inner{entry.node, item.key + "." + entry.key};
    if (std::holds_alternative<config::Table>(entry.node.value)) {
      read_settings(settings, inner, prefix + entry.key + ".");
    } else {
      settings[prefix + entry.key] = words(inner);
    }
  }
}

const std::string& unit_of(const Item& item) {
  const std::string& unit = item.word();
  if (!analysis::parse_unit(unit)) item.fail(fmt::format("unknown unit \"{}\"", unit));
  return unit;
}

/// Checks a formula when the file is read, before any rule uses the formula. Throws base::SpecError
/// for an invalid formula.
void require_formula(const Definition& definition, const std::string& formula) {
  if (formula.empty()) return;
  std::map<std::string, double> names;
  double value = 2;
  for (const auto& [name, unit] : definition.units) names[name] = value++;
  if (names.empty()) {
    for (const std::string& name : kFormulaNames) names[name] = value++;
  }
  config::compute(formula, names, definition.place);
}

Definition read_definition(const Item& item) {
  static const std::vector<Field<Definition>> kFields{
      {"formula",
       [](Definition& out, const Item& value) {
         out.formula = value.word();
         out.place = value.node.where;
       }},
      {"reading", [](Definition& out, const Item& value) { out.reading = value.word(); }},
      {"statistic", [](Definition& out, const Item& value) { out.statistic = value.word(); }},
      {"unit", [](Definition& out, const Item& value) { out.unit = unit_of(value); }},
      {"units.*",
       [](Definition& out, const Item& value) {
         out.units[value.key.substr(value.key.rfind('.') + 1)] = unit_of(value);
       }},
  };
  Definition definition;
  definition.place = item.node.where;
  config::read_fields(item, kFields, definition);
  require_formula(definition, definition.formula);
  require_formula(definition, definition.reading);
  return definition;
}

/// Content of a study file with the names of its tables.
struct StudyText {
  ReferenceStudy study;
  std::vector<std::pair<std::string, base::Location>> tables;
};

void add_definition_fields(std::vector<Field<StudyText>>& fields) {
  const double kMost = config::kMostGpus;
  fields.push_back({"study.work", [](StudyText& out, const Item& item) {
                      out.study.publication.work = item.one_of("work", {"fixed", "per_gpu"});
                    }});
  fields.push_back({"study.baseline.gpus", [=](StudyText& out, const Item& item) {
                      out.study.publication.baseline_gpus = item.number(1, kMost);
                    }});
  fields.push_back({"study.baseline.nodes", [=](StudyText& out, const Item& item) {
                      out.study.publication.baseline_nodes = item.number(1, kMost);
                    }});
  fields.push_back({"study.repeats", [](StudyText& out, const Item& item) {
                      out.study.repeats = static_cast<int>(item.whole(1));
                    }});
  fields.push_back({"study.variation", [](StudyText& out, const Item& item) {
                      out.study.publication.variation = item.number(0, 1);
                    }});
  fields.push_back({"definitions.*", [](StudyText& out, const Item& item) {
                      out.study.publication.definitions[item.key.substr(item.key.find('.') + 1)] =
                          read_definition(item);
                    }});
}

std::vector<Field<StudyText>> study_fields() {
  std::vector<Field<StudyText>> fields{
      {"title", [](StudyText& out, const Item& item) { out.study.title = item.word(); }},
      {"source", [](StudyText& out, const Item& item) { out.study.source = item.word(); }},
      {"tables",
       [](StudyText& out, const Item& item) {
         for (const Item& one : item.items()) out.tables.emplace_back(one.word(), one.node.where);
       }},
      {"settings",
       [](StudyText& out, const Item& item) {
         out.study.publication.place = item.node.where;
         read_settings(out.study.publication.settings, item, "");
       }},
      {"names",
       [](StudyText& out, const Item& item) {
         read_settings(out.study.publication.settings, item, "names.");
       }},
      {"measured",
       [](StudyText& out, const Item& item) {
         for (const Item& one : item.items()) {
           auto& lists = out.study.publication.measured.emplace_back();
           read_settings(lists, one, "");
         }
       }},
  };
  add_definition_fields(fields);
  return fields;
}

void add_table(ReferenceStudy& study, const fs::path& file, const std::string& name) {
  study.tables.push_back(analysis::read_reference_table(base::read_text_file(file), file.string()));
  study.tables.back().file = name;
  auto& values = study.publication.values;
  const auto& own = study.tables.back().values;
  values.insert(values.end(), own.begin(), own.end());
}

ReferenceStudy read_study_file(const fs::path& file) {
  const config::Node document = config::parse_document(base::read_text_file(file), file.string());
  StudyText text;
  const Item root{document, ""};
  config::read_fields(root, study_fields(), text);
  if (text.tables.empty()) {
    throw base::SpecError({file.string(), 1, 1}, "tables", "a reference needs at least one table");
  }
  for (const auto& [name, place] : text.tables) {
    const fs::path table = file.parent_path() / name;
    if (!fs::is_regular_file(table)) {
      throw base::SpecError(place, "tables", fmt::format("{}: no such file", table.string()));
    }
    add_table(text.study, table, name);
  }
  return text.study;
}

ReferenceStudy read_single_table(const fs::path& file) {
  ReferenceStudy study;
  add_table(study, file, file.filename().string());
  study.source = study.tables.back().source;
  study.publication.work = study.tables.back().work;
  return study;
}

bool is_file_name(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml") || name.ends_with(".csv");
}

ReferenceStudy read_named(const std::string& name, const fs::path& folder) {
  if (is_file_name(name)) {
    ReferenceStudy study = name.ends_with(".csv") ? read_single_table(name) : read_study_file(name);
    study.name = fs::path(name).stem().string();
    return study;
  }
  const std::vector<std::string> known = references_in(folder);
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw base::UsageError(base::unknown_name("reference", name, known) +
                           "; the name of a reference file ends in .toml or .csv");
  }
  ReferenceStudy study = read_study_file(folder / name / kStudyFile);
  study.name = name;
  return study;
}

}  // namespace

fs::path reference_folder() {
  return share_folder() / "references";
}

std::string reference_of_study(const contract::PlanDir& folder) {
  const auto plan = contract::find_plan(folder);
  return plan ? plan->reference : std::string();
}

void check_reference(const contract::Plan& plan) {
  const std::string& name = plan.reference;
  if (name.empty()) return;
  try {
    read_reference(name, reference_folder());
  } catch (const base::UsageError& error) {
    throw base::UsageError(std::string("study.reference: ") + error.what());
  }
}

std::vector<std::string> references_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (fs::is_regular_file(entry.path() / kStudyFile)) names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

ReferenceStudy read_reference(const std::string& name, const fs::path& folder) {
  ReferenceStudy study = read_named(name, folder);
  if (study.title.empty()) study.title = study.name;
  const fs::path hardware = folder / kHardwareFile;
  if (fs::is_regular_file(hardware)) {
    study.publication.hardware =
        analysis::read_reference_table(base::read_text_file(hardware), hardware.string()).values;
  }
  return study;
}

}  // namespace dlscale::workspace
