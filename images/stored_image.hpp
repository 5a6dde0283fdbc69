// SPDX-License-Identifier: Apache-2.0
// Converts an image file to the form in which a record file stores the image.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "images/decode.hpp"
#include "images/encode.hpp"
#include "images/record_layout.hpp"
#include "images/resize.hpp"

namespace dlscale::images {

/// Form in which a record file stores images:
/// - "jpeg": the bytes of the image file.
/// - "jpeg:256": JPEG, scaled down to a shorter side of at most 256 pixels.
/// - "raw:256": pixels, scaled down to a shorter side of at most 256 pixels.
/// - "raw": pixels of the original size.
struct StoredForm {
  bool is_raw = false;
  int shorter_side = 0;  ///< maximum length of the shorter side in pixels; 0 = keep sizes
  int quality = kUsualQuality;

  bool operator==(const StoredForm&) const = default;
};

/// Returns the form that `text` describes, with the quality kUsualQuality. Throws base::UsageError
/// for an invalid text.
StoredForm stored_form(std::string_view text);
std::string to_string(const StoredForm& form);

/// Bytes of an image as stored in a record.
struct StoredImage {
  std::vector<std::uint8_t> bytes;
  Encoding encoding = Encoding::jpeg;
  Size size;
};

/// Converter of image files to their stored form. It converts one file after another and reuses its
/// memory. Only one thread may use an ImageStorer at a time.
class ImageStorer {
 public:
  explicit ImageStorer(const StoredForm& form) : form_(form) {}
  /// Returns the stored form of an image file. Decodes the whole file to verify that the image is
  /// not damaged. If a JPEG file need not be scaled, its bytes are kept. With the form "jpeg" the
  /// bytes of a PNG file are kept too. Throws BrokenPicture.
  StoredImage store(std::vector<std::uint8_t> file);

 private:
  StoredForm form_;
  Decoder decoder_;
  Resizer resizer_;
};

}  // namespace dlscale::images
