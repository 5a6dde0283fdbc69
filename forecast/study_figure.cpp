// SPDX-License-Identifier: Apache-2.0
#include "forecast/study_figure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/report/figures/quantity_figure.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/store/reading/window_reader.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/prediction_figures.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

// Name of the figure that needs a model card in addition to results.
constexpr const char* kRoofline = "roofline";

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (const std::string_view word : base::split(list, ',')) words.emplace_back(word);
  return words;
}

/// Throws base::UsageError if the choice names anything but quantities. The message lists figures
/// and quantities, because an unknown name may be meant as a figure or as a quantity.
void check_quantities(const FigureChoice& choice) {
  if (choice.kind == kRoofline || choice.kind == kRates) {
    throw base::UsageError("--x and --by apply only to quantities, not to the figure " +
                           choice.kind);
  }
  const std::vector<std::string> words = words_of(choice.kind);
  const bool is_quantity_only = words.size() > 1 || !choice.x.empty() || !choice.by.empty();
  const std::string noun = is_quantity_only ? "quantity" : "figure or quantity";
  std::vector<std::string> known;
  if (!is_quantity_only) known = figure_names();
  for (std::string& name : analysis::quantity_names()) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      known.push_back(std::move(name));
  }
  for (const std::string& word : words) {
    // Whether a measured quantity exists depends on the results, so it is not checked here.
    if (analysis::MeasuredQuantities::is_measured(word)) continue;
    if (analysis::quantities_named(word).empty()) {
      throw base::UsageError(analysis::unknown_quantity(noun, word, known));
    }
  }
}

/// Adds the details of the runs that come from the plan folder `source`.
void add_details(analysis::Frame& frame, const workspace::SourceFolder& source,
                 const analysis::RunDetails& needed) {
  if (!needed.window_losses && !needed.peak_memory) return;
  const contract::PlanDir folder(source.folder);
  std::map<std::string, analysis::RunRow*> rows;  // runs of the folder by their id in the folder
  std::set<std::string> runs;
  for (analysis::RunRow& run : frame.runs) {
    if (run.source != source.name) continue;
    const std::string id = run_id_in_folder(run);
    rows.emplace(id, &run);
    if (completed(run)) runs.insert(id);
  }
  if (needed.window_losses) {
    auto losses = analysis::read_window_losses(folder, runs);
    for (auto& [id, run] : rows) run->window_losses = std::move(losses[id]);
  }
  if (needed.peak_memory) {
    const std::map<std::string, double> peaks = analysis::read_peak_memory(folder, runs);
    for (auto& [id, run] : rows) {
      const auto peak = peaks.find(id);
      if (peak != peaks.end()) run->peak_memory_bytes = peak->second;
    }
  }
}

MadeFigure rates(const FigureChoice& choice) {
  if (!choice.study.baseline.empty() || choice.study.mixed) {
    throw base::UsageError(
        "--baseline and --mixed apply only to figures of results, not to learning rates");
  }
  return {figure_of_rates({choice.study.folder, choice.overrides, choice.study.runs}),
          "no run of the study has known epochs and a known learning rate"};
}

/// Returns the reason why a figure of a fixed kind has no points.
std::string why_no_points(const analysis::FigureKind& kind, const workspace::ChosenStudy& study) {
  for (const analysis::Quantity* quantity : analysis::quantities_named(kind.name)) {
    if (quantity->relative == nullptr) continue;
    return why_no_values(*quantity, study.frame, study.options);
  }
  return describe_lack(study.frame, kind.name, kind.needs);
}

MadeFigure figure_of(workspace::ChosenStudy& study, const FigureChoice& choice) {
  if (choice.kind == kRoofline) {
    analysis::Figure figure = figure_of_roofline(study, choice.roofline);
    std::string why = analysis::describe_use(study.frame);
    if (figure.notes.back().starts_with("omitted")) why = figure.notes.back() + "; " + why;
    return {std::move(figure), std::move(why)};
  }
  if (draws_quantities(choice)) {
    const analysis::QuantityChoice quantities{words_of(choice.kind), choice.x, choice.by};
    for (const workspace::SourceFolder& source : study.folders) {
      add_details(study.frame, source, needed_details(quantities));
    }
    analysis::Figure figure = quantity_figure(study.frame, study.options, quantities);
    std::string why = figure.notes.front();
    return {std::move(figure), std::move(why)};
  }
  const analysis::FigureKind& kind = analysis::find_figure_kind(choice.kind);
  study.options.laws = choice.laws;
  analysis::Figure figure = kind.make(study.frame, study.options);
  const std::string& own = figure.why_empty;
  std::string why = fmt::format("{}; {}", own.empty() ? why_no_points(kind, study) : own,
                                analysis::describe_use(study.frame));
  return {std::move(figure), std::move(why)};
}

MadeFigure results(const FigureChoice& choice) {
  if (!choice.overrides.empty()) {
    throw base::UsageError("-S changes a study file, which only the command plot lr reads");
  }
  workspace::ChosenStudy study = workspace::open_study(choice.study);
  MadeFigure made = figure_of(study, choice);
  if (!study.nothing_read.empty()) made.why_empty += "; " + study.nothing_read;
  made.outdated = std::move(study.outdated);
  return made;
}

}  // namespace

bool draws_quantities(const FigureChoice& choice) {
  const std::vector<std::string> names = figure_names();
  const bool is_kind = std::find(names.begin(), names.end(), choice.kind) != names.end();
  return !is_kind || !choice.x.empty() || !choice.by.empty();
}

std::string list_figures(const workspace::StudyChoice& study) {
  std::string text = "figures:\n";
  for (const analysis::FigureKind& kind : analysis::figure_kinds()) {
    text += fmt::format("  {:<22} {}\n", kind.name, kind.summary);
  }
  text += "quantities, for any --x and --by:\n";
  for (const analysis::Quantity& quantity : analysis::quantities()) {
    text += fmt::format("  {:<22} {}\n", quantity.name,
                        analysis::with_unit(quantity.summary, quantity));
  }
  std::vector<std::string> traced;
  for (const analysis::Quantity& quantity : analysis::quantities()) {
    if (quantity.by_epoch != nullptr) traced.emplace_back(quantity.name);
  }
  text += fmt::format("--x {} of {}\n", fmt::join(analysis::trace_axes(), ", "),
                      fmt::join(traced, ", "));
  const contract::PlanDir folder{fs::path(study.folder)};
  std::error_code unreadable;
  if (!fs::exists(folder.database(), unreadable)) return text;
  const workspace::ChosenStudy opened = workspace::open_study(study);
  const std::vector<std::string> measured = analysis::MeasuredQuantities(opened.frame).names();
  if (!measured.empty()) {
    text += fmt::format("quantities that the programs of {} measured: {}\n", opened.frame.study,
                        fmt::join(measured, ", "));
  }
  text += fmt::format("axes of {}:\n", opened.frame.study);
  for (const std::string& name : analysis::study_axes(opened.frame)) {
    const auto axis = std::ranges::find(opened.frame.axes, name, &contract::Axis::name);
    text += axis == opened.frame.axes.end()
                ? fmt::format("  {}\n", name)
                : fmt::format("  {:<22} {}\n", name, fmt::join(axis->values, ", "));
  }
  return text;
}

std::vector<std::string> figure_names() {
  std::vector<std::string> names;
  for (const analysis::FigureKind& kind : analysis::figure_kinds()) names.emplace_back(kind.name);
  names.emplace_back(kRoofline);
  names.emplace_back(kRates);
  return names;
}

void check_choice(const FigureChoice& choice) {
  if (draws_quantities(choice)) check_quantities(choice);
  const bool has_laws = choice.kind == "speedup" || choice.kind == "efficiency";
  if (choice.laws && (!has_laws || draws_quantities(choice))) {
    throw base::UsageError(
        has_laws ? "--laws applies only to figures of speedup and efficiency without --x and --by"
                 : "--laws applies only to figures of speedup and efficiency");
  }
  if (choice.roofline.any() && choice.kind != kRoofline) {
    throw base::UsageError(
        "--card, --peak and --memory-bandwidth apply only to the figure roofline");
  }
}

MadeFigure make_figure(const FigureChoice& choice) {
  check_choice(choice);
  return choice.kind == kRates ? rates(choice) : results(choice);
}

}  // namespace dlscale::forecast
