// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/same_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/import/foreign_text.hpp"
#include "analysis/import/imported_run.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// If this many entries with measured times are equal, two logs in unrelated folders describe the
/// same training. Measured times differ from run to run, but a few coarse times may agree by
/// chance.
constexpr int kTimedProof = 5;
/// Maximum differences between the accuracies and between the losses of equal evaluations. Small
/// differences occur because programs may print few digits.
constexpr double kAccuracyDigits = 6e-5, kLossDigits = 6e-4;

/// Number of equal evaluations that show that logs of two formats describe the same training. The
/// smaller number suffices if the folder of one log lies below the folder of the other, or if a log
/// and its summary have no other evaluations.
constexpr std::size_t kFewEvaluations = 2, kManyEvaluations = 3;

/// Returns true for the names of folders in which programs save checkpoints, such as
/// "checkpoint-500" and "checkpoint_3".
bool is_checkpoint_folder(const std::string& name) {
  constexpr std::string_view kName = "checkpoint";
  if (!name.starts_with(kName)) return false;
  const std::size_t digit = name.find_first_not_of("-_", kName.size());
  return digit != name.npos && name.find_first_not_of("0123456789", digit) == name.npos;
}

/// Returns the folder of the training that a log belongs to. For a log in a checkpoint folder this
/// is the parent folder.
fs::path training_folder(const fs::path& log) {
  const fs::path folder = log.parent_path();
  return is_checkpoint_folder(folder.filename().string()) ? folder.parent_path() : folder;
}

/// Location of a log. The location limits the comparison to logs that may describe the same
/// training.
struct LogLocation {
  std::string folder;              ///< folder of the training
  std::vector<std::string> above;  ///< `folder` and its parent folders
  bool is_checkpoint = false;

  explicit LogLocation(const fs::path& log) {
    const fs::path training = training_folder(log);
    is_checkpoint = training != log.parent_path();
    folder = training.string();
    for (fs::path one = training; above.empty() || above.back() != one.string();
         one = one.parent_path()) {
      above.push_back(one.string());
    }
  }
};

/// Returns true if two runs have the same content. Failed runs are excluded because their short
/// logs may be equal by chance.
bool is_equal_file(const ImportedRun& a, const ImportedRun& b) {
  return a.outcome != contract::RunOutcome::Failed && !a.record.sha256.empty() &&
         a.record.sha256 == b.record.sha256 && a.record.part == b.record.part &&
         a.record.format == b.record.format;
}

const LogFormat* format_of(const ImportedRun& run) {
  if (!run.record.mapped.kind.empty()) return nullptr;
  return &format_of(run.record);
}

/// Index of runs by the properties that runs of the same training share.
class Neighbours {
 public:
  void add(std::size_t i, const ImportedRun& run, const LogLocation& place) {
    const ImportRecord& record = run.record;
    equal_[content_of(record)].push_back(i);
    if (record.part != LogPart{}) return;
    if (!record.opening.empty()) opening_[record.opening].push_back(i);
    if (const auto key = evaluation_of(run)) evaluated_[*key][record.format].push_back(i);
    near_[place.folder][record.format].push_back(i);
    if (place.is_checkpoint) checkpoints_[place.folder][record.format].push_back(i);
    for (const std::string& folder : place.above) below_[folder][record.format].push_back(i);
  }

  /// Returns the runs that may belong to the training of `run`, in ascending order.
  std::vector<std::size_t> of(const ImportedRun& run, const LogLocation& place) const {
    std::set<std::size_t> found;
    const ImportRecord& record = run.record;
    add_matches(equal_, content_of(record), found);
    if (record.part != LogPart{}) return {found.begin(), found.end()};
    add_matches(opening_, record.opening, found);
    const auto& same_format = place.is_checkpoint ? near_ : checkpoints_;
    if (const auto here = same_format.find(place.folder); here != same_format.end()) {
      add_matches(here->second, record.format, found);
    }
    take_other_formats(below_, place.folder, record.format, found);
    for (const std::string& folder : place.above) {
      take_other_formats(near_, folder, record.format, found);
    }
    return {found.begin(), found.end()};
  }

  /// Returns the logs of other formats, in all folders, whose first evaluation equals the first
  /// evaluation of `run`.
  std::vector<std::size_t> with_evaluations_of(const ImportedRun& run) const {
    std::set<std::size_t> found;
    const auto key = evaluation_of(run);
    for (const int digit : {-1, 0, 1}) {
      if (!key || run.record.part != LogPart{}) break;
      const auto here = evaluated_.find({key->first, key->second + digit});
      if (here == evaluated_.end()) continue;
      for (const auto& [name, runs] : here->second) {
        if (name != run.record.format) found.insert(runs.begin(), runs.end());
      }
    }
    return {found.begin(), found.end()};
  }

  /// Returns the number of logs of a format in a folder.
  std::size_t count(const std::string& folder, const std::string& format) const {
    const auto here = near_.find(folder);
    if (here == near_.end() || !here->second.contains(format)) return 0;
    return here->second.at(format).size();
  }

 private:
  using ByName = std::map<std::string, std::vector<std::size_t>>;
  using ByFolder = std::map<std::string, ByName>;

  /// Returns a key for the content of a run. Copies of a file have the same key for the same run.
  static std::string content_of(const ImportRecord& record) {
    std::string content = fmt::format("{} {} {}", record.sha256, record.format, record.part.offset);
    for (const auto& [axis, value] : record.part.which) content += " " + axis + "=" + value;
    return content;
  }

  /// Returns the epoch and the accuracy of the first evaluation. The accuracy is given as a rounded
  /// multiple of kAccuracyDigits.
  static std::optional<std::pair<int, long long>> evaluation_of(const ImportedRun& run) {
    if (!run.trace || run.trace->evaluations.empty()) return std::nullopt;
    const TrainingTrace::Evaluation& first = run.trace->evaluations.front();
    if (!std::isfinite(first.accuracy)) return std::nullopt;
    return std::pair(first.epoch, std::llround(first.accuracy / kAccuracyDigits));
  }

  static void add_matches(const ByName& all, const std::string& name,
                          std::set<std::size_t>& found) {
    const auto known = all.find(name);
    if (known != all.end()) found.insert(known->second.begin(), known->second.end());
  }
  static void take_other_formats(const ByFolder& all, const std::string& folder,
                                 const std::string& format, std::set<std::size_t>& found) {
    const auto here = all.find(folder);
    if (here == all.end()) return;
    for (const auto& [name, runs] : here->second) {
      if (name != format) found.insert(runs.begin(), runs.end());
    }
  }

  ByName equal_, opening_;
  ByFolder near_, checkpoints_, below_;
  std::map<std::pair<int, long long>, ByName> evaluated_;
};

class Joiner {
 public:
  Joiner(std::vector<ImportedRun> runs, const ImportedPlan& before)
      : runs_(std::move(runs)), own_(runs_.size()) {
    for (ImportedRun& run : runs_of_folder(before, runs_)) runs_.push_back(std::move(run));
    main_of_.resize(runs_.size());
    for (const ImportedRun& run : runs_) {
      places_.emplace_back(run.record.path);
      is_known_.push_back(!run.trace);
    }
  }

  JoinedRuns join() {
    load_neighbours_of_new_logs();
    std::vector<std::size_t> order(runs_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return rank_of(a) > rank_of(b); });
    Neighbours mains;
    for (const std::size_t i : order) {
      main_of_[i] = find_main(mains, i);
      if (main_of_[i] == i) mains.add(i, runs_[i], places_[i]);
    }
    return sort_out();
  }

 private:
  /// Reads unchanged logs again if a new log may describe the same training. The unchanged logs
  /// need no comparison with each other, because an earlier import compared them.
  void load_neighbours_of_new_logs() {
    for (std::size_t i = 0; i < runs_.size(); ++i) all_.add(i, runs_[i], places_[i]);
    std::map<std::string, const ImportedRun*> read;  // one log that was read, by format
    for (std::size_t i = 0; i < own_; ++i) {
      if (!runs_[i].trace) continue;
      read[runs_[i].record.format] = &runs_[i];
      for (const std::size_t other : all_.of(runs_[i], places_[i])) load(runs_[other]);
    }
    for (std::size_t i = 0; i < own_; ++i) {
      const bool may_be_one = std::ranges::any_of(read, [&](const auto& one) {
        return is_summary_of(runs_[i], *one.second) || is_summary_of(*one.second, runs_[i]);
      });
      if (may_be_one) load(runs_[i]);
    }
  }

  /// Returns the sort key of a log. Logs with times come first, then longer logs, then logs that
  /// the plan folder already contained.
  std::tuple<bool, std::size_t, bool> rank_of(std::size_t i) const {
    const auto& trace = runs_[i].trace;
    if (!trace) return {true, 0, true};
    return {trace->timed > 0, trace->entries.size(), is_known_[i]};
  }

  /// Returns the index of the run to which run `i` belongs, or `i` if run `i` belongs to no other
  /// run.
  std::size_t find_main(const Neighbours& mains, std::size_t i) {
    if (const auto main = first_of(mains.of(runs_[i], places_[i]), i)) return *main;
    return first_of(mains.with_evaluations_of(runs_[i]), i).value_or(i);
  }

  /// Returns the first run in `mains` that describes the same training as run `i`.
  std::optional<std::size_t> first_of(const std::vector<std::size_t>& mains, std::size_t i) {
    for (const std::size_t main : mains) {
      if (main >= own_ && i >= own_) continue;  // an earlier import compared the two runs
      std::string why = same_training(main, i);
      if (why.empty()) continue;
      why_[i] = std::move(why);
      return main;
    }
    return std::nullopt;
  }

  static bool is_summary_of(const ImportedRun& summary, const ImportedRun& log) {
    const LogFormat* const format = format_of(summary);
    return format != nullptr && *format->summary_of != '\0' &&
           format->summary_of == log.record.format;
  }

  /// Returns the evidence that two logs describe the same training, or an empty text if there is no
  /// evidence.
  std::string same_training(std::size_t main_index, std::size_t log_index) {
    const ImportedRun &main = runs_[main_index], &log = runs_[log_index];
    const bool equal = is_equal_file(main, log);
    if (!agree(main, log)) {
      if (equal) copies_.push_back(fmt::format("{} and {}", main.shown, log.shown));
      return "";
    }
    if (equal) return main.record.path == log.record.path ? "" : "equal byte by byte";
    const bool has_parts = main.record.part != LogPart{} || log.record.part != LogPart{};
    if (has_parts || !main.trace || !log.trace || main.record.path == log.record.path) return "";
    return main.record.format == log.record.format ? same_entries(main_index, log_index)
                                                   : same_evaluations(main_index, log_index);
  }

  std::string same_entries(std::size_t main_index, std::size_t log_index) const {
    const ImportedRun &main = runs_[main_index], &log = runs_[log_index];
    const LogLocation &place = places_[main_index], &other = places_[log_index];
    const bool is_near = place.folder == other.folder;
    const bool is_checkpoint = is_near && (place.is_checkpoint || other.is_checkpoint);
    const auto& longer = main.trace->entries;
    const auto& shorter = log.trace->entries;
    const std::size_t common = std::min(longer.size(), shorter.size());
    if (!std::equal(longer.begin(), longer.begin() + static_cast<std::ptrdiff_t>(common),
                    shorter.begin())) {
      return "";
    }
    if (is_checkpoint) return "a checkpoint of this training";
    const std::set<std::uint64_t> proof(shorter.begin(),
                                        shorter.begin() + static_cast<std::ptrdiff_t>(common));
    const bool is_timed = std::min(main.trace->timed, log.trace->timed) >= kTimedProof;
    const bool is_one = proof.size() >= (is_near ? kOpening : std::size_t{kTimedProof}) &&
                        (is_timed || (is_near && format_of(log) != nullptr));
    if (!is_one) return "";
    return longer.size() == shorter.size() ? "the two logs have the same entries"
                                           : "the two logs have the same first entries";
  }

  std::string same_evaluations(std::size_t main_index, std::size_t log_index) const {
    const ImportedRun &main = runs_[main_index], &log = runs_[log_index];
    const LogFormat *one = format_of(main), *two = format_of(log);
    if (one == nullptr || two == nullptr || !one->of_model || !two->of_model) return "";
    const std::string& folder = places_[main_index].folder;
    const std::string& other_folder = places_[log_index].folder;
    const bool is_near = folder == other_folder;
    const bool is_nested = std::ranges::count(places_[main_index].above, other_folder) > 0 ||
                           std::ranges::count(places_[log_index].above, folder) > 0;
    std::size_t equal = 0;
    std::set<double> proof;  // accuracies of evaluations that are equal in both logs
    for (const auto& a : main.trace->evaluations) {
      for (const auto& b : log.trace->evaluations) {
        if (a.epoch != b.epoch) continue;
        const double accuracy = std::abs(a.accuracy - b.accuracy), loss = std::abs(a.loss - b.loss);
        if (accuracy > kAccuracyDigits || loss > kLossDigits * std::max(1.0, std::abs(a.loss))) {
          return "";
        }
        if (accuracy <= kAccuracyDigits) ++equal;
        if (accuracy <= kAccuracyDigits && std::isfinite(loss)) proof.insert(a.accuracy);
      }
    }
    const bool is_summary = is_summary_of(log, main);
    const bool is_only_pair =
        all_.count(folder, main.record.format) == 1 && all_.count(folder, log.record.format) == 1;
    if (is_near && (equal > 0 || (is_summary && is_only_pair))) {
      return is_summary ? "its summary" : "the two logs have the same evaluations";
    }
    const bool is_whole = is_summary && main.trace->evaluations.size() == proof.size() &&
                          log.trace->evaluations.size() == proof.size();
    const bool is_one = is_nested ? equal >= kFewEvaluations
                                  : proof.size() >= (is_whole ? kFewEvaluations : kManyEvaluations);
    if (!is_one) return "";
    return is_summary ? "its summary" : "the two logs have the same evaluations";
  }

  /// Reads an unchanged log again for the comparison. A log that cannot be read is left out of the
  /// comparison.
  static void load(ImportedRun& run) {
    if (run.trace) return;
    const ForeignText foreign = read_foreign(run.record.path);
    if (foreign.sha256 != run.record.sha256 || !foreign.problem.empty()) return;
    contract::RunSpec spec = run.spec;
    keep_what_is_said(spec);
    run.trace = trace_of(read_log(run.record, foreign.text, spec));
  }

  JoinedRuns sort_out() {
    JoinedRuns joined;
    joined.copies = std::move(copies_);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (main_of_[i] == i) continue;
      const ImportRecord& record = runs_[i].record;
      ImportedRun& main = runs_[main_of_[i]];
      joined.notes.push_back(
          fmt::format("{}: belongs to {}: {}", runs_[i].shown, main.shown, why_[i]));
      joined.paths.insert(record.path);
      add_companion(main, {record.path, record.stamp, record.sha256, why_[i]});
      for (const Companion& one : record.companions) add_companion(main, one);
    }
    for (std::size_t i = 0; i < own_; ++i) {
      (main_of_[i] == i ? joined.runs : joined.joined).push_back(std::move(runs_[i]));
    }
    return joined;
  }

  static void add_companion(ImportedRun& main, const Companion& companion) {
    auto& known = main.record.companions;
    std::erase_if(known, [&](const Companion& one) { return one.path == companion.path; });
    known.push_back(companion);
  }

  std::vector<ImportedRun> runs_;  ///< runs of this import, then other runs of the plan folder
  const std::size_t own_;          ///< number of runs of this import
  std::vector<std::size_t> main_of_;
  std::vector<LogLocation> places_;
  std::vector<bool> is_known_;  ///< true for logs not read in this import
  Neighbours all_;
  std::map<std::size_t, std::string> why_;
  std::vector<std::string> copies_;
};

}  // namespace

bool agree(const ImportedRun& a, const ImportedRun& b) {
  const bool other_repetition =
      a.repetition != b.repetition && (a.repetition > 0 || b.repetition > 0);
  return !other_repetition && std::ranges::all_of(a.spec.point, [&](const auto& axis) {
    const auto other = b.spec.point.find(axis.first);
    return axis.first == kUnknownModel || other == b.spec.point.end() ||
           other->second == axis.second;
  });
}

bool is_read_alike(const ImportRecord& now, const ImportRecord& then) {
  if (now.format.empty()) return then.mapped.kind.empty() && !then.described;
  const auto content_of = [](const ImportRecord& record) {
    return record.described ? record.described->text() : std::string();
  };
  return then.format == now.format && then.mapped == now.mapped &&
         content_of(then) == content_of(now);
}

std::optional<CompanionOf> find_owner(const ImportedPlan& before, const ImportRecord& log) {
  for (const auto& [path, known] : before.by_path) {
    for (const Companion& one : known.record.companions) {
      if (one.path != log.path || one.stamp != log.stamp) continue;
      if (is_read_alike(log, known.record)) return CompanionOf{path, known.record.sha256, one};
    }
  }
  return std::nullopt;
}

JoinedRuns join_trainings(std::vector<ImportedRun> runs, const ImportedPlan& before) {
  return Joiner(std::move(runs), before).join();
}

}  // namespace dlscale::analysis
