// SPDX-License-Identifier: Apache-2.0
// Framework style data_parallel, in which one process drives several devices, as in
// torch.nn.DataParallel.
//
// Device 0 owns the model. In every step, the model is copied from device 0 to the other devices.
#include <torch/types.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/parallel/device_group.hpp"
#include "trainer/parallel/micro_batches.hpp"
#include "trainer/parallel/optimizer_step.hpp"
#include "trainer/parallel/parallel_style.hpp"
#include "trainer/profile/operator_watch.hpp"

namespace dlscale::trainer {
namespace {

using contract::StepPart;

/// Copy of the model on one device.
struct Replica {
  std::unique_ptr<Model> model;
  std::vector<at::Tensor> state;  ///< parameters and buffers, detached
};

Replica replica_of(std::unique_ptr<Model> model) {
  Replica replica{std::move(model), {}};
  for (const NamedTensor& part : replica.model->state()) {
    replica.state.push_back(part.tensor.detach());
  }
  return replica;
}

/// Implements the steps replicate, scatter, parallel_apply and gather of torch.nn.parallel. If all
/// devices shared one autograd graph on a CPU, autograd would run the whole backward pass in a
/// single thread. Each device therefore has a separate graph, which ends at the output of the
/// device, and runs the backward pass of this graph itself.
class DataParallel : public ParallelStyle {
 public:
  explicit DataParallel(StyleContext context)
      : loss_of_(context.loss),
        micro_batches_(context.spec, 1),
        queue_(context.queue),
        clock_(context.clock),
        devices_(base::find(device_table(), "device", context.spec.resources.device),
                 context.spec.gpus,
                 {.cores = context.spec.resources.cores_per_rank,
                  .tf32 = context.spec.precision == "tf32"}),
        autocast_(context.spec.precision, context.device.torch_device().type()),
        work_(static_cast<std::size_t>(devices_.size())),
        copied_(work_.size()) {
    replicas_.push_back(replica_of(std::move(context.model)));
    for (int i = 1; i < devices_.size(); ++i) {
      replicas_.push_back(replica_of(context.make_model(devices_[i])));
    }
    optimizer_ = std::make_unique<OptimizerStep>(context.spec, own().parameters(),
                                                 context.make_optimizer({own().parameters()}));
    context.placement = devices_.words();
  }

  at::Tensor train_step(const Batch& batch, double learning_rate, StepTimer& timer) override {
    at::Tensor loss;
    for (int i = 0; i < micro_batches_.count(); ++i) {
      const at::Tensor part = micro_step(micro_batches_.part(batch, i), timer);
      loss = loss.defined() ? loss.add_(part) : part;
    }
    timer.enter(StepPart::optimizer);
    devices_.on_first([&] {
      optimizer_->step(learning_rate);
      for (const at::Tensor& parameter : own().parameters()) parameter.mutable_grad().reset();
    });
    return loss;
  }

  at::Tensor predict(const at::Tensor& input) override {
    const int used = replicate_and_scatter(input);
    apply(used);
    const at::Tensor outputs = gather(used);
    for (Work& each : work_) each = {};
    return outputs;
  }

  std::optional<double> take_exchange_s() override { return std::exchange(exchange_s_, 0); }

  void set_training(bool training) override {
    for (const Replica& replica : replicas_) replica.model->set_training(training);
  }

  void swap_ema_weights() override {
    devices_.on_first([this] { optimizer_->swap_ema_weights(); });
  }

  Counts take_counts() override {
    Counts counts;
    optimizer_->add_counts(counts);
    return counts;
  }

  std::vector<NamedTensor> state() override {
    std::vector<NamedTensor> all;
    append(all, "model.", own().state());
    append(all, "optimizer.", optimizer_->state());
    return all;
  }
  /// Has no effect, because the tensors of state() share memory with the model and the optimizer.
  void load(const std::vector<NamedTensor>&) override {}

 private:
  struct Work {
    at::Tensor input, output, output_gradient;
  };

  Model& own() const { return *replicas_.front().model; }
  Replica& replica(int device) { return replicas_[static_cast<std::size_t>(device)]; }
  Work& work(int device) { return work_[static_cast<std::size_t>(device)]; }
  c10::Device place(int device) const { return devices_[device].torch_device(); }

  /// Runs one micro-batch and adds its gradients to the gradients on device 0. Returns the loss
  /// that the micro-batch adds to the loss of the step.
  at::Tensor micro_step(const Batch& batch, StepTimer& timer) {
    timer.enter(StepPart::exposed_comm);
    const int used = replicate_and_scatter(batch.input);
    timer.enter(StepPart::forward);
    apply(used);
    timer.enter(StepPart::exposed_comm);
    at::Tensor outputs = gather(used);
    timer.enter(StepPart::forward);
    at::Tensor loss;
    devices_.on_first([&] {
      const Autocast::Scope cast = autocast_.forward_pass();
      outputs = outputs.detach().set_requires_grad(true);
      loss = micro_batches_.weighted(loss_of_(outputs, batch.target), batch.size());
    });
    timer.enter(StepPart::backward);
    devices_.on_first([&] { loss.backward(optimizer_->loss_gradient(loss)); });
    timer.enter(StepPart::exposed_comm);
    scatter_gradients(outputs.grad(), used);
    timer.enter(StepPart::backward);
    devices_.on_each(used, [&](int i) { work(i).output.backward(work(i).output_gradient); });
    timer.enter(StepPart::exposed_comm);
    reduce_gradients(used);
    for (Work& each : work_) each = {};
    return loss.detach();
  }

  /// Copies the model from device 0 to the other devices and sends each device its chunk of the
  /// batch. Returns the number of devices that received samples.
  int replicate_and_scatter(const at::Tensor& input) {
    int used = 0;
    while (used < devices_.size() && chunk_of(input.size(0), used, devices_.size()).count > 0) {
      ++used;
    }
    exchange(used, [&](int i) {
      const Chunk chunk = chunk_of(input.size(0), i, devices_.size());
      work(i).input = moved(input.narrow(0, chunk.first, chunk.count), i);
      if (i == 0) return;
      const std::vector<at::Tensor>& from = replica(0).state;
      for (std::size_t part = 0; part < from.size(); ++part) {
        copied(i) += static_cast<std::int64_t>(from[part].nbytes());
        replica(i).state[part].copy_(from[part]);
      }
    });
    return used;
  }

  void apply(int used) {
    devices_.on_each(used, [&](int i) {
      const Autocast::Scope cast = autocast_.forward_pass();
      work(i).output = replica(i).model->forward(work(i).input);
    });
  }

  /// Returns the outputs of the first `used` devices on device 0, concatenated in the order of the
  /// devices.
  at::Tensor gather(int used) {
    if (used == 1) return work(0).output;
    at::Tensor all;
    exchange(1, [&](int) {
      std::vector<at::Tensor> outputs;
      for (int i = 0; i < used; ++i) {
        outputs.push_back(work(i).output.detach().to(place(0)));
        if (i > 0) copied(0) += static_cast<std::int64_t>(outputs.back().nbytes());
      }
      all = at::cat(outputs);
    });
    return all;
  }

  void scatter_gradients(const at::Tensor& gradients, int used) {
    exchange(used, [&](int i) {
      const Chunk chunk = chunk_of(gradients.size(0), i, devices_.size());
      work(i).output_gradient = moved(gradients.narrow(0, chunk.first, chunk.count), i);
    });
  }

  /// Adds the gradients of all devices to the gradients on device 0. The sum needs no division by
  /// the number of devices, because each gradient already belongs to the mean loss over the samples
  /// of all devices.
  void reduce_gradients(int used) {
    if (used == 1) return;
    exchange(1, [&](int) {
      for (std::size_t p = 0; p < own().parameters().size(); ++p) {
        at::Tensor& sum = own().parameters()[p].mutable_grad();
        for (int i = 1; i < used; ++i) {
          at::Tensor& theirs = replica(i).model->parameters()[p].mutable_grad();
          if (!theirs.defined()) continue;
          copied(0) += static_cast<std::int64_t>(theirs.nbytes());
          if (sum.defined()) {
            sum.add_(theirs.to(place(0)));
          } else {
            sum = theirs.to(place(0));
          }
          theirs.reset();
        }
      }
    });
  }

  /// Copies `part` from device 0 to device `device` and returns the copy. Returns `part` itself
  /// when `device` is 0.
  at::Tensor moved(const at::Tensor& part, int device) {
    if (device == 0) return part;
    copied(device) += static_cast<std::int64_t>(part.nbytes());
    return part.to(place(device), part.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
  }

  std::int64_t& copied(int device) { return copied_[static_cast<std::size_t>(device)]; }

  /// Runs `copies`, which copies data between devices, on the first `count` devices in parallel.
  /// The communication statistics count all these copies as one collective.
  void exchange(int count, const std::function<void(int)>& copies) {
    const double start_s = clock_.steady_s();
    devices_.on_each(count, [&](int i) {
      const UncountedSection uncounted;
      const at::NoGradGuard no_gradients;
      copies(i);
    });
    const double seconds = clock_.steady_s() - start_s;
    exchange_s_ += seconds;
    CommStats stats;
    for (std::int64_t& bytes : copied_) stats.bytes += std::exchange(bytes, 0);
    if (stats.bytes == 0) return;
    stats.collectives = 1;
    stats.busy_s = seconds;
    queue_.communicator().count_own(stats);
  }

  decltype(StyleContext::loss) loss_of_;
  MicroBatches micro_batches_;
  CollectiveQueue& queue_;
  const base::Clock& clock_;
  DeviceGroup devices_;
  Autocast autocast_;
  double exchange_s_ = 0;             ///< seconds of exchanges since the last take_exchange_s()
  std::vector<Work> work_;            ///< work of each device within a step
  std::vector<std::int64_t> copied_;  ///< bytes copied by each device within an exchange
  std::vector<Replica> replicas_;     ///< one replica per device, device 0 first
  std::unique_ptr<OptimizerStep> optimizer_;  ///< optimizer on device 0
};

std::unique_ptr<ParallelStyle> make_data_parallel(StyleContext context) {
  return std::make_unique<DataParallel>(std::move(context));
}

DataShare share_data_parallel(const contract::RunSpec&, int) {
  return {};
}

}  // namespace

extern const StyleEntry data_parallel_entry;
const StyleEntry data_parallel_entry{
    .name = "data_parallel",
    .summary =
        "one process with several devices: in every step, the model is copied to all devices",
    .make = make_data_parallel,
    .share = share_data_parallel};

}  // namespace dlscale::trainer
