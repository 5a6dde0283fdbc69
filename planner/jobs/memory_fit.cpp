// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/memory_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "predict/memory.hpp"
#include "predict/workload.hpp"

namespace dlscale::planner {
namespace {

/// Returns the memory that measured runs on this kind of GPU held in addition to the memory that
/// their cost models predict.
predict::HeldMemory held_on(const predict::Device& gpu, const contract::RunSpec& run,
                            const contract::ModelCard& card,
                            const predict::Measurements* measured) {
  if (measured == nullptr || run.resources.device == "cpu") return {};
  const contract::Calibration& calibration = measured->calibration();
  if (!predict::not_measured_on(calibration, gpu).empty()) return {};
  return predict::held_memory(calibration.memory, run, card);
}

}  // namespace

std::optional<std::string> MemoryFit::conflict(const contract::RunSpec& run,
                                               const Partition* partition,
                                               const predict::Measurements* measured) {
  if (!judges_ || partition == nullptr || partition->gpu.empty()) return std::nullopt;
  if (!predict::not_modelled(run).empty() || !predict::memory_not_modelled(run).empty()) {
    return std::nullopt;
  }
  const contract::ModelCard* const of_model = cards_.card(run);
  if (of_model == nullptr) {
    ++unjudged_;
    without_card_.insert(
        fmt::format("{} in {}", contract::model_text(run.model, run.model_options), run.precision));
    return std::nullopt;
  }
  const predict::Device& gpu = *devices_.gpu_of(partition);
  const predict::HeldMemory held = held_on(gpu, run, *of_model, measured);
  predict::MemorySetting setting = predict::memory_setting(run);
  setting.beyond = held.beyond;
  const auto batch = static_cast<double>(run.batch_per_gpu);
  const predict::Bytes needed =
      predict::peak_memory(*of_model, batch, setting, gpu.context).total();
  if (needed * (1 + predict::kMemoryMargin) <= gpu.memory) return std::nullopt;
  const predict::MemoryVerdict verdict =
      predict::memory_verdict(*of_model, run.batch_per_gpu, setting, gpu);
  if (verdict.margin >= 0) {
    ++close_;
    return std::nullopt;
  }
  return fmt::format("out of memory on {}{}: {}", gpu.title,
                     held.runs > 0 ? " (with the memory that measured runs used)" : "",
                     verdict_text(verdict, *of_model, run.batch_per_gpu));
}

std::vector<std::string> MemoryFit::notes() const {
  std::vector<std::string> notes;
  if (close_ > 0) {
    notes.push_back(fmt::format(
        "{} predicted to come within {:.0f} % of the GPU memory and may run out of memory (dlscale "
        "predict lists them)",
        base::count_of(close_, "point is", "points are"), predict::kMemoryMargin * 100));
  }
  if (unjudged_ > 0) {
    notes.push_back(fmt::format(
        "{} not checked for memory: there is no model card of {} for the data of the study "
        "(dlscale predict reports what is missing)",
        base::count_of(unjudged_, "point is", "points are"), fmt::join(without_card_, ", ")));
  }
  return notes;
}

}  // namespace dlscale::planner
