// SPDX-License-Identifier: Apache-2.0
// Batch normalisation of images with channels last, including the residual addition and the ReLU
// that follow it. The kernels make two passes over memory in the forward direction and two in the
// backward direction.
//
// A pass that needs sums over all pixels uses two kernels. In the first kernel, every block writes
// its partial sums. The second, small kernel adds the partial sums in a fixed order and computes
// the numbers of each channel. Results therefore do not depend on the order in which blocks run.
#pragma once

#include <cmath>
#include <cstddef>

#include "trainer/kernels/cuda/blocks.hpp"

namespace dlscale::trainer::kernel {

/// Number of rows that a thread loads before the thread computes with the first of these rows. The
/// loads then run at the same time, which hides the memory latency.
constexpr int kAhead = 4;
constexpr int kFewAhead = 2;  ///< kAhead for kernels that load three values per result

/// Four numbers for each channel, which the forward pass stores for the backward pass.
struct ChannelNumbers {
  float* mean;
  float* deviation;  ///< 1 / √(variance + ε)
  float* scale;      ///< weight x deviation
  float* shift;      ///< bias - mean x scale
};

/// Adds up the sums of all lanes of a block. `sums` lies in shared memory and has the shape lanes x
/// columns x 2V. The results are written to `partials`, which has the shape chunks x 2 x channels.
template <int V, class Block>
constexpr void write_partials(Block& block, const RowGrid& grid, const float* sums,
                              float* partials) {
  block.each_thread([&](int thread) {
    const int width = grid.columns * 2 * V;
    for (int i = thread; i < width; i += block.threads()) {
      const int channel = (block.tile() * grid.columns + i / (2 * V)) * V + i % V;
      if (channel >= grid.channels) continue;
      float sum = 0;
      for (int lane = 0; lane < grid.lanes; ++lane) sum += sums[lane * width + i];
      const int which = i % (2 * V) / V;
      partials[(std::int64_t{block.chunk()} * 2 + which) * grid.channels + channel] = sum;
    }
  });
}

/// Arguments of add_moments(), which computes for each channel the sums of x - pivot and of (x -
/// pivot)². The pivot is the first row of x. Without a pivot, the variance would lose its precision
/// when the values are far from 0.
template <class T>
struct MomentsCall {
  RowGrid grid;
  const T* x;
  float* partials;
};

template <class T, int V, class Block>
constexpr void add_moments(Block& block, const MomentsCall<T>& call) {
  float* const sums = block.template shared<float>();
  block.each_thread([&](int thread) {
    const ThreadPart part = part_of(block, call.grid, thread);
    if (!part.works) return;
    const std::int64_t channels = call.grid.channels;
    float pivot[V] = {}, first[V] = {}, second[V] = {};
    block.widen(block.template load<V>(call.x + part.channel), pivot);
    const std::int64_t step = call.grid.lanes;
    for (std::int64_t row = part.first_row; row < part.last_row; row += kAhead * step) {
      Pack<T, V> packs[kAhead] = {};
      for (int a = 0; a < kAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        packs[a] = block.template load<V>(call.x + (row + a * step) * channels + part.channel);
      }
      for (int a = 0; a < kAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        float x[V] = {};
        block.widen(packs[a], x);
        for (int k = 0; k < V; ++k) {
          const float d = x[k] - pivot[k];
          first[k] += d;
          second[k] += d * d;
        }
      }
    }
    float* const mine = sums + (part.lane * call.grid.columns + part.column) * 2 * V;
    for (int k = 0; k < V; ++k) {
      mine[k] = first[k];
      mine[V + k] = second[k];
    }
  });
  write_partials<V>(block, call.grid, sums, call.partials);
}

/// Numbers of channels and of lanes in a block that adds partial sums (see finish_sums()). The
/// product of the two numbers is the number of threads of the block.
constexpr int kFinishChannels = 32;
constexpr int kFinishLanes = 32;
constexpr int kFinishThreads = kFinishChannels * kFinishLanes;
/// Bytes of shared memory per block.
constexpr std::size_t kFinishBytes = sizeof(double) * 2 * kFinishThreads;

/// Returns the number of blocks that add the partial sums of all channels.
constexpr int finish_blocks(int channels) {
  return (channels + kFinishChannels - 1) / kFinishChannels;
}

/// Returns the bytes of shared memory that a block of the grid needs for two sums per value in the
/// packs of all its threads.
constexpr std::size_t sums_bytes(const RowGrid& grid) {
  return sizeof(float) * 2 * static_cast<std::size_t>(grid.vector * grid.lanes * grid.columns);
}

/// Adds the partial sums of all chunks for each channel. Then one thread per channel calls
/// use(channel, first sum, second sum).
template <class Block, class Use>
constexpr void finish_sums(Block& block, int channels, int chunks, const float* partials,
                           const Use& use) {
  double* const sums = block.template shared<double>();
  block.each_thread([&](int thread) {
    const int channel = block.tile() * kFinishChannels + thread % kFinishChannels;
    const int lane = thread / kFinishChannels;
    double first = 0, second = 0;
    for (int chunk = lane; chunk < chunks && channel < channels; chunk += kFinishLanes) {
      const float* const of_chunk = partials + std::int64_t{chunk} * 2 * channels;
      first += static_cast<double>(of_chunk[channel]);
      second += static_cast<double>(of_chunk[channels + channel]);
    }
    sums[2 * thread] = first;
    sums[2 * thread + 1] = second;
  });
  block.each_thread([&](int thread) {
    const int channel = block.tile() * kFinishChannels + thread;
    if (thread >= kFinishChannels || channel >= channels) return;
    double first = 0, second = 0;
    for (int lane = 0; lane < kFinishLanes; ++lane) {
      first += sums[2 * (lane * kFinishChannels + thread)];
      second += sums[2 * (lane * kFinishChannels + thread) + 1];
    }
    use(channel, first, second);
  });
}

/// Arguments of finish_moments(), which computes `numbers` for each channel from the partial sums.
/// The kernel also updates the running statistics and increments the number of batches.
template <class T>
struct FinishMomentsCall {
  std::int64_t rows;
  int channels;
  int chunks;
  const float* partials;
  const T* x;  ///< input of the normalisation, whose first row is the pivot
  const float* weight;
  const float* bias;
  float* running_mean;
  float* running_variance;
  std::int64_t* batches;  ///< number of batches so far, one value
  double momentum;
  double epsilon;
  ChannelNumbers numbers;
};

template <class T, class Block>
constexpr void finish_moments(Block& block, const FinishMomentsCall<T>& call) {
  finish_sums(
      block, call.channels, call.chunks, call.partials, [&](int c, double first, double second) {
        const auto count = static_cast<double>(call.rows);
        float pivot[1] = {};
        block.widen(block.template load<1>(call.x + c), pivot);
        const double offset = first / count;
        const double mean = static_cast<double>(pivot[0]) + offset;
        double variance = second / count - offset * offset;
        // Rounding errors can make the variance negative. Unlike std::max, this comparison leaves
        // NaN unchanged.
        if (variance < 0) variance = 0;
        const double deviation = 1 / std::sqrt(variance + call.epsilon);
        const double scale = static_cast<double>(call.weight[c]) * deviation;
        call.numbers.mean[c] = static_cast<float>(mean);
        call.numbers.deviation[c] = static_cast<float>(deviation);
        call.numbers.scale[c] = static_cast<float>(scale);
        call.numbers.shift[c] =
            static_cast<float>(static_cast<double>(call.bias[c]) - mean * scale);
        const double keep = 1 - call.momentum;
        const double unbiased = variance * count / (count - 1);
        call.running_mean[c] = static_cast<float>(keep * static_cast<double>(call.running_mean[c]) +
                                                  call.momentum * mean);
        call.running_variance[c] = static_cast<float>(
            keep * static_cast<double>(call.running_variance[c]) + call.momentum * unbiased);
        if (c == 0) *call.batches += 1;
      });
}

/// Arguments of normalise(), which computes y = ReLU(scale x + shift + added).
template <class T>
struct NormaliseCall {
  RowGrid grid;
  const T* x;
  const float* scale;
  const float* shift;
  const T* added;  ///< null if nothing is added
  bool relu;
  T* y;
};

template <class T, int V, class Block>
constexpr void normalise(Block& block, const NormaliseCall<T>& call) {
  block.each_thread([&](int thread) {
    const ThreadPart part = part_of(block, call.grid, thread);
    if (!part.works) return;
    const std::int64_t channels = call.grid.channels;
    float scale[V] = {}, shift[V] = {};
    for (int k = 0; k < V; ++k) {
      scale[k] = call.scale[part.channel + k];
      shift[k] = call.shift[part.channel + k];
    }
    const std::int64_t step = call.grid.lanes;
    for (std::int64_t row = part.first_row; row < part.last_row; row += kAhead * step) {
      Pack<T, V> packs[kAhead] = {}, others[kAhead] = {};
      for (int a = 0; a < kAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        const std::int64_t at = (row + a * step) * channels + part.channel;
        packs[a] = block.template load<V>(call.x + at);
        if (call.added != nullptr) others[a] = block.template load<V>(call.added + at);
      }
      for (int a = 0; a < kAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        float x[V] = {}, other[V] = {};
        block.widen(packs[a], x);
        if (call.added != nullptr) block.widen(others[a], other);
        for (int k = 0; k < V; ++k) {
          x[k] = x[k] * scale[k] + shift[k] + other[k];
          if (call.relu && x[k] < 0) x[k] = 0;
        }
        block.store(x, packs[a], call.y + (row + a * step) * channels + part.channel);
      }
    }
  });
}

/// Rule by which a kernel computes g, the gradient of the input of the ReLU, from dy, the gradient
/// of the output.
enum class Mask {
  none,         ///< g = dy, when there is no ReLU
  from_input,   ///< g = dy where scale x + shift > 0, when nothing is added before the ReLU
  from_output,  ///< g = dy where y > 0
};

/// Arguments of add_gradient_sums(), which computes for each channel the sums of g and of g (x -
/// mean).
template <class T>
struct GradientSumsCall {
  RowGrid grid;
  Mask mask;
  const T* x;
  const T* y;  ///< output of the ReLU, null unless the mask is from_output
  const T* dy;
  T* g;  ///< array to which the kernel writes g, null if g is not needed
  ChannelNumbers numbers;
  float* partials;
};

template <class T, int V, class Block>
constexpr void add_gradient_sums(Block& block, const GradientSumsCall<T>& call) {
  float* const sums = block.template shared<float>();
  block.each_thread([&](int thread) {
    const ThreadPart part = part_of(block, call.grid, thread);
    if (!part.works) return;
    const std::int64_t channels = call.grid.channels;
    float mean[V] = {}, scale[V] = {}, shift[V] = {}, first[V] = {}, second[V] = {};
    for (int k = 0; k < V; ++k) {
      mean[k] = call.numbers.mean[part.channel + k];
      scale[k] = call.numbers.scale[part.channel + k];
      shift[k] = call.numbers.shift[part.channel + k];
    }
    const std::int64_t step = call.grid.lanes;
    for (std::int64_t row = part.first_row; row < part.last_row; row += kFewAhead * step) {
      Pack<T, V> x_packs[kFewAhead] = {}, dy_packs[kFewAhead] = {}, y_packs[kFewAhead] = {};
      for (int a = 0; a < kFewAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        const std::int64_t at = (row + a * step) * channels + part.channel;
        x_packs[a] = block.template load<V>(call.x + at);
        dy_packs[a] = block.template load<V>(call.dy + at);
        if (call.mask == Mask::from_output) y_packs[a] = block.template load<V>(call.y + at);
      }
      for (int a = 0; a < kFewAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        float x[V] = {}, g[V] = {}, y[V] = {};
        block.widen(x_packs[a], x);
        block.widen(dy_packs[a], g);
        if (call.mask == Mask::from_output) block.widen(y_packs[a], y);
        for (int k = 0; k < V; ++k) {
          if (call.mask == Mask::from_input && !(x[k] * scale[k] + shift[k] > 0)) g[k] = 0;
          if (call.mask == Mask::from_output && !(y[k] > 0)) g[k] = 0;
          first[k] += g[k];
          second[k] += g[k] * (x[k] - mean[k]);
        }
        if (call.g != nullptr) {
          block.store(g, dy_packs[a], call.g + (row + a * step) * channels + part.channel);
        }
      }
    }
    float* const mine = sums + (part.lane * call.grid.columns + part.column) * 2 * V;
    for (int k = 0; k < V; ++k) {
      mine[k] = first[k];
      mine[V + k] = second[k];
    }
  });
  write_partials<V>(block, call.grid, sums, call.partials);
}

/// Arguments of finish_gradients(), which computes the gradients of weight and bias for each
/// channel. The kernel also computes the slope and the offset in the formula for the input
/// gradient:
///   dx = scale g + slope (x - mean) + offset.
/// With x̂ = (x - mean) deviation, this formula equals
///   dx = scale (g - mean(g) - x̂ mean(g x̂)).
template <class T>
struct FinishGradientsCall {
  std::int64_t rows;
  int channels;
  int chunks;
  const float* partials;
  ChannelNumbers numbers;
  float* dweight;
  float* dbias;
  float* slope;
  float* offset;
};

template <class T, class Block>
constexpr void finish_gradients(Block& block, const FinishGradientsCall<T>& call) {
  finish_sums(block, call.channels, call.chunks, call.partials,
              [&](int c, double first, double second) {
                const auto count = static_cast<double>(call.rows);
                const double scale = static_cast<double>(call.numbers.scale[c]);
                const double deviation = static_cast<double>(call.numbers.deviation[c]);
                const double slope = -scale * deviation * deviation * second / count;
                call.dbias[c] = static_cast<float>(first);
                call.dweight[c] = static_cast<float>(second * deviation);
                call.slope[c] = static_cast<float>(slope);
                call.offset[c] = static_cast<float>(-scale * first / count);
              });
}

/// Arguments of norm_gradient(), which computes dx = scale g + slope (x - mean) + offset.
template <class T>
struct NormGradientCall {
  RowGrid grid;
  Mask mask;  ///< none or from_input
  const T* x;
  const T* dy;
  ChannelNumbers numbers;
  const float* slope;
  const float* offset;
  T* dx;
};

template <class T, int V, class Block>
constexpr void norm_gradient(Block& block, const NormGradientCall<T>& call) {
  block.each_thread([&](int thread) {
    const ThreadPart part = part_of(block, call.grid, thread);
    if (!part.works) return;
    const std::int64_t channels = call.grid.channels;
    float mean[V] = {}, scale[V] = {}, shift[V] = {}, slope[V] = {}, offset[V] = {};
    for (int k = 0; k < V; ++k) {
      mean[k] = call.numbers.mean[part.channel + k];
      scale[k] = call.numbers.scale[part.channel + k];
      shift[k] = call.numbers.shift[part.channel + k];
      slope[k] = call.slope[part.channel + k];
      offset[k] = call.offset[part.channel + k];
    }
    const std::int64_t step = call.grid.lanes;
    for (std::int64_t row = part.first_row; row < part.last_row; row += kAhead * step) {
      Pack<T, V> x_packs[kAhead] = {}, dy_packs[kAhead] = {};
      for (int a = 0; a < kAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        const std::int64_t at = (row + a * step) * channels + part.channel;
        x_packs[a] = block.template load<V>(call.x + at);
        dy_packs[a] = block.template load<V>(call.dy + at);
      }
      for (int a = 0; a < kAhead; ++a) {
        if (row + a * step >= part.last_row) continue;
        float x[V] = {}, g[V] = {};
        block.widen(x_packs[a], x);
        block.widen(dy_packs[a], g);
        for (int k = 0; k < V; ++k) {
          if (call.mask == Mask::from_input && !(x[k] * scale[k] + shift[k] > 0)) g[k] = 0;
          g[k] = scale[k] * g[k] + (slope[k] * (x[k] - mean[k]) + offset[k]);
        }
        block.store(g, dy_packs[a], call.dx + (row + a * step) * channels + part.channel);
      }
    }
  });
}

}  // namespace dlscale::trainer::kernel
