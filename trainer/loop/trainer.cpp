// SPDX-License-Identifier: Apache-2.0
#include "trainer/loop/trainer.hpp"

#include <fmt/format.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainer/loop/evaluation.hpp"
#include "trainer/profile/operator_watch.hpp"

namespace dlscale::trainer {

using contract::RunOutcome;
using contract::StepPart;

namespace {

/// Relative margin for the decision that a model has not learned. A training loss of at least (1 -
/// kFlatMargin) times the loss of random guessing counts as not learned.
constexpr double kFlatMargin = 0.001;
constexpr const char* kGoesOn = ", training continues";

/// Returns the number of neighbouring ranks that do different work. If several ranks work on the
/// same batch, each with a different stage of the model, this is the number of stages. If the
/// batches of the ranks differ in size, this is the number of all ranks. Returns 0 when all ranks
/// do the same work on different batches.
int stages_of(const contract::RunSpec& spec, const DataShare& share, int ranks) {
  if (!spec.uneven_batch.empty()) return ranks;
  return share.count == ranks ? 0 : ranks / share.count;
}

/// Warns when the learning rate warm-up is longer than the run because the data set has fewer
/// samples than planned. Does not warn when the run has at least as many warm-up epochs as epochs,
/// because the planning of the run has already warned about this case.
void warn_of_endless_warm_up(const contract::RunSpec& spec, const TrainerParts& parts,
                             ResultWriter& writer) {
  const std::int64_t steps = contract::run_steps(spec, parts.sampler.steps_per_epoch());
  if (spec.lr.warmup_steps < std::max<std::int64_t>(steps, 1)) return;
  if (spec.steps > 0 || spec.warmup_epochs >= spec.epochs) return;
  writer.warn(
      fmt::format("the peak learning rate is never reached: the warm-up has {} steps, but the run "
                  "has only {}, because the data set has {} samples, which is fewer than planned; "
                  "set dataset.train_samples or lower "
                  "training.warmup_steps",
                  spec.lr.warmup_steps, steps, parts.dataset->train.size()));
}

}  // namespace

Trainer::Trainer(const contract::RunSpec& spec, TrainerParts& parts, TrainerTools tools,
                 const contract::Progress& from)
    : spec_(spec),
      parts_(parts),
      tools_(std::move(tools)),
      timer_(tools_.clock, *parts.device),
      feed_(*parts.train_loader, *parts.device, *parts.dataset, parts.precision),
      recorder_(tools_.queue, tools_.writer, tools_.clock),
      poll_(tools_.queue, tools_.clock, tools_.stop_requested),
      epochs_(contract::run_epochs(spec, parts.sampler.steps_per_epoch())),
      last_step_(contract::run_steps(spec, parts.sampler.steps_per_epoch())),
      profiles_(spec.profile || tools_.profile),
      from_(from),
      at_(from),
      loss_sum_(std::make_unique<at::Tensor>(
          at::zeros({}, at::TensorOptions(at::kDouble).device(parts.device->torch_device())))) {}

Trainer::~Trainer() = default;

FitResult Trainer::fit() {
  warn_of_endless_warm_up(spec_, parts_, tools_.writer);
  FitResult result = train();
  report(tools_.checkpoints.finish(), "");
  if (result.outcome == RunOutcome::Completed && spec_.checkpoint.weights) {
    tools_.checkpoints.leave_weights();
  }
  return result;
}

FitResult Trainer::train() {
  if (poll_.ask()) return stop();
  while (at_.epoch < epochs_) {
    if (End end = train_epoch()) return *end;
    if (End end = close_epoch()) return *end;
  }
  return {RunOutcome::Completed, summary_};
}

/// Returns the number of steps of the present epoch. The last epoch of a run with a given number of
/// steps may be incomplete.
std::int64_t Trainer::steps_of_epoch() const {
  const std::int64_t steps = parts_.sampler.steps_per_epoch();
  return std::min(steps, last_step_ - at_.epoch * steps);
}

Trainer::End Trainer::train_epoch() {
  recorder_.start_epoch(at_.so_far);
  const std::int64_t steps = steps_of_epoch();
  std::int64_t done = at_.step - at_.epoch * parts_.sampler.steps_per_epoch();
  if (done == steps) return std::nullopt;
  parts_.style->set_training(true);
  const std::int64_t batch = parts_.sampler.batch_per_rank();
  std::vector<std::int64_t> samples = parts_.sampler.samples_of(at_.epoch);
  samples.resize(static_cast<std::size_t>(steps * batch));
  samples.erase(samples.begin(), samples.begin() + done * batch);
  feed_.start({std::move(samples), batch, at_.epoch});
  timer_.start();
  for (int in_window = 0; done < steps;) {
    if (in_window == 0) start_profile();
    step();
    ++done;
    ++in_window;
    const bool window_ends = done % spec_.window_steps == 0 || done == steps;
    if (!window_ends && !stop_requested_in_window()) continue;
    if (End end = finish_window(std::exchange(in_window, 0))) return end;
  }
  return std::nullopt;
}

Trainer::End Trainer::close_epoch() {
  const contract::EpochRecord trained = recorder_.epoch_record(at_.epoch);
  if (!std::exchange(at_.epoch_recorded, true)) tools_.writer.write(trained);
  const auto times =
      recorder_.rank_times(at_.epoch, stages_of(spec_, parts_.share, tools_.queue.size()));
  if (times) tools_.writer.write(*times);
  summary_ = fmt::format("epoch {}/{}: loss {:.4f}, {:.0f} samples/s, lr {:.4g}", at_.epoch + 1,
                         epochs_, trained.train_loss,
                         static_cast<double>(trained.samples) / trained.wall_s, trained.lr);
  const int epochs = at_.epoch + 1;
  const bool is_last = epochs == epochs_ || (spec_.target.stop && has_reached_target());
  if (epochs % spec_.evaluate_every == 0 || is_last) {
    const auto record = evaluate();
    if (!record) return stop();
    if (!std::isfinite(record->loss)) return diverged("test");
    const auto found = record->metrics.find(parts_.task->headline);
    summary_ += fmt::format(", test {} {:.4f}", parts_.task->headline,
                            found == record->metrics.end() ? record->accuracy : found->second);
    compare_with_target(*record, at_.train_s + trained.wall_s);
  }
  tools_.writer.say(summary_);
  at_ = {.epoch = epochs,
         .step = at_.step,
         .train_s = at_.train_s + trained.wall_s,
         .flat_epochs = is_flat(trained.train_loss) ? at_.flat_epochs + 1 : 0,
         .accuracy_reached = at_.accuracy_reached,
         .loss_reached = at_.loss_reached,
         .bleu_reached = at_.bleu_reached,
         .train_loss_reached = at_.train_loss_reached};
  if (epochs < epochs_ && spec_.target.stop && has_reached_target()) {
    return FitResult{RunOutcome::Completed, summary_,
                     fmt::format("the target was reached after epoch {} of {}", epochs, epochs_)};
  }
  if (spec_.plateau_epochs > 0 && at_.flat_epochs >= spec_.plateau_epochs) return learnt_nothing();
  if (epochs < epochs_ && tools_.checkpoints.due_after_epoch(epochs - 1)) save();
  return std::nullopt;
}

Batch Trainer::load() {
  const LoadingSection loading;
  return feed_.next(timer_);
}

void Trainer::step() {
  const Batch batch = load();
  loss_sum_->add_(parts_.style->train_step(batch, parts_.learning_rate.at_step(at_.step), timer_));
  {
    const LoadingSection loading;
    feed_.fetch_ahead(timer_);
  }
  timer_.leave();
  if (parts_.statistics) {
    using Pass = StatisticsSum::Pass;
    RankStatistics& sums = *parts_.statistics;
    timer_.move(StepPart::forward, StepPart::exposed_comm, sums.take_exposed_s(Pass::forward));
    timer_.move(StepPart::backward, StepPart::exposed_comm, sums.take_exposed_s(Pass::backward));
  }
  ++at_.step;
}

bool Trainer::stop_requested_in_window() {
  if (!poll_.due_after_step()) return false;
  const CommStats before = tools_.queue.stats();
  const bool told = poll_.ask();
  recorder_.leave_out_since(before);
  return told;
}

Trainer::End Trainer::finish_window(int steps) {
  const double loss_sum = loss_sum_->item<double>();
  loss_sum_->zero_();
  const std::optional<std::int64_t> correct = take_correct();
  const BlockTimes times = timer_.cut();
  if (profile_) profile_->stop();
  const WindowEnd window =
      recorder_.finish_window({.epoch = at_.epoch,
                               .first_step = at_.step - steps,
                               .steps = steps,
                               .global_batch = spec_.global_batch,
                               .lr = parts_.learning_rate.at_step(at_.step - 1)},
                              {.times = times,
                               .loss_sum = loss_sum,
                               .peak_memory_bytes = parts_.device->peak_memory_bytes(),
                               .requests = {.stop = poll_.told(),
                                            .save = tools_.checkpoints.due_by_time(),
                                            .writing = tools_.checkpoints.is_writing()},
                               .counts = parts_.style->take_counts(),
                               .loading = parts_.train_loader->take_work(),
                               .correct = correct});
  if (const std::string warning = parts_.style->take_warning(); !warning.empty()) {
    tools_.writer.warn(warning);
  }
  const bool ends_epoch =
      at_.step == at_.epoch * parts_.sampler.steps_per_epoch() + steps_of_epoch();
  const bool has_diverged = !std::isfinite(window.train_loss);
  if (profile_ &&
      (spec_.profile_epochs == 0 || ends_epoch || window.requests.stop || has_diverged)) {
    write_profile();
  }
  if (has_diverged) return diverged("training");
  poll_.record_meeting(steps, window.wall_s);
  at_.so_far = recorder_.sums();
  compare_with_target(window.train_loss);
  if (window.requests.stop) return stop();
  if (window.requests.save) {
    save();
  } else if (tools_.checkpoints.has_begun() && !window.requests.writing) {
    between_windows([this] { report(tools_.checkpoints.finish(), kGoesOn); });
  }
  return std::nullopt;
}

/// Returns the number of samples that the steps of the window classified correctly, and sets it to
/// 0. Returns nullopt if the task has no classes.
std::optional<std::int64_t> Trainer::take_correct() {
  if (parts_.correct == nullptr) return std::nullopt;
  const auto correct = parts_.correct->item<std::int64_t>();
  parts_.correct->zero_();
  return correct;
}

/// Starts profiling the next step window, if it belongs to a requested profile. The first window of
/// a launch is skipped because of its start-up cost, unless it is also the last window to profile.
/// The time for starting the profile counts in no window.
void Trainer::start_profile() {
  const int epochs = spec_.profile_epochs > 0 ? std::min(spec_.profile_epochs, epochs_) : epochs_;
  if (!profiles_ || at_.epoch >= epochs) return;
  const std::int64_t steps = steps_of_epoch();
  const std::int64_t done = at_.step - at_.epoch * parts_.sampler.steps_per_epoch();
  const bool is_last = at_.epoch + 1 == epochs &&
                       done / spec_.window_steps * spec_.window_steps + spec_.window_steps >= steps;
  if (at_.step == from_.step && !is_last) return;
  between_windows([this] {
    if (!profile_) {
      const int cores = spec_.resources.cores_per_rank * spec_.gpus / tools_.queue.size();
      profile_ = std::make_unique<StepProfile>(parts_.device->torch_device(), spec_.gpus, cores,
                                               tools_.queue, tools_.clock);
      profiled_from_ = at_.step;
      profiles_ = spec_.profile_epochs > 0;
    }
    profile_->start();
  });
}

void Trainer::write_profile() {
  between_windows([this] {
    const auto steps = static_cast<int>(at_.step - profiled_from_);
    tools_.writer.write(profile_->record(at_.epoch, profiled_from_, steps));
    profile_.reset();
  });
}

/// Runs `work` between two measured step windows. The time and the communication of `work` count in
/// neither window.
template <class Work>
void Trainer::between_windows(const Work& work) {
  const CommStats before = tools_.queue.stats();
  work();
  recorder_.leave_out_since(before);
  timer_.start();
}

std::optional<contract::EvalRecord> Trainer::evaluate() {
  parts_.style->swap_ema_weights();
  auto record =
      trainer::evaluate(parts_, tools_.queue, tools_.clock, [this] { return poll_.told(); });
  parts_.style->swap_ema_weights();
  if (!record) return std::nullopt;
  record->epoch = at_.epoch;
  tools_.writer.write(*record);
  return record;
}

/// Writes the record of a target that the run has reached for the first time. `train_s` is the
/// training time so far in seconds.
void Trainer::write_target(const char* metric, double threshold, double value, double train_s) {
  tools_.writer.write(contract::TargetRecord{.metric = metric,
                                             .threshold = threshold,
                                             .value = value,
                                             .epoch = at_.epoch,
                                             .step = at_.step,
                                             .time = tools_.clock.unix_s(),
                                             .train_s = train_s,
                                             .samples = at_.step * spec_.global_batch});
}

/// Compares the mean training loss of a step window with the target of the run.
void Trainer::compare_with_target(double train_loss) {
  const double target = spec_.target.train_loss;
  if (target == 0 || at_.train_loss_reached || train_loss > target) return;
  write_target("train_loss", target, train_loss, at_.train_s + at_.so_far.wall_s);
  at_.train_loss_reached = true;
}

/// Compares an evaluation with the targets of the run, such as a test accuracy. Writes a record for
/// each target that this evaluation reaches for the first time. `train_s` is the training time so
/// far in seconds.
void Trainer::compare_with_target(const contract::EvalRecord& found, double train_s) {
  const auto note = [&](const char* metric, double threshold, double value) {
    write_target(metric, threshold, value, train_s);
    return true;
  };
  const contract::TargetSpec& target = spec_.target;
  if (target.accuracy > 0 && !at_.accuracy_reached && found.accuracy >= target.accuracy) {
    at_.accuracy_reached = note("accuracy", target.accuracy, found.accuracy);
  }
  if (target.loss > 0 && !at_.loss_reached && found.loss <= target.loss) {
    at_.loss_reached = note("loss", target.loss, found.loss);
  }
  if (target.bleu == 0 || at_.bleu_reached) return;
  const double bleu = found.metrics.at("bleu");
  if (bleu >= target.bleu) at_.bleu_reached = note("bleu", target.bleu, bleu);
}

bool Trainer::has_reached_target() const {
  return (spec_.target.accuracy == 0 || at_.accuracy_reached) &&
         (spec_.target.loss == 0 || at_.loss_reached) &&
         (spec_.target.bleu == 0 || at_.bleu_reached) &&
         (spec_.target.train_loss == 0 || at_.train_loss_reached);
}

/// Returns true when the training loss is as high as the loss of random guessing. A model that
/// gives all classes the same probability has a loss of ln(classes). The loss is ln(classes) both
/// with and without label smoothing.
bool Trainer::is_flat(double train_loss) const {
  return train_loss >= (1 - kFlatMargin) * std::log(parts_.dataset->classes);
}

void Trainer::save() {
  between_windows([this] { report(tools_.checkpoints.save(at_), kGoesOn); });
}

/// Warns that a checkpoint could not be saved. When several checkpoints in a row fail, warns only
/// about the first failure. `then` is a text that states what happens next.
void Trainer::report(const std::optional<SaveFailure>& failure, const char* then) {
  if (failure && !save_failed_) {
    tools_.writer.warn(fmt::format("no checkpoint could be saved at step {}{}: {}", failure->step,
                                   then, failure->reason));
  }
  save_failed_ = failure || (save_failed_ && tools_.checkpoints.has_begun());
}

FitResult Trainer::learnt_nothing() const {
  return {RunOutcome::Diverged,
          fmt::format("the training loss of {} epochs in a row was not below ln({}) = {:.4f}, the "
                      "loss of random guessing; lower training.lr.base or lengthen the warm-up",
                      at_.flat_epochs, parts_.dataset->classes, std::log(parts_.dataset->classes))};
}

FitResult Trainer::diverged(const char* which) const {
  return {RunOutcome::Diverged,
          fmt::format("the {} loss is not finite after step {}; lower training.lr.base or lengthen "
                      "the warm-up",
                      which, at_.step)};
}

FitResult Trainer::stop() {
  if (at_.same_place(from_)) {
    return {RunOutcome::TimedOut,
            fmt::format("the time limit is near and no step after step {} is complete; "
                        "give the job more time",
                        at_.step)};
  }
  auto failure = tools_.checkpoints.save(at_);
  if (auto later = tools_.checkpoints.finish()) failure = std::move(later);
  if (!tools_.checkpoints.holds(at_)) {
    save_failed_ = true;  // prevents a second warning, because the outcome reports the failure
    return {RunOutcome::TimedOut,
            fmt::format("the time limit is near, but no checkpoint could be saved at step "
                        "{}: {}",
                        at_.step, failure->reason)};
  }
  return {
      RunOutcome::Preempted,
      fmt::format("saved at step {} of {}, before the time limit; launch the run again to resume",
                  at_.step, last_step_)};
}

}  // namespace dlscale::trainer
