// SPDX-License-Identifier: Apache-2.0
#include "trainer/trainer.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <utility>

#include "trainer/data/batch.hpp"
#include "trainer/evaluation.hpp"
#include "trainer/profile/operator_watch.hpp"

namespace dlscale::trainer {

using contract::RunOutcome;
using contract::StepPart;

Trainer::Trainer(const contract::RunSpec& spec, TrainerParts& parts, TrainerTools tools,
                 const contract::Progress& from)
    : spec_(spec),
      parts_(parts),
      tools_(std::move(tools)),
      timer_(tools_.clock, *parts.device),
      recorder_(tools_.queue, tools_.writer, tools_.clock),
      poll_(tools_.queue, tools_.clock, tools_.told_to_stop),
      profiles_(spec.profile || tools_.profile),
      from_(from),
      at_(from),
      loss_sum_(std::make_unique<at::Tensor>(
          at::zeros({}, at::TensorOptions(at::kDouble).device(parts.device->torch_device())))) {}

Trainer::~Trainer() = default;

FitResult Trainer::fit() {
  if (poll_.ask()) return stop();
  while (at_.epoch < spec_.epochs) {
    if (End end = train_epoch()) return *end;
    if (End end = close_epoch()) return *end;
  }
  return {RunOutcome::Completed, summary_};
}

Trainer::End Trainer::train_epoch() {
  recorder_.start_epoch(at_.so_far);
  const std::int64_t steps = parts_.sampler.steps_per_epoch();
  std::int64_t done = at_.step - at_.epoch * steps;
  if (done == steps) return std::nullopt;
  parts_.style->set_training(true);
  const std::int64_t batch = parts_.sampler.batch_per_rank();
  std::vector<std::int64_t> samples = parts_.sampler.samples_of(at_.epoch);
  samples.erase(samples.begin(), samples.begin() + done * batch);
  parts_.train_loader->start(std::move(samples), batch);
  timer_.start();
  for (int in_window = 0; done < steps;) {
    if (in_window == 0) start_profile();
    step();
    ++done;
    ++in_window;
    const bool window_ends = done % spec_.window_steps == 0 || done == steps;
    if (!window_ends && !told_within_window()) continue;
    if (End end = finish_window(std::exchange(in_window, 0))) return end;
  }
  return std::nullopt;
}

Trainer::End Trainer::close_epoch() {
  const contract::EpochRecord trained = recorder_.epoch_record(at_.epoch);
  if (!std::exchange(at_.epoch_recorded, true)) tools_.writer.write(trained);
  summary_ = fmt::format("epoch {}/{}: loss {:.4f}, {:.0f} samples/s, lr {:.4g}", at_.epoch + 1,
                         spec_.epochs, trained.train_loss,
                         static_cast<double>(trained.samples) / trained.wall_s, trained.lr);
  const int epochs = at_.epoch + 1;
  if (epochs % spec_.evaluate_every == 0 || epochs == spec_.epochs) {
    const auto record = evaluate();
    if (!record) return stop();
    summary_ += fmt::format(", test accuracy {:.4f}", record->accuracy);
  }
  tools_.writer.say(summary_);
  at_ = {.epoch = epochs, .step = at_.step};
  if (epochs < spec_.epochs && tools_.checkpoints.due_after_epoch(epochs - 1)) save();
  return std::nullopt;
}

Batch Trainer::load() {
  const LoadingSection loading;
  timer_.enter(StepPart::load_wait);
  const Batch batch = parts_.train_loader->next();
  timer_.enter(StepPart::h2d);
  const c10::Device device = parts_.device->torch_device();
  return {batch.input.to(device, /*non_blocking=*/true),
          batch.target.to(device, /*non_blocking=*/true)};
}

void Trainer::step() {
  const Batch batch = load();
  loss_sum_->add_(parts_.style->train_step(batch, parts_.learning_rate.at_step(at_.step), timer_));
  timer_.leave();
  if (parts_.statistics) {
    using Pass = StatisticsSum::Pass;
    RankStatistics& sums = *parts_.statistics;
    timer_.move(StepPart::forward, StepPart::exposed_comm, sums.take_exposed_s(Pass::forward));
    timer_.move(StepPart::backward, StepPart::exposed_comm, sums.take_exposed_s(Pass::backward));
  }
  ++at_.step;
}

bool Trainer::told_within_window() {
  if (!poll_.due_after_step()) return false;
  const CommStats before = tools_.queue.stats();
  const bool told = poll_.ask();
  recorder_.leave_out_since(before);
  return told;
}

Trainer::End Trainer::finish_window(int steps) {
  if (profile_) profile_->stop();
  const double loss_sum = loss_sum_->item<double>();
  loss_sum_->zero_();
  const WindowEnd window = recorder_.finish_window(
      {.epoch = at_.epoch,
       .first_step = at_.step - steps,
       .steps = steps,
       .global_batch = spec_.global_batch,
       .lr = parts_.learning_rate.at_step(at_.step - 1)},
      {.times = timer_.cut(),
       .loss_sum = loss_sum,
       .peak_memory_bytes = parts_.device->peak_memory_bytes(),
       .wishes = {.stop = poll_.told(), .save = tools_.checkpoints.due_by_time()},
       .counts = parts_.style->take_counts()});
  if (profile_) write_profile(steps);
  if (!std::isfinite(window.train_loss)) return diverged();
  poll_.met(steps, window.wall_s);
  at_.so_far = recorder_.sums();
  if (window.wishes.stop) return stop();
  if (window.wishes.save) save();
  return std::nullopt;
}

/// Of the window that begins, unless it is the launch's first, with one-time costs, and others
/// follow.
void Trainer::start_profile() {
  if (!profiles_) return;
  const std::int64_t steps = parts_.sampler.steps_per_epoch();
  const std::int64_t done = at_.step - at_.epoch * steps;
  const bool is_last = at_.epoch + 1 == spec_.epochs &&
                       done / spec_.window_steps * spec_.window_steps + spec_.window_steps >= steps;
  if (at_.step == from_.step && !is_last) return;
  profiles_ = false;
  const int cores = spec_.resources.cores_per_rank * spec_.gpus / tools_.queue.size();
  profile_ = std::make_unique<StepProfile>(parts_.device->torch_device(), spec_.gpus, cores,
                                           tools_.queue, tools_.clock);
}

/// Between windows, as saving.
void Trainer::write_profile(int steps) {
  const CommStats before = tools_.queue.stats();
  tools_.writer.write(profile_->record(at_.epoch, at_.step - steps, steps));
  profile_.reset();
  recorder_.leave_out_since(before);
  timer_.start();
}

std::optional<contract::EvalRecord> Trainer::evaluate() {
  auto record =
      trainer::evaluate(parts_, tools_.queue, tools_.clock, [this] { return poll_.told(); });
  if (!record) return std::nullopt;
  record->epoch = at_.epoch;
  tools_.writer.write(*record);
  return record;
}

/// Between windows. What it takes is part of none.
void Trainer::save() {
  const CommStats before = tools_.queue.stats();
  const auto failure = tools_.checkpoints.save(at_);
  if (failure && !save_failed_) {
    tools_.writer.warn(fmt::format("no checkpoint could be saved at step {}, training goes on: {}",
                                   at_.step, *failure));
  }
  save_failed_ = failure.has_value();
  recorder_.leave_out_since(before);
  timer_.start();
}

FitResult Trainer::diverged() const {
  return {
      RunOutcome::Diverged,
      fmt::format("the training loss is not finite after step {}; lower training.lr or lengthen "
                  "warmup_epochs",
                  at_.step)};
}

FitResult Trainer::stop() {
  if (at_.same_place(from_)) {
    return {RunOutcome::TimedOut,
            fmt::format("told that the time is nearly up before anything was done beyond step {}; "
                        "give the job more time",
                        at_.step)};
  }
  if (const auto failure = tools_.checkpoints.save(at_)) {
    return {RunOutcome::TimedOut,
            fmt::format("told that the time is nearly up, but no checkpoint could be saved at step "
                        "{}: {}",
                        at_.step, *failure)};
  }
  return {
      RunOutcome::Preempted,
      fmt::format("saved at step {} of {}, before the time limit; launch the run again to go on",
                  at_.step, spec_.epochs * parts_.sampler.steps_per_epoch())};
}

}  // namespace dlscale::trainer
