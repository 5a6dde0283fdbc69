// SPDX-License-Identifier: Apache-2.0
// Conversion of raw texts from files to a data set of tokens.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

/// Raw texts of one split in UTF-8. There is one label or one translation for each text.
struct RawTexts {
  std::vector<std::string> texts;
  std::vector<int> labels;
  std::vector<std::string> translations;
  std::size_t size() const { return texts.size(); }
};

struct RawTextSet {
  int classes = 0;  ///< number of classes, 0 for translation
  RawTexts train;
  RawTexts test;  ///< test split, empty when the files define none and folds are needed
};

/// Converts raw texts to a data set. Applies, in this order, the digest check, the folds, the
/// choice of classes, the subset, the vocabulary and the maximum length from `spec`. Throws
/// base::RunError (contract::kExitData).
Dataset make_text_set(RawTextSet raw, const contract::DatasetSpec& spec);

/// Lines of a text file. The constructor throws base::RunError (contract::kExitData) when the file
/// is missing, empty, not valid UTF-8 after decoding, or not divided by line feeds. The message
/// names the line.
struct TextFile {
  enum class Encoding { utf8, latin1 };
  std::filesystem::path path;
  std::vector<std::string> lines;

  explicit TextFile(std::filesystem::path file, Encoding encoding = Encoding::utf8);
  /// Throws "cannot read FILE: line N: problem; fetch the file again". `line` counts from 0.
  [[noreturn]] void fail(std::size_t line, const std::string& problem) const;

 private:
  [[noreturn]] void fail_ending(std::size_t line) const;
};

/// Returns `spec.path`. Throws base::RunError (contract::kExitData) when the path is empty. `files`
/// describes the expected content of the folder.
std::filesystem::path folder_of(const contract::DatasetSpec& spec, const std::string& files);

}  // namespace dlscale::trainer
