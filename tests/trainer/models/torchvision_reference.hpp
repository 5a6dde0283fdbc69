// SPDX-License-Identifier: Apache-2.0
// torchvision's models in numbers: parameters, scores, losses and gradients in double precision,
// filled by a formula.
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
  /// CHECKs our model of that name: names and shapes exactly, numbers to 1e-9 of their scale.
  void check(const std::string& model) const;
  /// CHECKs names and shapes alone, of a VGG network's small form: it lacks nothing but 48 of the
  /// 49 means of each channel, for which the whole one has 100 million parameters.
  void check_small_vgg(const std::string& model) const;

 private:
  struct Numbers;
  std::unique_ptr<const Numbers> numbers_;
};

}  // namespace dlscale::test
