// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/vocabulary.hpp"

#include <algorithm>
#include <utility>

#include "base/registry.hpp"
#include "contract/run_spec/framework_styles.hpp"

namespace dlscale::contract {
namespace {

using Names = std::vector<std::string>;

using Lists = std::vector<std::pair<std::string, Names>>;

Names framework_names() {
  Names names;
  for (const FrameworkStyle& style : framework_styles()) names.emplace_back(style.name);
  return names;
}

Lists bundled() {
  return {
      {"framework", framework_names()},
      {"model",
       {"mlp", "cnn", "conv_autoencoder", "nbow", "seq2seq", "alexnet", "squeezenet1_0", "vgg11",
        "vgg11_bn", "vgg16", "vgg16_bn", "resnet18", "resnet34", "resnet50", "resnet101",
        "resnet152", "densenet121", "frozen_backbone"}},
      {"loader", {"native", "packed", "dali_cpu", "dali_gpu", "memory", "text", "synthetic"}},
      {"lr_schedule", {"constant", "step", "multistep", "cosine", "exponential", "polynomial"}},
      {"dataset",
       {"synthetic_digits", "synthetic", "mnist", "fashion_mnist", "cifar10", "image_folder",
        "tfrecord", "text_ag_news", "text_sst", "text_trec", "text_multi30k"}},
      {"optimizer", {"sgd", "adam", "adamw", "lars"}},
      {"all_reduce",
       {"auto", "tuned", "shared_memory", "hierarchical", "ring", "recursive_doubling",
        "rabenseifner", "openmpi:basic_linear", "openmpi:nonoverlapping",
        "openmpi:recursive_doubling", "openmpi:ring", "openmpi:segmented_ring",
        "openmpi:rabenseifner"}},
      {"communicator", {"single", "thread", "mpi", "nccl"}},
      {"device", {"cpu", "cuda"}},
      {"log_format",
       {"dlscale", "timm", "mlperf", "dllogger", "torchvision", "horovod", "tf_cnn_benchmarks",
        "pytorch_ddp", "deepspeed", "mxnet", "torch7", "megatron", "torchtitan", "nanogpt"}},
  };
}

const Lists& all() {
  static const Lists lists = [] {
    Lists extended = bundled();
    for (auto& [family, names] : extended) {
      for (const ExtensionName& own : extension_names()) {
        if (own.family == family) names.push_back(own.name);
      }
    }
    return extended;
  }();
  return lists;
}

}  // namespace

const std::vector<std::string>& families() {
  static const Names names = [] {
    Names result;
    for (const auto& [family, list] : all()) result.push_back(family);
    return result;
  }();
  return names;
}

const std::vector<std::string>& vocabulary(std::string_view family) {
  for (const auto& [name, list] : all()) {
    if (name == family) return list;
  }
  throw base::UsageError(base::unknown_name("family", family, families()));
}

bool is_known(std::string_view family, std::string_view name) {
  const Names& names = vocabulary(family);
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_from_extension(std::string_view family, std::string_view name) {
  const auto& own = extension_names();
  return std::any_of(own.begin(), own.end(), [&](const ExtensionName& each) {
    return each.family == family && each.name == name;
  });
}

}  // namespace dlscale::contract
