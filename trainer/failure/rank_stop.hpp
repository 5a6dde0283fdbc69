// SPDX-License-Identifier: Apache-2.0
// How rank 0, which alone keeps records, learns why another rank has failed, and who ends the
// records when it cannot.
#pragma once

#include <optional>

#include "contract/plan/run_dir.hpp"
#include "contract/records/result_record.hpp"

namespace dlscale::trainer {

/// Of a rank other than 0, before it ends the job. The first that fails is the cause: what a later
/// one leaves is ignored, as is what cannot be written.
void leave_rank_stop(const contract::LaunchDir& launch, int rank, contract::RunStop stop) noexcept;

/// What another rank has left; nothing where none has.
std::optional<contract::RunStop> rank_stop_in(const contract::LaunchDir& launch) noexcept;

/// Of the rank that is left when rank 0 has gone: ends the records, unless rank 0 has. What cannot
/// be written is lost.
void stop_for_root(const contract::LaunchDir& launch, contract::RunStop stop) noexcept;

}  // namespace dlscale::trainer
