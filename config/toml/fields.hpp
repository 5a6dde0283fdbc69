// SPDX-License-Identifier: Apache-2.0
// Strict reading of tables by lists of fields: one row per key, anything else is an error.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml/document.hpp"

namespace dlscale::config {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();
inline constexpr std::int64_t kMostWhole = std::numeric_limits<std::int32_t>::max();
/// Far above any machine, low enough that their products stay countable.
inline constexpr std::int64_t kMostGpus = 1'000'000;
inline constexpr std::int64_t kMostCoresPerRank = 4096;

/// Letters, digits and _, no digit first: what shells take as the name of a variable.
bool is_identifier(std::string_view name);

/// A value and its dotted key; every reader throws base::SpecError naming both and the place.
struct Item {
  const Node& node;
  std::string key;

  [[noreturn]] void fail(std::string_view message) const;
  bool flag() const;
  std::int64_t whole(std::int64_t least, std::int64_t most = kMostWhole) const;
  /// Finite, `least` ≤ x ≤ `most`. Whole numbers are numbers.
  double number(double least, double most = kNoLimit) const;
  /// A string without NUL.
  const std::string& text() const;
  /// A string that is not empty.
  const std::string& word() const;
  /// A name that may become a folder, a job name, a directive: letters, digits and . _ - only.
  const std::string& plain_name() const;
  /// One of the choices; `kind` is what they are called in the message.
  const std::string& one_of(std::string_view kind, const std::vector<std::string>& choices) const;
  /// "HH:MM:SS" in seconds, more than 0.
  double duration_s() const;
  const Table& table() const;
  /// The items of a list; a value that is no list is a list of one.
  std::vector<Item> items() const;
  std::vector<double> numbers(double least) const;
  std::vector<std::string> texts() const;
};

/// One key a table may hold; a dotted name is a key of a table inside, and `inside.*` is any.
template <class T>
struct Field {
  std::string name;
  std::function<void(T&, const Item&)> read;
};

/// Calls `found(i, item)` for each key of the table that is `names[i]`, or any key of a table
/// inside where `names[i]` ends in `.*`. Throws base::SpecError for
/// a key that leads to none of them, with the nearest of those that stand beside it.
void match_keys(const Item& table, const std::vector<std::string>& names,
                const std::function<void(std::size_t, const Item&)>& found);

template <class T>
void read_fields(const Item& table, const std::vector<Field<T>>& fields, T& out) {
  std::vector<std::string> names;
  for (const Field<T>& field : fields) names.push_back(field.name);
  match_keys(table, names, [&](std::size_t i, const Item& item) { fields[i].read(out, item); });
}

}  // namespace dlscale::config
