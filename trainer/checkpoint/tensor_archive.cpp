// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/tensor_archive.hpp"

#include <torch/serialize.h>
#include <torch/types.h>

#include <exception>
#include <map>
#include <memory>
#include <string>

#include "base/error.hpp"

namespace dlscale::trainer {
namespace {

/// Tensors and submodules of one module. The modules form a tree, which is built before the archive
/// is written. An OutputArchive can add each module only once, so the module must be complete at
/// that time.
struct Level {
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  std::map<std::string, Level> inner;
};

void put(Level& level, const std::string& name, const at::Tensor& tensor) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) {
    level.tensors.emplace_back(name, tensor);
  } else {
    put(level.inner[name.substr(0, dot)], name.substr(dot + 1), tensor);
  }
}

void write_level(const Level& level, torch::serialize::OutputArchive& archive) {
  for (const auto& [name, tensor] : level.tensors) {
    archive.write(name, tensor.detach().cpu(), /*is_buffer=*/true);
  }
  for (const auto& [name, inner] : level.inner) {
    torch::serialize::OutputArchive child(archive.compilation_unit());
    write_level(inner, child);
    archive.write(name, child);
  }
}

at::Tensor find_in(torch::serialize::InputArchive& archive, const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos) {
    torch::serialize::InputArchive child;
    if (!archive.try_read(name.substr(0, dot), child)) return {};
    return find_in(child, name.substr(dot + 1));
  }
  at::Tensor tensor;
  archive.try_read(name, tensor, /*is_buffer=*/true);
  return tensor;
}

void require_like(const at::Tensor& wanted, const at::Tensor& found, const std::string& name) {
  if (!found.defined()) throw base::RunError("the checkpoint does not contain " + name);
  if (found.sizes() != wanted.sizes() || found.scalar_type() != wanted.scalar_type()) {
    throw base::RunError("the checkpoint's " + name +
                         " has another shape or type than this run expects");
  }
}

}  // namespace

void write_archive(const std::vector<NamedTensor>& tensors, const ByteSink& sink) {
  Level root;
  for (const auto& [name, tensor] : tensors) put(root, name, tensor);
  torch::serialize::OutputArchive archive;
  write_level(root, archive);
  // LibTorch's writer terminates the process when an exception leaves this callback. The exception
  // is therefore stored and rethrown after the call.
  std::exception_ptr failure;
  archive.save_to([&](const void* data, std::size_t size) {
    try {
      if (!failure) sink({static_cast<const char*>(data), size});
    } catch (...) {
      failure = std::current_exception();
    }
    return size;
  });
  if (failure) std::rethrow_exception(failure);
}

std::vector<at::Tensor> find_in_archive(std::string_view bytes,
                                        const std::vector<NamedTensor>& tensors) {
  std::vector<at::Tensor> found;
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(bytes.data(), bytes.size());
    for (const NamedTensor& wanted : tensors) {
      found.push_back(find_in(archive, wanted.name));
      require_like(wanted.tensor, found.back(), wanted.name);
    }
  } catch (const c10::Error& error) {
    throw base::RunError(std::string("the checkpoint cannot be read: ") +
                         error.what_without_backtrace());
  }
  return found;
}

void fill(const std::vector<NamedTensor>& tensors, const std::vector<at::Tensor>& values) {
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    at::Tensor target = tensors[i].tensor.detach();
    target.copy_(values[i]);
  }
}

}  // namespace dlscale::trainer
