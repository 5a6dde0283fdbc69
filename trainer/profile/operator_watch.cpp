// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/operator_watch.hpp"

#include <ATen/record_function.h>

#include <chrono>
#include <map>
#include <mutex>
#include <utility>

namespace dlscale::trainer {

class OperatorWatch : public KernelWatch {
 public:
  OperatorWatch();
  ~OperatorWatch() override;
  std::vector<KernelTime> stop() override;
  void add(std::string_view name, KernelKind kind, double self_s) {
    const std::lock_guard lock(mutex_);
    auto found = times_.find(name);
    if (found == times_.end()) {
      found = times_.emplace(name, KernelTime{std::string(name), kind}).first;
    }
    ++found->second.calls;
    found->second.self_s += self_s;
  }

 private:
  at::CallbackHandle callback_;
  bool watching_ = true;
  std::mutex mutex_;  // protects times_, because the threads of several devices add times
  std::map<std::string, KernelTime, std::less<>> times_;
};

namespace {

bool is_ours(std::string_view name) {
  return name.starts_with("dlscale::");
}

/// Returns true if `name` is the name of an operator. LibTorch also reports calls with other names,
/// which are wrappers of the autograd engine.
bool is_operator(std::string_view name) {
  return name.starts_with("aten::") || is_ours(name);
}

/// Operator call that has started and has not ended yet.
struct Call : at::ObserverContext {
  double start_s = 0;
  double inner_s = 0;  ///< seconds of the operator calls made within this call
  Call* outer = nullptr;
  bool is_whole = false;  ///< true when inner calls are not counted separately
};

thread_local OperatorWatch* watch_of_thread = nullptr;
thread_local Call* innermost = nullptr;

double now_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

std::unique_ptr<at::ObserverContext> begin_call(const at::RecordFunction& function) {
  if (watch_of_thread == nullptr) return nullptr;
  const std::string_view name = function.name();
  if (!is_operator(name) || (innermost != nullptr && innermost->is_whole)) return nullptr;
  auto call = std::make_unique<Call>();
  call->is_whole = is_ours(name);
  call->outer = std::exchange(innermost, call.get());
  call->start_s = now_s();
  return call;
}

void end_call(const at::RecordFunction& function, at::ObserverContext* context) {
  if (context == nullptr) return;
  const Call& call = *static_cast<Call*>(context);
  const double taken_s = now_s() - call.start_s;
  innermost = call.outer;
  if (innermost != nullptr) innermost->inner_s += taken_s;
  if (watch_of_thread == nullptr) return;
  const std::string_view name = function.name();
  watch_of_thread->add(name, kind_of(name), taken_s - call.inner_s);
}

}  // namespace

OperatorWatch::OperatorWatch()
    : callback_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(begin_call, end_call).scopes({at::RecordScope::FUNCTION}))) {
  watch_of_thread = this;
}

OperatorWatch::~OperatorWatch() {
  if (watching_) stop();
}

std::vector<KernelTime> OperatorWatch::stop() {
  watching_ = false;
  at::removeCallback(callback_);
  watch_of_thread = nullptr;
  std::vector<KernelTime> all;
  for (auto& [name, kernel] : times_) all.push_back(std::move(kernel));
  return all;
}

std::unique_ptr<KernelWatch> make_operator_watch() {
  return std::make_unique<OperatorWatch>();
}

OperatorWatch* operator_watch() {
  return watch_of_thread;
}

WatchedBy::WatchedBy(OperatorWatch* watch) : before_(std::exchange(watch_of_thread, watch)) {}

WatchedBy::~WatchedBy() {
  watch_of_thread = before_;
}

UncountedSection::UncountedSection() : watch_(std::exchange(watch_of_thread, nullptr)) {}

UncountedSection::~UncountedSection() {
  watch_of_thread = watch_;
}

LoadingSection::LoadingSection() : start_s_(now_s()) {}

LoadingSection::~LoadingSection() {
  if (watch_ != nullptr) watch_->add("loading", KernelKind::io, now_s() - start_s_);
}

}  // namespace dlscale::trainer
