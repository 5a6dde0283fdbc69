// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/output_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <istream>
#include <ostream>

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "runner/status/run_states.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

constexpr std::streamoff kBlock_bytes = 64 * 1024;

std::vector<OutputFile> files_of_job(const contract::PlannedRun& run,
                                     const contract::PlanDir& folder) {
  const bool own = fs::exists(folder.run_out(run.run_id)) || fs::exists(folder.run_err(run.run_id));
  if (own) {
    return {{run.run_id + ", job's stdout", folder.run_out(run.run_id)},
            {run.run_id + ", job's stderr", folder.run_err(run.run_id)}};
  }
  return {{run.run_id + ", job's stdout", folder.job_out(run.job)},
          {run.run_id + ", job's stderr", folder.job_err(run.job)}};
}

contract::Plan part_of(const contract::Plan& plan,
                       const std::vector<const contract::PlannedRun*>& runs) {
  contract::Plan part = plan;
  part.runs.clear();
  for (const contract::PlannedRun* run : runs) part.runs.push_back(*run);
  return part;
}

void require_launch(const contract::Plan& plan, const contract::PlanDir& folder, int number) {
  for (const contract::PlannedRun& run : plan.runs) {
    const auto launches = folder.run(run.run_id).launches();
    if (std::any_of(launches.begin(), launches.end(),
                    [&](const auto& launch) { return launch.number() == number; })) {
      continue;
    }
    throw base::RunError(fmt::format("run {} has no launch {}; launches so far: {}", run.run_id,
                                     number, launches.empty() ? 0 : launches.back().number()),
                         base::kExitNothingMatched);
  }
}

}  // namespace

std::vector<OutputFile> output_files(const contract::PlannedRun& run,
                                     const contract::PlanDir& folder, const OutputChoice& choice) {
  const contract::RunDir own = folder.run(run.run_id);
  const std::vector<contract::LaunchDir> launches = own.launches();
  std::vector<OutputFile> files;
  if (choice.job || (launches.empty() && !choice.launch)) {
    files = files_of_job(run, folder);
  } else {
    const contract::LaunchDir launch = choice.launch ? own.launch(*choice.launch) : launches.back();
    const std::string name = fmt::format("{}, launch {}", run.run_id, launch.number());
    files = {{name, launch.out()}, {name + ", stderr", launch.err()}};
  }
  if (choice.errors_only) files.erase(files.begin());
  return files;
}

std::streamoff start_of_last_lines(std::istream& text, std::streamoff size, int lines) {
  if (lines <= 0) return size;
  std::streamoff end = size;
  int breaks = 0;
  std::string block;
  while (end > 0) {
    const std::streamoff start = std::max<std::streamoff>(end - kBlock_bytes, 0);
    block.resize(static_cast<std::size_t>(end - start));
    text.seekg(start);
    text.read(block.data(), end - start);
    for (std::size_t i = block.size(); i-- > 0;) {
      const bool ends_text = start + static_cast<std::streamoff>(i) + 1 == size;
      if (block[i] != '\n' || ends_text) continue;
      if (++breaks == lines) return start + static_cast<std::streamoff>(i) + 1;
    }
    end = start;
  }
  return 0;
}

OutputReader::OutputReader(std::ostream& out, const OutputChoice& choice, bool title_first)
    : out_(out), choice_(choice), title_next_(title_first) {}

void OutputReader::print_title(const std::string& title) {
  if (title == title_) return;
  if (line_open_) out_ << "\n";
  if (title_next_) out_ << (title_.empty() ? "" : "\n") << "==> " << title << " <==\n";
  title_next_ = true;
  title_ = title;
}

bool OutputReader::print_new(const OutputFile& file) {
  std::ifstream stream(file.path, std::ios::binary | std::ios::ate);
  if (!stream) return false;
  const std::streamoff size = stream.tellg();
  auto [place, is_new] = read_.try_emplace(file.path, 0);
  std::streamoff& at = place->second;
  if (is_new && choice_.last_lines) at = start_of_last_lines(stream, size, *choice_.last_lines);
  if (size < at) at = 0;  // The file is shorter than before, so it was replaced.
  if (size == at) return false;
  print_title(file.title);
  stream.clear();
  stream.seekg(at);
  std::string block;
  while (at < size) {
    block.resize(static_cast<std::size_t>(std::min(size - at, kBlock_bytes)));
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    block.resize(static_cast<std::size_t>(stream.gcount()));
    if (block.empty()) break;
    out_ << block;
    at += static_cast<std::streamoff>(block.size());
    line_open_ = block.back() != '\n';
  }
  out_ << std::flush;
  return true;
}

RunsOutput::RunsOutput(std::ostream& out, const contract::PlanDir& folder,
                       const contract::Plan& plan,
                       const std::vector<const contract::PlannedRun*>& runs,
                       const OutputChoice& choice)
    : folder_(folder),
      part_(part_of(plan, runs)),
      choice_(choice),
      reader_(out, choice, runs.size() > 1) {
  if (choice.launch) require_launch(part_, folder, *choice.launch);
}

bool RunsOutput::print_new() {
  bool any = false;
  for (const contract::PlannedRun& run : part_.runs) {
    std::vector<OutputFile> files = output_files(run, folder_, choice_);
    std::vector<OutputFile>& before = files_[run.run_id];
    // The previous launch may have printed more before it ended.
    for (const OutputFile& file : before) any = reader_.print_new(file) || any;
    for (const OutputFile& file : files) any = reader_.print_new(file) || any;
    before = std::move(files);
  }
  return any;
}

bool RunsOutput::all_ended() const {
  const auto states = runner::run_states(part_, folder_);
  return std::all_of(states.begin(), states.end(), [](const auto& run) {
    return runner::has_ended(run.second) && run.second != runner::JobState::Preempted;
  });
}

}  // namespace dlscale::workspace
