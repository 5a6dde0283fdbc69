// SPDX-License-Identifier: Apache-2.0
// Framework style "ddp", which works like PyTorch's DistributedDataParallel. This style makes the
// same calls of c10d::Reducer as PyTorch's Python wrapper.
#include <torch/types.h>

#include <torch/csrc/autograd/engine.h>
#include <limits>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/sync/c10d_backend.hpp"
#include "trainer/sync/compression.hpp"
#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {
namespace {

std::int64_t bytes_of_mb(double mb) {
  return static_cast<std::int64_t>(mb * 1024 * 1024);
}

/// Returns the buckets of the first step, each as a list of parameter indices, in the order in
/// which gradients are expected.
///
/// - Normally, one bucket holds all parameters. The reducer records the real order of the gradients
///   in the first step, and then rebuilds the buckets within the size limits.
/// - With find_unused_parameters, the order may change from step to step, so the reducer never
///   rebuilds the buckets. The size limits therefore apply from the start.
/// - With static_graph, the reducer finds unused parameters in the first step only, so one bucket
///   holds all parameters at first.
std::vector<std::vector<std::size_t>> initial_buckets(const std::vector<at::Tensor>& parameters,
                                                      const contract::FrameworkOptions& options) {
  std::vector<std::size_t> caps{std::numeric_limits<std::size_t>::max()};
  if (options.find_unused_parameters && !options.static_graph) {
    caps = {static_cast<std::size_t>(bytes_of_mb(options.first_bucket_mb)),
            static_cast<std::size_t>(bytes_of_mb(options.bucket_cap_mb))};
  }
  auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(parameters, caps));
  return {buckets.rbegin(), buckets.rend()};
}

class Ddp : public GradientSync {
 public:
  explicit Ddp(const SyncContext& context)
      : parameters_(context.parameters),
        names_(context.parameter_names),
        find_unused_(context.options.find_unused_parameters && !context.options.static_graph),
        records_graph_(context.options.static_graph),
        clock_(context.clock),
        backend_(c10::make_intrusive<QueueBackend>(context.queue)),
        group_(make_process_group(backend_)) {
    require_same_model();
    std::unordered_map<std::size_t, std::string> name_of;
    for (std::size_t i = 0; i < names_.size(); ++i) name_of[i] = names_[i];
    const contract::FrameworkOptions& options = context.options;
    reducer_ = std::make_unique<c10d::Reducer>(
        parameters_, initial_buckets(parameters_, options), group_,
        std::vector<bool>(parameters_.size(), false), bytes_of_mb(options.bucket_cap_mb),
        options.find_unused_parameters, options.gradient_as_bucket_view, std::move(name_of),
        bytes_of_mb(options.first_bucket_mb), /*skip_all_reduce_unused_params=*/false,
        /*use_python_reducer=*/false, std::vector<std::int64_t>{});
    if (options.static_graph) reducer_->set_static_graph();
    if (options.compression == "powersgd") {
      power_sgd_ = std::make_shared<PowerSgd>(parameters_, options, backend_);
      reducer_->register_comm_hook(make_powersgd_hook(power_sgd_));
    } else if (options.compression != "none") {
      reducer_->register_comm_hook(make_compression_hook(options.compression, group_));
    }
  }

  void before_forward(bool exchanges) override {
    syncs_this_pass_ = exchanges;
    if (!exchanges) return;
    in_backward_ = false;
    reducer_->prepare_for_forward();
    const double begin_s = clock_.steady_s();
    const bool rebuilt = reducer_->rebuild_buckets();
    rebuild_s_ = rebuilt ? clock_.steady_s() - begin_s : 0;
  }

  void before_backward(const at::Tensor& output) override {
    if (!syncs_this_pass_) return;  // reducer ignores this pass, as in PyTorch's no_sync
    if (std::exchange(in_backward_, true)) refuse_second_pass();
    reduced_before_ = backend_->last_all_reduce();
    allow_one_pass(output);
    if (std::exchange(records_graph_, false)) reduce_after(output);
    reducer_->prepare_for_backward(find_unused_ ? std::vector<at::Tensor>{output}
                                                : std::vector<at::Tensor>{});
  }

  void after_backward() override {
    require_all_used();
    // The reducer has already waited for its collectives at the end of the backward pass. It
    // submitted the last collective when the last gradient was ready. The time from that moment to
    // the end of this collective is not hidden behind computation.
    const auto& last = backend_->last_all_reduce();
    if (last == reduced_before_) {
      throw base::RunError("ddp: the reducer has reduced nothing in this step",
                           contract::kExitCommunication);
    }
    last->wait();
    exposed_s_ = rebuild_s_ + last->finished_s() - last->ready_s();
  }

  Optimized optimized() override { return {parameters_}; }
  double exposed_comm_s() const override { return exposed_s_; }
  double exposed_in_forward_s() const override { return rebuild_s_; }
  std::vector<NamedTensor> state() override {
    return power_sgd_ ? power_sgd_->state() : std::vector<NamedTensor>{};
  }

 private:
  /// **Collective.** Throws on each rank whose parameters differ from the parameters of rank 0 in
  /// number or shape.
  void require_same_model() {
    try {
      c10d::verify_params_across_processes(group_, parameters_, std::nullopt);
    } catch (const c10::Error& error) {
      throw base::RunError(std::string("ddp: ranks have different models: ") + error.msg(),
                           contract::kExitCommunication);
    }
  }

  /// Delays the reduction to the end of the backward pass. This delay is needed in the first step
  /// of a static graph, in which the hooks of the reducer only count gradients. PyTorch's wrapper
  /// does the same.
  void reduce_after(const at::Tensor& output) {
    output.register_hook([this](const at::Tensor&) {
      torch::autograd::Engine::get_default_engine().queue_callback(
          [this] { reducer_->delay_all_reduce(); });
    });
  }

  /// Sets a hook that throws in a second backward pass through `output`. The reducer reduces
  /// gradients once in each step. The gradients of a second pass would be added to the reduced
  /// means without an exchange between ranks.
  void allow_one_pass(const at::Tensor& output) {
    passes_ = 0;
    if (!output.defined() || !output.requires_grad()) return;
    output.register_hook([this](const at::Tensor&) {
      if (++passes_ > 1) refuse_second_pass();
    });
  }

  [[noreturn]] static void refuse_second_pass() {
    throw base::RunError(
        "ddp: one step has two backward passes, but the gradients of the second pass would not be "
        "reduced; combine both losses into one",
        contract::kExitBadRunDescription);
  }

  /// Throws when the loss of this step did not depend on some parameter. In this case, the reducer
  /// has not reduced the bucket of this parameter.
  void require_all_used() {
    try {
      reducer_->check_finalized();
    } catch (const c10::Error&) {
      throw base::RunError("ddp: the loss does not depend on every parameter" + unused() +
                               "; set framework_options.find_unused_parameters",
                           contract::kExitBadRunDescription);
    }
  }

  /// Returns a list, in the form " (a, b)", of the names of parameters without a gradient. Returns
  /// an empty string when every parameter has a gradient, which may come from an earlier step.
  std::string unused() const {
    std::string list;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i].grad().defined()) list += (list.empty() ? " (" : ", ") + names_[i];
    }
    return list.empty() ? list : list + ")";
  }

  std::vector<at::Tensor> parameters_;
  std::vector<std::string> names_;
  bool find_unused_;    ///< search for unused parameters in each step
  bool records_graph_;  ///< true in the first step of a static graph
  const base::Clock& clock_;
  c10::intrusive_ptr<QueueBackend> backend_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
  std::shared_ptr<PowerSgd> power_sgd_;  ///< state of PowerSGD; null without PowerSGD
  std::unique_ptr<c10d::Reducer> reducer_;
  bool syncs_this_pass_ = true;
  bool in_backward_ = false;              ///< true after a backward pass with a reduction has begun
  std::shared_ptr<Work> reduced_before_;  ///< last all-reduce of earlier steps
  int passes_ = 0;                        ///< number of backward passes through the model's output
  double rebuild_s_ = 0;
  double exposed_s_ = 0;
};

std::unique_ptr<GradientSync> make_ddp(const SyncContext& context) {
  return std::make_unique<Ddp>(context);
}

}  // namespace

extern const SyncEntry ddp_entry;
const SyncEntry ddp_entry{
    .name = "ddp",
    .summary =
        "PyTorch's DistributedDataParallel: buckets are all-reduced during the backward pass",
    .make = &make_ddp};

}  // namespace dlscale::trainer
