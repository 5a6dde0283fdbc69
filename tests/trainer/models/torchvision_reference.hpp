// SPDX-License-Identifier: Apache-2.0
// Reference numbers of torchvision's models: parameters, scores, losses and gradients in double
// precision for weights that a formula generates.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dlscale::test {

class TorchvisionReference {
 public:
  explicit TorchvisionReference(const std::filesystem::path& file);
  ~TorchvisionReference();
  TorchvisionReference(const TorchvisionReference&) = delete;
  TorchvisionReference& operator=(const TorchvisionReference&) = delete;

  std::vector<std::string> models() const;
  /// Checks dlscale's model with this name: names and shapes exactly, numbers to 1e-9 of their
  /// scale.
  void check(const std::string& model) const;
  /// Checks only the names and shapes of a VGG network in its small form. In the small form, the
  /// first linear layer has one input per channel instead of 49. The other 48 inputs account for
  /// 100 million parameters of the full form.
  void check_small_vgg(const std::string& model) const;

 private:
  struct Numbers;
  std::unique_ptr<const Numbers> numbers_;
};

}  // namespace dlscale::test
