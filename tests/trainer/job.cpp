// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/job.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::test {
namespace {

using namespace std::chrono_literals;
/// Timeout in seconds. On a machine with ten times more work than cores, ranks in lockstep can need
/// most of a second for each step.
constexpr double kPatience_s = 600;

template <class Condition>
void wait_until(const Condition& condition, const char* what) {
  const base::SystemClock clock;
  for (const double start_s = clock.steady_s(); !condition(); std::this_thread::sleep_for(20ms)) {
    if (clock.steady_s() > start_s + kPatience_s) throw std::runtime_error(what);
  }
}

/// Returns the command line of a job. Each rank writes its process id to a file before it becomes
/// dlscale-train.
std::vector<std::string> command(const std::filesystem::path& folder, int ranks,
                                 const std::string& first) {
  const std::string trainer = DLSCALE_BINARY_DIR "/bin/dlscale-train";
  const std::string run = folder / "run";
  if (ranks == 0) return {trainer, "--run", run};
  const std::string script = "echo $$ >\"$0\".$OMPI_COMM_WORLD_RANK\n" + first + "\nexec \"$@\"";
  return {DLSCALE_MPIRUN,
          "--allow-run-as-root",
          "--oversubscribe",
          "--bind-to",
          "none",
          "--mca",
          "mpi_yield_when_idle",
          "1",
          "--mca",
          "orte_tmpdir_base",  // concurrent jobs would share a folder in /tmp
          folder / "session",
          "-n",
          std::to_string(ranks),
          "sh",
          "-c",
          script,
          folder / "pid",
          trainer,
          "--run",
          run};
}

std::string text_of(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? base::read_file(path) : std::string();
}

}  // namespace

Job::Job(const std::string& run_json) {
  base::make_directories(folder());
  base::write_file_atomically(folder() / "run.json", run_json);
}

Job::~Job() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Job::start(int ranks, const std::vector<std::string>& more) {
  auto words = command(folder_.path(), ranks, first_);
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, (folder_ / "out").c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&files, 2, (folder_ / "err").c_str(), flags, 0600);
  const int error = ::posix_spawnp(&pid_, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error("cannot start " + words[0]);
}

JobEnd Job::end() {
  const base::SystemClock clock;
  const double start_s = clock.steady_s();
  int status = 0;
  wait_until([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, "the job does not end");
  pid_ = 0;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          clock.steady_s() - start_s, text_of(folder_ / "out"), text_of(folder_ / "err")};
}

void Job::wait_for_training() const {
  wait_for([this] { return results_text().find("step_window") != std::string::npos; });
}

void Job::wait_for(const std::function<bool()>& condition) const {
  wait_until(
      [&] {
        // has_ended() comes first, so that the condition sees the last actions of an ended job.
        const bool ended = has_ended();
        if (condition()) return true;
        if (ended)
          throw std::runtime_error("the job has ended before: " + text_of(folder_ / "err"));
        return false;
      },
      "what is waited for does not happen");
}

/// Returns true if the job has ended. Does not reap the process, because end() does.
bool Job::has_ended() const {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  return pid_ != 0 && ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

pid_t Job::pid_of_rank(int rank) const {
  return std::stoi(base::read_file(folder_ / ("pid." + std::to_string(rank))));
}

std::string Job::results_text(int launch) const {
  return text_of(contract::RunDir(folder()).launch(launch).results());
}

contract::ResultsFile Job::results(int launch) const {
  return contract::parse_results(results_text(launch));
}

}  // namespace dlscale::test
