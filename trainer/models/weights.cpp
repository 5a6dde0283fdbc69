// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/weights.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/checkpoint/safetensors.hpp"
#include "trainer/checkpoint/torch_file.hpp"
#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::string_view kModel = "model.";
constexpr std::string_view kRandom = "model.random.";

/// Tensor in a file of weights.
struct StoredTensor {
  std::string name;
  std::string type;  ///< name of the type in safetensors files
  std::vector<std::int64_t> shape;
  std::function<at::Tensor()> read;  ///< returns the values; keeps the file open
};

std::string type_name(at::ScalarType type) {
  return type == at::kLong ? "I64" : c10::toString(type);
}

/// Returns the current name of a tensor. torchvision's file for densenet121 was written before the
/// layers norm.1, relu.1, conv.1 and so on of a dense layer got the names norm1, relu1 and conv1.
std::string current_name(std::string name) {
  if (name.find("denselayer") == name.npos) return name;
  for (const std::string_view layer : {".norm.", ".relu.", ".conv."}) {
    const std::size_t place = name.find(layer);
    if (place != name.npos) name.erase(place + layer.size() - 1, 1);
  }
  return name;
}

std::vector<StoredTensor> tensors_in(const std::string& path) {
  std::vector<StoredTensor> tensors;
  if (TorchFile::has_format(path)) {
    const auto file = std::make_shared<TorchFile>(path);
    for (const TorchEntry& entry : file->entries()) {
      tensors.push_back({current_name(entry.name), type_name(entry.type), entry.shape,
                         [file, &entry] { return file->read(entry); }});
    }
    return tensors;
  }
  const auto file = std::make_shared<SafetensorsFile>(path);
  for (const contract::SafetensorsEntry& entry : file->entries()) {
    tensors.push_back({current_name(entry.name), entry.type, entry.shape,
                       [file, &entry] { return file->read(entry); }});
  }
  return tensors;
}

/// A file of weights, and the tensors of a model to which the values in the file are copied.
class Loading {
 public:
  Loading(Model& model, const std::string& path) : path_(path) {
    for (StoredTensor& tensor : tensors_in(path)) entries_[tensor.name] = std::move(tensor);
    std::vector<NamedTensor> all = model.weights();
    wanted_ =
        entries_.contains(all.front().name) ? Pretrained{std::move(all), ""} : model.pretrained();
    const std::string last = wanted_.tensors.empty() ? "" : model.parameter_names().back();
    classifier_ = last.substr(0, last.rfind('.') + 1);
    is_backbone_ = dynamic_cast<const ModuleModel<VisionNet>*>(&model) != nullptr;
  }

  void run() {
    refuse_extra();
    for (const NamedTensor& part : wanted_.tensors) require_fit(part);
    // All tensors are read before any tensor is copied, so that a damaged file leaves the model
    // unchanged.
    std::vector<std::pair<at::Tensor, at::Tensor>> copies;
    for (const NamedTensor& part : wanted_.tensors) {
      const auto found = entries_.find(part.name);
      if (found != entries_.end()) {
        copies.emplace_back(part.tensor.detach(), found->second.read());
      }
    }
    const at::NoGradGuard no_gradients;
    for (auto& [tensor, values] : copies) tensor.copy_(values);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw base::RunError(fmt::format("{}: {}", path_, problem));
  }

  /// Returns a hint for an error message that names the entry of `choices` most similar to `name`.
  /// Returns an empty string if no entry is similar.
  static std::string question(const std::string& name, const std::vector<std::string>& choices) {
    const std::string similar = base::nearest(name, choices);
    return similar.empty() ? "" : fmt::format("; the most similar name is \"{}\"", similar);
  }

  std::vector<std::string> extra() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) {
      const bool unused = !wanted_.unused.empty() && name.starts_with(wanted_.unused);
      const bool known = std::ranges::any_of(
          wanted_.tensors, [&](const NamedTensor& part) { return part.name == name; });
      if (!unused && !known) names.push_back(name);
    }
    return names;
  }

  std::vector<std::string> missing() const {
    std::vector<std::string> names;
    for (const NamedTensor& part : wanted_.tensors) {
      if (!entries_.contains(part.name)) names.push_back(part.name);
    }
    return names;
  }

  void refuse_extra() const {
    const std::vector<std::string> names = extra();
    if (names.empty()) return;
    fail(fmt::format("the model has no tensor \"{}\"{}", names[0], question(names[0], missing())));
  }

  void require_fit(const NamedTensor& part) const {
    const auto found = entries_.find(part.name);
    if (found == entries_.end()) {
      // Files written by PyTorch before 0.4.1 lack this tensor.
      if (part.name.ends_with(".num_batches_tracked")) return;
      fail(fmt::format("has no tensor \"{}\"{}", part.name, question(part.name, extra())));
    }
    const StoredTensor& entry = found->second;
    if (part.tensor.sizes() != at::IntArrayRef(entry.shape)) fail_shape(part, entry);
    if ((entry.type == "I64") != (part.tensor.scalar_type() == at::kLong)) {
      fail(fmt::format("\"{}\" has type {}, but the model needs {}", part.name, entry.type,
                       c10::toString(part.tensor.scalar_type())));
    }
  }

  [[noreturn]] void fail_shape(const NamedTensor& part, const StoredTensor& entry) const {
    const auto behind_first = [](const auto& shape) {
      return std::vector<std::int64_t>(shape.begin() + std::min<std::ptrdiff_t>(1, shape.size()),
                                       shape.end());
    };
    const bool other_classes = part.name.starts_with(classifier_) &&
                               behind_first(part.tensor.sizes()) == behind_first(entry.shape);
    std::string advice;
    if (other_classes) {
      advice = "; the file is for another number of classes than the data set has";
      if (is_backbone_)
        advice += "; the model frozen_backbone can use the file without its classifier";
    }
    fail(fmt::format("\"{}\" has shape [{}], but the model needs [{}]{}", part.name,
                     fmt::join(entry.shape, ", "), fmt::join(part.tensor.sizes(), ", "), advice));
  }

  std::string path_;
  std::map<std::string, StoredTensor> entries_;
  Pretrained wanted_;
  std::string classifier_;  ///< name prefix of the last layer
  bool is_backbone_;        ///< true if frozen_backbone accepts this model as its backbone
};

}  // namespace

void load_weights(Model& model, const std::string& file) {
  try {
    Loading(model, file).run();
  } catch (const base::Error& error) {
    throw base::RunError(fmt::format("weights: {}", error.what()),
                         contract::kExitBadRunDescription);
  }
}

std::vector<NamedTensor> weights_in(const std::vector<NamedTensor>& state) {
  std::vector<NamedTensor> weights;
  for (const NamedTensor& part : state) {
    if (!part.name.starts_with(kModel) || part.name.starts_with(kRandom)) continue;
    weights.push_back({part.name.substr(kModel.size()), part.tensor});
  }
  return weights;
}

}  // namespace dlscale::trainer
