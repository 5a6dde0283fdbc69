// SPDX-License-Identifier: Apache-2.0
// One loop for each floating type.
#include "trainer/sync/horovod/scale.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/half.hpp"

namespace dlscale::trainer::horovod {
namespace {

template <class T>
void scale_as(const void* from, const Span& to, double factor) {
  using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto by = static_cast<Computed>(factor);
  const auto* source = static_cast<const T*>(from);
  auto* target = static_cast<T*>(to.data);
  for (std::int64_t i = 0; i < to.count; ++i) {
    target[i] = static_cast<T>(static_cast<Computed>(source[i]) * by);
  }
}

}  // namespace

bool is_floating(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16 ||
         type == ElementType::float32 || type == ElementType::float64;
}

void scale(const void* from, const Span& to, double factor) {
  switch (to.type) {
    case ElementType::float16:
      return scale_as<Float16>(from, to, factor);
    case ElementType::bfloat16:
      return scale_as<BFloat16>(from, to, factor);
    case ElementType::float32:
      return scale_as<float>(from, to, factor);
    case ElementType::float64:
      return scale_as<double>(from, to, factor);
    default:
      throw base::RunError("horovod: only floating types have a mean",
                           contract::kExitCommunication);
  }
}

}  // namespace dlscale::trainer::horovod
