// SPDX-License-Identifier: Apache-2.0
// A study as its records alone have it, whatever the plan folder's database says.
#pragma once

#include "workspace/chosen_study.hpp"

namespace dlscale::workspace {

/// Reads all records of the folder into a database elsewhere; the plan folder does not change.
/// Throws as require_readable_records and open_study do.
ChosenStudy study_from_records(const StudyChoice& choice);

}  // namespace dlscale::workspace
