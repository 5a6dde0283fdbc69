// SPDX-License-Identifier: Apache-2.0
// What a model computes, moves and keeps, operator by operator: `dlscale-train --describe` walks
// the model and writes it, `dlscale predict` reads it where there is no LibTorch.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

inline constexpr int kModelCardVersion = 1;

/// What a batch costs: fixed + samples x per_sample. Found by walking two batches.
struct BatchCost {
  double fixed = 0;
  double per_sample = 0;
  double at(double samples) const { return fixed + samples * per_sample; }
  bool operator==(const BatchCost&) const = default;
};

/// One direction of one operator.
struct PassCost {
  BatchCost flops;    ///< of convolutions and matrix products; a multiply-add is 2
  BatchCost read;     ///< bytes of its tensor inputs, parameters included
  BatchCost written;  ///< bytes of its outputs
  /// Bytes alive when it ends beside parameters, buffers and gradients of parameters: the input,
  /// what is saved for backward, what the next operator gets. Scratch memory is not among them.
  BatchCost live;
  bool operator==(const PassCost&) const = default;
};

/// One operator of the forward pass, with what it causes backward.
struct LayerCard {
  std::string name;       ///< of the layer whose parameters it reads; else of the one before, as
                          ///< parameters are named without their last word: "layer1.0.conv2"
  std::string kind;       ///< LibTorch's operator without "aten::": "convolution", "cat", "relu_"
  std::string block;      ///< of the model's blocks
  bool in_place = false;  ///< it writes over its input
  std::int64_t parameters = 0;  ///< trainable scalars that no operator before it reads
  int parameter_tensors = 0;    ///< that these are in: a gradient each
  PassCost forward;
  PassCost backward;
  BatchCost saved;  ///< bytes it allocates that are alive when the forward pass has ended
  /// What it is called with for one sample, as KernelTime::size has it ("c_in", "h_out", "kernel");
  /// empty where images are not square or it is none of the kernels that are measured.
  std::map<std::string, double> size;
  bool operator==(const LayerCard&) const = default;
};

struct ModelCard {
  int schema_version = kModelCardVersion;
  std::string model;
  std::vector<std::int64_t> input;  ///< of one sample: channels x height x width; tokens of a text
  int classes = 0;                  ///< of a text model without classes: words of the target
  std::string precision = "fp32";   ///< as studies say it; FLOPs do not depend on it, bytes do
  std::string command;              ///< what made it
  std::map<std::string, std::string> made_with;  ///< "dlscale": "0.1.0", "torch": "2.11.0"
  std::int64_t parameters = 0;                   ///< trainable scalars
  double parameter_bytes = 0;                    ///< of all parameters, trained or not
  double buffer_bytes = 0;                       ///< running statistics
  std::vector<LayerCard> layers;                 ///< in the order of the forward pass
  bool operator==(const ModelCard&) const = default;
};

/// "resnet50-3x224x224-1000.json"; other precisions than fp32 are named: "…-1000-bf16.json".
std::string card_file_name(std::string_view model, const std::vector<std::int64_t>& input,
                           int classes, std::string_view precision = "fp32");

/// "3x224x224" and back. Throws base::UsageError for anything else.
std::string shape_text(const std::vector<std::int64_t>& shape);
std::vector<std::int64_t> shape_from_text(std::string_view text);

/// Sorted keys, a line for each layer, final newline; equal cards give equal bytes.
std::string to_json(const ModelCard& card);
/// Throws base::SpecError: what is missing, of a wrong type, of a newer version, without layers, or
/// negative. `file` is only named.
ModelCard model_card_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
