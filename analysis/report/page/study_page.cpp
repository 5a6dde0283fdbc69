// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/study_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "base/parallel_for.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::string_view kWarning = "warning: ";

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

/// Adds to `warnings` the warnings among the notes of the report's tables.
void add_warnings_of(const Report& report, std::vector<std::string>& warnings) {
  for (const Table& table : report.tables) {
    for (const std::string& note : table.notes) {
      if (note.starts_with(kWarning)) add_once(warnings, note.substr(kWarning.size()));
    }
  }
}

/// Adds a table to the report. If its id is already used, a number is appended to the id. Equal ids
/// can result from different axis values, because an id keeps only the letters and digits of a
/// value.
void add_table(Report& report, Table table) {
  const std::string name = table.id;
  const auto taken = [&] {
    return std::any_of(report.tables.begin(), report.tables.end(),
                       [&](const Table& other) { return other.id == table.id; });
  };
  for (int i = 2; taken(); ++i) table.id = fmt::format("{}-{}", name, i);
  report.tables.push_back(std::move(table));
}

std::string too_many(const std::string& name, std::size_t count, const char* what) {
  return fmt::format("no {} figure: {} {} cannot be distinguished; select fewer runs with --where",
                     name, count, what);
}

void add_figure(StudyPage& page, const FigureKind& kind, Figure figure) {
  const auto has_points = [](const Series& series) { return !series.points.empty(); };
  if (std::none_of(figure.series.begin(), figure.series.end(), has_points)) return;
  if (figure.categories.size() > kMostBars) {
    page.warnings.push_back(too_many(kind.name, figure.categories.size(), "bars"));
  } else if (figure.series.size() > kMostSeries) {
    page.warnings.push_back(too_many(kind.name, figure.series.size(), "series"));
  } else {
    page.figures.push_back({kind.name, std::move(figure)});
  }
}

bool all_completed(const Frame& frame) {
  return std::all_of(frame.runs.begin(), frame.runs.end(), &completed);
}

/// Adds the tables that have rows. A detailed table that is too long is left out with a warning.
void add_tables(StudyPage& page, const Metric& metric, Report report) {
  for (Table& table : report.tables) {
    if (table.rows.empty()) continue;
    if (metric.is_detailed && table.rows.size() > kMostDetailedRows) {
      page.warnings.push_back(fmt::format(
          "table {} is left out, because it has {} rows; select fewer runs with --where, or use "
          "dlscale analyze --metric {}",
          table.id, table.rows.size(), metric.name));
      continue;
    }
    add_table(page.report, std::move(table));
  }
}

void add_facts(StudyPage& page, const Frame& frame, const AnalysisOptions& options) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const std::vector<BaselineChoice> choices =
      choose_baselines(curves, options.baseline, options.allow_mixed);
  const Repeats repeats = repeats_of(curves);
  page.facts = {{"mode", describe_mode(frame)}, {"runs", describe_use(frame)}};
  if (!curves.empty()) {
    page.facts.emplace_back("baseline",
                            describe_baseline(choices, options.baseline, worker_noun(frame))
                                .substr(std::string_view("baseline: ").size()));
    page.facts.emplace_back("repeats", describe_statistic(repeats));
  }
  page.facts.emplace_back("conditions", describe_constants(frame));
  if (const std::string text = describe_sources(frame); !text.empty()) {
    page.facts.emplace_back("differences", text);
  }
  if (const std::string text = describe_interruptions(frame); !text.empty()) {
    page.facts.emplace_back("interruptions", text);
  }
  for (const std::string& problem : describe_problems(choices)) page.warnings.push_back(problem);
  if (!all_completed(frame)) page.warnings.push_back(describe_use(frame));
  if (repeats.most == 1) page.warnings.push_back(describe_statistic(repeats));
  if (const std::string text = describe_uneven_batches(frame); !text.empty()) {
    page.warnings.push_back(text);
  }
}

/// Adds a fact that names the figures for which the results are unsuitable, with the reasons.
void add_left_out(StudyPage& page, const std::vector<Figure>& figures) {
  std::vector<std::pair<std::string, std::string>> left_out;  // reasons, and the figures of each
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string& why = figures[i].why_empty;
    if (why.empty()) continue;
    const auto known =
        std::ranges::find(left_out, why, &std::pair<std::string, std::string>::first);
    if (known == left_out.end()) {
      left_out.emplace_back(why, figure_kinds()[i].name);
    } else {
      known->second += std::string(", ") + figure_kinds()[i].name;
    }
  }
  for (const auto& [why, names] : left_out) {
    page.facts.emplace_back("figures left out", fmt::format("{} ({})", names, why));
  }
}

/// Reporter of progress. A part is a metric or a kind of figure, and begin() is called when a part
/// starts, from several threads. begin() calls `on_part` with the name of the part and the share of
/// all parts that started before.
class PartsBegun {
 public:
  explicit PartsBegun(const std::function<void(const std::string&, double)>& on_part)
      : on_part_(on_part) {}
  void begin(const char* name) {
    const std::lock_guard lock(mutex_);
    const auto parts = static_cast<double>(metrics().size() + figure_kinds().size());
    if (on_part_) on_part_(name, static_cast<double>(begun_++) / parts);
  }

 private:
  const std::function<void(const std::string&, double)>& on_part_;
  std::mutex mutex_;
  int begun_ = 0;
};

}  // namespace

StudyPage study_page(const Frame& frame, const AnalysisOptions& options,
                     const std::vector<std::string>& by,
                     const std::function<void(const std::string&, double)>& on_part) {
  StudyPage page;
  page.title = frame.study;
  page.answer = answer_study(frame, options);
  add_facts(page, frame, options);
  PartsBegun begun(on_part);
  std::vector<Report> reports(metrics().size());
  std::vector<Figure> figures(figure_kinds().size());
  base::parallel_for(reports.size() + figures.size(), [&](std::size_t i) {
    if (i < reports.size()) {
      begun.begin(metrics()[i].name);
      reports[i] = make_report(metrics()[i], frame, options, by);
      return;
    }
    const FigureKind& kind = figure_kinds()[i - reports.size()];
    begun.begin(kind.name);
    figures[i - reports.size()] = kind.make(frame, options);
  });
  for (std::size_t i = 0; i < reports.size(); ++i) {
    add_tables(page, metrics()[i], std::move(reports[i]));
  }
  add_warnings_of(page.report, page.warnings);
  add_left_out(page, figures);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    add_figure(page, figure_kinds()[i], std::move(figures[i]));
  }
  return page;
}

StudyPage brief_page(const Frame& frame, const AnalysisOptions& options) {
  StudyPage page;
  page.title = frame.study;
  page.answer = answer_study(frame, options);
  add_facts(page, frame, options);
  const Metric& metric = find_metric(first_metrics(frame).front());
  add_tables(page, metric, make_report(metric, frame, options, {}));
  add_warnings_of(page.report, page.warnings);
  for (const std::string_view name : {"efficiency", "throughput", "inference-throughput"}) {
    for (const FigureKind& kind : figure_kinds()) {
      if (kind.name == name && page.figures.empty()) {
        add_figure(page, kind, kind.make(frame, options));
      }
    }
  }
  return page;
}

}  // namespace dlscale::analysis
