// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/parallel/recorded_device.hpp"

#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace dlscale::test {
namespace {

/// Call of an operator that has its own kernel. An operator that consists of other operators is
/// recorded as calls of these operators.
struct Call {
  c10::OperatorHandle op;
  std::vector<c10::IValue> inputs, outputs;
};

template <class Visit>
void for_each_tensor(const std::vector<c10::IValue>& values, const Visit& visit) {
  for (const c10::IValue& value : values) {
    if (value.isTensor() && value.toTensor().defined()) visit(value.toTensor());
    if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorVector()) visit(tensor);
    }
  }
}

class Recording;
thread_local Recording* recording = nullptr;

/// Recorder of the operator calls of this thread during its lifetime.
class Recording {
 public:
  Recording()
      : callback_(at::addThreadLocalCallback(at::RecordFunctionCallback(&begin, &end)
                                                 .needsInputs(true)
                                                 .needsOutputs(true)
                                                 .scopes({at::RecordScope::FUNCTION}))) {
    recording = this;
  }
  ~Recording() {
    at::removeCallback(callback_);
    recording = nullptr;
  }
  std::vector<Call> take() {
    if (!failure_.empty()) throw base::RunError(failure_);
    return std::move(calls_);
  }
  /// Restores the content of all memory that was allocated before the recording.
  void restore() const {
    const at::AutoDispatchBelowADInplaceOrView unseen;  // hides the copies from autograd
    for (const auto& [memory, kept] : before_) kept.first.copy_(kept.second);
  }

 private:
  struct Under : at::ObserverContext {
    std::optional<Call> call;
  };

  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
    Recording& here = *recording;
    auto under = std::make_unique<Under>();
    const auto name = function.operator_name();
    const auto op = name ? c10::Dispatcher::singleton().findSchema(*name) : std::nullopt;
    const bool is_kernel =
        op && !is_cast(*op) &&
        (op->hasKernelForDispatchKey(c10::DispatchKey::CPU) ||
         op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd));
    if (!is_kernel || here.depth_ > 0) return nullptr;
    ++here.depth_;
    if (name->name == "aten::_local_scalar_dense") here.failure_ = "reads a number from the device";
    const auto inputs = function.inputs();
    under->call = Call{*op, std::vector<c10::IValue>(inputs.begin(), inputs.end()), {}};
    here.keep(under->call->inputs);
    return under;
  }

  /// Returns whether autocast handles an operator. Autocast calls the operator again after casting
  /// its inputs, so only the inner call is recorded.
  static bool is_cast(const c10::OperatorHandle& op) {
    return at::autocast::is_autocast_enabled(at::kCPU) &&
           !c10::impl::tls_is_dispatch_key_excluded(c10::DispatchKey::AutocastCPU) &&
           op.hasKernelForDispatchKey(c10::DispatchKey::AutocastCPU);
  }

  static void end(const at::RecordFunction& function, at::ObserverContext* context) {
    if (context == nullptr) return;
    Recording& here = *recording;
    --here.depth_;
    Call& call = *static_cast<Under*>(context)->call;
    call.outputs = function.outputs();
    for_each_tensor(call.outputs,
                    [&](const at::Tensor& made) { here.own_.insert(made.data_ptr()); });
    here.calls_.push_back(std::move(call));
  }

  void keep(const std::vector<c10::IValue>& inputs) {
    ++depth_;
    for_each_tensor(inputs, [&](const at::Tensor& tensor) {
      if (own_.contains(tensor.data_ptr()) || before_.contains(tensor.data_ptr())) return;
      before_[tensor.data_ptr()] = {tensor.detach(), tensor.detach().clone()};
    });
    --depth_;
  }

  at::CallbackHandle callback_;
  int depth_ = 0;  ///< depth of nested operator calls
  std::vector<Call> calls_;
  std::set<void*> own_;  ///< memory that recorded calls created
  /// Tensors in memory from before the recording, each with a copy of its content.
  std::map<void*, std::pair<at::Tensor, at::Tensor>> before_;
  std::string failure_;
};

class Replay : public trainer::WorkGraph {
 public:
  Replay(std::vector<Call> calls, int& replays) : calls_(std::move(calls)), replays_(replays) {}

  void replay() override {
    ++replays_;
    const at::AutoDispatchBelowADInplaceOrView kernels_only;
    for (const Call& call : calls_) {
      std::vector<c10::IValue> stack = call.inputs;
      call.op.callBoxed(stack);
      std::vector<at::Tensor> made;
      for_each_tensor(stack, [&](const at::Tensor& tensor) { made.push_back(tensor); });
      std::size_t next = 0;
      for_each_tensor(call.outputs, [&](const at::Tensor& place) {
        const at::Tensor& result = made.at(next++);
        if (result.data_ptr() != place.data_ptr()) place.detach().copy_(result);
      });
    }
  }

 private:
  std::vector<Call> calls_;
  int& replays_;
};

class Recorder : public trainer::WorkRecorder {
 public:
  explicit Recorder(int& replays) : replays_(replays) {}
  void rehearse(const std::function<void()>& work) override { work(); }
  std::unique_ptr<trainer::WorkGraph> record(const std::function<void()>& work) override {
    std::vector<Call> calls;
    {
      Recording now;
      work();
      try {
        calls = now.take();
      } catch (const base::RunError&) {
        now.restore();
        throw;
      }
      now.restore();
    }
    return std::make_unique<Replay>(std::move(calls), replays_);
  }

 private:
  int& replays_;
};

class RecordedDevice : public trainer::Device {
 public:
  explicit RecordedDevice(int& replays)
      : cpu_(base::find(trainer::device_table(), "device", "cpu").make({})), replays_(replays) {}
  c10::Device torch_device() const override { return cpu_->torch_device(); }
  void synchronize() override {}
  std::unique_ptr<trainer::Timeline> timeline(const base::Clock& clock) override {
    return cpu_->timeline(clock);
  }
  std::unique_ptr<trainer::WorkRecorder> recorder() override {
    return std::make_unique<Recorder>(replays_);
  }
  double peak_memory_bytes() const override { return cpu_->peak_memory_bytes(); }

 private:
  std::unique_ptr<trainer::Device> cpu_;
  int& replays_;
};

}  // namespace

std::unique_ptr<trainer::Device> make_recorded_device(int& replays) {
  return std::make_unique<RecordedDevice>(replays);
}

}  // namespace dlscale::test
