// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/text/text_set.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "contract/run_outcome.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "trainer/data/text/vocabulary.hpp"

using namespace dlscale;
using Tokens = std::vector<std::int32_t>;

namespace {

trainer::Dataset load(const contract::DatasetSpec& spec) {
  return base::find(trainer::dataset_table(), "dataset", spec.kind).load(spec);
}

Tokens tokens(const trainer::TokenLists& lists, std::int64_t i) {
  return {lists[i].begin(), lists[i].end()};
}

/// Returns ten texts of one word each, w0 … w9, with alternating labels 0 and 1.
trainer::RawTextSet ten_texts() {
  trainer::RawTextSet raw{.classes = 2};
  for (int i = 0; i < 10; ++i) {
    raw.train.texts.push_back("w" + std::to_string(i));
    raw.train.labels.push_back(i % 2);
  }
  return raw;
}

/// Returns the error of loading the data set `kind` from `folder`.
std::string error_of(const std::string& kind, const test::TempDir& folder) {
  try {
    load({kind, folder.path()});
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitData);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a fold tests on its own share of the samples and trains on the others") {
  for (int fold = 1; fold <= 5; ++fold) {
    const auto set = trainer::make_text_set(ten_texts(), {.folds = 5, .fold = fold});
    CHECK(set.train.size() == 8);
    CHECK(set.test.size() == 2);
    // The vocabulary contains only words of the training set.
    CHECK(set.words == trainer::kSpecialTokens + 8);
    CHECK(tokens(set.test.text, 0) == Tokens{trainer::kUnknown});
  }
}

TEST_CASE("folds are required for files without a test set and optional for others") {
  CHECK_THROWS_WITH(
      trainer::make_text_set(ten_texts(), {.kind = "text_ag_news", .path = "/x"}),
      "text_ag_news: the files in /x are not divided into a training set and a test set; "
      "set dataset.folds, for example to 5, and dataset.fold");
  auto raw = ten_texts();
  raw.test = {.texts = {"other"}, .labels = {1}};
  CHECK(trainer::make_text_set(raw, {}).train.size() == 10);
  const auto set = trainer::make_text_set(raw, {.folds = 2, .fold = 2});
  CHECK(set.train.size() == 5);
  CHECK(set.test.size() == 5);
  CHECK(set.train.labels == std::vector<std::uint16_t>{0, 0, 0, 0, 0});
}

TEST_CASE("texts are cut to the maximum number of tokens in both languages") {
  trainer::RawTextSet raw;
  raw.train = {.texts = {"a b c"}, .translations = {"x y"}};
  raw.test = raw.train;
  const auto set = trainer::make_text_set(raw, {.max_length = 2});
  CHECK(tokens(set.train.text, 0) == Tokens{4, 5});
  CHECK(set.words == trainer::kSpecialTokens + 2);
  CHECK(tokens(set.train.translation, 0) == Tokens{4, 5});
  CHECK(set.target_words == trainer::kSpecialTokens + 2);
}

TEST_CASE("reference translations of the test set are not cut") {
  trainer::RawTextSet raw;
  raw.train = {.texts = {"a b c"}, .translations = {"x y z"}};
  raw.test = raw.train;
  const auto set = trainer::make_text_set(raw, {.max_length = 2});
  CHECK(set.train.translation[0].size() == 2);
  CHECK(set.test.text[0].size() == 2);
  CHECK(tokens(set.test.translation, 0) == Tokens{4, 5, trainer::kUnknown});
}

TEST_CASE("classes and samples are selected before the vocabulary is built") {
  auto raw = ten_texts();
  raw.test = {.texts = {"w0", "w1", "w2"}, .labels = {0, 1, 0}};
  const auto set = trainer::make_text_set(raw, {.train_samples = 2, .first_classes = 1});
  CHECK(set.train.size() == 2);
  CHECK(set.test.size() == 2);
  CHECK(set.words == trainer::kSpecialTokens + 2);
  CHECK_THROWS_WITH(
      trainer::make_text_set(raw, {.train_samples = 6, .first_classes = 1}),
      Catch::StartsWith("6 train samples are requested, but the data set has only 5"));
}

TEST_CASE("AG News joins title and description and reads doubled quotes and backslashes") {
  test::TempDir folder;
  test::write_text(folder / "train.csv", "\"3\",\"A \"\"b\"\"\",\"c,\\d\"\n\"1\",\"a\",\"\"\n");
  test::write_text(folder / "test.csv", "4,d,c\n");
  const auto set = load({"text_ag_news", folder.path()});
  CHECK(set.train.labels == std::vector<std::uint16_t>{2, 0});
  CHECK(set.train.text[0].size() == 5);  // the tokens are "a", "b", "c", "," and "d"
  CHECK(tokens(set.train.text, 1) == Tokens{trainer::kSpecialTokens});
  CHECK(set.test.labels == std::vector<std::uint16_t>{3});
  std::filesystem::remove(folder / "train.csv");
  CHECK_THAT(error_of("text_ag_news", folder), Catch::Contains("set dataset.folds"));
}

TEST_CASE("a byte-order mark at the beginning of a file is not part of its first row") {
  test::TempDir folder;
  test::write_text(folder / "test.csv", "\xef\xbb\xbf\"5\",\"a\",\"b\"\n");
  CHECK_THAT(error_of("text_ag_news", folder),
             Catch::Contains("test.csv: line 1: the class \"5\" is "));
}

TEST_CASE("a broken row of AG News is reported with its line") {
  test::TempDir folder;
  const auto error = [&](const std::string& row) {
    test::write_text(folder / "test.csv", "\"1\",\"a\",\"b\"\n" + row + "\n");
    return error_of("text_ag_news", folder);
  };
  CHECK_THAT(error("\"5\",\"a\",\"b\""), Catch::Contains("test.csv: line 2: the class \"5\" is "));
  CHECK_THAT(error("\"1\",\"a\""), Catch::Contains("line 2: 2 fields instead of class, title and"));
  CHECK_THAT(error("\"1\",\"a\",\"b"), Catch::Contains("line 2: a quotation mark is not closed"));
  CHECK_THAT(error("\"1\",\"\xff\",\"b\""), Catch::Contains("line 2: not UTF-8"));
  CHECK_THAT(error(""), Catch::Contains("line 2: 1 fields"));
}

TEST_CASE("a line of SST or TREC without a valid label is reported with its file") {
  test::TempDir folder;
  test::write_text(folder / "stsa.binary.train", "1 good\nbad\n");
  CHECK_THAT(error_of("text_sst", folder),
             Catch::Contains("stsa.binary.train: line 2: it does not begin with the label 0 or 1"));
  test::write_text(folder / "TREC.train", "NUM:date when ?\nwhen ?\n");
  CHECK_THAT(error_of("text_trec", folder),
             Catch::Contains("TREC.train: line 2: it does not begin with CLASS:subclass"));
  test::write_text(folder / "TREC.train", "NIL:date when ?\n");
  CHECK_THAT(error_of("text_trec", folder),
             Catch::Contains("the class \"NIL\" is not one of ABBR, DESC, ENTY, HUM, LOC, NUM"));
  test::write_text(folder / "TREC.train", "");
  CHECK_THAT(error_of("text_trec", folder), Catch::Contains("TREC.train: it is empty"));
}

TEST_CASE("TREC is read as Latin-1") {
  test::TempDir folder;
  test::write_text(folder / "TREC.train", "HUM:ind who was Andr\xc9 ?\n");
  test::write_text(folder / "TREC.test", "HUM:ind andr\xe9\n");
  const auto set = load({"text_trec", folder.path()});
  CHECK(set.train.labels == std::vector<std::uint16_t>{3});
  CHECK(set.test.text[0][0] != trainer::kUnknown);
}

TEST_CASE("different numbers of sentences and translations are an error that names both files") {
  test::TempDir folder;
  test::write_samples("text_multi30k", folder.path());
  test::write_text(folder / "train.de", "eins\nzwei\n");
  CHECK_THAT(error_of("text_multi30k", folder),
             Catch::Contains("train.en has 60 lines, but ") &&
                 Catch::Contains(
                     "train.de has 2 lines; each line must be the translation of the same line"));
}

TEST_CASE("a sentence without a word is reported with its line") {
  test::TempDir folder;
  for (const char* name : {"train.en", "train.de", "test_2016_flickr.en"}) {
    test::write_text(folder / name, "one\ntwo\n");
  }
  test::write_text(folder / "test_2016_flickr.de", "eins\n \n");
  CHECK_THAT(error_of("text_multi30k", folder),
             Catch::Contains("test_2016_flickr.de: line 2: the sentence has no words; fetch"));
  test::write_text(folder / "train.en", "\n\n");
  CHECK_THAT(error_of("text_multi30k", folder), Catch::Contains("train.en: line 1: the sentence"));
}

TEST_CASE("lines end with a line feed, with or without a carriage return before it") {
  test::TempDir folder;
  test::write_text(folder / "stsa.binary.train", "1 good\r\n0 bad\r\n");
  test::write_text(folder / "stsa.binary.test", "1 good\n0 bad");
  CHECK(load({"text_sst", folder.path()}).train.size() == 2);
  test::write_text(folder / "stsa.binary.train", "1 good\r0 bad\r");
  CHECK_THAT(
      error_of("text_sst", folder),
      Catch::Contains("stsa.binary.train: line 1: a carriage return without a line feed; "
                      "lines must end in a line feed; convert the file, for example with: tr "));
  test::write_text(folder / "stsa.binary.train", "1 good\n0 bad\r0 worse\n");
  CHECK_THAT(error_of("text_sst", folder), Catch::Contains("train: line 2: a carriage return"));
}

TEST_CASE("the real text files have the known sizes") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (!data) {
    test::skip("DLSCALE_TEST_DATA does not name a folder with sst/ and others");
    return;
  }
  const std::string root = data;
  const auto sst = load({"text_sst", root + "/sst"});
  CHECK(sst.train.size() == 6920);
  CHECK(sst.test.size() == 1821);
  const auto trec = load({"text_trec", root + "/trec"});
  CHECK(trec.train.size() == 5452);
  CHECK(trec.test.size() == 500);
  const auto news =
      load({.kind = "text_ag_news", .path = root + "/ag_news", .folds = 5, .fold = 5});
  CHECK(news.train.size() == 6080);
  CHECK(news.test.size() == 1520);
  const auto captions = load({.kind = "text_multi30k", .path = root + "/multi30k"});
  CHECK(captions.train.size() == 29000);
  CHECK(captions.test.size() == 1000);
  CHECK(captions.train.translation.size() == 29000);
}
