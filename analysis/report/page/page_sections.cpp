// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/page_sections.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace dlscale::analysis {
namespace {

struct SectionContent {
  const char* id;
  const char* title;
  std::vector<std::string_view> names;  ///< ids of tables and figures, without suffixes
};

/// Sections in the order of the page. The last one shows everything that no other section names,
/// such as comparisons with publications.
const std::vector<SectionContent>& section_contents() {
  static const std::vector<SectionContent> list{
      {"scaling",
       "Scaling",
       {"efficiency", "speedup", "throughput", "throughput-per-gpu", "best-count", "knee",
        "recommend", "verdicts", "fit", "epoch-time", "inference", "inference-throughput",
        "predictions", "prediction-errors", "definitions"}},
      {"time-breakdown",
       "Time breakdown",
       {"breakdown", "kernel-shares", "overlap", "load-share", "transfer", "collectives", "nodes",
        "measured", "roofline"}},
      {"learning",
       "Accuracy",
       {"accuracy", "accuracy-vs-batch", "accuracy-vs-epoch", "accuracy-vs-time",
        "time-to-accuracy", "images-to-accuracy", "time-to-target", "evaluation", "generalisation",
        "loss"}},
      {"costs", "Cost", {"cost", "jobs", "pareto"}},
      {"raw-data", "Raw data", {"epochs", "rank-epochs", "ranks", "counters"}},
      {"comparisons", "Comparisons", {}}};
  return list;
}

/// Returns true if `id` is `name`, or `name` with a suffix.
bool is_named(const std::string& id, std::string_view name) {
  return id.starts_with(name) && (id.size() == name.size() || id[name.size()] == '-');
}

const NamedFigure* figure_among(const StudyPage& page, const std::vector<std::string_view>& names,
                                const NamedFigure* other_than) {
  for (const std::string_view name : names) {
    for (const NamedFigure& figure : page.figures) {
      if (figure.id == name && &figure != other_than) return &figure;
    }
  }
  for (const NamedFigure& figure : page.figures) {
    if (&figure != other_than) return &figure;
  }
  return nullptr;
}

/// Returns true if the facts or the warnings of the page state the note.
bool is_stated(const StudyPage& page, const std::string& note) {
  constexpr std::string_view kWarningPrefix = "warning: ";
  for (const auto& [name, text] : page.facts) {
    if (note == text || note == name + ": " + text) return true;
  }
  const std::string text =
      note.starts_with(kWarningPrefix) ? note.substr(kWarningPrefix.size()) : note;
  return std::find(page.warnings.begin(), page.warnings.end(), text) != page.warnings.end();
}

}  // namespace

std::string section_of(const std::string& id) {
  std::pair<std::size_t, const char*> best{0, section_contents().back().id};
  for (const SectionContent& section : section_contents()) {
    for (const std::string_view name : section.names) {
      if (is_named(id, name) && name.size() > best.first) best = {name.size(), section.id};
    }
  }
  return best.second;
}

std::vector<const NamedFigure*> first_figures(const StudyPage& page) {
  std::vector<const NamedFigure*> list;
  const NamedFigure* first =
      figure_among(page, {"efficiency", "speedup", "throughput", "inference-throughput"}, nullptr);
  if (first == nullptr) return list;
  list.push_back(first);
  const NamedFigure* second =
      figure_among(page,
                   {"time-to-accuracy", "accuracy-vs-batch", "accuracy-vs-epoch", "loss",
                    "throughput", "speedup", "inference"},
                   first);
  if (second != nullptr) list.push_back(second);
  return list;
}

std::vector<PageSection> page_sections(const StudyPage& page) {
  std::vector<PageSection> sections;
  std::map<std::string, std::size_t> places;
  for (const SectionContent& content : section_contents()) {
    places[content.id] = sections.size();
    sections.push_back({content.id, content.title, {}, {}});
  }
  for (const Table& table : page.report.tables) {
    sections[places[section_of(table.id)]].tables.push_back(&table);
  }
  const std::vector<const NamedFigure*> first = first_figures(page);
  for (const NamedFigure& figure : page.figures) {
    if (std::find(first.begin(), first.end(), &figure) != first.end()) continue;
    sections[places[section_of(figure.id)]].figures.push_back(&figure);
  }
  return sections;
}

std::vector<std::string> common_notes(const StudyPage& page) {
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> order;
  for (const Table& table : page.report.tables) {
    for (const std::string& note : table.notes) {
      if (counts[note]++ == 0) order.push_back(note);
    }
  }
  std::erase_if(order, [&](const std::string& note) {
    const bool is_common = counts[note] > 1 && 2 * counts[note] > page.report.tables.size();
    return !is_common || is_stated(page, note);
  });
  return order;
}

std::vector<std::string> own_notes(const StudyPage& page, const std::vector<std::string>& common,
                                   const Table& table) {
  std::vector<std::string> notes = table.notes;
  std::erase_if(notes, [&](const std::string& note) {
    return is_stated(page, note) || std::find(common.begin(), common.end(), note) != common.end();
  });
  return notes;
}

}  // namespace dlscale::analysis
