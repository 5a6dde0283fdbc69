// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/kernels/host_launches.hpp"

#include <torch/types.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace dlscale::test {
namespace {

using namespace trainer;          // types of the kernels' values
using namespace trainer::kernel;  // NOLINT: a test

/// Thread block whose threads run one after another, phase by phase.
class HostBlock {
 public:
  HostBlock(int tile, int chunk, int threads, std::size_t shared_bytes)
      : tile_(tile), chunk_(chunk), threads_(threads), shared_(shared_bytes / sizeof(double) + 1) {}

  int tile() const { return tile_; }
  int chunk() const { return chunk_; }
  int threads() const { return threads_; }
  template <class S>
  S* shared() {
    return reinterpret_cast<S*>(shared_.data());
  }
  template <class Body>
  void each_thread(const Body& body) {
    for (int thread = 0; thread < threads_; ++thread) body(thread);
  }

  template <int V, class T>
  Pack<T, V> load(const T* from) const {
    Pack<T, V> pack;
    require_aligned(from, sizeof pack);
    std::copy_n(from, V, pack.values);
    return pack;
  }
  template <class T, int V>
  void store_pack(const Pack<T, V>& pack, T* to) const {
    require_aligned(to, sizeof pack);
    std::copy_n(pack.values, V, to);
  }
  template <class T, int V>
  void widen(const Pack<T, V>& pack, float* to) const {
    for (int k = 0; k < V; ++k) to[k] = static_cast<float>(pack.values[k]);
  }
  template <class T, int V>
  void store(const float* from, Pack<T, V> pack, T* to) const {
    for (int k = 0; k < V; ++k) pack.values[k] = static_cast<T>(from[k]);
    store_pack(pack, to);
  }

 private:
  /// Throws std::logic_error for an address that is not aligned, because a GPU rejects it.
  static void require_aligned(const void* address, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) return;
    throw std::logic_error("a pack at an address that is not a multiple of its size");
  }

  int tile_, chunk_, threads_;
  std::vector<double> shared_;
};

/// Runs `body` for every block of a grid. The last block runs first, because the order of blocks is
/// undefined on a GPU.
template <class Body>
void for_blocks(std::int64_t tiles, int chunks, int threads, std::size_t shared_bytes,
                const Body& body) {
  for (int chunk = chunks - 1; chunk >= 0; --chunk) {
    for (std::int64_t tile = tiles - 1; tile >= 0; --tile) {
      HostBlock block(static_cast<int>(tile), chunk, threads, shared_bytes);
      body(block);
    }
  }
}

/// Calls body(block, V) for every block of a grid of rows, where V is the number of values in a
/// pack.
template <class T, class Body>
void for_rows(const RowGrid& grid, const Body& body) {
  with_pack<T>(grid, [&](auto v) {
    for_blocks(grid.tiles, grid.chunks, kThreads, sums_bytes(grid),
               [&](HostBlock& block) { body(block, v); });
  });
}

template <class Body>
void for_channels(int channels, const Body& body) {
  for_blocks(finish_blocks(channels), 1, kFinishThreads, kFinishBytes, body);
}

template <class Body>
void for_samples(std::int64_t samples, const Body& body) {
  for_blocks(samples, 1, kLossThreads, kLossBytes, body);
}

template <class T>
void run_on_host(const MomentsCall<T>& call) {
  for_rows<T>(call.grid, [&](HostBlock& block, auto v) { add_moments<T, v()>(block, call); });
}
template <class T>
void run_on_host(const FinishMomentsCall<T>& call) {
  for_channels(call.channels, [&](HostBlock& block) { finish_moments<T>(block, call); });
}
template <class T>
void run_on_host(const NormaliseCall<T>& call) {
  for_rows<T>(call.grid, [&](HostBlock& block, auto v) { normalise<T, v()>(block, call); });
}
template <class T>
void run_on_host(const GradientSumsCall<T>& call) {
  for_rows<T>(call.grid, [&](HostBlock& block, auto v) { add_gradient_sums<T, v()>(block, call); });
}
template <class T>
void run_on_host(const FinishGradientsCall<T>& call) {
  for_channels(call.channels, [&](HostBlock& block) { finish_gradients<T>(block, call); });
}
template <class T>
void run_on_host(const NormGradientCall<T>& call) {
  for_rows<T>(call.grid, [&](HostBlock& block, auto v) { norm_gradient<T, v()>(block, call); });
}
template <class T>
void run_on_host(const PoolCall<T>& call) {
  for_rows<T>(call.grid, [&](HostBlock& block, auto v) { pool_largest<T, v()>(block, call); });
}
template <class T>
void run_on_host(const PoolGradientCall<T>& call) {
  for_rows<T>(call.grid, [&](HostBlock& block, auto v) { pool_gradient<T, v()>(block, call); });
}
template <class T>
void run_on_host(const LossCall<T>& call) {
  for_samples(call.samples, [&](HostBlock& block) { cross_entropy<T>(block, call); });
}
template <class T>
void run_on_host(const LossGradientCall<T>& call) {
  for_samples(call.samples, [&](HostBlock& block) { cross_entropy_gradient<T>(block, call); });
}

class HostLaunches : public Launches {
 public:
  explicit HostLaunches(int blocks) : blocks_(blocks) {}
  void run(const Call& call) const override {
    std::visit([](const auto& each) { run_on_host(each); }, call);
  }
  bool serves(const at::Tensor& tensor) const override { return tensor.is_cpu(); }
  int blocks() const override { return blocks_; }

 private:
  int blocks_;
};

}  // namespace

std::unique_ptr<Launches> make_host_launches(int blocks) {
  return std::make_unique<HostLaunches>(blocks);
}

}  // namespace dlscale::test
