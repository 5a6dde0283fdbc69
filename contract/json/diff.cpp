// SPDX-License-Identifier: Apache-2.0
#include "contract/json/diff.hpp"

#include <set>

#include "base/error.hpp"
#include "contract/json/document.hpp"

namespace dlscale::contract {
namespace {

using codec::Value;

bool are_equal(Value before, Value after);

bool have_equal_elements(simdjson::dom::array before, simdjson::dom::array after) {
  if (before.size() != after.size()) return false;
  auto other = after.begin();
  for (const Value element : before) {
    if (!are_equal(element, *other)) return false;
    ++other;
  }
  return true;
}

/// Returns whether two JSON values are equal. Numbers are compared by value, so 1 equals 1.0.
bool are_equal(Value before, Value after) {
  double one = 0, other = 0;
  if (before.get(one) == simdjson::SUCCESS && after.get(other) == simdjson::SUCCESS) {
    return one == other;
  }
  if (before.type() != after.type()) return false;
  simdjson::dom::array elements, others;
  if (before.get(elements) == simdjson::SUCCESS && after.get(others) == simdjson::SUCCESS) {
    return have_equal_elements(elements, others);
  }
  return simdjson::minify(before) == simdjson::minify(after);
}

/// Compares two JSON objects and adds to `keys` the dotted key of each member whose value differs.
/// `path` is the dotted key of both objects. A member that is null in one object and missing in the
/// other counts as equal.
void compare(const codec::Members& before, const codec::Members& after, const std::string& path,
             std::set<std::string>& keys) {
  const auto look = [&](std::string_view key) {
    const Value* const one = codec::find(before, key);
    const Value* const other = codec::find(after, key);
    const std::string inside = path.empty() ? std::string(key) : path + "." + std::string(key);
    simdjson::dom::object part, other_part;
    if (one == nullptr || other == nullptr) {
      const bool is_null = (one == nullptr ? other : one)->is_null();
      if (!is_null) keys.insert(inside);
    } else if (one->get(part) == simdjson::SUCCESS && other->get(other_part) == simdjson::SUCCESS) {
      compare(codec::members_of(part), codec::members_of(other_part), inside, keys);
    } else if (!are_equal(*one, *other)) {
      keys.insert(inside);
    }
  };
  for (const auto& [key, value] : before) look(key);
  for (const auto& [key, value] : after) look(key);
}

}  // namespace

std::vector<std::string> differing_keys(std::string_view before, std::string_view after,
                                        std::string_view file) {
  codec::Document old_document, new_document;
  simdjson::dom::object old, now;
  if (old_document.parse(before, file).get(old) != simdjson::SUCCESS) {
    throw base::SpecError({std::string(file)}, "", "expected a JSON object");
  }
  if (new_document.parse(after, "").get(now) != simdjson::SUCCESS) return {};
  std::set<std::string> keys;
  compare(codec::members_of(old), codec::members_of(now), "", keys);
  return {keys.begin(), keys.end()};
}

}  // namespace dlscale::contract
