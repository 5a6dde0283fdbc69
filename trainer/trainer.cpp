// SPDX-License-Identifier: Apache-2.0
#include "trainer/trainer.hpp"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <utility>

#include "trainer/data/batch.hpp"
#include "trainer/evaluation.hpp"
#include "trainer/optim/loss.hpp"

namespace dlscale::trainer {

using contract::StepPart;

Trainer::Trainer(const contract::RunSpec& spec, TrainerParts& parts, CollectiveQueue& queue,
                 ResultWriter& writer, const base::Clock& clock)
    : spec_(spec),
      parts_(parts),
      queue_(queue),
      writer_(writer),
      clock_(clock),
      timer_(clock, *parts.device),
      recorder_(queue, writer, clock),
      loss_sum_(std::make_unique<at::Tensor>(
          at::zeros({}, at::TensorOptions(at::kDouble).device(parts.device->torch_device())))) {}

Trainer::~Trainer() = default;

FitResult Trainer::fit() {
  std::string summary;
  for (int epoch = 0; epoch < spec_.epochs; ++epoch) {
    if (!train_epoch(epoch)) return diverged();
    const contract::EpochRecord trained = recorder_.finish_epoch();
    summary = fmt::format("epoch {}/{}: loss {:.4f}, {:.0f} samples/s, lr {:.4g}", epoch + 1,
                          spec_.epochs, trained.train_loss,
                          static_cast<double>(trained.samples) / trained.wall_s, trained.lr);
    if ((epoch + 1) % spec_.evaluate_every == 0 || epoch + 1 == spec_.epochs) {
      summary += fmt::format(", test accuracy {:.4f}", evaluate(epoch).accuracy);
    }
    writer_.say(summary);
  }
  return {contract::RunOutcome::Completed, summary};
}

bool Trainer::train_epoch(int epoch) {
  parts_.model->set_training(true);
  parts_.train_loader->start(parts_.sampler.samples_of(epoch), parts_.sampler.batch_per_rank());
  const std::int64_t steps = parts_.sampler.steps_per_epoch();
  recorder_.start_epoch();
  timer_.start();
  int in_window = 0;
  for (std::int64_t done = 1; done <= steps; ++done) {
    step();
    if (++in_window < spec_.window_steps && done < steps) continue;
    if (!finish_window(epoch, std::exchange(in_window, 0))) return false;
  }
  return true;
}

void Trainer::step() {
  timer_.enter(StepPart::load_wait);
  Batch batch = parts_.train_loader->next();

  timer_.enter(StepPart::h2d);
  const c10::Device device = parts_.device->torch_device();
  batch = {batch.input.to(device), batch.target.to(device)};

  timer_.enter(StepPart::forward);
  parts_.sync->before_forward();
  const at::Tensor output = parts_.model->forward(batch.input);
  const at::Tensor loss = cross_entropy(output, batch.target, spec_.label_smoothing);
  loss_sum_->add_(loss.detach());

  timer_.enter(StepPart::backward);
  parts_.sync->before_backward(output);
  loss.backward();
  parts_.sync->after_backward();

  timer_.enter(StepPart::optimizer);
  timer_.move(StepPart::backward, StepPart::exposed_comm, parts_.sync->exposed_comm_s());
  parts_.optimizer->step(parts_.learning_rate.at_step(step_));
  // Dropped, not zeroed: the next backward pass then stores gradients instead of adding to zeros.
  for (const at::Tensor& parameter : parts_.model->parameters()) parameter.mutable_grad().reset();
  timer_.leave();
  ++step_;
}

bool Trainer::finish_window(int epoch, int steps) {
  const double loss_sum = loss_sum_->item<double>();
  loss_sum_->zero_();
  const double loss =
      recorder_.finish_window({.epoch = epoch,
                               .first_step = step_ - steps,
                               .steps = steps,
                               .global_batch = spec_.global_batch,
                               .lr = parts_.learning_rate.at_step(step_ - 1)},
                              timer_.cut(), loss_sum, parts_.device->peak_memory_bytes());
  return std::isfinite(loss);
}

contract::EvalRecord Trainer::evaluate(int epoch) {
  contract::EvalRecord record = trainer::evaluate(parts_, queue_, clock_);
  record.epoch = epoch;
  writer_.write(record);
  return record;
}

FitResult Trainer::diverged() const {
  return {
      contract::RunOutcome::Diverged,
      fmt::format("the training loss is not finite after step {}; lower training.lr or lengthen "
                  "warmup_epochs",
                  step_)};
}

}  // namespace dlscale::trainer
