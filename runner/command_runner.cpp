// SPDX-License-Identifier: Apache-2.0
#include "runner/command_runner.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>
#include <boost/process/search_path.hpp>
#include <boost/process/start_dir.hpp>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/error.hpp"

namespace dlscale::runner {
namespace bp = boost::process;
namespace fs = std::filesystem;
namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(10);

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Boost.Process would leave the tail of a longer old file in place, so files are emptied here.
OpenFile open_emptied(const fs::path& path) {
  OpenFile file(std::fopen(path.c_str(), "we"), &std::fclose);
  if (!file) {
    throw base::RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  }
  return file;
}

ExitStatus from_wait_status(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

/// /proc/<pid>/environ is a sequence of NAME=value, each ended by a zero byte. It cannot be read
/// for other users' processes and is empty for those that have ended.
bool was_started_with(const fs::path& proc_entry, const std::string& entry) {
  std::ifstream file(proc_entry / "environ", std::ios::binary);
  const std::string environment{std::istreambuf_iterator<char>(file), {}};
  std::string_view rest = environment;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find('\0'));
    if (one == entry) return true;
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  return false;
}

class RealCommandRunner : public CommandRunner {
 public:
  ~RealCommandRunner() override {
    for (auto& [process, child] : children_) child.detach();  // boost would kill the leader only
  }

  ProcessId start(const Command& command) override {
    const fs::path program = bp::search_path(command.arguments.at(0));
    if (program.empty()) {
      throw base::RunError(fmt::format("cannot find {} in PATH", command.arguments[0]));
    }
    if (!fs::is_directory(command.folder)) {  // boost would start it elsewhere
      throw base::RunError(
          fmt::format("no folder {} to start {} in", command.folder.string(), program.string()));
    }
    const OpenFile out = open_emptied(command.out);
    const OpenFile err = open_emptied(command.err);
    bp::environment environment = boost::this_process::environment();
    for (const auto& [name, value] : command.environment) environment[name] = value;
    const std::vector<std::string> arguments(command.arguments.begin() + 1,
                                             command.arguments.end());
    bp::group group;
    std::error_code error;
    bp::child child(bp::exe(program.string()), bp::args(arguments), environment,
                    bp::start_dir(command.folder.string()),
                    bp::std_in<bp::null, bp::std_out> out.get(), bp::std_err > err.get(), group,
                    error);
    if (error) {
      throw base::RunError(fmt::format("cannot start {} in {}: {}", program.string(),
                                       command.folder.string(), error.message()));
    }
    group.detach();  // its destructor would kill it
    const ProcessId process = child.id();
    children_.insert_or_assign(process, std::move(child));
    return process;
  }

  std::optional<ExitStatus> wait(ProcessId process, double timeout_s) override {
    bp::child& child = children_.at(process);
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(timeout_s);
    std::error_code ignored;  // a child that somebody else has waited for counts as ended
    while (child.running(ignored)) {
      if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
      std::this_thread::sleep_for(kLookAgain);
    }
    return from_wait_status(child.native_exit_code());
  }

  void signal(ProcessId process, int signal) override { ::kill(process, signal); }

  void kill_group(ProcessId process) override {
    if (::kill(-process, SIGKILL) != 0) ::kill(process, SIGKILL);
  }

  std::vector<ProcessId> find_by_environment(const std::string& entry) override {
    std::vector<ProcessId> found;
    std::error_code ignored;  // processes come and go while the list is read
    for (const auto& item : fs::directory_iterator("/proc", ignored)) {
      const std::string name = item.path().filename().string();
      ProcessId process = 0;
      const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), process);
      if (bad != std::errc() || *end != '\0') continue;
      if (was_started_with(item.path(), entry)) found.push_back(process);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::map<ProcessId, bp::child> children_;
};

}  // namespace

std::unique_ptr<CommandRunner> make_command_runner() {
  return std::make_unique<RealCommandRunner>();
}

}  // namespace dlscale::runner
