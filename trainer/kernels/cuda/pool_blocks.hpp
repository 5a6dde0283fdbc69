// SPDX-License-Identifier: Apache-2.0
// Max pooling of images with channels last.
//
// The forward pass stores the position of each maximum for the backward pass. These kernels store
// the position within the window in one byte, while LibTorch uses eight bytes per maximum. The
// kernels therefore need less memory traffic.
#pragma once

#include "trainer/kernels/cuda/blocks.hpp"

namespace dlscale::trainer::kernel {

struct PoolShape {
  std::int64_t samples;
  int channels;
  int height, width;            ///< size of the input
  int out_height, out_width;    ///< size of the output
  int window, stride, padding;  ///< side, stride and padding of a window; the side is at most 16
};

/// Arguments of pool_largest(). A row of the grid is a pixel. The grid covers the pixels of the
/// output. In the backward pass, the grid covers the pixels of the input.
template <class T>
struct PoolCall {
  RowGrid grid;
  PoolShape shape;
  const T* x;
  T* y;
  std::uint8_t* places;  ///< position of each maximum within its window, in the layout of y
};

template <class T, int V, class Block>
constexpr void pool_largest(Block& block, const PoolCall<T>& call) {
  block.each_thread([&](int thread) {
    const ThreadPart part = part_of(block, call.grid, thread);
    if (!part.works) return;
    const PoolShape& shape = call.shape;
    for (std::int64_t row = part.first_row; row < part.last_row; row += call.grid.lanes) {
      const auto out_x = static_cast<int>(row % shape.out_width);
      const auto out_y = static_cast<int>(row / shape.out_width % shape.out_height);
      const std::int64_t sample = row / shape.out_width / shape.out_height;
      const int left = out_x * shape.stride - shape.padding;
      const int top = out_y * shape.stride - shape.padding;
      float most[V] = {};
      Pack<std::uint8_t, V> places = {};
      Pack<T, V> kept = {};
      bool is_first = true;
      for (int place = 0; place < shape.window * shape.window; ++place) {
        const int y = top + place / shape.window;
        const int x = left + place % shape.window;
        if (y < 0 || x < 0 || y >= shape.height || x >= shape.width) continue;
        const std::int64_t pixel = (sample * shape.height + y) * shape.width + x;
        const Pack<T, V> pack =
            block.template load<V>(call.x + pixel * shape.channels + part.channel);
        float values[V] = {};
        block.widen(pack, values);
        for (int k = 0; k < V; ++k) {
          // Like LibTorch, selects the first of several equal values, and prefers NaN to every
          // number.
          if (!is_first && !(values[k] > most[k]) && values[k] == values[k]) continue;
          most[k] = values[k];
          kept.values[k] = pack.values[k];
          places.values[k] = static_cast<std::uint8_t>(place);
        }
        is_first = false;
      }
      const std::int64_t at = row * shape.channels + part.channel;
      block.store_pack(kept, call.y + at);
      block.store_pack(places, call.places + at);
    }
  });
}

template <class T>
struct PoolGradientCall {
  RowGrid grid;
  PoolShape shape;
  const T* dy;
  const std::uint8_t* places;
  T* dx;
};

/// Computes the gradient of the input. Each input pixel adds the gradients of the windows in which
/// it is the maximum.
template <class T, int V, class Block>
constexpr void pool_gradient(Block& block, const PoolGradientCall<T>& call) {
  block.each_thread([&](int thread) {
    const ThreadPart part = part_of(block, call.grid, thread);
    if (!part.works) return;
    const PoolShape& shape = call.shape;
    const auto first_window = [&](int pixel) {
      const int past = pixel + shape.padding - shape.window;
      return past < 0 ? 0 : past / shape.stride + 1;
    };
    const auto last_window = [&](int pixel, int count) {
      const int last = (pixel + shape.padding) / shape.stride;
      return last < count ? last : count - 1;
    };
    for (std::int64_t row = part.first_row; row < part.last_row; row += call.grid.lanes) {
      const auto x = static_cast<int>(row % shape.width);
      const auto y = static_cast<int>(row / shape.width % shape.height);
      const std::int64_t sample = row / shape.width / shape.height;
      float sums[V] = {};
      for (int out_y = first_window(y); out_y <= last_window(y, shape.out_height); ++out_y) {
        for (int out_x = first_window(x); out_x <= last_window(x, shape.out_width); ++out_x) {
          const int place = (y + shape.padding - out_y * shape.stride) * shape.window + x +
                            shape.padding - out_x * shape.stride;
          const std::int64_t window = (sample * shape.out_height + out_y) * shape.out_width + out_x;
          const std::int64_t at = window * shape.channels + part.channel;
          const Pack<std::uint8_t, V> places = block.template load<V>(call.places + at);
          float dy[V] = {};
          block.widen(block.template load<V>(call.dy + at), dy);
          for (int k = 0; k < V; ++k) {
            if (places.values[k] == place) sums[k] += dy[k];
          }
        }
      }
      Pack<T, V> pack = {};
      block.store(sums, pack, call.dx + row * shape.channels + part.channel);
    }
  });
}

}  // namespace dlscale::trainer::kernel
