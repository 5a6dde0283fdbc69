// SPDX-License-Identifier: Apache-2.0
#include "trainer/kernels/norm_kernels.hpp"

#include <limits>
#include <vector>

#include "trainer/kernels/each_processor.hpp"

namespace dlscale::trainer {
namespace {

/// Number of rows whose sums are computed in type NormMath<T>, which is float for most types. The
/// sums of these rows are then added to sums in double, so that rounding errors stay small.
constexpr std::int64_t kBlock = 64;

template <class T>
[[gnu::always_inline]] inline NormMath<T> wide(T value) {
  return static_cast<NormMath<T>>(value);
}

/// Accumulator of two sums for each channel. The sums of a block of rows are computed in
/// NormMath<T> and then added to the doubles in `all`.
template <class T>
class BlockSums {
 public:
  BlockSums(std::int64_t channels, double* all)
      : sums_(2 * static_cast<std::size_t>(channels)), all_(all) {}
  NormMath<T>* data() { return sums_.data(); }
  void after_row() {
    if (++rows_ % kBlock == 0) flush();
  }
  void flush() {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      all_[i] += static_cast<double>(sums_[i]);
      sums_[i] = 0;
    }
  }

 private:
  std::vector<NormMath<T>> sums_;
  double* all_;
  std::int64_t rows_ = 0;
};

}  // namespace

template <class T>
DLSCALE_FOR_EACH_PROCESSOR void add_moments(const T* x, const NormMath<T>* pivot,
                                            std::int64_t channels, Rows rows, double* sums) {
  BlockSums<T> block(channels, sums);
  NormMath<T>* __restrict const first = block.data();
  NormMath<T>* __restrict const second = first + channels;
  for (std::int64_t row = rows.first; row < rows.last; ++row) {
    const T* __restrict const from = x + row * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const NormMath<T> value = wide(from[c]) - pivot[c];
      first[c] += value;
      second[c] += value * value;
    }
    block.after_row();
  }
  block.flush();
}

template <class T>
DLSCALE_FOR_EACH_PROCESSOR void normalise(const NormForward<T>& call, std::int64_t channels,
                                          Rows rows) {
  using A = NormMath<T>;
  const A* __restrict const scale = call.scale;
  const A* __restrict const shift = call.shift;
  const A least = call.relu ? A{0} : -std::numeric_limits<A>::infinity();
  for (std::int64_t row = rows.first; row < rows.last; ++row) {
    const T* __restrict const x = call.x + row * channels;
    T* __restrict const y = call.y + row * channels;
    if (call.added == nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const A value = wide(x[c]) * scale[c] + shift[c];
        y[c] = T(value < least ? least : value);
      }
    } else {
      const T* __restrict const added = call.added + row * channels;
      for (std::int64_t c = 0; c < channels; ++c) {
        const A value = wide(x[c]) * scale[c] + shift[c] + wide(added[c]);
        y[c] = T(value < least ? least : value);
      }
    }
  }
}

template <class T>
DLSCALE_FOR_EACH_PROCESSOR void add_gradient_sums(const NormGradient<T>& from,
                                                  const NormMath<T>* mean, std::int64_t channels,
                                                  Rows rows, double* sums) {
  using A = NormMath<T>;
  BlockSums<T> block(channels, sums);
  A* __restrict const first = block.data();
  A* __restrict const second = first + channels;
  for (std::int64_t row = rows.first; row < rows.last; ++row) {
    const std::int64_t at = row * channels;
    const T* __restrict const x = from.x + at;
    const T* __restrict const dy = from.dy + at;
    if (from.y == nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) {
        first[c] += wide(dy[c]);
        second[c] += wide(dy[c]) * (wide(x[c]) - mean[c]);
      }
    } else {
      const T* __restrict const y = from.y + at;
      for (std::int64_t c = 0; c < channels; ++c) {
        const A value = wide(y[c]) > A{0} ? wide(dy[c]) : A{0};
        first[c] += value;
        second[c] += value * (wide(x[c]) - mean[c]);
      }
      if (from.g != nullptr) {
        T* __restrict const out = from.g + at;
        for (std::int64_t c = 0; c < channels; ++c)
          out[c] = T(wide(y[c]) > A{0} ? wide(dy[c]) : A{0});
      }
    }
    block.after_row();
  }
  block.flush();
}

template <class T>
DLSCALE_FOR_EACH_PROCESSOR void normalise_backward(const NormBackward<T>& call,
                                                   std::int64_t channels, Rows rows) {
  using A = NormMath<T>;
  const A* __restrict const scale = call.scale;
  const A* __restrict const slope = call.slope;
  const A* __restrict const shift = call.shift;
  for (std::int64_t row = rows.first; row < rows.last; ++row) {
    const std::int64_t at = row * channels;
    const T* __restrict const x = call.from.x + at;
    const T* __restrict const dy = call.from.dy + at;
    T* __restrict const dx = call.dx + at;
    if (call.from.y == nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) {
        dx[c] = T(wide(dy[c]) * scale[c] + wide(x[c]) * slope[c] + shift[c]);
      }
    } else {
      const T* __restrict const y = call.from.y + at;
      for (std::int64_t c = 0; c < channels; ++c) {
        const A g = wide(y[c]) > A{0} ? wide(dy[c]) : A{0};
        dx[c] = T(g * scale[c] + wide(x[c]) * slope[c] + shift[c]);
      }
    }
  }
}

#define DLSCALE_NORM_OF(T)                                                                        \
  template void add_moments(const T*, const NormMath<T>*, std::int64_t, Rows, double*);           \
  template void normalise(const NormForward<T>&, std::int64_t, Rows);                             \
  template void add_gradient_sums(const NormGradient<T>&, const NormMath<T>*, std::int64_t, Rows, \
                                  double*);                                                       \
  template void normalise_backward(const NormBackward<T>&, std::int64_t, Rows);
DLSCALE_NORM_OF(float)
DLSCALE_NORM_OF(double)
DLSCALE_NORM_OF(BFloat16)

}  // namespace dlscale::trainer
