// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/described/described_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostCount = 1e15;
constexpr std::int64_t kNoEpoch = -2;  ///< value for an evaluation that states no epoch

/// Returns the number as an integer, or -1 if it is unknown, not whole or out of range.
std::int64_t count_of_number(double value) {
  const bool is_count = value >= 0 && value <= kMostCount && value == std::floor(value);
  return is_count ? static_cast<std::int64_t>(value) : -1;
}

bool has_field(const LineEntry& entry, std::string_view name) {
  return find_formula(entry.fields, name) != nullptr;
}

/// Returns true if the entry states a time or a rate. Other entries only state losses.
bool has_speed(const LineEntry& entry) {
  for (const char* name : {"wall_s", "step_s", "elapsed_s", "samples_per_s", "rank_samples_per_s",
                           "tokens_per_s", "rank_tokens_per_s"}) {
    if (has_field(entry, name)) return true;
  }
  return false;
}

std::map<std::string, std::string> units_of(const FormatDescription& format) {
  std::map<std::string, std::string> units = format.measured;
  std::erase_if(units, [](const auto& one) { return one.second.empty(); });
  return units;
}

PrintedQuantity quantity_of(const std::string& name) {
  if (name == "mean_samples_per_s") return PrintedQuantity::mean_samples_per_s;
  if (name == "seconds") return PrintedQuantity::seconds;
  return name == "samples" ? PrintedQuantity::samples : PrintedQuantity::samples_per_s;
}

PrintedSpan span_of(const std::string& name) {
  if (name == "longer") return PrintedSpan::longer;
  return name == "shorter" ? PrintedSpan::shorter : PrintedSpan::same;
}

}  // namespace

DescribedLog::DescribedLog(const FormatDescription& format, const contract::RunSpec& run,
                           const WatchLine& watch)
    : format_(format),
      run_(run),
      watch_(watch),
      log_(run, format.trainer.c_str()),
      line_values_(format),
      first_of_line_(std::size(kRunValues) + format.variables.size()),
      places_(format.sequences),
      used_(format.rules.size()) {
  values_.assign(first_of_line_, kNone);
  log_.start().measured_units = units_of(format);
  refresh_run_values();
  set(format.initial);
}

void DescribedLog::refresh_run_values() {
  const double rank_batch =
      stated_batch_ > 0 ? stated_batch_ : static_cast<double>(run_.batch_per_gpu);
  const bool knows_batch = log_.knows_batch();
  double global_batch = static_cast<double>(log_.global_batch());
  if (!knows_batch && stated_batch_ > 0 && gpus() > 0) {
    global_batch = stated_batch_ * gpus() * stated_accumulation_;
  }
  const auto put = [&](RunValue which, double value) {
    values_[static_cast<std::size_t>(which)] = value;
  };
  put(RunValue::steps, static_cast<double>(log_.steps()));
  put(RunValue::line, line_);
  put(RunValue::global_batch, global_batch);
  put(RunValue::knows_batch, knows_batch || global_batch > 1 ? 1 : 0);
  put(RunValue::train_samples, static_cast<double>(log_.start().train_samples));
  put(RunValue::gpus, gpus());
  put(RunValue::batch_per_gpu, rank_batch);
  put(RunValue::process_start, is_process_start_ ? 1 : 0);
  put(RunValue::is_complete, is_complete_ ? 1 : 0);
  put(RunValue::steps_of_line, static_cast<double>(steps_of_line_));
  const auto is_over = [](const auto& one) { return one.second.last.continues_over_epochs; };
  put(RunValue::over_epochs, std::any_of(steps_.begin(), steps_.end(), is_over) ? 1 : 0);
}

double DescribedLog::gpus() const {
  return stated_gpus_ > 0 ? stated_gpus_ : static_cast<double>(run_.gpus);
}

bool DescribedLog::read_heading(const LogLine& line) {
  return line.complete &&
         std::any_of(format_.rules.begin(), format_.rules.end(), [&](const LineRule& rule) {
           return rule.table.has_heading() && is_heading(rule.table, line.text) &&
                  line_values_.read(rule, line.text, true) == LineValues::Result::heading;
         });
}

void DescribedLog::read_line(const LogLine& line) {
  std::string plain;
  text_ = line.text;
  if (text_.find('\x1b') != text_.npos) {
    plain = without_colours(text_);
    text_ = plain;
  }
  line_ = line.number;
  is_complete_ = line.complete;
  for (const LineRule& rule : format_.rules) {
    const LineValues::Result result = line_values_.read(rule, text_, line.complete);
    if (result == LineValues::Result::other) continue;
    used_[static_cast<std::size_t>(&rule - format_.rules.data())] = true;
    if (result == LineValues::Result::heading) return watch("heading");
    const bool is_cut_off =
        !line.complete && (rule.needs_end || result != LineValues::Result::values);
    if (is_cut_off) {
      watch("the end of the line is missing");
      return log_.cut_off();
    }
    if (result == LineValues::Result::no_value) {
      if (rule.otherwise.empty()) continue;
      watch("skipped: " + rule.otherwise);
      return log_.skip(rule.otherwise);
    }
    if (!apply_rule(rule) || !rule.is_shared) return;
  }
}

bool DescribedLog::apply_rule(const LineRule& rule) {
  steps_of_line_ = 0;
  values_.resize(first_of_line_);
  for (std::size_t i = 0; i < rule.names.size(); ++i) {
    values_.emplace_back(line_values_.number(i));
  }
  refresh_run_values();
  if (const Met met = meets(rule.require); met != Met::yes) return met == Met::ignored;
  if (!rule.once_skipped.empty()) {
    watch("skipped: " + rule.once_skipped);
    if (once_.insert(&rule).second) log_.skip(rule.once_skipped);
    return false;
  }
  set(rule.seen);
  if (is_repeated(rule, text_)) {
    watch("repeated");
    return true;
  }
  if (const Met met = meets(rule.require_new); met != Met::yes) return met == Met::ignored;
  watch(rule.name.empty() ? "read" : rule.name);
  if (rule.begins_process) is_process_start_ = true;
  expects_end_ = expects_end_ || rule.expects_end;
  set(rule.set);
  take_facts(rule);
  for (const Requirement& one : rule.warn) {
    if (!one.that.holds(values_)) log_.skip(message_text(one.otherwise));
  }
  report(rule);
  if (rule.steps) {
    take_steps(rule);
  } else {
    compare(rule);
    if (rule.epoch) take_epoch(*rule.epoch);
  }
  if (rule.evaluation) take_evaluation(rule);
  if (rule.inference) take_inference(*rule.inference);
  if (rule.end && applies(*rule.end)) {
    watch("end");
    log_.stop(contract::RunOutcome::Completed, "", field(*rule.end, "wall_s"));
  }
  set(rule.then);
  return true;
}

void DescribedLog::report(const LineRule& rule) {
  for (const LineNote& one : rule.report) {
    if (!applies(one.fields)) continue;
    const std::int64_t line = count_of_number(field(one.fields, "line"));
    log_.sum_up(line > 0 ? static_cast<int>(std::min<std::int64_t>(line, 1 << 30)) : line_,
                message_text(one.text));
  }
}

DescribedLog::Met DescribedLog::meets(const std::vector<Requirement>& requirements) {
  for (const Requirement& one : requirements) {
    if (one.that.holds(values_)) continue;
    if (one.otherwise.parts.empty()) return Met::ignored;
    const std::string why = message_text(one.otherwise);
    watch("skipped: " + why);
    log_.skip(why);
    return Met::skipped;
  }
  return Met::yes;
}

bool DescribedLog::is_repeated(const LineRule& rule, std::string_view text) {
  bool is_repeated = rule.repeated_if && rule.repeated_if->holds(values_);
  if (rule.has_distinct_lines && !is_repeated) {
    is_repeated = !texts_[&rule].emplace(text).second;
  }
  if (rule.distinct && !is_repeated) {
    if (!numbers_[&rule].insert(value(*rule.distinct)).second) return true;
  }
  if (!rule.position.empty() && !is_repeated) {
    const double first = value(rule.position[0]);
    if (std::isnan(first)) return false;  // the line has no position
    RunPlace place{count_of_number(first), 0};
    if (rule.position.size() > 1) place.step = count_of_number(value(rule.position[1]));
    RunPlace& last = places_[rule.sequence];
    if (rule.repeated == RepeatedLine::count) return log_.repeats(last, place);
    is_joined_ = rule.repeated == RepeatedLine::join && place == last;
    if (is_joined_) return false;
    if (rule.repeated == RepeatedLine::join) return log_.repeats(last, place);
    if (rule.repeated == RepeatedLine::ignore_same && place < last) {
      log_.skip_repeated();
      return true;
    }
    if (place <= last) return true;
    last = place;
    return false;
  }
  if (is_repeated && rule.repeated == RepeatedLine::count) log_.skip_repeated();
  return is_repeated;
}

void DescribedLog::set(const Formulas& formulas) {
  for (const NamedFormula& one : formulas) {
    values_[std::size(kRunValues) + one.variable] = value(one.formula);
  }
}

void DescribedLog::take_facts(const LineRule& rule) {
  for (const TextFact& one : rule.texts) {
    std::string_view text = one.text.empty() ? line_values_.text(one.name) : one.text;
    std::vector<std::string_view> groups;
    if (one.pattern) {
      if (one.pattern->find(text, groups) != Regex::MatchResult::yes) continue;
      text = groups[groups.size() > 1 ? 1 : 0];
    }
    log_.fact(one.fact, std::string(text));
  }
  for (const NamedFormula& one : rule.facts) {
    const std::int64_t number = count_of_number(std::round(value(one.formula)));
    if (number < 1) continue;
    log_.fact(one.name, number);
    if (one.name == "gpus" && !(stated_gpus_ > 0)) stated_gpus_ = static_cast<double>(number);
    if (one.name == "batch_per_gpu" && !(stated_batch_ > 0)) {
      stated_batch_ = static_cast<double>(number);
    }
    if (one.name == "accumulation_steps") stated_accumulation_ = static_cast<double>(number);
  }
  contract::RunStart& start = log_.start();
  for (const NamedFormula& one : rule.start) {
    const std::int64_t number = count_of_number(std::round(value(one.formula)));
    if (number < 0) continue;
    const int small = static_cast<int>(std::min<std::int64_t>(number, 10'000'000));
    if (one.name == "parameters") start.parameters = number;
    if (one.name == "trainable_parameters") start.trainable_parameters = number;
    if (one.name == "train_samples") start.train_samples = number;
    if (one.name == "test_samples") start.test_samples = number;
    if (one.name == "world_size" && number > 0) start.world_size = small;
    if (one.name == "nodes" && number > 0) start.nodes = small;
    if (one.name == "resumed_step") start.resumed_step = number;
  }
  refresh_run_values();
}

double DescribedLog::field(const LineEntry& entry, std::string_view name) {
  const config::Formula* formula = find_formula(entry.fields, name);
  const double number = formula == nullptr ? kNone : value(*formula);
  return std::isfinite(number) ? number : kNone;
}

std::map<std::string, double> DescribedLog::measured(const LineEntry& entry) {
  std::map<std::string, double> known;
  for (const NamedFormula& one : entry.measured) {
    const double number = value(one.formula);
    if (std::isfinite(number)) known[one.name] = number;
  }
  return known;
}

double DescribedLog::loss(const LineEntry& entry) {
  const config::Formula* formula = find_formula(entry.fields, "loss");
  const double number = formula == nullptr ? kNone : value(*formula);
  return std::isinf(number) ? HUGE_VAL : number;
}

std::string DescribedLog::message_text(const Message& message) {
  std::string text;
  for (const auto& part : message.parts) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      text += *words;
    } else {
      const auto& number = std::get<Message::Number>(part);
      text += fmt::format(fmt::runtime(number.format), value(number.formula));
    }
  }
  return text;
}

void DescribedLog::take_steps(const LineRule& rule) {
  const LineEntry& entry = *rule.steps;
  if (!applies(entry)) {
    compare(rule);
    if (rule.epoch) take_epoch(*rule.epoch);
    return;
  }
  if (!has_speed(entry)) return add_loss(rule);
  if (!has_field(entry, "step") || has_field(entry, "steps")) {
    const double steps = has_field(entry, "steps") ? field(entry, "steps") : 1;
    return add_steps(rule, std::max<std::int64_t>(count_of_number(steps), 0));
  }
  Steps& steps = steps_[&rule];
  steps.rule = &rule;
  const RunPlace place{
      std::max<std::int64_t>(count_of_number(has_field(entry, "epoch") ? field(entry, "epoch") : 0),
                             0),
      count_of_number(field(entry, "step"))};
  const RunPlace before = std::exchange(steps.last.place, place);
  if (steps.is_open) {
    steps.opening.push_back({values_, line_, place});
    const std::size_t needed = field(entry, "counts_run") > 0 ? 2 : 3;
    if (steps.opening.size() == needed) end_opening(steps);
    return;
  }
  const std::int64_t count = steps_between(steps, before, place);
  refresh_run_values();
  add_steps(rule, count);
}

std::int64_t DescribedLog::steps_between(Steps& steps, const RunPlace& before,
                                         const RunPlace& now) {
  if (now.epoch != before.epoch) steps.last.continues_over_epochs = now.step > before.step;
  if (now.epoch == before.epoch || steps.last.continues_over_epochs) return now.step - before.step;
  const double from = field(*steps.rule->steps, "counts_from");
  return now.step + (from == 0 ? 1 : 0);
}

/// Adds the first lines of the log. Normally the first line covers all steps up to its step number.
/// If this number exceeds the distance between the following lines, the run was resumed, and the
/// first line covers only one such distance. The last line of an epoch may cover fewer steps than
/// the others, so three lines are needed to determine the distance. If the step numbers count over
/// the whole run (counts_run), two lines suffice.
void DescribedLog::end_opening(Steps& steps) {
  steps.is_open = false;
  const std::vector<HeldLine> opening = std::exchange(steps.opening, {});
  if (opening.empty()) return;
  const Values values = values_;
  const int line = line_;
  const double from = field(*steps.rule->steps, "counts_from");
  const std::int64_t first = opening[0].place.step + (from == 0 ? 1 : 0);
  std::int64_t count = first;
  const bool counts_run = field(*steps.rule->steps, "counts_run") > 0;
  if (opening.size() > 1 && counts_run) {
    count = std::min(first, opening[1].place.step - opening[0].place.step);
  } else if (opening.size() > 1) {
    const std::int64_t distance = opening[1].place.step - opening[0].place.step;
    const bool is_even = opening.size() < 3
                             ? 2 * distance <= first
                             : opening[2].place.step - opening[1].place.step == distance;
    if (distance > 0 && distance < first && is_even) count = distance;
  }
  if (counts_run && log_.steps() == 0) log_.start().resumed_step = first - count;
  for (std::size_t i = 0; i < opening.size(); ++i) {
    values_ = opening[i].values;
    line_ = opening[i].line;
    log_.at(line_);
    if (i > 0) count = steps_between(steps, opening[i - 1].place, opening[i].place);
    refresh_run_values();
    add_steps(*steps.rule, count);
  }
  values_ = values;
  line_ = line;
  log_.at(line_);
  refresh_run_values();
}

void DescribedLog::add_steps(const LineRule& rule, std::int64_t count) {
  steps_of_line_ = count;
  if (!add_window(rule, count)) return watch("skipped: no steps");
  refresh_run_values();
  compare(rule);
  if (rule.epoch) take_epoch(*rule.epoch);
}

bool DescribedLog::add_window(const LineRule& rule, std::int64_t count) {
  const LineEntry& entry = *rule.steps;
  Steps& state = steps_[&rule];
  TimedSteps window{.steps = count};
  const auto steps = static_cast<double>(count);
  const double epoch = has_field(entry, "epoch") ? field(entry, "epoch") : 0;
  window.epoch = count_of_number(epoch);
  double length = field(entry, "sequence_length");
  if (std::isnan(length)) {
    const auto stated = run_.point.find("sequence_length");
    if (stated != run_.point.end()) whole_number(stated->second, length);
  }
  const auto first_known = [](std::initializer_list<double> numbers) {
    for (const double number : numbers) {
      if (!std::isnan(number)) return number;
    }
    return kNone;
  };
  const bool counts_tokens = has_field(entry, "tokens") || has_field(entry, "tokens_per_s") ||
                             has_field(entry, "rank_tokens_per_s");
  if (counts_tokens && !(length > 0)) {
    log_.skip(
        "the line counts tokens, but the number of tokens of a sample is unknown: state it with "
        "--set sequence_length=N or with the field sequence_length of the format");
    return false;
  }
  double samples =
      first_known({field(entry, "samples"), field(entry, "step_samples") * steps,
                   field(entry, "rank_samples") * gpus(), field(entry, "tokens") / length});
  const double rate = first_known(
      {field(entry, "samples_per_s"), field(entry, "rank_samples_per_s") * gpus(),
       field(entry, "tokens_per_s") / length, field(entry, "rank_tokens_per_s") * gpus() / length});
  const double elapsed = field(entry, "elapsed_s");
  double wall_s = first_known({field(entry, "wall_s"), field(entry, "step_s") * steps});
  if (wall_s > 0 && steps > 0 && std::isnan(elapsed)) state.times.add(wall_s / steps, line_);
  if (!std::isnan(elapsed)) {
    const bool is_new = is_process_start_ || elapsed < state.last.elapsed_s;
    wall_s = elapsed - (is_new ? 0 : state.last.elapsed_s);
    state.last.elapsed_s = elapsed;
  }
  if (std::isnan(samples) && rate > 0 && !std::isnan(wall_s)) samples = rate * wall_s;
  if (std::isnan(samples)) {
    samples = steps * std::get<double>(values_[static_cast<std::size_t>(RunValue::global_batch)]);
    const bool knows =
        std::get<double>(values_[static_cast<std::size_t>(RunValue::knows_batch)]) > 0;
    window.tells_steps = knows || format_.needs_batch;
  }
  if (std::isnan(wall_s)) wall_s = samples / rate;
  window.samples = std::isnan(samples) ? 0 : samples;
  window.wall_s = std::isnan(wall_s) ? 0 : wall_s;
  const double load_s = first_known({field(entry, "load_s"), field(entry, "step_load_s") * steps});
  window.load_s = std::isnan(load_s) ? 0 : load_s;
  window.lr = field(entry, "lr");
  window.loss = loss(entry);
  window.peak_memory_bytes = std::max(first_known({field(entry, "peak_memory_bytes"), 0.0}), 0.0);
  window.measured = measured(entry);
  if (has_field(entry, "tells_steps")) window.tells_steps = field(entry, "tells_steps") > 0;
  window.warmup = field(entry, "warmup") > 0 || state.rows < field(entry, "warmup_rows");
  ++state.rows;
  is_process_start_ = false;
  if (!log_.add_steps(window)) return false;
  watch(fmt::format("{}: {:g} samples, {:g} s{}", base::count_of(window.steps, "step"),
                    window.samples, window.wall_s, window.warmup ? ", warm-up" : ""));
  return true;
}

/// Adds the loss of a step of a log without times.
void DescribedLog::add_loss(const LineRule& rule) {
  const LineEntry& entry = *rule.steps;
  const std::int64_t step = count_of_number(field(entry, "step"));
  const std::int64_t epoch = has_field(entry, "epoch") ? count_of_number(field(entry, "epoch")) : 0;
  if (step < 0 || step > 1'000'000'000 || epoch < 0 || epoch > 10'000'000) {
    return log_.skip("the step number is out of range");
  }
  contract::StepWindow window{
      .epoch = static_cast<int>(epoch), .first_step = step, .steps = 1, .time = kNone};
  window.wall_s = kNone;
  window.lr = field(entry, "lr");
  window.train_loss = loss(entry);
  window.measured = measured(entry);
  watch(fmt::format("step {}: loss {:g}", step, window.train_loss));
  log_.add(window);
}

void DescribedLog::compare(const LineRule& rule) {
  for (const LineComparison& one : rule.compare) {
    if (!applies(one.fields)) continue;
    const double number = field(one.fields, "value");
    if (std::isnan(number)) continue;
    PrintedFigure figure{.name = message_text(one.name), .value = number};
    figure.quantity = quantity_of(one.quantity);
    figure.span = span_of(one.span);
    figure.has_warmup = one.has_warmup;
    figure.first_step = std::max<std::int64_t>(count_of_number(field(one.fields, "first_step")), 0);
    const double resolution = field(one.fields, "resolution");
    if (!std::isnan(resolution)) figure.resolution = resolution;
    const std::int64_t line = count_of_number(field(one.fields, "line"));
    if (line > 0) figure.line = static_cast<int>(std::min<std::int64_t>(line, 1 << 30));
    watch("compared: " + figure.name);
    log_.compare(std::move(figure));
  }
}

void DescribedLog::take_epoch(const LineEntry& entry) {
  if (!applies(entry)) return;
  const std::int64_t number = count_of_number(field(entry, "epoch"));
  contract::EpochRecord epoch{.epoch = static_cast<int>(std::min<std::int64_t>(number, 1 << 30))};
  epoch.wall_s = field(entry, "wall_s");
  epoch.steps = std::max<std::int64_t>(count_of_number(std::round(field(entry, "steps"))), 0);
  epoch.samples = std::max<std::int64_t>(count_of_number(std::round(field(entry, "samples"))), 0);
  epoch.train_loss = loss(entry);
  epoch.lr = field(entry, "lr");
  epoch.measured = measured(entry);
  watch(fmt::format("epoch {}", number));
  log_.add_epoch(std::move(epoch));
}

void DescribedLog::take_evaluation(const LineRule& rule) {
  const LineEntry& entry = *rule.evaluation;
  if (!applies(entry)) return;
  std::map<std::string, double> metrics;
  for (const NamedFormula& one : entry.metrics) {
    const double number = value(one.formula);
    if (std::isfinite(number)) metrics[one.name] = number;
  }
  if (entry.other_numbers_except) {
    const auto& except = *entry.other_numbers_except;
    line_values_.object().each_number("", [&](std::string_view key, double number) {
      const bool is_other = std::find(except.begin(), except.end(), key) == except.end();
      if (is_other && metrics.size() < 100) metrics.emplace(key, number);
    });
  }
  if (entry.other_columns) {
    line_values_.each_other_column(rule, [&](const std::string& heading, double number) {
      if (metrics.size() < 100) metrics.emplace(heading, number);
    });
  }
  const double accuracy = field(entry, "accuracy");
  watch(fmt::format("evaluation{}",
                    std::isnan(accuracy) ? "" : fmt::format(": accuracy {:g}", accuracy)));
  LineEvaluation evaluation{
      line_,
      has_field(entry, "epoch") ? count_of_number(field(entry, "epoch")) : kNoEpoch,
      accuracy,
      loss(entry),
      field(entry, "wall_s"),
      std::move(metrics),
      entry.is_fraction_or_percent,
      line_};
  const bool is_held = entry.is_fraction_or_percent || rule.repeated == RepeatedLine::join;
  is_held ? hold(std::move(evaluation)) : add_evaluation(std::move(evaluation));
}

void DescribedLog::add_evaluation(LineEvaluation one) {
  if (one.epoch != kNoEpoch) {
    return log_.add_eval(one.epoch, one.accuracy, one.loss, std::move(one.metrics), one.wall_s);
  }
  if (one.accuracy < 0 || one.accuracy > 1) {
    return log_.skip("the accuracy is not between 0 and 100 %");
  }
  contract::EvalRecord eval{.epoch = kUnknownEpoch, .time = kNone};
  eval.wall_s = one.wall_s;
  eval.accuracy = one.accuracy;
  eval.loss = one.loss;
  eval.metrics = std::move(one.metrics);
  log_.add(std::move(eval));
}

/// Keeps an evaluation until the end of the log. If the line has the same position as the
/// previous line, its values complete the evaluation of the previous line.
void DescribedLog::hold(LineEvaluation evaluation) {
  if (!is_joined_ || held_.empty()) {
    held_.push_back(std::move(evaluation));
    return;
  }
  LineEvaluation& last = held_.back();
  bool has_new = false;
  const auto complete = [&](double& known, double other) {
    if (!std::isnan(known) || std::isnan(other)) return false;
    known = other;
    return has_new = true;
  };
  if (complete(last.accuracy, evaluation.accuracy)) last.accuracy_line = line_;
  complete(last.loss, evaluation.loss);
  complete(last.wall_s, evaluation.wall_s);
  for (const auto& metric : evaluation.metrics) has_new |= last.metrics.insert(metric).second;
  if (!has_new) log_.skip_repeated();
}

void DescribedLog::add_held_evaluations() {
  const LineEvaluation* largest = nullptr;
  for (const LineEvaluation& one : held_) {
    if (!one.is_fraction_or_percent || std::isnan(one.accuracy)) continue;
    if (largest == nullptr || one.accuracy > largest->accuracy) largest = &one;
  }
  const double most = largest == nullptr ? 0 : largest->accuracy;
  if (most > 1) {
    log_.at(largest->accuracy_line);
    log_.skip(fmt::format(
        "an accuracy is {:g}, so the accuracies of this file are in percent{}", most,
        most > 100 ? ", or the values are not accuracies: all of them are ignored" : ""));
  }
  for (LineEvaluation& one : held_) {
    log_.at(one.line);
    if (one.is_fraction_or_percent && most > 1)
      one.accuracy = most > 100 ? kNone : one.accuracy / 100;
    add_evaluation(std::move(one));
  }
  held_.clear();
}

void DescribedLog::take_inference(const LineEntry& entry) {
  if (!applies(entry)) return;
  const double latency = field(entry, "latency_s");
  contract::InferenceRecord inference{.batch = count_of_number(field(entry, "batch")),
                                      .batches = 1};
  inference.time = kNone;
  inference.wall_s = latency;
  inference.latency_s = {latency, latency, latency, latency};  // only the mean is known
  inference.samples_per_s = field(entry, "samples_per_s");
  watch("inference");
  log_.add(inference);
}

LogContent DescribedLog::finish() {
  for (auto& [rule, steps] : steps_) {
    if (steps.is_open && !steps.opening.empty()) end_opening(steps);
  }
  add_held_evaluations();
  if (format_.at_end) {
    values_.resize(first_of_line_);
    refresh_run_values();
    set(format_.at_end->set);
    take_facts(*format_.at_end);
    report(*format_.at_end);
  }
  const bool has_such_rules = std::any_of(format_.rules.begin(), format_.rules.end(),
                                          [](const LineRule& rule) { return rule.expects_end; });
  if (has_such_rules && !expects_end_) log_.lacks_end_line();
  for (const auto& [rule, steps] : steps_) {
    const int line = steps.times.line();
    const std::string warning =
        steps.times.warning(has_field(*rule->steps, "wall_s") ? "wall_s" : "step_s");
    if (!warning.empty()) log_.sum_up(line, warning);
  }
  LogContent content = log_.finish();
  for (std::size_t i = 0; i < format_.rules.size(); ++i) {
    if (!used_[i]) content.unused_patterns.insert(i);
  }
  return content;
}

}  // namespace dlscale::analysis
