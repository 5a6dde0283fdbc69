// SPDX-License-Identifier: Apache-2.0
// The corpora of texts, as their authors publish them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/text/text_set.hpp"
#include "trainer/data/text/vocabulary.hpp"

namespace dlscale::trainer {

// AG's News (Zhang, Zhao, LeCun: Character-level Convolutional Networks for Text Classification,
// NIPS 2015): train.csv and test.csv of "class","title","description".

namespace {

constexpr int kClasses = 4;
constexpr std::size_t kFields = 3;

using Fields = std::vector<std::string>;

/// One row; quotes inside quotes are doubled. A row is a line: where a description has several they
/// are joined by a backslash.
Fields fields_of(const TextFile& file, std::size_t line) {
  const std::string& text = file.lines[line];
  Fields fields{""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool doubled = quoted && text.compare(i, 2, "\"\"") == 0;
    if (text[i] == '"' && !doubled) {
      quoted = !quoted;
    } else if (text[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += text[i] == '\\' ? ' ' : text[i];
      i += doubled ? 1 : 0;
    }
  }
  if (quoted) file.fail(line, "a quote that does not end");
  return fields;
}

RawTexts read(const std::filesystem::path& path) {
  const TextFile file(path);
  RawTexts raw;
  for (std::size_t line = 0; line < file.lines.size(); ++line) {
    const Fields fields = fields_of(file, line);
    if (fields.size() != kFields) {
      file.fail(line,
                fmt::format("{} fields instead of class, title and description", fields.size()));
    }
    const std::string& label = fields[0];
    if (label.size() != 1 || label[0] < '1' || label[0] > '0' + kClasses) {
      file.fail(line, fmt::format("the class \"{}\" is none of 1 … {}", label, kClasses));
    }
    raw.labels.push_back(label[0] - '1');
    raw.texts.push_back(fields[1] + " " + fields[2]);
  }
  return raw;
}

Dataset load(const contract::DatasetSpec& spec) {
  const auto folder = folder_of(spec, "train.csv and test.csv");
  RawTextSet raw{.classes = kClasses, .test = read(folder / "test.csv")};
  if (has_data_file(folder / "train.csv")) {
    raw.train = read(folder / "train.csv");
  } else {
    raw.train = std::exchange(raw.test, {});
  }
  return make_text_set(std::move(raw), spec);
}

}  // namespace

extern const DatasetEntry text_ag_news_entry;
const DatasetEntry text_ag_news_entry{.name = "text_ag_news",
                                      .summary = "AG's News, CSV files: news in four classes",
                                      .load = load,
                                      .samples = "text"};

// Multi30k, English to German (Elliott, Frank, Sima'an, Specia: Multi30K, 2016): train.{en,de} and
// test_2016_flickr.{en,de}, a sentence a line.

namespace {

TextFile sentences(const std::filesystem::path& path) {
  TextFile file(path);
  for (std::size_t line = 0; line < file.lines.size(); ++line) {
    if (tokenize(file.lines[line]).empty()) file.fail(line, "a sentence without a word");
  }
  return file;
}

RawTexts read(const std::filesystem::path& folder, const std::string& name) {
  TextFile english = sentences(folder / (name + ".en"));
  TextFile german = sentences(folder / (name + ".de"));
  if (english.lines.size() != german.lines.size()) {
    throw base::RunError(
        fmt::format("{} has {} lines, but {} has {}: each line is to be the translation of the "
                    "other; fetch both again",
                    english.path.string(), english.lines.size(), german.path.string(),
                    german.lines.size()),
        contract::kExitData);
  }
  return {.texts = std::move(english.lines), .translations = std::move(german.lines)};
}

Dataset load(const contract::DatasetSpec& spec) {
  auto folder = folder_of(spec, "train.en, train.de, test_2016_flickr.en and test_2016_flickr.de");
  if (std::filesystem::is_directory(folder / "raw")) folder /= "raw";
  return make_text_set(
      {.classes = 0, .train = read(folder, "train"), .test = read(folder, "test_2016_flickr")},
      spec);
}

}  // namespace

extern const DatasetEntry text_multi30k_entry;
const DatasetEntry text_multi30k_entry{.name = "text_multi30k",
                                       .summary = "Multi30k: captions, English and German",
                                       .load = load,
                                       .samples = "text",
                                       .task = "translation"};

// Stanford Sentiment Treebank, two classes (Socher et al., Recursive Deep Models for Semantic
// Compositionality, 2013): stsa.binary.train and stsa.binary.test, a line "label text" each.

namespace {

constexpr int kClasses = 2;

RawTexts read(const std::filesystem::path& path) {
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
                        .train = read(folder / "stsa.binary.train"),
                        .test = read(folder / "stsa.binary.test")},
                       spec);
}

}  // namespace

extern const DatasetEntry text_sst_entry;
const DatasetEntry text_sst_entry{.name = "text_sst",
                                  .summary = "Stanford Sentiment Treebank: sentences, good or bad",
                                  .load = load,
                                  .samples = "text"};

// TREC questions (Li, Roth: Learning Question Classifiers, COLING 2002): TREC.train and TREC.test,
// Latin-1, a line "CLASS:subclass question" each.

namespace {

constexpr std::array<std::string_view, 6> kClasses{"ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"};

RawTexts read(const std::filesystem::path& path) {
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
      file.fail(line, fmt::format("the class \"{}\" is none of {}", text.substr(0, colon),
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
                        .train = read(folder / "TREC.train"),
                        .test = read(folder / "TREC.test")},
                       spec);
}

}  // namespace

extern const DatasetEntry text_trec_entry;
const DatasetEntry text_trec_entry{.name = "text_trec",
                                   .summary = "TREC questions in six classes",
                                   .load = load,
                                   .samples = "text"};

}  // namespace dlscale::trainer
