// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/training_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <variant>

#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace {

std::uint64_t hash_of(const std::string& text) {
  return std::hash<std::string>()(text);
}

class Tracer {
 public:
  void operator()(const contract::StepWindow& r) {
    add(r.wall_s, fmt::format("step {} {} {} {} {} {} {}", r.epoch, r.first_step, r.steps,
                              r.samples, r.wall_s, r.lr, r.train_loss));
  }
  void operator()(const contract::EpochRecord& r) {
    add(r.wall_s,
        fmt::format("epoch {} {} {} {} {}", r.epoch, r.steps, r.wall_s, r.train_loss, r.lr));
  }
  void operator()(const contract::EvalRecord& r) {
    std::string metrics;
    for (const auto& [name, value] : r.metrics) metrics += fmt::format(" {}={}", name, value);
    add(r.wall_s, fmt::format("eval {} {} {}{}", r.epoch, r.accuracy, r.loss, metrics));
    trace_.evaluations.push_back({r.epoch, r.accuracy, r.loss});
  }
  void operator()(const contract::InferenceRecord& r) {
    add(r.wall_s, fmt::format("inference {} {} {}", r.batch, r.wall_s, r.samples_per_s));
  }
  template <class Other>
  void operator()(const Other&) {}

  TrainingTrace release_trace() { return std::move(trace_); }

 private:
  void add(double wall_s, const std::string& text) {
    trace_.entries.push_back(hash_of(text));
    if (wall_s > 0) ++trace_.timed;
  }
  TrainingTrace trace_;
};

}  // namespace

TrainingTrace trace_of(const LogContent& content) {
  Tracer tracer;
  for (const contract::ResultRecord& record : content.file.records) std::visit(tracer, record);
  TrainingTrace trace = tracer.release_trace();
  if (!content.trail.empty()) trace.entries = content.trail;
  return trace;
}

TrainedSpan span_of(const LogContent& content) {
  TrainedSpan span;
  const auto see = [&span](int epoch) {
    span.first_epoch = span.is_known() ? std::min(span.first_epoch, epoch) : epoch;
    span.last_epoch = std::max(span.last_epoch, epoch);
  };
  for (const contract::ResultRecord& record : content.file.records) {
    if (const auto* start = std::get_if<contract::RunStart>(&record)) {
      span.steps_before = start->resumed_step;
    } else if (const auto* window = std::get_if<contract::StepWindow>(&record)) {
      see(window->epoch);
      span.epoch_begins.try_emplace(window->epoch, window->first_step);
      span.steps = std::max(span.steps, window->first_step + window->steps);
    } else if (const auto* epoch = std::get_if<contract::EpochRecord>(&record)) {
      see(epoch->epoch);
    }
  }
  return span;
}

std::string opening_of(const TrainingTrace& trace) {
  std::string entries;
  for (std::size_t i = 0; i < std::min(kOpening, trace.entries.size()); ++i) {
    entries += fmt::format("{:016x}", trace.entries[i]);
  }
  return entries.empty() ? "" : contract::sha256_hex(entries).substr(0, 16);
}

}  // namespace dlscale::analysis
