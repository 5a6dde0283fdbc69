// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/comm/on_gpu.hpp"

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <utility>

namespace dlscale::test {

using trainer::Communicator;
using trainer::Memory;
using trainer::ReduceOp;
using trainer::Span;

namespace {

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

/// GPU memory that is initialised with a copy of `host`.
class Twin {
 public:
  explicit Twin(const Span& host) : host_(host) {
    if (host.count == 0) return;
    check(cudaMalloc(&memory_, host.bytes()));
    check(cudaMemcpy(memory_, host.data, host.bytes(), cudaMemcpyHostToDevice));
    // cudaMemcpy() of little data returns before the copy is complete.
    check(cudaDeviceSynchronize());
  }
  ~Twin() { cudaFree(memory_); }
  Twin(const Twin&) = delete;
  Twin& operator=(const Twin&) = delete;
  Span span() const { return {memory_, host_.count, host_.type, Memory::device}; }
  void copy_back() const {
    if (host_.count == 0) return;
    check(cudaMemcpy(host_.data, memory_, host_.bytes(), cudaMemcpyDeviceToHost));
  }

 private:
  Span host_;
  void* memory_ = nullptr;
};

class OnGpu : public Communicator {
 public:
  explicit OnGpu(std::unique_ptr<Communicator> ranks)
      : Communicator(ranks->rank(), ranks->size()), ranks_(std::move(ranks)) {
    check(cudaGetDevice(&gpu_));
  }

 private:
  void do_all_reduce(Span data, ReduceOp op) override {
    const Twin twin = on_this_thread(data);
    ranks_->all_reduce(twin.span(), op);
    twin.copy_back();
  }
  void do_reduce_scatter(Span in, Span out, ReduceOp op) override {
    const Twin from = on_this_thread(in), to(out);
    ranks_->reduce_scatter(from.span(), to.span(), op);
    from.copy_back();
    to.copy_back();
  }
  void do_all_gather(Span in, Span out) override {
    const Twin whole = on_this_thread(out), part(in);
    const bool in_place = in.data == out.part(in.count * rank(), in.count).data;
    ranks_->all_gather(in_place ? whole.span().part(in.count * rank(), in.count) : part.span(),
                       whole.span());
    whole.copy_back();
  }
  void do_broadcast(Span data, int root) override {
    const Twin twin = on_this_thread(data);
    ranks_->broadcast(twin.span(), root);
    twin.copy_back();
  }
  void do_reduce(Span data, ReduceOp op, int root) override {
    const Twin twin = on_this_thread(data);
    ranks_->reduce(twin.span(), op, root);
    twin.copy_back();
  }
  void do_exchange(Span out, int to, Span in, int from) override {
    const Twin sent = on_this_thread(out), received(in);
    ranks_->exchange(sent.span(), to, received.span(), from);
    received.copy_back();
  }
  void do_check_same_call(const trainer::NamedCollective& call) override {
    ranks_->check_same_call(call);
  }
  std::unique_ptr<Communicator> do_split(int color) override {
    check(cudaSetDevice(gpu_));
    return on_gpu(ranks_->split(color));
  }

  /// Copies `host` to the GPU after selecting the GPU for the calling thread. The selection is
  /// necessary because the suite also calls the communicator from new threads.
  Twin on_this_thread(const Span& host) const {
    check(cudaSetDevice(gpu_));
    return Twin(host);
  }

  std::unique_ptr<Communicator> ranks_;
  int gpu_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> on_gpu(std::unique_ptr<Communicator> ranks) {
  return std::make_unique<OnGpu>(std::move(ranks));
}

}  // namespace dlscale::test
