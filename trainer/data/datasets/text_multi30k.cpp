// SPDX-License-Identifier: Apache-2.0
// Data set Multi30k, English to German (Elliott, Frank, Sima'an, Specia: Multi30K, 2016), from
// train.{en,de} and test_2016_flickr.{en,de} with one sentence per line.
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/text/text_set.hpp"
#include "trainer/data/text/vocabulary.hpp"

namespace dlscale::trainer {
namespace {

TextFile sentences(const std::filesystem::path& path) {
  TextFile file(path);
  for (std::size_t line = 0; line < file.lines.size(); ++line) {
    if (tokenize(file.lines[line]).empty()) file.fail(line, "the sentence has no words");
  }
  return file;
}

RawTexts read_sentences(const std::filesystem::path& folder, const std::string& name) {
  TextFile english = sentences(folder / (name + ".en"));
  TextFile german = sentences(folder / (name + ".de"));
  if (english.lines.size() != german.lines.size()) {
    throw base::RunError(
        fmt::format(
            "{} has {} lines, but {} has {} lines; each line must be the translation of the same "
            "line in the other file; fetch both again",
            english.path.string(), english.lines.size(), german.path.string(), german.lines.size()),
        contract::kExitData);
  }
  return {.texts = std::move(english.lines), .translations = std::move(german.lines)};
}

Dataset load(const contract::DatasetSpec& spec) {
  auto folder = folder_of(spec, "train.en, train.de, test_2016_flickr.en and test_2016_flickr.de");
  if (std::filesystem::is_directory(folder / "raw")) folder /= "raw";
  return make_text_set({.classes = 0,
                        .train = read_sentences(folder, "train"),
                        .test = read_sentences(folder, "test_2016_flickr")},
                       spec);
}

}  // namespace

extern const DatasetEntry text_multi30k_entry;
const DatasetEntry text_multi30k_entry{.name = "text_multi30k",
                                       .summary = "Multi30k: captions, English and German",
                                       .load = load,
                                       .samples = "text",
                                       .task = "translation"};

}  // namespace dlscale::trainer
