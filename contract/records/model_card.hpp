// SPDX-License-Identifier: Apache-2.0
// Defines the cost model of a network: computation, memory traffic and memory of each operator.
// `dlscale-train --describe` traces a model and writes the file. `dlscale predict` reads the file,
// so `dlscale predict` needs no LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

inline constexpr int kModelCardVersion = 1;

/// Cost as a function of the batch: fixed + samples x per_sample. The tracer determines both values
/// from two batches of different sizes.
struct BatchCost {
  double fixed = 0;
  double per_sample = 0;
  double at(double samples) const { return fixed + samples * per_sample; }
  bool operator==(const BatchCost&) const = default;
};

/// Cost of one operator in the forward pass or in the backward pass.
struct PassCost {
  BatchCost flops;    ///< FLOPs of convolutions and matrix products; a multiply-add counts as 2
  BatchCost read;     ///< bytes of the tensor inputs, including parameters
  BatchCost written;  ///< bytes of the outputs
  /// Bytes in use when the operator ends, in addition to parameters, buffers and gradients of
  /// parameters: the input, the tensors saved for the backward pass, and the input of the next
  /// operator. Scratch memory is not included.
  BatchCost live;
  bool operator==(const PassCost&) const = default;
};

/// Operator of the forward pass, with its cost in the forward pass and in the backward pass.
struct LayerCard {
  /// Name of the layer whose parameters the operator reads. An operator without parameters has the
  /// name of the previous operator. The name is a parameter name without its last part:
  /// "layer1.0.conv2".
  std::string name;
  std::string kind;       ///< LibTorch's operator without "aten::": "convolution", "cat", "relu_"
  std::string block;      ///< block of the model that contains the operator
  bool in_place = false;  ///< true if the operator overwrites its input
  /// Number of trainable scalars of the operator. Scalars that several operators share count for
  /// the first of them.
  std::int64_t parameters = 0;
  int parameter_tensors = 0;  ///< number of tensors with these scalars; each has a gradient
  PassCost forward;
  PassCost backward;
  /// Bytes that the operator allocated and that are in use after the forward pass.
  BatchCost saved;
  /// Arguments of the call for one sample, with the keys of KernelTime::size ("c_in", "h_out",
  /// "kernel"). Empty if images are not square or if the kernel is not one of the measured kernels.
  std::map<std::string, double> size;
  bool operator==(const LayerCard&) const = default;
};

struct ModelCard {
  int schema_version = kModelCardVersion;
  std::string model;
  /// Shape of one sample: channels x height x width, or the number of tokens of a text.
  std::vector<std::int64_t> input;
  /// Number of classes. For texts without classes, number of target words.
  int classes = 0;
  ModelOptions options;            ///< settings of the model that shape the network
  std::string precision = "fp32";  ///< precision as in studies; affects bytes but not FLOPs
  std::string command;             ///< command that wrote the file
  /// Versions of programs: "dlscale": "0.1.0", "torch": "2.11.0".
  std::map<std::string, std::string> made_with;
  std::int64_t parameters = 0;    ///< number of trainable scalars
  double parameter_bytes = 0;     ///< bytes of all parameters, trained or not
  double buffer_bytes = 0;        ///< bytes of buffers, such as running statistics
  std::vector<LayerCard> layers;  ///< operators in the order of the forward pass
  bool operator==(const ModelCard&) const = default;
};

/// Returns the name and the value of each setting that differs from its default, in the order of
/// the names: {{"backbone", "vgg16"}, {"classifier_hidden", "4096"}}.
std::vector<std::pair<std::string, std::string>> given_options(const ModelOptions& options);

/// Returns the model with these settings: "mlp", "frozen_backbone (backbone vgg16)".
std::string model_text(const std::string& model, const ModelOptions& options);

/// Returns the file name of a model card: "resnet50-3x224x224-1000.json". The name of a precision
/// other than fp32 is added, and so are the settings of the model that differ from their defaults:
/// "…-1000-bf16.json", "…-10-backbone-vgg16-classifier_hidden-4096.json".
std::string card_file_name(std::string_view model, const std::vector<std::int64_t>& input,
                           int classes, std::string_view precision = "fp32",
                           const ModelOptions& options = {});

/// Returns the shape as text: "3x224x224".
std::string shape_text(const std::vector<std::int64_t>& shape);
/// Reads a shape such as "3x224x224". Throws base::UsageError for any other text.
std::vector<std::int64_t> shape_from_text(std::string_view text);

/// Returns the JSON text: keys in a fixed order, one line for each layer, and a final newline.
/// Equal cards give equal bytes.
std::string to_json(const ModelCard& card);
/// Reads a model card. Throws base::SpecError for missing keys, wrong types, a newer version,
/// missing layers and negative values. `file` is only used in messages.
ModelCard model_card_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
