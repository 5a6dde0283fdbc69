// SPDX-License-Identifier: Apache-2.0
// A protocol buffer is a list of fields. Each field has a key (field number and wire type) and a
// value (https://protobuf.dev/programming-guides/encoding). The nesting of an Example is
//   Example { Features features = 1; }
//   Features { map<string, Feature> feature = 1; }    an entry is { string key = 1; Feature value =
//   2; } Feature { BytesList = 1 | FloatList = 2 | Int64List = 3; } BytesList { repeated bytes
//   value = 1; }   Int64List { repeated int64 value = 1; }
// Every part of interest has the field number 1, 2 or 3. Other fields are skipped.
#include "images/example.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

#include "images/decode.hpp"

namespace dlscale::images {
namespace {

enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

// The following functions write an Example.

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>((value & 0x7fU) | 0x80U);
  return bytes + static_cast<char>(value);
}

std::string field(unsigned number, std::string_view content) {
  return varint(number << 3U | kLength) + varint(content.size()) + std::string(content);
}

std::string entry(std::string_view key, const std::string& feature) {
  return field(1, field(1, key) + field(2, feature));
}
std::string bytes_entry(std::string_view key, std::string_view value) {
  return entry(key, field(1, field(1, value)));
}
std::string number_entry(std::string_view key, std::int64_t value) {
  // Lists of numbers are packed: one field contains all numbers of the list.
  return entry(key, field(3, field(1, varint(static_cast<std::uint64_t>(value)))));
}

// The following declarations read an Example.

[[noreturn]] void refuse(const char* problem) {
  throw BrokenPicture(problem);
}

/// Part of a serialised Example.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
};

struct Field {
  unsigned number = 0;
  unsigned wire = 0;
  Range content;             ///< bytes of the value, without its length
  std::uint64_t varint = 0;  ///< value of a field of the wire type kVarint
};

/// Reader for the fields of an Example. Keeps a small window of the bytes.
class Scanner {
 public:
  Scanner(std::uint64_t size, const ReadExample& read) : size_(size), read_(read) {}

  /// Returns the field that begins at `place`, and moves `place` behind the field. The field must
  /// end within `limit`.
  Field next(std::uint64_t& place, std::uint64_t limit) {
    const std::uint64_t key = varint(place, limit);
    Field field{.number = static_cast<unsigned>(key >> 3U),
                .wire = static_cast<unsigned>(key & 7U)};
    field.content.begin = place;
    switch (field.wire) {
      case kVarint:
        field.varint = varint(place, limit);
        break;
      case kFixed64:
        skip(place, 8, limit);
        break;
      case kFixed32:
        skip(place, 4, limit);
        break;
      case kLength: {
        const std::uint64_t bytes = varint(place, limit);
        field.content.begin = place;
        skip(place, bytes, limit);
        break;
      }
      default:
        refuse("it is not a tf.train.Example");
    }
    field.content.end = place;
    return field;
  }

  /// Returns the last field with this number and a length. Returns nullopt if there is none.
  std::optional<Range> find(const Range& message, unsigned number) {
    std::optional<Range> found;
    for (std::uint64_t place = message.begin; place < message.end;) {
      const Field field = next(place, message.end);
      if (field.number == number && field.wire == kLength) found = field.content;
    }
    return found;
  }

  bool equals(const Range& range, std::string_view text) {
    if (range.size() != text.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (byte(range.begin + i) != static_cast<std::uint8_t>(text[i])) return false;
    }
    return true;
  }

  /// Reads the first number of an Int64List, packed or not.
  std::optional<std::int64_t> first_number(const Range& list) {
    std::uint64_t place = list.begin;
    if (place == list.end) return std::nullopt;
    const Field field = next(place, list.end);
    if (field.number != 1) return std::nullopt;
    if (field.wire == kVarint) return static_cast<std::int64_t>(field.varint);
    if (field.wire != kLength || field.content.size() == 0) return std::nullopt;
    place = field.content.begin;
    return static_cast<std::int64_t>(varint(place, field.content.end));
  }

 private:
  void skip(std::uint64_t& place, std::uint64_t bytes, std::uint64_t limit) {
    if (bytes > limit - place)
      refuse("it is not a tf.train.Example: a field extends beyond the end of its message");
    place += bytes;
  }

  std::uint64_t varint(std::uint64_t& place, std::uint64_t limit) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (place == limit) break;
      const std::uint64_t bits = byte(place++);
      value |= (bits & 0x7fU) << shift;
      if (bits < 0x80) return value;
    }
    refuse("it is not a tf.train.Example: a number has no end");
  }

  std::uint8_t byte(std::uint64_t place) {
    if (place < first_ || place >= first_ + count_) {
      first_ = place;
      count_ = std::min<std::uint64_t>(window_.size(), size_ - place);
      read_(first_, std::span(window_).first(count_));
    }
    return window_[place - first_];
  }

  std::uint64_t size_;
  const ReadExample& read_;
  std::array<std::uint8_t, 512> window_{};
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace

std::string serialised(const ImageExample& example) {
  const std::string_view encoded(reinterpret_cast<const char*>(example.encoded.data()),
                                 example.encoded.size());
  std::string features;
  features += number_entry("image/class/label", example.label);
  features += bytes_entry("image/class/text", example.class_name);
  features += bytes_entry("image/encoded", encoded);
  features += bytes_entry("image/filename", example.filename);
  features += bytes_entry("image/format", example.format);
  features += number_entry("image/height", example.height);
  features += number_entry("image/width", example.width);
  return field(1, features);
}

ExampleParts find_parts(std::uint64_t size, const ReadExample& read) {
  Scanner scanner(size, read);
  std::optional<Range> image;
  std::optional<std::int64_t> label;
  const std::optional<Range> features = scanner.find({0, size}, 1);
  if (!features) refuse("it is not a tf.train.Example: it has no features");
  for (std::uint64_t place = features->begin; place < features->end;) {
    const Field pair = scanner.next(place, features->end);
    if (pair.number != 1 || pair.wire != kLength) continue;
    const std::optional<Range> key = scanner.find(pair.content, 1);
    const std::optional<Range> value = scanner.find(pair.content, 2);
    if (!key || !value) continue;
    if (scanner.equals(*key, "image/encoded")) {
      if (const auto list = scanner.find(*value, 1)) image = scanner.find(*list, 1);
    } else if (scanner.equals(*key, "image/class/label")) {
      if (const auto list = scanner.find(*value, 3)) label = scanner.first_number(*list);
    }
  }
  if (!image) refuse("it has no feature image/encoded of type bytes");
  if (!label) refuse("it has no number image/class/label");
  return {image->begin, image->size(), *label};
}

}  // namespace dlscale::images
