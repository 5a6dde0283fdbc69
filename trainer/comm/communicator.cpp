// SPDX-License-Identifier: Apache-2.0
// The sizes of what communicators exchange.
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer {

std::size_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::uint8:
      return 1;
    case ElementType::int32:
    case ElementType::float32:
      return 4;
    case ElementType::int64:
    case ElementType::float64:
      return 8;
  }
  return 0;
}

}  // namespace dlscale::trainer
