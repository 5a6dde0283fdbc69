// SPDX-License-Identifier: Apache-2.0
// Which values of an axis a published statement is about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::analysis {

/// A cell as tables write it: `ddp`, `ddp|horovod` (each of them), `?ddp|horovod` (one of them, the
/// text does not say which), `*` (all), `<=256`, `>512`, `4..64`; nothing: not said.
class AxisCell {
 public:
  explicit AxisCell(std::string_view text);

  /// The text does not say which of several it means.
  bool is_unsaid() const { return unsaid_; }
  /// The only value it names, if it is a number.
  std::optional<double> number() const;
  /// Some value may be meant by both.
  bool meets(const AxisCell& other) const;
  /// Every value that `other` may mean is meant.
  bool contains(const AxisCell& other) const;

 private:
  bool has(const std::string& word) const;

  bool any_ = false;
  bool unsaid_ = false;
  bool range_ = false;
  double low_ = 0;
  double high_ = 0;
  std::vector<std::string> words_;  // comparable: lower case, without space, - and _
};

/// Names as people write them alike: "ResNet-50" and "resnet50".
std::string comparable(std::string_view name);

}  // namespace dlscale::analysis
