// SPDX-License-Identifier: Apache-2.0
#include "planner/study/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/parallel_for.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/study/derive.hpp"
#include "planner/study/point_values.hpp"

namespace dlscale::planner {
namespace {

constexpr double kMostRuns = 100'000;
constexpr std::size_t kBatch = 4096;  // number of points that are derived together in parallel
/// Limits of parallel loops over points. Login nodes are shared, so few threads are used. The
/// chunks are large because deriving a point takes little time.
constexpr base::LoopLimits kPointLoop{.most_threads = 4, .chunk = 256};

/// Index of the value of each axis, in the order of the axes.
using Values = std::vector<std::uint32_t>;

/// Calls `visit(values)` for each combination of one row of each factor. The last factor varies
/// fastest.
template <class Visit>
void for_each_combination(const Block& block, std::size_t axes, Visit visit) {
  std::vector<std::size_t> at(block.size(), 0);
  Values values(axes);
  for (;;) {
    for (std::size_t f = 0; f < block.size(); ++f) {
      const Factor& factor = block[f];
      for (std::size_t a = 0; a < factor.axes.size(); ++a) {
        values[factor.axes[a]] = factor.rows[at[f]][a];
      }
    }
    visit(values);
    std::size_t f = block.size();
    while (f > 0 && ++at[f - 1] == block[f - 1].rows.size()) at[--f] = 0;
    if (f == 0) return;
  }
}

std::map<std::string, std::string> labels_of(const Matrix& matrix, const Values& values) {
  std::map<std::string, std::string> labels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    labels.emplace(matrix.axes[i].name(), matrix.axes[i].texts[values[i]]);
  }
  return labels;
}

std::string labels_text(const std::map<std::string, std::string>& labels) {
  std::string text;
  for (const auto& [axis, value] : labels) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", axis, value);
  }
  return text;
}

/// Returns the recipe of a point: the recipe of the matrix with the values of the point and the
/// overrides.
Recipe recipe_of(const Study& study, const Point& point) {
  const Matrix& matrix = study.matrices[point.matrix];
  Recipe recipe = matrix.recipe;
  recipe.run.study = study.name;
  recipe.run.seed = study.seed;
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    const StudyAxis& axis = matrix.axes[i];
    axis.setting.read(recipe, {axis.values[point.values[i]], axis.key});
  }
  recipe.run.point = labels_of(matrix, point.values);
  for (const std::uint32_t i : point.overrides) {
    for (const Override::Change& change : matrix.overrides[i].changes) {
      change.setting.read(recipe, {change.node, change.key});
    }
  }
  return recipe;
}

/// Point with the result of deriving its run.
struct Candidate {
  Point point;
  const std::string* why = nullptr;  ///< reason of the exclusion; null: not excluded
  std::optional<Problem> problem;
  bool lacks_data = false;
  std::string note;
};

const config::Node* said_of(const Matrix& matrix, const std::string& key) {
  const auto& said = matrix.resources.said;
  const auto found = said.find(key);
  return found == said.end() ? nullptr : &found->second;
}

/// Returns whether a run needs data files but the study gives no path. Synthetic data needs no
/// files. The data of an external trainer is not checked.
bool lacks_data(const contract::RunSpec& run) {
  const bool ours = run.trainer.command.empty();
  return ours && run.dataset.path.empty() && run.dataset.kind.rfind("synthetic", 0) != 0;
}

/// Expands the points of a single matrix.
class Expander {
 public:
  /// Matrix to expand, the condition for wanted points and the names of known runs.
  struct Task {
    const Study& study;
    std::uint32_t matrix;
    const Wanted& wanted;
    const RunNames& names;
  };
  Expander(const Task& task, Expansion& result, std::unordered_map<std::string, std::size_t>& known)
      : study_(task.study),
        matrix_(study_.matrices[task.matrix]),
        number_(task.matrix),
        wanted_(task.wanted),
        names_(task.names),
        result_(result),
        known_(known),
        seen_(matrix_, study_.uneven_batch),
        override_holds_(matrix_.overrides.size(), false) {}

  void add(const Values& values) {
    Candidate& next =
        batch_.emplace_back(Point{.matrix = number_, .values = values, .resources = number_});
    next.why = conditions(next.point);
    if (next.why == nullptr && wanted_ && !is_wanted(next.point)) return batch_.pop_back();
    if (batch_.size() == kBatch) add_batch();
  }

  void finish() { add_batch(); }

  /// Records in `holds` whether the condition of each override holds for any point. The key of an
  /// override is the message that reports a condition which never holds.
  void add_overrides(std::map<std::string, bool>& holds) const {
    for (std::size_t i = 0; i < override_holds_.size(); ++i) {
      const Override& one = matrix_.overrides[i];
      const base::SpecError idle(one.where, one.key,
                                 "has no effect: its condition is false for all points");
      bool& any = holds[idle.what()];
      any = any || override_holds_[i];
    }
  }

 private:
  /// Finds the overrides that apply to the point. Returns the reason if the point is excluded, else
  /// null.
  const std::string* conditions(Point& point) {
    if (matrix_.overrides.empty() && matrix_.exclusions.empty() && !wanted_) return nullptr;
    seen_.move_to(point.values);
    for (std::uint32_t i = 0; i < matrix_.overrides.size(); ++i) {
      if (matrix_.overrides[i].when.holds(seen_.all())) point.overrides.push_back(i);
    }
    for (const std::uint32_t i : point.overrides) {
      override_holds_[i] = true;
      seen_.apply(matrix_.overrides[i]);
    }
    for (const Exclusion& exclusion : matrix_.exclusions) {
      if (exclusion.when.holds(seen_.all())) return &exclusion.why;
    }
    return nullptr;
  }
  /// Returns whether the point that `seen_` currently describes is wanted. Also returns true for a
  /// point with impossible batches, so that the planner reports its problem.
  bool is_wanted(const Point& point) {
    if (!seen_.batches().problem.empty()) return true;
    ++result_.asked->all;
    if (!wanted_(outline(matrix_, point, seen_))) return false;
    ++result_.asked->wanted;
    return true;
  }
  void add_batch() {
    base::parallel_for(
        batch_.size(), [&](std::size_t i) { work_out(batch_[i]); }, kPointLoop);
    for (Candidate& candidate : batch_) settle(candidate);
    batch_.clear();
  }
  void work_out(Candidate& candidate) const {
    if (candidate.why != nullptr) return;
    Derived derived = derive(recipe_of(study_, candidate.point), study_.uneven_batch);
    candidate.problem = std::move(derived.problem);
    candidate.note = std::move(derived.note);
    candidate.lacks_data = lacks_data(derived.run);
    if (!candidate.problem) {
      candidate.point.id = names_.point_id(derived.run, matrix_, candidate.point.values);
    }
    candidate.point.run = std::move(derived.run);
  }
  void settle(Candidate& candidate) {
    Point& point = candidate.point;
    if (candidate.why != nullptr) return skip(point.values, *candidate.why);
    if (const std::optional<Problem>& problem = candidate.problem) {
      if (!problem->of_batch || study_.uneven_batch != "skip") refuse(point, *problem);
      return skip(point.values, problem->text);
    }
    if (candidate.lacks_data) refuse_without_data(point);
    if (!candidate.note.empty()) note(candidate.note);
    add_once(std::move(point));
  }
  void skip(const Values& values, const std::string& why) {
    result_.skipped.push_back({labels_of(matrix_, values), why});
  }
  /// Returns the place at which the study gives the point this setting: the last matching override,
  /// the value of the axis, or the key of [training].
  StudyPlace place_in(const Point& point, const std::string& key) const {
    for (auto i = point.overrides.rbegin(); i != point.overrides.rend(); ++i) {
      for (const Override::Change& change : matrix_.overrides[*i].changes) {
        if (change.setting.symbol.name == key) return {change.node.where, change.key};
      }
    }
    for (std::size_t i = 0; i < point.values.size(); ++i) {
      const StudyAxis& axis = matrix_.axes[i];
      if (axis.name() == key) return {axis.values[point.values[i]].where, axis.key};
    }
    return place_of(matrix_, key)
        .value_or(StudyPlace{{study_.file}, matrix_.key + "training." + key});
  }
  [[noreturn]] void refuse_without_data(const Point& point) const {
    throw base::SpecError(place_in(point, "dataset.kind").where, matrix_.key + "training.dataset",
                          point.run.dataset.kind + " needs dataset.path, the path of the data");
  }
  [[noreturn]] void refuse(const Point& point, const Problem& problem) const {
    const StudyPlace place = place_in(point, problem.key);
    throw base::SpecError(
        place.where, place.key,
        fmt::format("{} (point {})", problem.text, labels_text(labels_of(matrix_, point.values))));
  }
  void note(const std::string& text) {
    auto& notes = result_.notes;
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }
  void add_once(Point point) {
    const auto [known, is_new] =
        known_.emplace(contract::point_hash(point.id), result_.points.size());
    if (is_new) {
      result_.points.push_back(std::move(point));
      return;
    }
    Point& first = result_.points[known->second];
    if (first.matrix != number_) {
      check_resources(first);
      if (first.also.empty() || first.also.back() != number_) first.also.push_back(number_);
      return;
    }
    const std::string text = labels_text(labels_of(matrix_, point.values));
    const std::string other = labels_text(labels_of(matrix_, first.values));
    throw base::SpecError(
        matrix_.where, matrix_.key + "matrix",
        fmt::format("two points are the same run: {} and {}", other,
                    text == other ? "the same values again (from [[include]])" : text));
  }

  /// Throws base::SpecError if the current matrix and the earlier matrix that contains the point
  /// request different resources for the point's run.
  void check_resources(const Point& point) {
    if (!alike_.insert(point.matrix).second) return;
    const Matrix& first = study_.matrices[point.matrix];
    const std::string key = first_conflict(first.resources, matrix_.resources);
    if (key.empty()) return;
    const config::Node* const theirs = said_of(first, key);
    const config::Node* const ours = said_of(matrix_, key);
    const auto text = [](const config::Node* node) {
      return node ? config::to_text(*node) : "nothing";
    };
    throw base::SpecError(
        ours ? ours->where : matrix_.where, matrix_.key + "resources." + key,
        fmt::format("sub-studies {} and {} share a run, but request {} and {} (point {}); set the "
                    "same value in both, or exclude the point from one of them",
                    first.name, matrix_.name, text(theirs), text(ours),
                    labels_text(labels_of(first, point.values))));
  }

  const Study& study_;
  const Matrix& matrix_;
  std::uint32_t number_;
  const Wanted& wanted_;
  const RunNames& names_;
  Expansion& result_;
  std::unordered_map<std::string, std::size_t>& known_;  // index of a point by the hash of its id
  PointValues seen_;
  std::vector<bool> override_holds_;
  std::set<std::uint32_t> alike_;  // matrices whose resources have been compared
  std::vector<Candidate> batch_;
};

/// Returns the number of points, including excluded points. Throws base::SpecError for too many
/// runs before any point is built. Uses doubles, because the product could overflow an integer.
std::size_t checked_size(const Study& study) {
  double points = 0;
  for (const Matrix& matrix : study.matrices) {
    for (const Block& block : matrix.blocks) {
      double product = 1;
      for (const Factor& factor : block) product *= static_cast<double>(factor.rows.size());
      points += product;
    }
  }
  if (points * study.repeats > kMostRuns) {
    throw base::SpecError(
        {study.file}, "matrix",
        fmt::format("{:.0f} points x {} repeats are {:.0f} runs, but at most {:.0f} are allowed",
                    points, study.repeats, points * study.repeats, kMostRuns));
  }
  return static_cast<std::size_t>(points);
}

}  // namespace

Expansion expand(const Study& study, const Wanted& wanted, const RunNames& names) {
  Expansion result;
  // Reserves the memory, because a growing vector would hold all runs twice for a moment.
  result.points.reserve(checked_size(study));
  if (wanted) result.asked.emplace();
  std::unordered_map<std::string, std::size_t> known;
  // Sub-studies share the overrides of the study, which may apply to some of them only.
  std::map<std::string, bool> override_holds;
  for (std::uint32_t i = 0; i < study.matrices.size(); ++i) {
    Expander expander({study, i, wanted, names}, result, known);
    for (const Block& block : study.matrices[i].blocks) {
      for_each_combination(block, study.matrices[i].axes.size(),
                           [&](const Values& values) { expander.add(values); });
    }
    expander.finish();
    expander.add_overrides(override_holds);
  }
  for (const auto& [idle, holds] : override_holds) {
    if (!holds) result.notes.push_back(idle);
  }
  return result;
}

contract::PlannedRun outline(const Matrix& matrix, const Point& point, const PointValues& seen) {
  const Batches& batches = seen.batches();
  return {.point = labels_of(matrix, point.values),
          .gpus = seen.gpus(),
          .batch_per_gpu = batches.batch_per_gpu,
          .global_batch = batches.global_batch,
          .uneven_batch = std::string(batches.is_spread ? contract::kSpreadBatch : "")};
}

config::Item gpus_of(const Study& study, const Point& point) {
  const std::vector<StudyAxis>& axes = study.matrices[point.matrix].axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].name() == "gpus") return {axes[i].values[point.values[i]], axes[i].key};
  }
  throw base::SpecError({study.file}, "matrix.gpus", "missing");
}

}  // namespace dlscale::planner
