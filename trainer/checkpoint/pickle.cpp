// SPDX-License-Identifier: Apache-2.0
// The instructions are those of CPython's module pickletools.
#include "trainer/checkpoint/pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace dlscale::trainer {
namespace {

using Kind = PickleValue::Kind;
using Reference = PickleValue::Reference;

/// Limits that no state dictionary reaches. They bound the memory that a damaged file can request.
constexpr std::uint64_t kLongestText = std::uint64_t{1} << 20;
constexpr std::size_t kMostValues = 4'000'000;  ///< number of values and of references to values
constexpr int kLastProtocol = 5;

constexpr std::string_view kAllowed[] = {"collections.OrderedDict",
                                         "torch.Size",
                                         "torch._utils._rebuild_tensor",
                                         "torch._utils._rebuild_tensor_v2",
                                         "torch._utils._rebuild_parameter",
                                         "torch.DoubleStorage",
                                         "torch.FloatStorage",
                                         "torch.HalfStorage",
                                         "torch.BFloat16Storage",
                                         "torch.LongStorage"};

}  // namespace

std::string_view word_for(Kind kind) {
  switch (kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return "a truth value";
    case Kind::integer:
    case Kind::long_integer:
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a string";
    case Kind::global:
      return "a name";
    case Kind::list:
      return "a list";
    case Kind::tuple:
      return "a tuple";
    case Kind::dictionary:
      return "a dictionary";
    case Kind::persistent:
      return "a storage";
    case Kind::call:
      return "an object";
  }
  return "?";
}

/// Stack machine that executes the instructions of one pickle.
class PickleReader {
 public:
  PickleReader(std::istream& in, std::uint64_t& position) : in_(in), position_(position) {}

  Pickle run() {
    for (;;) {
      instruction_ = position_;
      const std::uint8_t code = byte();
      if (code == '.') break;
      execute(code);
    }
    result_.root_ = pop();
    if (!stack_.empty()) fail("the pickle ends with values left over");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw PickleError(fmt::format("byte {}: {}", instruction_, problem));
  }

  // Functions that read bytes of the pickle.

  void read(void* to, std::size_t count) {
    if (!in_.read(static_cast<char*>(to), static_cast<std::streamsize>(count))) {
      fail("the pickle is cut off");
    }
    position_ += count;
  }
  template <class Number>
  Number little_endian() {
    Number number{};
    read(&number, sizeof number);
    return number;
  }
  std::uint8_t byte() { return little_endian<std::uint8_t>(); }
  std::string bytes(std::uint64_t count) {
    if (count > kLongestText)
      fail(fmt::format("it has a string of {} bytes, which is too long", count));
    std::string text(count, '\0');
    read(text.data(), text.size());
    return text;
  }
  std::string line() {
    std::string text;
    for (char c = 0; (c = static_cast<char>(byte())) != '\n';) {
      if (text.size() == kLongestText) fail("it has a name whose end is missing");
      text += c;
    }
    return text;
  }

  // Functions that access the values and the stack.

  PickleValue& value(Reference reference) { return result_.values_[reference]; }
  PickleValue& top_of_kind(Kind kind, const char* what) {
    if (stack_.size() <= lowest()) fail("an instruction lacks a value");
    PickleValue& top = value(stack_.back());
    if (top.kind != kind)
      fail(fmt::format("the instruction {} is applied to {}", what, word_for(top.kind)));
    return top;
  }
  std::size_t lowest() const { return marks_.empty() ? 0 : marks_.back(); }

  void count_references(std::size_t count) {
    references_ += count;
    if (references_ > kMostValues) fail(fmt::format("it has more than {} values", kMostValues));
  }
  void push(PickleValue value) {
    count_references(1 + value.items.size());
    stack_.push_back(static_cast<Reference>(result_.values_.size()));
    result_.values_.push_back(std::move(value));
  }
  void push(Kind kind) { push(PickleValue{.kind = kind}); }
  void push_number(std::int64_t number) { push({.kind = Kind::integer, .number = number}); }

  Reference pop() {
    if (stack_.size() <= lowest()) fail("an instruction lacks a value");
    const Reference top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::vector<Reference> pop(std::size_t count) {
    std::vector<Reference> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  std::vector<Reference> pop_to_mark() {
    if (marks_.empty()) fail("an instruction lacks a mark");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Reference> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }

  void remember(std::uint32_t place) {
    if (stack_.size() <= lowest()) fail("an instruction lacks a value");
    count_references(1);
    memo_[place] = stack_.back();
  }
  void recall(std::uint32_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail(fmt::format("it refers to the missing memo entry {}", place));
    count_references(1);
    stack_.push_back(found->second);
  }

  void push_tuple(std::vector<Reference> items) {
    push({.kind = Kind::tuple, .items = std::move(items)});
  }

  void extend(Kind kind, const char* what, const std::vector<Reference>& items) {
    std::vector<Reference>& target = top_of_kind(kind, what).items;
    if (kind == Kind::dictionary && items.size() % 2 != 0) fail("a key lacks its value");
    count_references(items.size());
    target.insert(target.end(), items.begin(), items.end());
  }

  void push_global(const std::string& module, const std::string& name) {
    const std::string full = module + "." + name;
    if (std::ranges::find(kAllowed, full) != std::end(kAllowed)) {
      return push({.kind = Kind::global, .text = full});
    }
    if (module == "torch" && name.ends_with("Storage")) {
      fail(
          fmt::format("it contains values of the type {}, but weights must have one of the types "
                      "float64, float32, float16, bfloat16 and int64",
                      full));
    }
    fail(fmt::format(
        "it refers to {}, which does not belong to a state dictionary; dlscale does not "
        "load other objects",
        full));
  }
  std::string pop_text() {
    const Reference top = pop();
    if (value(top).kind != Kind::text) fail("a name is not a string");
    return value(top).text;
  }

  /// Executes the call of a global with a tuple of arguments.
  void call() {
    const Reference arguments = pop();
    const Reference function = pop();
    if (value(function).kind != Kind::global || value(arguments).kind != Kind::tuple) {
      fail(fmt::format("it calls {}", word_for(value(function).kind)));
    }
    const std::string name = value(function).text;
    std::vector<Reference> items = value(arguments).items;
    if (name == "collections.OrderedDict") return push_ordered_dictionary(items);
    if (name == "torch.Size") {
      if (items.size() != 1) fail("torch.Size has no list of sizes");
      return push_tuple(value(items[0]).items);
    }
    push({.kind = Kind::call, .text = name, .items = std::move(items)});
  }

  /// Python 2 passes the pairs of an ordered dictionary as an argument. Python 3 adds them later.
  void push_ordered_dictionary(const std::vector<Reference>& arguments) {
    PickleValue dictionary{.kind = Kind::dictionary};
    if (arguments.size() > 1) fail("an OrderedDict has several arguments");
    if (!arguments.empty()) {
      for (const Reference pair : value(arguments[0]).items) {
        const std::vector<Reference>& both = value(pair).items;
        if (both.size() != 2) fail("an OrderedDict has an item that is not a pair");
        dictionary.items.insert(dictionary.items.end(), both.begin(), both.end());
      }
    }
    push(std::move(dictionary));
  }

  /// Reads an integer in two's complement.
  void push_long(std::size_t count) {
    std::string digits = bytes(count);
    if (count > sizeof(std::int64_t)) {
      return push({.kind = Kind::long_integer, .text = std::move(digits)});
    }
    const bool is_negative = !digits.empty() && (static_cast<std::uint8_t>(digits.back()) & 0x80);
    digits.resize(sizeof(std::int64_t), is_negative ? '\xff' : '\0');
    std::int64_t number = 0;
    std::memcpy(&number, digits.data(), sizeof number);
    push_number(number);
  }

  void execute(std::uint8_t code) {
    if (execute_literal(code) || execute_memory(code) || execute_collection(code)) return;
    fail(fmt::format("it contains the instruction 0x{:02x}, which state dictionaries do not use",
                     code));
  }

  bool execute_literal(std::uint8_t code) {
    switch (code) {
      case 'N':
        push(Kind::none);
        return true;
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        push({.kind = Kind::boolean, .number = code == 0x88 ? 1 : 0});
        return true;
      case 'K':
        push_number(byte());
        return true;
      case 'M':
        push_number(little_endian<std::uint16_t>());
        return true;
      case 'J':
        push_number(little_endian<std::int32_t>());
        return true;
      case 0x8a:  // LONG1
        push_long(byte());
        return true;
      case 'G':
        little_endian<std::uint64_t>();
        push(Kind::real);
        return true;
      case 0x8c:  // SHORT_BINUNICODE
      case 'U':   // SHORT_BINSTRING, which Python 2 writes
        push({.kind = Kind::text, .text = bytes(byte())});
        return true;
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING
        push({.kind = Kind::text, .text = bytes(little_endian<std::uint32_t>())});
        return true;
      default:
        return false;
    }
  }

  bool execute_memory(std::uint8_t code) {
    switch (code) {
      case 0x80:  // PROTO
        if (const int protocol = byte(); protocol > kLastProtocol) {
          fail(fmt::format("it uses protocol {} of pickle; at most {} is supported", protocol,
                           kLastProtocol));
        }
        return true;
      case 0x95:  // FRAME
        little_endian<std::uint64_t>();
        return true;
      case 'q':
        remember(byte());
        return true;
      case 'r':
        remember(little_endian<std::uint32_t>());
        return true;
      case 0x94:  // MEMOIZE
        remember(static_cast<std::uint32_t>(memo_.size()));
        return true;
      case 'h':
        recall(byte());
        return true;
      case 'j':
        recall(little_endian<std::uint32_t>());
        return true;
      case '(':
        count_references(1);
        marks_.push_back(stack_.size());
        return true;
      default:
        return false;
    }
  }

  bool execute_collection(std::uint8_t code) {
    switch (code) {
      case ')':
        push_tuple({});
        return true;
      case 0x85:  // TUPLE1, TUPLE2, TUPLE3
      case 0x86:
      case 0x87:
        push_tuple(pop(static_cast<std::size_t>(code - 0x84)));
        return true;
      case 't':
        push_tuple(pop_to_mark());
        return true;
      case ']':
        push(Kind::list);
        return true;
      case 'a':
        extend(Kind::list, "APPEND", pop(1));
        return true;
      case 'e':
        extend(Kind::list, "APPENDS", pop_to_mark());
        return true;
      case '}':
        push(Kind::dictionary);
        return true;
      case 's':
        extend(Kind::dictionary, "SETITEM", pop(2));
        return true;
      case 'u':
        extend(Kind::dictionary, "SETITEMS", pop_to_mark());
        return true;
      case 'c': {
        const std::string module = line();
        push_global(module, line());
        return true;
      }
      case 0x93: {  // STACK_GLOBAL
        const std::string name = pop_text();
        push_global(pop_text(), name);
        return true;
      }
      case 'R':
        call();
        return true;
      case 'Q':
        if (const Reference identity = pop(); value(identity).kind == Kind::tuple) {
          push({.kind = Kind::persistent, .items = value(identity).items});
        } else {
          fail("a storage is not described by a tuple");
        }
        return true;
      case 'b':
        // The state of a dictionary is its attribute _metadata, which has no effect on tensors.
        pop();
        top_of_kind(Kind::dictionary, "BUILD");
        return true;
      default:
        return false;
    }
  }

  std::istream& in_;
  std::uint64_t& position_;
  std::uint64_t instruction_ = 0;  ///< offset of the current instruction
  Pickle result_;
  std::vector<Reference> stack_;
  std::vector<std::size_t> marks_;  ///< height of the stack at each open mark
  std::map<std::uint32_t, Reference> memo_;
  std::size_t references_ = 0;
};

Pickle read_pickle(std::istream& in, std::uint64_t& position) {
  return PickleReader(in, position).run();
}

}  // namespace dlscale::trainer
