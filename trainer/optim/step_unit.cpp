// SPDX-License-Identifier: Apache-2.0
#include "trainer/optim/step_unit.hpp"

#include <ATen/ops/empty_like.h>

namespace dlscale::trainer {
namespace {

/// Returns one unit per tensor, for the case that each tensor is one parameter.
std::vector<StepUnit> whole_tensors(const std::vector<at::Tensor>& tensors) {
  std::vector<StepUnit> units;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    units.push_back({.piece = {.tensor = i,
                               .count = tensors[i].numel(),
                               .parameter = i,
                               .is_weight = tensors[i].dim() >= 2}});
  }
  return units;
}

}  // namespace

at::Tensor StepUnit::row_of(const at::Tensor& tensor, const at::Tensor& like) const {
  if (!is_whole || (tensor.is_contiguous() && like.is_contiguous())) return of(tensor);
  // A gradient whose strides differ from the strides of its parameter is copied into the memory
  // order of the parameter.
  const bool alike = tensor.strides() == like.strides();
  return (alike ? tensor : at::empty_like(like).copy_(tensor)).as_strided({like.numel()}, {1});
}

std::vector<StepUnit> units_by_parameter(const contract::OptimizerSpec& spec,
                                         const Stepped& stepped) {
  std::vector<StepUnit> units;
  if (stepped.pieces.empty()) units = whole_tensors(stepped.tensors);
  for (const ParameterPiece& piece : stepped.pieces) {
    units.push_back({.piece = piece, .is_whole = false});
  }
  for (StepUnit& unit : units) unit.decays = spec.decayed != "weights" || unit.piece.is_weight;
  return units;
}

std::vector<StepUnit> units_by_decay(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  const bool all_alike = spec.decayed.empty() || spec.weight_decay == 0;
  if (all_alike) return whole_tensors(stepped.tensors);
  std::vector<StepUnit> units = units_by_parameter(spec, stepped);
  std::erase_if(units, [](const StepUnit& unit) { return unit.piece.count == 0; });
  return units;
}

}  // namespace dlscale::trainer
