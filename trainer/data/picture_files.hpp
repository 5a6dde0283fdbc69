// SPDX-License-Identifier: Apache-2.0
// Where the pictures of a split come from: files of folders, records of a file, …
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/class_folders.hpp"
#include "images/decode.hpp"
#include "images/picture.hpp"

namespace dlscale::trainer {

/// What one thread reads with, one sample after the other, in memory that it keeps.
class PictureReader {
 public:
  virtual ~PictureReader() = default;
  /// Turns to a sample of the split, and says how large its picture is. Throws
  /// images::BrokenPicture, also where its bytes cannot be read; what() need not name the file.
  virtual images::Size open(std::int64_t sample) = 0;
  /// The pixels of `part` of it, once; they stay until the next open(). Throws as open().
  virtual images::PictureView decode(const images::Box& part) = 0;
  /// The JPEG or PNG that was opened, until the next open(); empty where pixels are stored.
  virtual std::span<const std::uint8_t> encoded() const = 0;
  /// What this reader has read so far.
  virtual std::int64_t bytes_read() const = 0;
};

/// The pictures of one split, in its order. Several threads may make and use readers, each its own;
/// the source outlives them.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  virtual std::unique_ptr<PictureReader> make_reader() const = 0;
  /// What readers will soon turn to; returns at once.
  virtual void will_read(std::span<const std::int64_t> /*samples*/) const {}
  /// For messages: the file of a sample, or a file and which record of it.
  virtual std::string name(std::int64_t sample) const = 0;
  /// What to do about a broken one: "replace or remove it".
  virtual std::string remedy() const = 0;
};

// Pictures that are files in folders of their classes.

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
