// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/measured_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/metrics/scaling/epoch_results.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "analysis/publications/axes.hpp"
#include "base/text.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {
namespace {

using contract::StepPart;

double part_s(const RunRow& run, StepPart part) {
  return run.steps.parts_s[static_cast<std::size_t>(part)];
}

/// Returns the time of the steps of a run, which is the sum of the step parts, as a mean over the
/// ranks.
double all_parts_s(const RunRow& run) {
  return std::accumulate(run.steps.parts_s.begin(), run.steps.parts_s.end(), 0.0);
}

bool has_parts(const RunRow& run) {
  return all_parts_s(run) > 0 && run.steps.steps > 0;
}

/// Time of a step in seconds, split into waiting for data and everything else. Each part is a mean
/// over the repeated runs of a point.
struct StepMeans {
  double loading_s = 0;
  double compute_s = 0;
};

std::optional<StepMeans> step_means(const CurvePoint& point) {
  StepMeans means;
  for (const RunRow* run : point.repeats) {
    if (!has_parts(*run)) return std::nullopt;
    const auto steps = static_cast<double>(run->steps.steps);
    const double loading = part_s(*run, StepPart::load_wait);
    means.loading_s += loading / steps;
    means.compute_s += (all_parts_s(*run) - loading) / steps;
  }
  const auto n = static_cast<double>(point.repeats.size());
  return StepMeans{means.loading_s / n, means.compute_s / n};
}

using OfRun = std::function<std::optional<double>(const RunRow&)>;

/// Returns the median of `of(run)` over the repeated runs of a point. Returns nothing if `of`
/// returns nothing or NaN for one of the runs.
std::optional<Estimate> median_of(const Question& question, const OfRun& of) {
  std::vector<double> values;
  for (const RunRow* run : question.own.point->repeats) {
    const auto value = of(*run);
    if (!value || !std::isfinite(*value)) return std::nullopt;
    values.push_back(*value);
  }
  return Estimate{median(values), interval_of_median(values), values.size()};
}

Estimate without_interval(double value, const Question& question) {
  return {value, {}, question.own.point->repeats.size()};
}

// Throughput and times of a step.

std::optional<Estimate> throughput_by_formula(const Question& question,
                                              const Definition& definition) {
  const CurvePoint& point = *question.own.point;
  const auto means = step_means(point);
  const auto batch = static_cast<double>(point.repeats.front()->global_batch);
  if (!means || batch <= 0) return std::nullopt;
  return without_interval(config::compute(definition.formula,
                                          {{"batch", batch},
                                           {"gpus", point.gpus},
                                           {"nodes", point.nodes},
                                           {"loading_s", means->loading_s},
                                           {"compute_s", means->compute_s}},
                                          definition.place),
                          question);
}

/// Returns the batch divided by the mean time of a step, without the fastest and the slowest run.
/// The time of a run is the mean over its ranks.
std::optional<Estimate> olympic_throughput(const Question& question) {
  constexpr std::size_t kFewest = 3;
  std::vector<double> times;
  for (const RunRow* run : question.own.point->repeats) {
    if (!has_parts(*run)) return std::nullopt;
    times.push_back(all_parts_s(*run) / static_cast<double>(run->steps.steps));
  }
  const auto batch = static_cast<double>(question.own.point->repeats.front()->global_batch);
  if (times.size() < kFewest || batch <= 0) return std::nullopt;
  std::sort(times.begin(), times.end());
  const double sum = std::accumulate(times.begin() + 1, times.end() - 1, 0.0);
  return without_interval(batch * static_cast<double>(times.size() - 2) / sum, question);
}

std::optional<Estimate> own_throughput(const Question& question) {
  const std::string& statistic = question.published.statistic;
  const Definition* definition = question.publication.definition("throughput");
  const bool defined = definition != nullptr && !definition->formula.empty();
  if (defined && (statistic.empty() || statistic == definition->statistic)) {
    return throughput_by_formula(question, *definition);
  }
  if (statistic == "olympic") return olympic_throughput(question);
  if (!statistic.empty() && statistic != "median") return std::nullopt;
  return throughput(*question.own.point);
}

/// Returns an end of the 95 % bootstrap interval of the median throughput.
std::optional<Estimate> throughput_bound(const Question& question, bool low) {
  if (question.published.statistic != "median") return std::nullopt;
  const Interval times = bootstrap_interval_of_median(question.own.point->seconds_per_sample);
  if (times.kind == Interval::Kind::None) return std::nullopt;
  return without_interval(1 / (low ? times.high : times.low), question);
}

std::optional<Estimate> throughput_low(const Question& question) {
  return throughput_bound(question, true);
}

std::optional<Estimate> throughput_high(const Question& question) {
  return throughput_bound(question, false);
}

std::optional<Estimate> mean_part(const Question& question, double StepMeans::*part) {
  const auto means = step_means(*question.own.point);
  if (!means) return std::nullopt;
  return without_interval((*means).*part, question);
}

std::optional<Estimate> mean_loading(const Question& question) {
  return mean_part(question, &StepMeans::loading_s);
}

std::optional<Estimate> mean_compute(const Question& question) {
  return mean_part(question, &StepMeans::compute_s);
}

std::optional<Estimate> own_step_time(const Question& question) {
  return median_of(question, &step_time_s);
}

std::optional<Estimate> parts_of_step(const Question& question,
                                      const std::vector<StepPart>& parts) {
  return median_of(question, [&](const RunRow& run) -> std::optional<double> {
    if (!has_parts(run)) return std::nullopt;
    double sum = 0;
    for (const StepPart part : parts) sum += part_s(run, part);
    return sum / static_cast<double>(run.steps.steps);
  });
}

std::optional<Estimate> computation_time(const Question& question) {
  return parts_of_step(question, {StepPart::forward, StepPart::backward, StepPart::optimizer});
}

std::optional<Estimate> communication_time(const Question& question) {
  return parts_of_step(question, {StepPart::exposed_comm});
}

// Ratios between points.

std::optional<Estimate> own_ratio(const Question& question) {
  const OwnPoint& own = question.own;
  const OwnPoint* start = start_of_series(question);
  if (start == nullptr || !own.curve->mixed.empty()) return std::nullopt;
  const Estimate faster = speedup(*own.point, Baseline(*start->point));
  if (question.published.quantity != "efficiency") return faster;
  const Definition* definition = question.publication.definition("efficiency");
  const bool defined =
      definition != nullptr && !(definition->formula + definition->reading).empty();
  if (!defined) return efficiency(*own.point, Baseline(*start->point));
  return efficiency_by_definition(*definition, faster, *start, own);
}

/// Returns the spread of the repeats: the standard deviation of their times divided by the mean.
std::optional<Estimate> variation(const Question& question) {
  const std::vector<double>& times = question.own.point->seconds_per_sample;
  if (times.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / n;
  double squares = 0;
  for (const double time : times) squares += (time - mean) * (time - mean);
  return without_interval(std::sqrt(squares / (n - 1)) / mean, question);
}

/// Step times of the repeats at two counts, which a cell such as "2|3" names.
struct TwoSamples {
  std::vector<double> first, second;
};

std::vector<double> step_times(const CurvePoint& point) {
  std::vector<double> times;
  for (const RunRow* run : point.repeats) times.push_back(step_time_s(*run));
  return times;
}

std::optional<TwoSamples> two_samples(const Question& question) {
  const std::string axis = question.published.axis(kGpus).empty() ? "cores" : kGpus;
  const std::string cell = question.published.axis(axis);
  const auto words = base::split(cell, '|');
  if (words.size() != 2) return std::nullopt;
  const OwnPoint* first = neighbour(question.all, question.own, axis, std::string(words[0]));
  const OwnPoint* second = neighbour(question.all, question.own, axis, std::string(words[1]));
  if (first == nullptr || second == nullptr) return std::nullopt;
  if (!question.own.curve->mixed.empty()) return std::nullopt;
  return TwoSamples{step_times(*first->point), step_times(*second->point)};
}

std::optional<Estimate> p_value(const Question& question) {
  const auto samples = two_samples(question);
  if (!samples || question.published.statistic != "mann-whitney") return std::nullopt;
  return without_interval(mann_whitney(samples->first, samples->second).p, question);
}

/// Returns the median of the ratios of each time at the first count to each at the second.
std::optional<Estimate> step_time_ratio(const Question& question) {
  const auto samples = two_samples(question);
  if (!samples || question.published.statistic != "hodges-lehmann") return std::nullopt;
  std::vector<double> ratios;
  for (const double first : samples->first) {
    for (const double second : samples->second) ratios.push_back(first / second);
  }
  return without_interval(median(ratios), question);
}

/// Returns Cliff's delta: how much more often a time at the first count is longer than a time at
/// the second count than it is shorter.
std::optional<Estimate> cliffs_delta(const Question& question) {
  const auto samples = two_samples(question);
  if (!samples) return std::nullopt;
  double difference = 0;
  for (const double first : samples->first) {
    for (const double second : samples->second) {
      difference += first > second ? 1 : first < second ? -1 : 0;
    }
  }
  const auto pairs = static_cast<double>(samples->first.size() * samples->second.size());
  return without_interval(difference / pairs, question);
}

// Times of epochs and of the whole training.

std::optional<Estimate> own_epoch_time(const Question& question) {
  return median_of(question, &epoch_time_s);
}

std::optional<Estimate> own_runtime(const Question& question) {
  const auto epochs = AxisCell(question.published.axis("epochs")).number();
  if (!epochs) return std::nullopt;
  return median_of(question, [&](const RunRow& run) -> std::optional<double> {
    const auto epoch = epoch_time_s(run);
    if (!epoch) return std::nullopt;
    return *epoch * *epochs;
  });
}

std::optional<Estimate> validation_time(const Question& question) {
  return median_of(question, [](const RunRow& run) -> std::optional<double> {
    std::vector<double> times;
    for (const EvalRow& eval : run.evals) {
      if (eval.wall_s > 0) times.push_back(eval.wall_s);
    }
    if (times.empty()) return std::nullopt;
    return median(times);
  });
}

// Learning: losses and accuracies of the first or the last epoch.

/// Returns the value of the first or of the last row, as the published statistic names it. A value
/// without a statistic is that of the last row.
template <class Row>
std::optional<Estimate> of_epoch(const Question& question, std::vector<Row> RunRow::*rows,
                                 const std::function<std::optional<double>(const Row&)>& of) {
  const std::string& statistic = question.published.statistic;
  const bool first = statistic == "first";
  if (!first && !statistic.empty() && statistic != "last") return std::nullopt;
  return median_of(question, [&](const RunRow& run) -> std::optional<double> {
    const std::vector<Row>& all = run.*rows;
    if (all.empty() || (first && all.front().epoch != 0)) return std::nullopt;
    return of(first ? all.front() : all.back());
  });
}

std::optional<Estimate> train_loss(const Question& question) {
  return of_epoch<EpochRow>(question, &RunRow::epochs,
                            [](const EpochRow& row) { return std::optional(row.train_loss); });
}

std::optional<Estimate> train_accuracy(const Question& question) {
  return of_epoch<EpochRow>(question, &RunRow::epochs,
                            [](const EpochRow& row) { return row.train_accuracy; });
}

std::optional<Estimate> validation_loss(const Question& question) {
  return of_epoch<EvalRow>(question, &RunRow::evals,
                           [](const EvalRow& row) { return std::optional(row.loss); });
}

std::optional<Estimate> validation_accuracy(const Question& question) {
  const auto& repeats = question.own.point->repeats;
  if (!std::all_of(repeats.begin(), repeats.end(),
                   [](const RunRow* run) { return has_accuracy(*run); })) {
    return std::nullopt;
  }
  return of_epoch<EvalRow>(question, &RunRow::evals,
                           [](const EvalRow& row) { return std::optional(row.accuracy); });
}

// Profiles: shares of the kernel time.

template <auto member>
std::optional<Estimate> profiled(const Question& question) {
  return median_of(question, [](const RunRow& run) -> std::optional<double> {
    const auto shares = kernel_shares({&run});
    return shares ? std::optional<double>((*shares).*member) : std::nullopt;
  });
}

std::optional<Estimate> cpu_occupancy(const Question& question) {
  return median_of(question, [](const RunRow& run) {
    const auto shares = kernel_shares({&run});
    return shares ? shares->cpu_occupancy : std::nullopt;
  });
}

/// Returns the kernel time of loading in the published number of epochs.
std::optional<Estimate> loading_time(const Question& question) {
  const auto epochs = AxisCell(question.published.axis("epochs")).number();
  if (!epochs) return std::nullopt;
  return median_of(question, [&](const RunRow& run) -> std::optional<double> {
    const auto shares = kernel_shares({&run});
    if (!shares || !shares->io_s_per_epoch) return std::nullopt;
    return *shares->io_s_per_epoch * *epochs;
  });
}

// Sizes of models and of exchanged data.

std::optional<Estimate> trainable_parameters(const Question& question) {
  return median_of(question, [](const RunRow& run) -> std::optional<double> {
    if (run.size.trainable_parameters <= 0) return std::nullopt;
    return static_cast<double>(run.size.trainable_parameters);
  });
}

/// Returns the amount of data that an epoch transfers at this batch and number of ranks, by the
/// formula of the publication.
std::optional<double> transfer_of(const Publication& publication, const WorkSize& size,
                                  const RunRow& run) {
  const Definition* definition = publication.definition("transfer");
  if (definition == nullptr || definition->formula.empty()) return std::nullopt;
  if (size.trainable_parameters <= 0 || size.train_samples <= 0) return std::nullopt;
  if (run.batch_per_gpu <= 0) return std::nullopt;
  return config::compute(definition->formula,
                         {{"samples", static_cast<double>(size.train_samples)},
                          {"batch", static_cast<double>(run.batch_per_gpu)},
                          {"gpus", run.gpus},
                          {"parameters", static_cast<double>(size.trainable_parameters)}},
                         definition->place);
}

/// Returns the number of bytes that each rank sends in an epoch if a ring all-reduce exchanges the
/// gradients in fp32.
std::optional<double> ring_transfer_of(const Publication&, const WorkSize& size,
                                       const RunRow& run) {
  if (size.trainable_parameters <= 0 || size.train_samples <= 0) return std::nullopt;
  if (run.global_batch <= 0) return std::nullopt;
  const double steps =
      static_cast<double>(size.train_samples) / static_cast<double>(run.global_batch);
  return ring_bytes_per_epoch(steps, run.gpus, static_cast<double>(size.trainable_parameters),
                              kFp32Bytes);
}

std::optional<Estimate> transfer(const Question& question) {
  return median_of(question, [&](const RunRow& run) {
    return transfer_of(question.publication, run.size, run);
  });
}

std::optional<Estimate> ring_transfer(const Question& question) {
  return median_of(question, [&](const RunRow& run) {
    return ring_transfer_of(question.publication, run.size, run);
  });
}

// The table of all quantities.

struct MeasuredQuantity {
  std::string_view name;
  std::optional<Estimate> (*measure)(const Question& question);
  const char* missing;      ///< reason for a missing value, as a part of a sentence
  bool from_steps = false;  ///< true if the value follows from the times of training steps
};

constexpr const char* kNoParts = "the runs did not record the parts of their steps";
constexpr const char* kNoProfile =
    "the runs recorded no shares of kernel time (training.profile = true records them)";
constexpr const char* kNoBaseline =
    "the runs have no point at the baseline of the publication, or ran on different devices";
constexpr const char* kNoPair =
    "the runs have no repeats at both counts, or ran on different devices";
constexpr const char* kNoSizes = "the runs did not record the sizes of their model and data set";
constexpr const char* kNoBootstrap = "an interval of this statistic needs at least 6 repeats";
constexpr const char* kNoEval =
    "the runs were not evaluated at the epochs that this statistic needs";
constexpr const char* kNoEpochTime =
    "the runs recorded no epoch times, or the publication does not state the number of epochs";

constexpr bool kFromSteps = true;

constexpr MeasuredQuantity kQuantities[] = {
    {"efficiency", &own_ratio, kNoBaseline, kFromSteps},
    {"speedup", &own_ratio, kNoBaseline, kFromSteps},
    {"throughput", &own_throughput,
     "the runs cannot give this statistic: too few repeats, or no parts of steps", kFromSteps},
    {"throughput_low", &throughput_low, kNoBootstrap, kFromSteps},
    {"throughput_high", &throughput_high, kNoBootstrap, kFromSteps},
    {"mean_loading", &mean_loading, kNoParts, kFromSteps},
    {"mean_compute", &mean_compute, kNoParts, kFromSteps},
    {"computation_time", &computation_time, kNoParts, kFromSteps},
    {"communication_time", &communication_time, kNoParts, kFromSteps},
    {"step_time", &own_step_time, "the runs recorded no steps", kFromSteps},
    {"variation", &variation, "the runs have no repeats", kFromSteps},
    {"p_value", &p_value, kNoPair, kFromSteps},
    {"step_time_ratio", &step_time_ratio, kNoPair, kFromSteps},
    {"cliffs_delta", &cliffs_delta, kNoPair, kFromSteps},
    {"epoch_time", &own_epoch_time, kNoEpochTime, kFromSteps},
    {"train_time", &own_epoch_time, kNoEpochTime, kFromSteps},
    {"runtime", &own_runtime, kNoEpochTime, kFromSteps},
    {"training_time", &own_runtime, kNoEpochTime, kFromSteps},
    {"val_time", &validation_time, "the runs recorded no times of evaluations"},
    {"train_loss", &train_loss, "the runs recorded no training loss of this epoch"},
    {"train_accuracy", &train_accuracy, "the runs recorded no training accuracy of this epoch"},
    {"val_loss", &validation_loss, kNoEval},
    {"val_accuracy", &validation_accuracy, kNoEval},
    {"accuracy", &validation_accuracy, kNoEval},
    {"allreduce", &profiled<&KernelShares::communication>, kNoProfile},
    {"io", &profiled<&KernelShares::io>, kNoProfile},
    {"cudnn", &profiled<&KernelShares::computation>, kNoProfile},
    {"data_loading_share", &profiled<&KernelShares::io>, kNoProfile},
    {"data_loading_time", &loading_time, kNoProfile},
    {"cpu_occupancy", &cpu_occupancy, kNoProfile},
    {"trainable_parameters", &trainable_parameters, kNoSizes},
    {"transfer", &transfer, kNoSizes},
    {"ring_transfer", &ring_transfer, kNoSizes},
};

const MeasuredQuantity* quantity_of(const Published& published) {
  for (const MeasuredQuantity& quantity : kQuantities) {
    if (quantity.name == published.quantity) return &quantity;
  }
  return nullptr;
}

}  // namespace

bool is_measurable(const Published& published) {
  return quantity_of(published) != nullptr;
}

bool follows_from_steps(const Published& published) {
  const MeasuredQuantity* quantity = quantity_of(published);
  return quantity != nullptr && quantity->from_steps;
}

const OwnPoint* start_of_series(const Question& question) {
  const Published& published = question.published;
  if (published.along == kGpus || published.along == "cores") {
    return neighbour(question.all, question.own, published.along, published.from);
  }
  const double stated = question.publication.baseline_gpus;
  if (stated > 0) {
    return neighbour(question.all, question.own, kGpus, fmt::format("{:.0f}", stated));
  }
  const auto series = series_of(question.all, question.own, kGpus);
  return series.empty() ? nullptr : series.front();
}

Estimate efficiency_by_definition(const Definition& definition, Estimate speedup,
                                  const OwnPoint& start, const OwnPoint& own) {
  const auto nodes_of = [](const OwnPoint& point) {
    const auto nodes = point.axes.find(kNodes);
    const auto number =
        nodes == point.axes.end() ? std::nullopt : base::number_of<double>(nodes->second);
    return number.value_or(1);
  };
  const auto efficiency = [&](double faster) {
    const std::string& formula =
        definition.reading.empty() ? definition.formula : definition.reading;
    return config::compute(formula,
                           {{"speedup", faster},
                            {"t0", faster},
                            {"t", 1},
                            {"gpus", own.gpus},
                            {"gpus0", start.gpus},
                            {"nodes", nodes_of(own)},
                            {"nodes0", nodes_of(start)}},
                           definition.place);
  };
  speedup.value = efficiency(speedup.value);
  speedup.interval.low = efficiency(speedup.interval.low);
  speedup.interval.high = efficiency(speedup.interval.high);
  return speedup;
}

OwnValue computed_value(const Question& question) {
  const std::string& quantity = question.published.quantity;
  const bool of_formula = quantity == "transfer";
  if (!of_formula && quantity != "ring_transfer") {
    return {std::nullopt, "the run at this point is planned but has no result"};
  }
  const auto of = of_formula ? &transfer_of : &ring_transfer_of;
  const auto value = of(question.publication, question.own.size, *question.own.planned);
  if (!value) return {std::nullopt, kNoSizes};
  return {Estimate{*value, {}, 1}, ""};
}

OwnValue measured_value(const Question& question) {
  const MeasuredQuantity* quantity = quantity_of(question.published);
  if (quantity == nullptr) return {std::nullopt, "dlscale does not measure this quantity"};
  const auto estimate = quantity->measure(question);
  return {estimate, estimate ? "" : quantity->missing};
}

}  // namespace dlscale::analysis
