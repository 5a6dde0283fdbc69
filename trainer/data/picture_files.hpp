// SPDX-License-Identifier: Apache-2.0
// Pictures that are files in folders of their classes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "images/class_folders.hpp"
#include "trainer/data/picture_source.hpp"

namespace dlscale::trainer {

class PictureFiles : public PictureSource {
 public:
  /// `classes` name the folders of `split` that the files' labels are numbers of.
  PictureFiles(const std::filesystem::path& split, const images::ClassNames& classes,
               const std::vector<images::ClassFile>& files);
  std::unique_ptr<PictureReader> make_reader() const override;
  std::string name(std::int64_t sample) const override;
  std::string remedy() const override { return "replace or remove it"; }

 private:
  // A million names are kept as one text: a path for each would take five times the memory.
  std::vector<std::string> folders_;   ///< by label, with a slash at the end
  std::vector<std::uint16_t> labels_;  ///< by sample
  std::vector<std::size_t> ends_;      ///< of the samples' names
  std::string names_;
};

/// Reads a file to its end. Throws images::BrokenPicture where it cannot.
void read_picture_file(const std::string& path, std::vector<std::uint8_t>& bytes);

}  // namespace dlscale::trainer
