// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/published_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "analysis/publications/axes.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

struct CommonName {
  std::string_view axis;
  std::string_view name;  ///< name in the form that comparable() returns
  std::string_view own;   ///< names of dlscale, separated by |
};

constexpr CommonName kCommonNames[] = {
    {"framework", "pytorchddp", "ddp"},
    {"framework", "torchddp", "ddp"},
    {"framework", "distributeddataparallel", "ddp"},
    {"framework", "zero", "deepspeed"},
    {"framework", "hvd", "horovod"},
    {"framework", "dp", "data_parallel"},
    {"framework", "pytorchdp", "data_parallel"},
    {"loader", "dali", "dali_cpu|dali_gpu"},
    {"loader", "pytorch", "native"},
    {"loader", "torchvision", "native"},
    {"model", "autoencoder", "conv_autoencoder"},
    {"model", "convautoencoder", "conv_autoencoder"},
};

std::string own_name(const Publication& publication, const std::string& axis,
                     std::string_view name) {
  const Words& stated = publication.setting(fmt::format("names.{}.{}", axis, name));
  if (!stated.empty()) return fmt::format("{}", fmt::join(stated, "|"));
  for (const CommonName& common : kCommonNames) {
    if (common.axis == axis && common.name == comparable(name)) return std::string(common.own);
  }
  return std::string(name);
}

}  // namespace

std::string own_axis(const Publication& publication, const std::string& axis) {
  const Words& stated = publication.setting("names.axes." + axis);
  return stated.empty() ? axis : stated.front();
}

std::string own_cell(const Publication& publication, const std::string& axis,
                     const std::string& cell) {
  if (cell.empty() || cell == "*") return cell;
  const bool open = cell.starts_with('?');
  std::string names;
  for (const std::string_view name :
       base::split(std::string_view(cell).substr(open ? 1 : 0), '|')) {
    names += (names.empty() ? "" : "|") + own_name(publication, axis, name);
  }
  return (open ? "?" : "") + names;
}

}  // namespace dlscale::analysis
