// SPDX-License-Identifier: Apache-2.0
// Numbers and text as bytes that ranks send each other, and back. Ranks run the same program, so
// numbers go as they lie in memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer::horovod {

using Bytes = std::vector<std::uint8_t>;

class Packer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    const auto* first = reinterpret_cast<const std::uint8_t*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  void text(const std::string& value) {
    number(value.size());
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// Reads what a Packer wrote, in the same order; throws RunError where the bytes end too early.
class Unpacker {
 public:
  /// `bytes` must outlive it.
  explicit Unpacker(const Bytes& bytes) : bytes_(bytes) {}
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, next(sizeof(T)), sizeof(T));
    return value;
  }
  std::string text() {
    const auto length = number<std::size_t>();
    return {reinterpret_cast<const char*>(next(length)), length};
  }

 private:
  const std::uint8_t* next(std::size_t length) {
    if (length > bytes_.size() - at_) {
      throw base::RunError("horovod: a message between ranks is cut short",
                           contract::kExitCommunication);
    }
    at_ += length;
    return bytes_.data() + at_ - length;
  }
  const Bytes& bytes_;
  std::size_t at_ = 0;
};

}  // namespace dlscale::trainer::horovod
