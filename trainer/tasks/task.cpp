// SPDX-License-Identifier: Apache-2.0
#include "trainer/tasks/task.hpp"

#include "contract/run_spec/run_spec.hpp"
#include "trainer/models/model.hpp"

namespace dlscale::trainer {

const TaskEntry& task_of_model(const std::string& model) {
  const bool is_script = model.starts_with(contract::kScriptModel);
  const std::string name =
      is_script ? "classification" : base::find(model_table(), "model", model).task;
  return base::find(task_table(), "task", name);
}

}  // namespace dlscale::trainer
