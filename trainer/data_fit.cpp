// SPDX-License-Identifier: Apache-2.0
#include "trainer/data_fit.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/models/model.hpp"
#include "trainer/tasks/task.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::string_view kImages = "images";

class Fit {
 public:
  Fit(const contract::RunSpec& spec, const std::string& file)
      : spec_(spec),
        file_(file),
        data_(base::find(dataset_table(), "dataset", spec.dataset.kind)),
        task_(task_of_model(spec.model)) {}

  void require_model() const {
    const bool is_script = spec_.model.starts_with(contract::kScriptModel);
    const std::string_view input =
        is_script ? kImages : base::find(model_table(), "model", spec_.model).input;
    if (input != data_.samples) {
      refuse("model", fmt::format("{} takes {}, but the data set {} is {}", spec_.model, input,
                                  data_.name, data_.samples));
    }
    if (!task_.target_is_input && std::string_view(task_.name) != data_.task) {
      refuse("model", fmt::format("{} is for {}, but the data set {} is for {}", spec_.model,
                                  task_.name, data_.name, data_.task));
    }
    if (spec_.label_smoothing > 0 && !task_.smooths_labels) {
      refuse("label_smoothing",
             fmt::format("has no meaning for {}, which {} does", task_.name, spec_.model));
    }
  }

  void require_loader() const {
    const LoaderEntry& loader = base::find(loader_table(), "loader", spec_.loader);
    const std::string_view samples = loader.samples;
    if (samples == "any" || samples == data_.samples) return;
    refuse("loader",
           fmt::format("{} delivers {}, but the data set {} is {}; use {}", spec_.loader, samples,
                       data_.name, data_.samples, data_.samples == kImages ? "memory" : "text"));
  }

  void require_settings() const {
    const contract::DatasetSpec& set = spec_.dataset;
    const auto only_text = {std::pair{"folds", set.folds}, std::pair{"fold", set.fold},
                            std::pair{"vocabulary", set.vocabulary},
                            std::pair{"min_count", set.min_count},
                            std::pair{"max_length", set.max_length}};
    for (const auto& [key, value] : only_text) {
      if (value == 0 || data_.samples != kImages) continue;
      refuse(std::string("dataset.") + key,
             fmt::format("is for texts, but the data set {} is images", data_.name));
    }
    if (!set.sha256.empty() && data_.is_generated) {
      refuse("dataset.sha256", fmt::format("{} is generated and has no files", data_.name));
    }
    if (set.first_classes > 0 && std::string_view(data_.task) != "classification") {
      refuse("dataset.first_classes", fmt::format("{} has no classes", data_.name));
    }
    if (set.first_classes > 0 && set.kind == "synthetic") {
      refuse("dataset.first_classes", "synthetic has as many classes as dataset.classes says");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& key, const std::string& reason) const {
    throw base::SpecError({file_}, key, reason);
  }

  const contract::RunSpec& spec_;
  const std::string& file_;
  const DatasetEntry& data_;
  const TaskEntry& task_;
};

}  // namespace

void require_data_fit(const contract::RunSpec& spec, const std::string& file) {
  const Fit fit(spec, file);
  fit.require_model();
  fit.require_loader();
  fit.require_settings();
}

}  // namespace dlscale::trainer
