// SPDX-License-Identifier: Apache-2.0
// From texts as their files hold them to a data set of tokens.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

/// UTF-8; either labels or translations, as many as texts.
struct RawTexts {
  std::vector<std::string> texts;
  std::vector<int> labels;
  std::vector<std::string> translations;
  std::size_t size() const { return texts.size(); }
};

struct RawTextSet {
  int classes = 0;  ///< 0: texts are translated
  RawTexts train;
  RawTexts test;  ///< none: the files have no split of their own, so that folds are needed
};

/// Digest, folds, classes, subset, vocabulary and cut, in this order and as `spec` says. Throws
/// base::RunError (contract::kExitData).
Dataset make_text_set(RawTextSet raw, const contract::DatasetSpec& spec);

/// The file's lines. Throws base::RunError (contract::kExitData) when it is missing, empty or, as
/// read, not UTF-8 or not divided by line feeds, naming the line.
struct TextFile {
  enum class Encoding { utf8, latin1 };
  std::filesystem::path path;
  std::vector<std::string> lines;

  explicit TextFile(std::filesystem::path file, Encoding encoding = Encoding::utf8);
  /// "cannot read FILE: line N: problem; fetch the file again"; `line` counts from 0.
  [[noreturn]] void fail(std::size_t line, const std::string& problem) const;

 private:
  [[noreturn]] void fail_ending(std::size_t line) const;
};

/// `spec.path`. Throws base::RunError (contract::kExitData) where it is empty; `files` says what is
/// in it.
std::filesystem::path folder_of(const contract::DatasetSpec& spec, const std::string& files);

}  // namespace dlscale::trainer
