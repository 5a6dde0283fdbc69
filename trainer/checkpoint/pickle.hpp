// SPDX-License-Identifier: Apache-2.0
// Reader for the pickles in files of torch.save() that contain state dictionaries. The reader
// builds plain values and never runs code.
#pragma once

#include <cstdint>
#include <istream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::trainer {

/// Error in a pickle. The message starts with the offset of the error, "byte 17: ...".
class PickleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A pickle is a program for a stack machine. An unrestricted reader, such as Python's, calls every
// function that the pickle names. PickleReader accepts only the instructions and the names that
// state dictionaries contain, and stores a call as a value.

/// Value in a pickle.
struct PickleValue {
  /// Kind of the value. The comments name the members that hold the content of the value.
  enum class Kind {
    none,
    boolean,       ///< number: 0 or 1
    integer,       ///< number: the integer
    long_integer,  ///< text: little-endian bytes of an integer of more than 64 bits
    real,          ///< a floating-point number, whose value is not kept
    text,
    global,      ///< text: a name such as "torch.FloatStorage"
    list,        ///< items: the elements
    tuple,       ///< items: the elements
    dictionary,  ///< items: key, value, key, value ...
    persistent,  ///< items: the tuple that identifies data outside of the pickle
    call,        ///< text: name of the called function; items: its arguments
  };
  using Reference = std::uint32_t;  ///< index of a value in its Pickle

  Kind kind = Kind::none;
  std::int64_t number = 0;
  std::string text = {};
  std::vector<Reference> items = {};
};

/// Returns a word for a kind of values in messages, for example "a number".
std::string_view word_for(PickleValue::Kind kind);

/// Values of one pickle. Values refer to each other by index, so that deeply nested values need no
/// recursion.
class Pickle {
 public:
  using Reference = PickleValue::Reference;
  const PickleValue& operator[](Reference reference) const { return values_.at(reference); }
  const PickleValue& root() const { return values_.at(root_); }

 private:
  friend class PickleReader;
  std::vector<PickleValue> values_;
  Reference root_ = 0;
};

/// Reads the pickle at the position of `in` and leaves the position behind its end. Supports the
/// instructions of the protocols 2 to 5 that torch.save() uses for state dictionaries. `position`
/// must be the offset of the pickle in its file, which appears in messages. The function sets
/// `position` to the offset of the end of the pickle. Throws PickleError if the pickle is cut off
/// or damaged, if it contains an unsupported instruction, or if it names a global other than:
/// - collections.OrderedDict and torch.Size,
/// - torch._utils._rebuild_tensor, _rebuild_tensor_v2 and _rebuild_parameter,
/// - the storages of float64, float32, float16, bfloat16 and int64 values.
Pickle read_pickle(std::istream& in, std::uint64_t& position);

}  // namespace dlscale::trainer
