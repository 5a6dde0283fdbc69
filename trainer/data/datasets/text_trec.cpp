// SPDX-License-Identifier: Apache-2.0
// Data set of TREC questions (Li, Roth: Learning Question Classifiers, COLING 2002) from TREC.train
// and TREC.test in Latin-1 with "CLASS:subclass question" per line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "trainer/data/text/text_set.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::array<std::string_view, 6> kClasses{"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"};

RawTexts read_samples(const std::filesystem::path& path) {
  const TextFile file(path, TextFile::Encoding::latin1);
  RawTexts raw;
  for (std::size_t line = 0; line < file.lines.size(); ++line) {
    const std::string& text = file.lines[line];
    const std::size_t colon = text.find(':');
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || colon > space) {
      file.fail(line, "it does not begin with CLASS:subclass and a space");
    }
    const auto found = std::ranges::find(kClasses, std::string_view(text).substr(0, colon));
    if (found == kClasses.end()) {
      file.fail(line, fmt::format("the class \"{}\" is not one of {}", text.substr(0, colon),
                                  fmt::join(kClasses, ", ")));
    }
    raw.labels.push_back(static_cast<int>(found - kClasses.begin()));
    raw.texts.push_back(text.substr(space + 1));
  }
  return raw;
}

Dataset load(const contract::DatasetSpec& spec) {
  const auto folder = folder_of(spec, "TREC.train and TREC.test");
  return make_text_set({.classes = static_cast<int>(kClasses.size()),
                        .train = read_samples(folder / "TREC.train"),
                        .test = read_samples(folder / "TREC.test")},
                       spec);
}

}  // namespace

extern const DatasetEntry text_trec_entry;
const DatasetEntry text_trec_entry{.name = "text_trec",
                                   .summary = "TREC questions in six classes",
                                   .load = load,
                                   .samples = "text"};

}  // namespace dlscale::trainer
