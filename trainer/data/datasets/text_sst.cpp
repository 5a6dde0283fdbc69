// SPDX-License-Identifier: Apache-2.0
// Data set Stanford Sentiment Treebank with two classes (Socher et al., Recursive Deep Models for
// Semantic Compositionality, 2013) from stsa.binary.train and stsa.binary.test with "label text"
// per line.
#include <utility>

#include "trainer/data/text/text_set.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kClasses = 2;

RawTexts read_samples(const std::filesystem::path& path) {
  const TextFile file(path);
  RawTexts raw;
  for (std::size_t line = 0; line < file.lines.size(); ++line) {
    const std::string& text = file.lines[line];
    const bool has_label = text.size() > 2 && (text[0] == '0' || text[0] == '1') && text[1] == ' ';
    if (!has_label) file.fail(line, "it does not begin with the label 0 or 1, a space and a text");
    raw.labels.push_back(text[0] - '0');
    raw.texts.push_back(text.substr(2));
  }
  return raw;
}

Dataset load(const contract::DatasetSpec& spec) {
  const auto folder = folder_of(spec, "stsa.binary.train and stsa.binary.test");
  return make_text_set({.classes = kClasses,
                        .train = read_samples(folder / "stsa.binary.train"),
                        .test = read_samples(folder / "stsa.binary.test")},
                       spec);
}

}  // namespace

extern const DatasetEntry text_sst_entry;
const DatasetEntry text_sst_entry{.name = "text_sst",
                                  .summary = "Stanford Sentiment Treebank: sentences, good or bad",
                                  .load = load,
                                  .samples = "text"};

}  // namespace dlscale::trainer
