// SPDX-License-Identifier: Apache-2.0
// Finds names among known names. The error for an unknown name contains the most similar known name
// and the list of known names.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace dlscale::base {

/// Returns the choice most similar to `name`. Returns an empty string if the edit distance of every
/// choice is above a third of the length of `name` (at least 1). A swap of two neighbouring
/// characters counts as one edit.
std::string nearest(std::string_view name, const std::vector<std::string>& choices);

/// Returns the choice that the user probably meant by an unknown name. This is the nearest choice,
/// if there is one. Otherwise, the function compares the words of each choice, which "_", "-" or
/// "." separates, with the beginning of `name`. It returns the choice that shares the longest
/// sequence of first words with `name`: "batch_per_gpu" for "batchsize", but "batch_norm" for
/// "batch_norm_momentum". The first of several such choices is returned. Returns an empty string if
/// no choice shares its first word, or if each shared first word has fewer than 4 characters.
std::string suggestion(std::string_view name, const std::vector<std::string>& choices);

/// Returns the message for an unknown name, with the suggestion:
/// `unknown model "vg16"; did you mean "vgg16"? (known: alexnet, vgg16)`
std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& choices);

/// Table of the entries of one family, for example of all models. CMake generates the table
/// (cmake/Registry.cmake).
template <class Entry>
using Table = std::span<const Entry* const>;

template <class Entry>
std::vector<std::string> names(Table<Entry> table) {
  std::vector<std::string> result;
  for (const Entry* entry : table) result.emplace_back(entry->name);
  return result;
}

/// Returns the row called `name`. Throws UsageError with the text of unknown_name.
template <class Entry>
const Entry& find(Table<Entry> table, std::string_view kind, std::string_view name) {
  for (const Entry* entry : table) {
    if (entry->name == name) return *entry;
  }
  throw UsageError(unknown_name(kind, name, names(table)));
}

}  // namespace dlscale::base
