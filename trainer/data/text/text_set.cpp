// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/text/text_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "contract/run_spec/run_id.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/text/vocabulary.hpp"

namespace dlscale::trainer {
namespace {

/// Byte order mark of UTF-8. Spreadsheet programs write this mark at the start of text files.
const std::string kByteOrderMark = "\xef\xbb\xbf";

using Words = std::vector<std::vector<std::string>>;

std::string digest_of(const RawTextSet& raw) {
  std::string parts;
  for (const RawTexts* split : {&raw.train, &raw.test}) {
    std::string samples;
    for (std::size_t i = 0; i < split->size(); ++i) {
      if (!split->labels.empty()) samples += fmt::format("{}\t", split->labels[i]);
      samples += split->texts[i] + "\n";
      if (!split->translations.empty()) samples += split->translations[i] + "\n";
    }
    parts += contract::sha256_hex(samples) + "\n";
  }
  return contract::sha256_hex(parts);
}

template <class Keeps>
RawTexts chosen(const RawTexts& all, const Keeps& keeps) {
  RawTexts some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!keeps(i)) continue;
    some.texts.push_back(all.texts[i]);
    if (!all.labels.empty()) some.labels.push_back(all.labels[i]);
    if (!all.translations.empty()) some.translations.push_back(all.translations[i]);
  }
  return some;
}

/// Divides the training samples into spec.folds folds and makes fold number spec.fold the test
/// split. Folds are numbered from 1. Sample i, counted from 0, belongs to fold 1 + (i modulo
/// spec.folds). The folds therefore do not depend on the seed of the run.
void cut_folds(RawTextSet& raw, const contract::DatasetSpec& spec) {
  if (spec.folds == 0 && raw.test.size() > 0) return;
  if (spec.folds == 0) {
    refuse_data(
        fmt::format("{}: the files in {} are not divided into a training set and a test set; set "
                    "dataset.folds, for example to 5, and dataset.fold",
                    spec.kind, spec.path));
  }
  const auto folds = static_cast<std::size_t>(spec.folds);
  const auto tested = static_cast<std::size_t>(spec.fold) - 1;
  raw.test = chosen(raw.train, [&](std::size_t i) { return i % folds == tested; });
  raw.train = chosen(raw.train, [&](std::size_t i) { return i % folds != tested; });
}

void keep_requested_samples(RawTexts& split, int classes, std::int64_t asked, const char* what) {
  if (classes > 0) {
    split = chosen(split, [&](std::size_t i) { return split.labels[i] < classes; });
  }
  const auto left = static_cast<std::int64_t>(split.size());
  const std::int64_t count = samples_to_keep(left, asked, what);
  if (count < left) split = chosen(split, [&](std::size_t i) { return std::cmp_less(i, count); });
  if (split.size() == 0) refuse_data(fmt::format("the {} set has no sample", what));
}

Words words_of(const std::vector<std::string>& texts, int max_length) {
  Words words;
  for (const std::string& text : texts) {
    words.push_back(tokenize(text));
    if (max_length > 0 && std::cmp_greater(words.back().size(), max_length)) {
      words.back().resize(static_cast<std::size_t>(max_length));
    }
  }
  return words;
}

/// Token lists of the training and test texts in one language, and the size of the vocabulary.
struct Language {
  TokenLists train, test;
  int words = 0;
};

/// Builds the vocabulary from the texts `train` and encodes the texts of both splits. `test_length`
/// is the maximum number of tokens of a test text. The value 0 means no limit.
Language encode(const std::vector<std::string>& train, const std::vector<std::string>& test,
                int test_length, const contract::DatasetSpec& spec) {
  const Words to_train = words_of(train, spec.max_length);
  const Vocabulary vocabulary(to_train,
                              {.most_words = spec.vocabulary, .min_count = spec.min_count});
  Language language{.words = vocabulary.size()};
  for (const auto& text : to_train) language.train.add(vocabulary.numbers_of(text));
  for (const auto& text : words_of(test, test_length)) {
    language.test.add(vocabulary.numbers_of(text));
  }
  return language;
}

}  // namespace

Dataset make_text_set(RawTextSet raw, const contract::DatasetSpec& spec) {
  Dataset set;
  set.sha256 = digest_of(raw);
  require_digest(set.sha256, spec);
  cut_folds(raw, spec);
  set.classes = classes_to_keep(raw.classes, spec.first_classes);
  keep_requested_samples(raw.train, set.classes, spec.train_samples, "train");
  keep_requested_samples(raw.test, set.classes, spec.test_samples, "test");
  Language source = encode(raw.train.texts, raw.test.texts, spec.max_length, spec);
  set.words = source.words;
  set.train.text = std::move(source.train);
  set.test.text = std::move(source.test);
  if (raw.classes == 0) {
    // Translations of test texts are not shortened (maximum length 0), because they are the
    // references with which the output of the model is compared.
    Language target = encode(raw.train.translations, raw.test.translations, 0, spec);
    set.target_words = target.words;
    set.train.translation = std::move(target.train);
    set.test.translation = std::move(target.test);
  }
  set.train.labels.assign(raw.train.labels.begin(), raw.train.labels.end());
  set.test.labels.assign(raw.test.labels.begin(), raw.test.labels.end());
  return set;
}

TextFile::TextFile(std::filesystem::path file, Encoding encoding) : path(std::move(file)) {
  DataFile data(path);
  std::string text = data.text();
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (text.empty()) data.fail("it is empty");
  if (encoding == Encoding::latin1) text = utf8_of_latin1(text);
  const std::size_t good = utf8_prefix(text);
  if (good < text.size()) {
    fail(static_cast<std::size_t>(std::count(text.begin(), text.begin() + good, '\n')),
         "not UTF-8");
  }
  for (std::string_view line : base::lines_of(text)) {
    const bool is_ended = line.data() + line.size() != text.data() + text.size();
    if (is_ended && line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\r') != line.npos) fail_ending(lines.size());
    lines.emplace_back(line);
  }
}

void TextFile::fail(std::size_t line, const std::string& problem) const {
  refuse_data(fmt::format("cannot read {}: line {}: {}; fetch the file again", path.string(),
                          line + 1, problem));
}

void TextFile::fail_ending(std::size_t line) const {
  refuse_data(
      fmt::format("cannot read {}: line {}: a carriage return without a line feed; lines must end "
                  "in a line feed; "
                  "convert the file, for example with: tr '\\r' '\\n' < FILE > NEW",
                  path.string(), line + 1));
}

std::filesystem::path folder_of(const contract::DatasetSpec& spec, const std::string& files) {
  if (spec.path.empty())
    refuse_data(fmt::format("dataset.path is empty; set it to the folder of {}", files));
  return spec.path;
}

}  // namespace dlscale::trainer
