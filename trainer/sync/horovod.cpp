// SPDX-License-Identifier: Apache-2.0
// Framework style "horovod", which submits each gradient to a background thread as soon as the
// gradient is ready.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <future>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/sync/gradient_hooks.hpp"
#include "trainer/sync/gradient_sync.hpp"
#include "trainer/sync/horovod/background_loop.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

/// Returns the type to which gradients are converted before they are sent. Returns no value if
/// gradients are sent unchanged.
std::optional<at::ScalarType> type_of_compression(const std::string& name) {
  if (name == "none") return std::nullopt;
  if (name == "fp16") return at::kHalf;
  if (name == "bf16") return at::kBFloat16;
  throw base::RunError(fmt::format("horovod: there is no compression \"{}\"", name),
                       contract::kExitBadRunDescription);
}

horovod::Options options_of(const SyncContext& context) {
  const contract::FrameworkOptions& options = context.options;
  horovod::Options result;
  result.tuned = {options.fusion_threshold_mb, options.cycle_time_ms};
  result.autotune = options.autotune;
  result.cache_capacity = options.cache_capacity;
  result.hierarchical_all_reduce = options.hierarchical_all_reduce;
  // This is the environment variable from which Horovod takes the path of its trace.
  if (const char* path = context.environment("HOROVOD_TIMELINE")) result.timeline = path;
  return result;
}

/// Returns a fusion buffer on the device of `parameter`, or null if `parameter` is in host memory.
std::unique_ptr<horovod::FusionBuffer> fusion_for(const at::Tensor& parameter) {
  return parameter.is_cpu() ? nullptr : make_device_fusion(parameter.device());
}

/// Style of Horovod. With a single rank, nothing is exchanged, as in Horovod itself.
class Horovod : public GradientSync {
 public:
  explicit Horovod(const SyncContext& context)
      : parameters_(context.parameters),
        names_(context.parameter_names),
        compressed_type_(type_of_compression(context.options.compression)),
        communicator_(context.queue.communicator()),
        clock_(context.clock) {
    if (context.queue.size() == 1) return;
    loop_.emplace(communicator_, clock_, options_of(context), context.warn,
                  fusion_for(parameters_.front()));
    travelling_.resize(parameters_.size());
    done_.resize(parameters_.size());
    hooks_ = GradientHooks(parameters_, [this](std::size_t i) {
      if (syncs_this_pass_) submit(i);
    });
  }

  void before_forward(bool exchanges) override { syncs_this_pass_ = exchanges; }

  void after_backward() override {
    exposed_s_ = 0;
    if (!loop_) return;
    // Submits the gradients of parameters that this rank did not use. Other ranks may have used
    // these parameters, and would wait for the gradients of this rank.
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!done_[i].valid()) submit(i);
    }
    // A device may still be computing the backward pass. This computation must not count as exposed
    // communication, so the time measurement starts after it.
    if (const auto computed = communicator_.fence()) computed->wait();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const double begin_s = clock_.steady_s();
      done_[i].get();
      exposed_s_ += clock_.steady_s() - begin_s;
      if (compressed_type_) parameters_[i].mutable_grad().copy_(travelling_[i]);
      travelling_[i].reset();
    }
  }

  Optimized optimized() override { return {parameters_}; }
  double exposed_comm_s() const override { return exposed_s_; }
  Counts take_counts() override;

 private:
  void submit(std::size_t i) {
    if (done_[i].valid()) {
      throw base::RunError(fmt::format("horovod: one step has two backward passes, but the "
                                       "gradient of \"{}\" can be submitted only once per step",
                                       names_[i]),
                           contract::kExitBadRunDescription);
    }
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (!gradient.defined()) gradient = at::zeros_like(parameters_[i]);
    travelling_[i] = compressed_type_ ? gradient.to(*compressed_type_) : gradient;
    done_[i] = loop_->submit({names_[i], span_of(travelling_[i]), gradient.sizes().vec()});
  }

  std::vector<at::Tensor> parameters_;
  std::vector<std::string> names_;
  std::optional<at::ScalarType> compressed_type_;
  Communicator& communicator_;
  const base::Clock& clock_;
  bool syncs_this_pass_ = true;
  std::vector<at::Tensor> travelling_;   ///< tensors being reduced, one for each parameter
  std::vector<std::future<void>> done_;  ///< one future per parameter, valid until awaited
  /// Background loop. It is declared after the tensors that it reduces, so that it is destroyed
  /// before these tensors.
  std::optional<horovod::BackgroundLoop> loop_;
  GradientHooks hooks_;
  double exposed_s_ = 0;
  horovod::Counters reported_;
};

Counts Horovod::take_counts() {
  if (!loop_) return {};
  const horovod::Counters now = loop_->counters();
  const horovod::Counters before = std::exchange(reported_, now);
  return {{"horovod_cycles", now.cycles - before.cycles},
          {"horovod_negotiations", now.slow_cycles - before.slow_cycles},
          {"horovod_cache_hits", now.cache_hits - before.cache_hits},
          {"horovod_control_bytes", now.control_bytes - before.control_bytes},
          {"horovod_all_reduces", now.reductions - before.reductions},
          {"horovod_tensors", now.tensors - before.tensors},
          {"horovod_fused_tensors", now.fused_tensors - before.fused_tensors},
          {"horovod_bytes", now.bytes - before.bytes}};
}

std::unique_ptr<GradientSync> make_horovod(const SyncContext& context) {
  return std::make_unique<Horovod>(context);
}

}  // namespace

extern const SyncEntry horovod_entry;
const SyncEntry horovod_entry{
    .name = "horovod",
    .summary = "Horovod: negotiated, fused all-reduces on a background thread",
    .make = &make_horovod};

}  // namespace dlscale::trainer
