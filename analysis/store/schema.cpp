// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

namespace dlscale::analysis {
namespace {

// Primary keys are built from the content of the files and do not depend on the order of insertion.
// Collecting a folder in several steps therefore gives the same tables as collecting it at once.
// Times are in seconds. `line` is the line number, counted from 1, in the file launch.source.
// Unknown numbers of a run are NULL.
constexpr const char* kTables = R"sql(
CREATE TABLE study (
  name TEXT PRIMARY KEY, scaling TEXT, site TEXT, scheduler TEXT,
  baseline_rule TEXT, baseline_gpus INTEGER, repeats INTEGER
) WITHOUT ROWID;

CREATE TABLE study_axis (
  position INTEGER, value_position INTEGER, name TEXT NOT NULL, value TEXT,
  PRIMARY KEY (position, value_position)
) WITHOUT ROWID;

-- Files and folders that the last collect checked. Paths are relative to the plan folder.
CREATE TABLE source (
  path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER,
  sha256 TEXT,  -- NULL: the content is not in the database
  truncated INTEGER NOT NULL DEFAULT 0,  -- the last line was incomplete
  problems TEXT NOT NULL DEFAULT '',     -- one per line
  -- patterns of the study that read no line of the log: their indices, separated by blanks
  unused_patterns TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;

CREATE TABLE run (
  run_id TEXT PRIMARY KEY, source TEXT NOT NULL, repetition INTEGER, seed INTEGER, framework TEXT,
  model TEXT, loader TEXT, dataset TEXT, precision TEXT, gpus INTEGER, nodes INTEGER,
  cores_per_rank INTEGER, device TEXT, batch_per_gpu INTEGER, global_batch INTEGER,
  accumulation_steps INTEGER, epochs INTEGER, warmup_epochs REAL, lr_schedule TEXT, lr_base REAL,
  lr_peak REAL, optimizer TEXT, label_smoothing REAL,
  plan_position INTEGER,  -- NULL: no longer in the plan
  outcome TEXT,           -- outcome of the last completed launch, or else of the last launch
  result_launch INTEGER,  -- number of the last completed launch
  compression TEXT,  -- compression of gradients (fp16, bf16, powersgd); empty: none
  stop_rule TEXT     -- what ends training: "epochs", "accuracy >= 0.94", …; empty: unknown
) WITHOUT ROWID;

CREATE TABLE run_axis (
  run_id TEXT, name TEXT, value TEXT, PRIMARY KEY (run_id, name)
) WITHOUT ROWID;

CREATE TABLE launch (
  run_id TEXT, launch INTEGER, source TEXT NOT NULL, started REAL, world_size INTEGER,
  nodes INTEGER, resumed_from TEXT, trainer_version TEXT, parameters INTEGER,
  trainable_parameters INTEGER, train_samples INTEGER, test_samples INTEGER,
  steps_per_epoch INTEGER, padded_samples INTEGER, dropped_samples INTEGER,
  -- end of the launch as the trainer recorded it
  stopped REAL, stop_outcome TEXT, stop_reason TEXT, stop_exit_code INTEGER,
  -- end of the launch according to all records
  outcome TEXT, outcome_source TEXT, reason TEXT,
  resumed_step INTEGER,  -- steps done when resumed_from was saved; later steps were repeated
  -- Number of the run's steps up to which records of the launch are part of the result of the run.
  -- NULL: the launch is not part of the result.
  counts_until INTEGER,
  PRIMARY KEY (run_id, launch)
) WITHOUT ROWID;

CREATE TABLE environment (
  run_id TEXT, launch INTEGER, name TEXT, value TEXT, PRIMARY KEY (run_id, launch, name)
) WITHOUT ROWID;

CREATE TABLE epoch (
  run_id TEXT, launch INTEGER, line INTEGER, epoch INTEGER, time REAL, wall_s REAL, steps INTEGER,
  samples INTEGER, train_loss REAL, lr REAL, correct INTEGER,
  PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;

CREATE TABLE eval (
  run_id TEXT, launch INTEGER, line INTEGER, epoch INTEGER, time REAL, wall_s REAL,
  samples INTEGER, correct INTEGER, accuracy REAL, loss REAL,
  -- results on the share of each rank, JSON arrays by rank; NULL: not recorded
  rank_loss TEXT, rank_accuracy TEXT, rank_wall_s TEXT, PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;

CREATE TABLE step_window (
  run_id TEXT, launch INTEGER, line INTEGER, epoch INTEGER, first_step INTEGER, steps INTEGER,
  warmup INTEGER, time REAL, samples INTEGER, wall_s REAL, lr REAL, train_loss REAL,
  bytes_sent REAL, collectives REAL, peak_memory_bytes REAL,
  comm_busy_mean_s REAL, comm_busy_p50_s REAL, comm_busy_p90_s REAL, comm_busy_max_s REAL,
  load_wait_mean_s REAL, load_wait_p50_s REAL, load_wait_p90_s REAL, load_wait_max_s REAL,
  h2d_mean_s REAL, h2d_p50_s REAL, h2d_p90_s REAL, h2d_max_s REAL,
  forward_mean_s REAL, forward_p50_s REAL, forward_p90_s REAL, forward_max_s REAL,
  backward_mean_s REAL, backward_p50_s REAL, backward_p90_s REAL, backward_max_s REAL,
  exposed_comm_mean_s REAL, exposed_comm_p50_s REAL, exposed_comm_p90_s REAL,
  exposed_comm_max_s REAL,
  optimizer_mean_s REAL, optimizer_p50_s REAL, optimizer_p90_s REAL, optimizer_max_s REAL,
  bubble_mean_s REAL, bubble_p50_s REAL, bubble_p90_s REAL, bubble_max_s REAL,
  other_mean_s REAL, other_p50_s REAL, other_p90_s REAL, other_max_s REAL,
  extra TEXT,  -- counters of some styles (horovod cycles, skipped steps), a JSON object or NULL
  PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;

-- Further values that the program measured, such as its model FLOP utilisation. `record` is the
-- table of the row to which the value belongs (step_window or epoch). `line` is the line of this
-- row.
CREATE TABLE measured (
  run_id TEXT, launch INTEGER, line INTEGER, record TEXT, name TEXT, value REAL,
  PRIMARY KEY (run_id, launch, line, record, name)
) WITHOUT ROWID;

-- Units of the values in the table `measured`. Values without a unit have no row.
CREATE TABLE measured_unit (
  run_id TEXT, launch INTEGER, name TEXT, unit TEXT, PRIMARY KEY (run_id, launch, name)
) WITHOUT ROWID;

-- Shares of the kernel time in a profiled block of steps.
CREATE TABLE profile (
  run_id TEXT, launch INTEGER, line INTEGER, epoch INTEGER, first_step INTEGER, steps INTEGER,
  time REAL, wall_s REAL, kernel_s REAL, communication REAL, io REAL, computation REAL, other REAL,
  cpu_occupancy REAL, PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;

-- The longest-running kernels of a profile. Position 1 is the longest.
CREATE TABLE profile_kernel (
  run_id TEXT, launch INTEGER, line INTEGER, position INTEGER, name TEXT, kind TEXT,
  calls INTEGER, self_s REAL, PRIMARY KEY (run_id, launch, line, position)
) WITHOUT ROWID;

-- Metrics of an evaluation other than accuracy and loss.
CREATE TABLE eval_metric (
  run_id TEXT, launch INTEGER, line INTEGER, name TEXT, value REAL,
  PRIMARY KEY (run_id, launch, line, name)
) WITHOUT ROWID;

-- Targets of a run, with the time at which the run first reached each target.
CREATE TABLE target (
  run_id TEXT, launch INTEGER, line INTEGER, metric TEXT, threshold REAL, value REAL,
  epoch INTEGER, step INTEGER, time REAL, train_s REAL, samples INTEGER,
  PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;

-- Measurements of forward passes only (mode = "inference").
CREATE TABLE inference (
  run_id TEXT, launch INTEGER, line INTEGER, batch INTEGER, batches INTEGER, time REAL,
  wall_s REAL, latency_mean_s REAL, latency_p50_s REAL, latency_p90_s REAL, latency_max_s REAL,
  samples_per_s REAL, peak_memory_bytes REAL,
  compute_p50_s REAL, communication_p50_s REAL,  -- NULL: the passes exchange no data
  PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;

-- Working time and training results of each rank in an epoch, for the part of the epoch that the
-- launch trained.
CREATE TABLE rank_times (
  run_id TEXT, launch INTEGER, line INTEGER, epoch INTEGER, time REAL, steps INTEGER,
  stages INTEGER,  -- ranks with equal rank % stages do equal work; 0: all ranks do so
  work_s TEXT,     -- by rank, a JSON array: one row per rank would be millions of rows
  train_loss TEXT, train_accuracy TEXT,  -- by rank, JSON arrays; NULL: not recorded
  PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;

-- Host of the ranks of a launch from first_rank on, for launches with more than one rank.
CREATE TABLE launch_node (
  run_id TEXT, launch INTEGER, first_rank INTEGER, ranks INTEGER, host TEXT,
  PRIMARY KEY (run_id, launch, first_rank)
) WITHOUT ROWID;

-- Sums over the step windows of a launch, separately for windows with start-up costs (warmup = 1).
-- Unrecorded values add nothing. end_step is the number of the step after the last window.
CREATE TABLE step_sum (
  run_id TEXT, launch INTEGER, warmup INTEGER, windows INTEGER, end_step INTEGER, steps INTEGER,
  samples INTEGER, wall_s REAL, bytes_sent REAL, collectives REAL, comm_busy_s REAL,
  load_wait_s REAL, h2d_s REAL, forward_s REAL, backward_s REAL, exposed_comm_s REAL,
  optimizer_s REAL, bubble_s REAL, other_s REAL, PRIMARY KEY (run_id, launch, warmup)
) WITHOUT ROWID;

-- Sums of the numbers in step_window.extra, for the same windows as in step_sum.
CREATE TABLE counter_sum (
  run_id TEXT, launch INTEGER, warmup INTEGER, name TEXT, value REAL,
  PRIMARY KEY (run_id, launch, warmup, name)
) WITHOUT ROWID;

-- Measurements of collectives (nccl-tests): a row for each message size, in place and out of place.
-- time_s is the mean per iteration. algbw and busbw are as printed in the log, in 10^9 bytes/s.
CREATE TABLE collective (
  run_id TEXT, launch INTEGER, position INTEGER, line INTEGER,
  collective TEXT,  -- all_reduce, …; NULL: not in the log
  in_place INTEGER, size_bytes INTEGER, count INTEGER, type TEXT, redop TEXT, root INTEGER,
  time_s REAL, algbw_gb_per_s REAL, busbw_gb_per_s REAL,
  wrong REAL,  -- number of wrong elements; NULL: not checked
  PRIMARY KEY (run_id, launch, position)
) WITHOUT ROWID;

-- Jobs from the accounting of a batch system. `submitted`, `started` and `ended` are as
-- the batch system printed them. NULL marks missing values.
CREATE TABLE job (
  run_id TEXT, launch INTEGER, line INTEGER, job_id TEXT, name TEXT, cluster TEXT, partition TEXT,
  account TEXT, state TEXT, exit_code INTEGER, signal INTEGER, submitted TEXT, started TEXT,
  ended TEXT, elapsed_s REAL, timelimit_s REAL, nodes INTEGER, cpus INTEGER, gpus INTEGER,
  requested_memory_bytes REAL, max_memory_bytes REAL, cpu_s REAL, energy_j REAL, hosts TEXT,
  PRIMARY KEY (run_id, launch, line)
) WITHOUT ROWID;
)sql";

constexpr const char* kViews = R"sql(
-- Views for users and their programs (docs/importing.md). Each row names its run, and the file from
-- which the row comes, with the SHA-256 of the file. Rows of records also contain the number of the
-- line. Columns never change their meaning.
CREATE VIEW run_view AS
SELECT run.run_id, repetition, run.outcome, gpus, run.nodes, batch_per_gpu, global_batch,
  framework, model, loader, dataset, precision, device, launch, launch.reason,
  launch.source AS source, sha256
FROM run LEFT JOIN launch ON launch.run_id = run.run_id AND launch.launch = (
    SELECT coalesce(run.result_launch, max(last.launch)) FROM launch AS last
    WHERE last.run_id = run.run_id)
  LEFT JOIN source ON source.path = launch.source
WHERE plan_position IS NOT NULL;

-- Step windows, each with counts = 1 if the window is part of the result of its run. A window whose
-- number of steps is unknown counts unless a later launch repeated steps of its launch.
CREATE VIEW counted_window AS
SELECT run_id, launch, line, counts_until IS NOT NULL
  AND coalesce(first_step + steps <= counts_until, NOT EXISTS (SELECT 1 FROM step_sum
    WHERE step_sum.run_id = step_window.run_id AND step_sum.launch = step_window.launch
      AND end_step > counts_until)) AS counts
FROM step_window JOIN launch USING (run_id, launch);

-- Epochs and evaluations, each with counts = 1 if the row is part of the result of its run. A row
-- does not count if a later launch that counts repeated its epoch.
CREATE VIEW counted_epoch AS
SELECT run_id, launch, line, counts_until IS NOT NULL
  AND (epoch + 1) * coalesce(steps_per_epoch, 0) <= counts_until
  AND NOT EXISTS (SELECT 1 FROM epoch AS repeated JOIN launch AS later USING (run_id, launch)
    WHERE repeated.run_id = epoch.run_id AND repeated.launch > epoch.launch
      AND later.counts_until IS NOT NULL AND repeated.epoch <= epoch.epoch) AS counts
FROM epoch JOIN launch USING (run_id, launch);

CREATE VIEW counted_eval AS
SELECT run_id, launch, line, counts_until IS NOT NULL
  AND (coalesce(epoch, -1) + 1) * coalesce(steps_per_epoch, 0) <= counts_until
  AND NOT EXISTS (SELECT 1 FROM eval AS repeated JOIN launch AS later USING (run_id, launch)
    WHERE repeated.run_id = eval.run_id AND repeated.launch > eval.launch
      AND later.counts_until IS NOT NULL
      AND coalesce(repeated.epoch, -1) <= coalesce(eval.epoch, -1)) AS counts
FROM eval JOIN launch USING (run_id, launch);

CREATE VIEW step_window_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, step_window.*,
  step_window.samples / step_window.wall_s AS samples_per_s,
  extra ->> '$.loader_busy_s' AS loader_busy_s, extra ->> '$.loader_bytes' AS loader_bytes,
  extra ->> '$.skipped_samples' AS skipped_samples, extra ->> '$.skipped_steps' AS skipped_steps,
  extra ->> '$.graphed_passes' AS graphed_passes,
  extra ->> '$.graphed_optimizer_steps' AS graphed_optimizer_steps,
  extra ->> '$.horovod_cycles' AS horovod_cycles,
  extra ->> '$.horovod_negotiations' AS horovod_negotiations,
  extra ->> '$.horovod_cache_hits' AS horovod_cache_hits,
  extra ->> '$.horovod_control_bytes' AS horovod_control_bytes,
  extra ->> '$.horovod_all_reduces' AS horovod_all_reduces,
  extra ->> '$.horovod_tensors' AS horovod_tensors,
  extra ->> '$.horovod_fused_tensors' AS horovod_fused_tensors,
  extra ->> '$.horovod_bytes' AS horovod_bytes, launch.source AS source, sha256,
  counts
FROM step_window JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  JOIN counted_window USING (run_id, launch, line)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW measured_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, measured.run_id,
  measured.launch, measured.line, measured.record,
  coalesce(step_window.epoch, epoch.epoch) AS epoch,
  step_window.first_step, coalesce(step_window.steps, epoch.steps) AS steps, step_window.warmup,
  coalesce(step_window.wall_s, epoch.wall_s) AS wall_s, measured.name, measured.value, unit,
  launch.source AS source, sha256,
  CASE record
    WHEN 'step_window' THEN (SELECT counts FROM counted_window AS own
      WHERE own.run_id = measured.run_id AND own.launch = measured.launch
        AND own.line = measured.line)
    ELSE (SELECT counts FROM counted_epoch AS own
      WHERE own.run_id = measured.run_id AND own.launch = measured.launch
        AND own.line = measured.line)
  END AS counts
FROM measured JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  LEFT JOIN step_window ON record = 'step_window' AND step_window.run_id = measured.run_id
    AND step_window.launch = measured.launch AND step_window.line = measured.line
  LEFT JOIN epoch ON record = 'epoch' AND epoch.run_id = measured.run_id
    AND epoch.launch = measured.launch AND epoch.line = measured.line
  LEFT JOIN measured_unit USING (run_id, launch, name)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW epoch_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, epoch.*,
  CAST(correct AS REAL) / samples AS train_accuracy, launch.source AS source, sha256,
  counts
FROM epoch JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  JOIN counted_epoch USING (run_id, launch, line)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW eval_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, eval.run_id,
  eval.launch, line, epoch, time, wall_s, samples, correct, accuracy, loss,
  launch.source AS source, sha256, counts
FROM eval JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  JOIN counted_eval USING (run_id, launch, line)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW eval_rank_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, eval.run_id,
  eval.launch, line, epoch, each_rank.key AS rank,
  CAST(rank_loss ->> each_rank.key AS REAL) AS loss,
  CAST(rank_accuracy ->> each_rank.key AS REAL) AS accuracy,
  CAST(rank_wall_s ->> each_rank.key AS REAL) AS wall_s, launch.source AS source, sha256,
  counts
FROM eval JOIN json_each(coalesce(rank_loss, rank_accuracy, rank_wall_s, '[]')) AS each_rank
  JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  JOIN counted_eval USING (run_id, launch, line)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW rank_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, rank_times.run_id,
  rank_times.launch, line, epoch, steps, stages, each_rank.key AS rank, host,
  CAST(each_rank.value AS REAL) AS work_s,
  CAST(train_loss ->> each_rank.key AS REAL) AS train_loss,
  CAST(train_accuracy ->> each_rank.key AS REAL) AS train_accuracy,
  launch.source AS source, sha256, counts_until IS NOT NULL AS counts
FROM rank_times JOIN json_each(rank_times.work_s) AS each_rank JOIN run USING (run_id)
  JOIN launch USING (run_id, launch)
  LEFT JOIN launch_node AS node ON node.run_id = rank_times.run_id
    AND node.launch = rank_times.launch AND each_rank.key >= node.first_rank
    AND each_rank.key < node.first_rank + node.ranks
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW target_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, target.*,
  launch.source AS source, sha256,
  counts_until IS NOT NULL AND coalesce(step, 0) <= counts_until AS counts
FROM target JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW profile_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, profile.*,
  launch.source AS source, sha256, counts_until IS NOT NULL AS counts
FROM profile JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW inference_view AS
SELECT run.repetition, run.gpus, run.global_batch, run.framework, run.model, inference.*,
  launch.source AS source, sha256, counts_until IS NOT NULL AS counts
FROM inference JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW collective_view AS
SELECT run.repetition, run.gpus, run.nodes, run.outcome,
  coalesce(result.collective, run_axis.value) AS collective, result.run_id, result.launch, line,
  in_place, size_bytes, count, type, redop, root, time_s, algbw_gb_per_s, busbw_gb_per_s, wrong,
  launch.source AS source, sha256
FROM collective AS result JOIN run USING (run_id) JOIN launch USING (run_id, launch)
  LEFT JOIN run_axis ON run_axis.run_id = run.run_id AND run_axis.name = 'collective'
  LEFT JOIN source ON source.path = launch.source;

CREATE VIEW job_view AS
SELECT job.*, gpus * elapsed_s / 3600 AS gpu_hours, cpus * elapsed_s / 3600 AS cpu_hours,
  job.nodes * elapsed_s / 3600 AS node_hours, launch.outcome, launch.reason,
  launch.source AS source, sha256
FROM job JOIN launch USING (run_id, launch) LEFT JOIN source ON source.path = launch.source;
)sql";

}  // namespace

void create_schema(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  // Another process may have created the schema while this process waited for the lock.
  if (database.execAndGet("PRAGMA user_version").getInt() == kSchemaVersion) return;
  database.exec(kTables);
  database.exec(kViews);
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

}  // namespace dlscale::analysis
