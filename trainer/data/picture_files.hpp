// SPDX-License-Identifier: Apache-2.0
// Sources of the encoded images of a split, such as files in folders or records of a file.
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

/// Reader for the images of a split. Each thread uses a separate reader. A reader opens one sample
/// at a time and reuses its memory for the next sample.
class PictureReader {
 public:
  virtual ~PictureReader() = default;
  /// Opens a sample of the split and returns the size of its image. Throws images::BrokenPicture if
  /// the image is broken or if the file cannot be read. The message of the exception need not name
  /// the file, because the caller adds the name.
  virtual images::Size open(std::int64_t sample) = 0;
  /// Returns the pixels of `part` of the opened image. The pixels stay valid until the next open().
  /// May be called once per open(). Throws like open().
  virtual images::PictureView decode(const images::Box& part) = 0;
  /// Returns the JPEG or PNG bytes of the opened image, valid until the next open(). Returns an
  /// empty span when the source stores pixels.
  virtual std::span<const std::uint8_t> encoded() const = 0;
  /// Returns the number of bytes that this reader has read so far.
  virtual std::int64_t bytes_read() const = 0;
};

/// Source of the images of one split, in sample order. Several threads may create readers and use
/// one reader each. The source outlives its readers.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  virtual std::unique_ptr<PictureReader> make_reader() const = 0;
  /// Announces samples that readers will open soon. Returns at once.
  virtual void will_read(std::span<const std::int64_t> /*samples*/) const {}
  /// Returns a name of the sample for messages: the path of its file, or the path of a record file
  /// and the number of the record.
  virtual std::string name(std::int64_t sample) const = 0;
  /// Returns the remedy for a broken image, for example "replace or remove it".
  virtual std::string remedy() const = 0;
};

// Images that are files in one folder per class.

class PictureFiles : public PictureSource {
 public:
  /// Makes a source of `files`, which are in the folder `split`. The label of a file is an index
  /// into `classes`, and the class name is the name of its folder.
  PictureFiles(const std::filesystem::path& split, const images::ClassNames& classes,
               const std::vector<images::ClassFile>& files);
  std::unique_ptr<PictureReader> make_reader() const override;
  std::string name(std::int64_t sample) const override;
  std::string remedy() const override { return "replace or remove it"; }

 private:
  // All file names are stored in one string. A separate path object for each file would need five
  // times as much memory, which matters for a million files.
  std::vector<std::string> folders_;   ///< folder of each label, with a trailing slash
  std::vector<std::uint16_t> labels_;  ///< label of each sample
  std::vector<std::size_t> ends_;      ///< end of each sample's name in `names_`
  std::string names_;
};

/// Reads a file to its end. Throws images::BrokenPicture when the file cannot be read.
void read_picture_file(const std::string& path, std::vector<std::uint8_t>& bytes);

}  // namespace dlscale::trainer
