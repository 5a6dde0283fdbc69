// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/reduce_elements.hpp"
#include "trainer/numbers/half_types.hpp"

#include <algorithm>
#include <type_traits>

namespace dlscale::trainer {
namespace {

/// Type in which elements are computed: float for the 16-bit floats, T for all others.
template <class T>
using Computed = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <class T, class Op>
void fold_each(T* into, const T* from, std::int64_t count, const Op& op) {
  for (std::int64_t i = 0; i < count; ++i) {
    into[i] =
        static_cast<T>(op(static_cast<Computed<T>>(into[i]), static_cast<Computed<T>>(from[i])));
  }
}

template <class T>
void reduce_elements_as(const Span& into, const Span& from, ReduceOp op) {
  auto* to = static_cast<T*>(into.data);
  const auto* with = static_cast<const T*>(from.data);
  switch (op) {
    case ReduceOp::sum:
      return fold_each(to, with, into.count, [](auto a, auto b) { return a + b; });
    case ReduceOp::min:
      return fold_each(to, with, into.count, [](auto a, auto b) { return std::min(a, b); });
    case ReduceOp::max:
      return fold_each(to, with, into.count, [](auto a, auto b) { return std::max(a, b); });
    case ReduceOp::bit_and:
      if constexpr (std::is_integral_v<T>) {
        fold_each(to, with, into.count, [](auto a, auto b) { return a & b; });
      }
      return;
  }
}

}  // namespace

void reduce_elements(const Span& into, const Span& from, ReduceOp op) {
  switch (into.type) {
    case ElementType::uint8:
      return reduce_elements_as<std::uint8_t>(into, from, op);
    case ElementType::int32:
      return reduce_elements_as<std::int32_t>(into, from, op);
    case ElementType::int64:
      return reduce_elements_as<std::int64_t>(into, from, op);
    case ElementType::float16:
      return reduce_elements_as<Float16>(into, from, op);
    case ElementType::bfloat16:
      return reduce_elements_as<BFloat16>(into, from, op);
    case ElementType::float32:
      return reduce_elements_as<float>(into, from, op);
    case ElementType::float64:
      return reduce_elements_as<double>(into, from, op);
  }
}

}  // namespace dlscale::trainer
