// SPDX-License-Identifier: Apache-2.0
// Conversion of raw texts from files to a data set of tokens.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

/// Raw texts of one split in UTF-8. Each text has either a label or a translation.
struct RawTexts {
  std::vector<std::string> texts;
  std::vector<int> labels;
  std::vector<std::string> translations;
  std::size_t size() const { return texts.size(); }
};

struct RawTextSet {
  int classes = 0;  ///< number of classes, 0 for translation
  RawTexts train;
  RawTexts test;  ///< test split; empty if the files contain no test split
};

/// Converts raw texts to a data set in the way that `spec` requests. The steps are, in this order:
/// check the digest, split off a fold as the test split, choose classes, choose a subset of the
/// samples, build the vocabulary, and limit the length of the texts. Throws base::RunError
/// (contract::kExitData) if a step fails.
Dataset make_text_set(RawTextSet raw, const contract::DatasetSpec& spec);

/// Lines of a text file. The constructor throws base::RunError (contract::kExitData) if the file is
/// missing or empty, if its text is not valid UTF-8 after decoding, or if its lines do not end with
/// line feeds. The message names the line.
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

/// Returns `spec.path`. Throws base::RunError (contract::kExitData) if the path is empty. The error
/// message contains `files`, which describes the files that the folder must contain.
std::filesystem::path folder_of(const contract::DatasetSpec& spec, const std::string& files);

}  // namespace dlscale::trainer
