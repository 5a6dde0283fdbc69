// SPDX-License-Identifier: Apache-2.0
// What an image file becomes in a record file.
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

/// How images are stored: "jpeg": as their files have them; "jpeg:256": as JPEG, scaled down to a
/// shorter side of 256; "raw:256": so scaled, as pixels; "raw": as pixels.
struct StoredForm {
  bool is_raw = false;
  int shorter_side = 0;  ///< pixels, of those that are larger; 0: sizes stay
  int quality = kUsualQuality;

  bool operator==(const StoredForm&) const = default;
};

/// Throws base::UsageError for another text. The quality is the usual one.
StoredForm stored_form(std::string_view text);
std::string to_string(const StoredForm& form);

struct StoredImage {
  std::vector<std::uint8_t> bytes;
  Encoding encoding = Encoding::jpeg;
  Size size;
};

/// Stores one image after the other, with memory that it keeps. One thread at a time.
class ImageStorer {
 public:
  explicit ImageStorer(const StoredForm& form) : form_(form) {}
  /// `file` is decoded as a whole, so that what is stored is good. A JPEG file that need not be
  /// scaled keeps its bytes, and with "jpeg" a PNG file too. Throws BrokenPicture.
  StoredImage store(std::vector<std::uint8_t> file);

 private:
  StoredForm form_;
  Decoder decoder_;
  Resizer resizer_;
};

}  // namespace dlscale::images
