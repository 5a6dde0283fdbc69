// SPDX-License-Identifier: Apache-2.0
// Messages between ranks: requests to the coordinator and responses from the coordinator, with
// functions that encode them as bytes.
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

// The following types encode numbers and texts as bytes. All ranks run the same program, so numbers
// are encoded in their memory representation.
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
  Bytes release_bytes() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

/// Decoder of bytes that a Packer has written. The caller must decode the values in the order in
/// which they were encoded. Throws RunError when the bytes end too early.
class Unpacker {
 public:
  /// Starts at the first byte of `bytes`, which must outlive the decoder.
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

// Request of a rank to the coordinator. The request reports that a tensor is ready to be reduced on
// this rank.
struct Request {
  std::string name;  ///< tensor name, the same on all ranks
  ElementType type = ElementType::float32;
  std::vector<std::int64_t> shape;
  double waited_s = 0;  ///< seconds since the submission

  std::int64_t count() const;
  bool same_layout(const Request& other) const {
    return type == other.type && shape == other.shape;
  }
  /// Returns the type and the shape, for example "float32 [64, 3, 7, 7]".
  std::string layout() const;
};

/// Message of a rank to the coordinator in a cycle.
struct RequestList {
  std::vector<Request> requests;
  bool shut_down = false;  ///< true if this rank is about to end
};

Bytes pack(const RequestList& list);
/// Decodes requests. Throws RunError when the bytes end too early.
RequestList unpack_requests(const Bytes& bytes);

// Responses from the coordinator to all ranks. They state which tensors to reduce, in which order,
// and which tensors to fuse.

/// Reduction of one tensor or of several fused tensors.
struct Response {
  std::vector<std::string> names;
  ElementType type = ElementType::float32;
  std::int64_t count = 0;  ///< total number of elements
  std::string error;       ///< reason why the tensors cannot be reduced, or empty

  std::int64_t bytes() const { return count * static_cast<std::int64_t>(bytes_of(type)); }
};

/// Message of the coordinator to all ranks in a cycle. It states the actions of all ranks.
struct ResponseList {
  std::vector<Response> responses;
  bool shut_down = false;  ///< true if all ranks must stop, because a rank has ended
};

Bytes pack(const ResponseList& list);
/// Decodes responses. Throws RunError when the bytes end too early.
ResponseList unpack_responses(const Bytes& bytes);

}  // namespace dlscale::trainer::horovod
