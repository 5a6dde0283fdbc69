// SPDX-License-Identifier: Apache-2.0
// What ranks tell each other: requests to the coordinator, its responses, and their bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/comm/communicator.hpp"

namespace dlscale::trainer::horovod {

// Numbers and text as bytes that ranks send each other, and back. Ranks run the same program, so
// numbers go as they lie in memory.
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

// A rank's word to the coordinator that tensors of it are ready to be reduced.
struct Request {
  std::string name;  ///< the same on all ranks
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> shape;
  double waited_s = 0;  ///< since it was submitted

  std::int64_t count() const;
  bool same_layout(const Request& other) const {
    return type == other.type && shape == other.shape;
  }
  /// "float32 [64, 3, 7, 7]"
  std::string layout() const;
};

/// What a rank sends the coordinator in a cycle.
struct RequestList {
  std::vector<Request> requests;
  bool shut_down = false;  ///< this rank takes no more part
};

Bytes pack(const RequestList& list);
/// Throws RunError when the bytes end too early.
RequestList unpack_requests(const Bytes& bytes);

// The coordinator's word to all ranks which tensors are to be reduced, in which order and company.

/// One reduction of one tensor or of several as one.
struct Response {
  std::vector<std::string> names;
  ElementType type = ElementType::float32;
  std::int64_t count = 0;  ///< elements of all
  std::string error;       ///< not empty: the tensors cannot be reduced, for this reason

  std::int64_t bytes() const { return count * static_cast<std::int64_t>(bytes_of(type)); }
};

/// What all ranks do in a cycle.
struct ResponseList {
  std::vector<Response> responses;
  bool shut_down = false;  ///< a rank takes no more part, so this is the end for all
};

Bytes pack(const ResponseList& list);
/// Throws RunError when the bytes end too early.
ResponseList unpack_responses(const Bytes& bytes);

}  // namespace dlscale::trainer::horovod
