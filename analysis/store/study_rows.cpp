// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/study_rows.hpp"

#include "analysis/store/sqlite_inserter.hpp"

namespace dlscale::analysis {

void write_study(SQLite::Database& database, const contract::Plan& plan) {
  database.exec("DELETE FROM study; DELETE FROM study_axis;");
  Inserter(database, "study",
           {"name", "scaling", "site", "scheduler", "baseline_rule", "baseline_gpus", "repeats"})
      .add(plan.study, plan.scaling, plan.site, plan.scheduler, plan.baseline.rule,
           plan.baseline.gpus, plan.repeats)
      .done();
  Inserter axis(database, "study_axis", {"position", "value_position", "name", "value"});
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    const contract::Axis& from = plan.axes[i];
    for (std::size_t k = 0; k < from.values.size(); ++k) {
      axis.add(int(i), int(k), from.name, from.values[k]).done();
    }
  }
}

}  // namespace dlscale::analysis
