// SPDX-License-Identifier: Apache-2.0
#include "trainer/recipe_fit.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace dlscale::trainer {
namespace {

[[noreturn]] void refuse(const std::string& file, const char* key, const std::string& why) {
  throw base::SpecError({file}, key, why);
}

void require_optimizer(const contract::OptimizerSpec& optimizer, const std::string& file) {
  const std::string& kind = optimizer.kind;
  if (kind == "sgd") return;
  if (optimizer.nesterov) refuse(file, "optimizer.nesterov", "is sgd's; " + kind + " has none");
  if (optimizer.dampening != 0) {
    refuse(file, "optimizer.dampening", "is sgd's; " + kind + " has none");
  }
  if (kind != "lars" && optimizer.momentum != 0) {
    refuse(file, "optimizer.momentum",
           fmt::format("is for sgd and lars; {} has optimizer.adam.beta1", kind));
  }
}

}  // namespace

void require_recipe_fit(const contract::RunSpec& spec, const std::string& file) {
  require_optimizer(spec.optimizer, file);
}

}  // namespace dlscale::trainer
