// SPDX-License-Identifier: Apache-2.0
#include "analysis/proposal/proposal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/metrics/scaling/worthwhile_count.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/proposal/proposal_parts.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kCollectCommand = "dlscale run STUDY.toml -o RESULTS";

/// Returns the scaling mode for titles: "Weak scaling" or "Strong scaling".
std::string mode_title(const Frame& frame) {
  if (frame.scaling == "weak") return "Weak scaling";
  if (frame.scaling == "strong") return "Strong scaling";
  return "Throughput";
}

/// Returns the reason why no speed-up can be computed, with the commands of the next steps that
/// answer_study() recommends.
Absent no_scaling(const ProposalData& data) {
  const std::vector<ScalingCurve> curves = scaling_curves(data.frame);
  if (curves.empty()) {
    return {"No completed run has timed steps.", {kCollectCommand}};
  }
  const std::vector<std::string> problems =
      describe_problems(choose_baselines(curves, data.options.baseline, data.options.allow_mixed));
  Absent absent{problems.empty() ? "All runs have the same GPU count, and a speed-up compares "
                                   "several counts."
                                 : "No speed-up can be computed: " + problems.front() + ".",
                {}};
  for (const NextStep& step : answer_study(data.frame, data.options).next) {
    absent.commands.insert(absent.commands.end(), step.commands.begin(), step.commands.end());
  }
  if (absent.commands.empty()) absent.commands = {kCollectCommand};
  return absent;
}

/// Returns true if a curve has its baseline and a point at another count.
bool has_scaling(const ProposalData& data) {
  const std::vector<ScalingCurve> curves = scaling_curves(data.frame);
  const std::vector<BaselineChoice> choices =
      choose_baselines(curves, data.options.baseline, data.options.allow_mixed);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (choices[i].baseline && curves[i].points.size() > 1) return true;
  }
  return false;
}

ProposalValue scaling_part(const ProposalData& data) {
  if (!has_scaling(data)) return no_scaling(data);
  Table table = efficiency_table(data.frame, data.options);
  table.id = "scaling";
  table.title = mode_title(data.frame) + " of " + data.frame.study;
  return table;
}

/// Returns the scaling table if the results have the scaling mode `mode`, otherwise the command
/// that measures this mode. `fixed` is the batch that the mode keeps constant, in words.
ProposalValue table_of_mode(const ProposalData& data, const std::string& mode,
                            const std::string& fixed) {
  if (data.frame.scaling == mode) return scaling_part(data);
  return Absent{
      fmt::format("The results are of {} scaling. {} scaling needs runs with a fixed {}.",
                  data.frame.scaling, mode == "weak" ? "Weak" : "Strong", fixed),
      {fmt::format("dlscale plan {}.toml --site SITE -o RESULTS    # a study with scaling = "
                   "\"{}\" and the axis {}",
                   mode, mode, mode == "weak" ? kBatchPerGpu : kGlobalBatch),
       "dlscale submit RESULTS", "dlscale propose RESULTS"}};
}

ProposalValue speedup_part(const ProposalData& data) {
  if (!has_scaling(data)) return no_scaling(data);
  Table table = speedup_table(data.frame, data.options);
  table.title = mode_title(data.frame) + ": speed-up of " + data.frame.study;
  return table;
}

ProposalValue throughput_part(const ProposalData& data) {
  if (scaling_curves(data.frame).empty()) return no_scaling(data);
  return throughput_table(data.frame, data.options);
}

ProposalValue scaling_figure(const ProposalData& data, const char* kind) {
  if (!has_scaling(data)) return no_scaling(data);
  Figure figure = find_figure_kind(kind).make(data.frame, data.options);
  if (figure.series.size() > kMostSeries) {
    return Absent{fmt::format("The figure would have {} curves, which cannot be distinguished.",
                              figure.series.size()),
                  {"dlscale propose RESULTS --where 'CONDITION'"}};
  }
  figure.title = mode_title(data.frame) + ": " + figure.title;
  return NamedFigure{kind, std::move(figure)};
}

ProposalValue memory_part(const ProposalData& data) {
  std::map<int, std::vector<double>> bytes;
  for (const RunRow& run : data.frame.runs) {
    if (completed(run) && run.peak_memory_bytes) bytes[run.gpus].push_back(*run.peak_memory_bytes);
  }
  if (bytes.empty() && data.is_read_from_logs) {
    return Absent{
        "The log format of the study reads no peak memory from the logs of the completed runs. If "
        "the script prints its peak memory, use a log format with a rule that reads "
        "peak_memory_bytes (docs/log-formats-own.md) and collect the results again. Patterns and "
        "column maps cannot read the peak memory.",
        {"dlscale collect RESULTS", "dlscale propose RESULTS"}};
  }
  if (bytes.empty()) {
    return Absent{"No completed run recorded its peak memory.", {kCollectCommand}};
  }
  constexpr double kGb = 1e-9;
  const std::string worker = worker_noun(data.frame);
  Table table{.id = "memory",
              .title = "Peak memory per " + worker + " of " + data.frame.study,
              .notes = {"the peak memory of a run is that of the " + worker +
                        " with the highest measured peak"},
              .columns = {{"gpus", worker + "s"},
                          {"n", "runs"},
                          {"median_gb", "median of the runs", "GB", 3, kGb},
                          {"largest_gb", "largest of the runs", "GB", 3, kGb}},
              .rows = {}};
  for (const auto& [gpus, values] : bytes) {
    table.rows.push_back({static_cast<double>(gpus), static_cast<double>(values.size()),
                          median(values), *std::max_element(values.begin(), values.end())});
  }
  return table;
}

/// Returns the rule for the job size and the answer of the study to the question how many GPUs to
/// use. If the measurements do not prove the answer, adds the next steps and their commands.
ProposalValue job_size_part(const ProposalData& data) {
  const StudyAnswer study = answer_study(data.frame, data.options);
  const auto answer =
      std::find_if(study.answers.begin(), study.answers.end(),
                   [](const Answer& one) { return one.question.starts_with("How many "); });
  if (answer == study.answers.end() || !has_scaling(data)) return no_scaling(data);
  Paragraphs text{fmt::format("Rule: the job size is the largest count up to which the parallel "
                              "efficiency of every count has a lower bound of at least {}.",
                              data.options.min_efficiency),
                  answer->text};
  if (answer->is_supported) return text;
  text.emplace_back("The measurements do not prove this answer.");
  Statement statement{std::move(text), {}};
  for (const NextStep& step : study.next) {
    statement.text.push_back("Next step: " + step.reason + ".");
    statement.commands.insert(statement.commands.end(), step.commands.begin(), step.commands.end());
  }
  return statement;
}

/// Returns the largest worthwhile count of all curves, or 0 if no curve has one.
int largest_worthwhile(const ProposalData& data) {
  const std::vector<ScalingCurve> curves = scaling_curves(data.frame);
  const std::vector<BaselineChoice> choices =
      choose_baselines(curves, data.options.baseline, data.options.allow_mixed);
  int most = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!choices[i].baseline) continue;
    const auto found = worthwhile_count(curves[i], knee_reference(curves[i], *choices[i].baseline),
                                        data.options.min_efficiency);
    if (found) most = std::max(most, found->gpus);
  }
  return most;
}

/// Returns a sentence on the points at which all runs failed, or an empty text.
std::string failed_text(const Frame& frame) {
  std::map<std::string, std::set<int>> counts;
  for (const RunPoint& point : failed_points(frame)) {
    counts[point.first().outcome].insert(point.first().gpus);
  }
  std::vector<std::string> parts;
  for (const auto& [outcome, gpus] : counts) {
    parts.push_back(fmt::format("{} at {} = {}", outcome, kGpus, fmt::join(gpus, ", ")));
  }
  return parts.empty()
             ? ""
             : fmt::format("All repetitions of some points failed: {}.", fmt::join(parts, "; "));
}

/// Returns the text with a capital first letter and a full stop at the end.
std::string as_sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text.ends_with('.') ? text : text + ".";
}

ProposalValue limits_part(const ProposalData& data) {
  const std::vector<ScalingCurve> curves = scaling_curves(data.frame);
  Paragraphs text{as_sentence("used runs: " + describe_use(data.frame))};
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) text.push_back(as_sentence(sentence));
  };
  if (data.frame.scaling != "weak" && data.frame.scaling != "strong") {
    add(fmt::format(
        "the scaling mode of the results is {}, which is neither weak nor strong scaling",
        data.frame.scaling));
  }
  if (!curves.empty()) add("statistic: " + describe_statistic(repeats_of(curves)));
  add(describe_constants(data.frame));
  add(failed_text(data.frame));
  for (const TrustCheck& check : answer_study(data.frame, data.options).checks) {
    if (check.light == TrustCheck::Light::Green || check.name == "runs") continue;
    add(fmt::format("{} ({}): {}", check.name, light_word(check.light), check.text));
  }
  if (data.request && !curves.empty()) {
    const int worthwhile = largest_worthwhile(data);
    const auto above = std::count_if(data.request->runs.begin(), data.request->runs.end(),
                                     [&](const auto& run) { return run.gpus > worthwhile; });
    if (worthwhile > 0 && above > 0) {
      add(fmt::format("{} on more than {}, the largest count that the results justify",
                      base::count_of(above, "requested run is", "requested runs are"),
                      base::count_of(worthwhile, data.request->worker)));
    }
  }
  for (const std::string& sentence : request_limits(data)) text.push_back(sentence);
  return text;
}

/// Functions that build the quantities, by the names of the quantities.
using Makers = std::map<std::string, std::function<ProposalValue()>>;

Makers makers_of(const ProposalForm& form, const ProposalData& data) {
  return {
      {"scaling_table", [&] { return scaling_part(data); }},
      {"weak_scaling_table", [&] { return table_of_mode(data, "weak", "batch per GPU"); }},
      {"strong_scaling_table", [&] { return table_of_mode(data, "strong", "global batch"); }},
      {"speedup_table", [&] { return speedup_part(data); }},
      {"throughput_table", [&] { return throughput_part(data); }},
      {"memory_table", [&] { return memory_part(data); }},
      {"speedup_figure", [&] { return scaling_figure(data, "speedup"); }},
      {"efficiency_figure", [&] { return scaling_figure(data, "efficiency"); }},
      {"job_size", [&] { return job_size_part(data); }},
      {"limits", [&] { return limits_part(data); }},
      {"run_count", [&] { return run_count(data); }},
      {"job_sizes", [&] { return job_sizes(data); }},
      {"request_table", [&] { return request_table(data); }},
      {"request_total", [&] { return request_total(data, form.unit); }},
      {"storage", [&] { return storage(data); }},
  };
}

/// Returns the part of a line that only the applicant can write.
ProposalPart applicant_part(const FormLine& line, const ApplicantFacts& facts) {
  ProposalPart part{.line = line};
  const std::string text = facts.text_for_key(line.quantity);
  if (!text.empty()) {
    part.text = {text};
    return part;
  }
  part.content = ProposalPart::Content::applicant;
  part.text = {fmt::format("Only the applicant can write this text (key {} of the facts file).",
                           line.quantity)};
  return part;
}

/// Adds a table or figure to the list, unless the list contains its id already. Returns the id.
template <class Member>
std::string add_member(std::vector<Member>& list, Member member) {
  std::string id = member.id;
  const bool known =
      std::any_of(list.begin(), list.end(), [&](const Member& other) { return other.id == id; });
  if (!known) list.push_back(std::move(member));
  return id;
}

ProposalPart proposal_part(const FormLine& line, ProposalValue value, StudyPage& page) {
  ProposalPart part{.line = line};
  if (auto* text = std::get_if<Paragraphs>(&value)) part.text = std::move(*text);
  if (auto* statement = std::get_if<Statement>(&value)) {
    part.text = std::move(statement->text);
    part.commands = std::move(statement->commands);
  }
  if (auto* table = std::get_if<Table>(&value)) {
    part.content = ProposalPart::Content::table;
    part.id = add_member(page.report.tables, std::move(*table));
  }
  if (auto* figure = std::get_if<NamedFigure>(&value)) {
    part.content = ProposalPart::Content::figure;
    part.id = add_member(page.figures, std::move(*figure));
  }
  if (auto* absent = std::get_if<Absent>(&value)) {
    part.content = ProposalPart::Content::absent;
    part.text = {std::move(absent->reason)};
    part.commands = std::move(absent->commands);
  }
  return part;
}

}  // namespace

Proposal make_proposal(const ProposalForm& form, const ProposalData& data) {
  Proposal proposal{form, {}, {}};
  proposal.page.title = data.frame.study;
  Makers makers = makers_of(form, data);
  std::map<std::string, ProposalPart> made;  // quantities that several lines of the form require
  for (const FormLine& line : form.lines) {
    if (line.source == kApplicant) {
      proposal.parts.push_back(applicant_part(line, data.facts));
      continue;
    }
    const auto known = made.find(line.quantity);
    if (known != made.end()) {
      proposal.parts.push_back(known->second);
      proposal.parts.back().line = line;
      continue;
    }
    proposal.parts.push_back(proposal_part(line, makers.at(line.quantity)(), proposal.page));
    made.emplace(line.quantity, proposal.parts.back());
  }
  return proposal;
}

std::size_t count_parts(const Proposal& proposal, ProposalPart::Content content) {
  return static_cast<std::size_t>(
      std::count_if(proposal.parts.begin(), proposal.parts.end(),
                    [&](const ProposalPart& part) { return part.content == content; }));
}

}  // namespace dlscale::analysis
