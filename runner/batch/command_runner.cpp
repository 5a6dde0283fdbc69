// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/command_runner.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>
#include <boost/process/posix.hpp>
#include <boost/process/search_path.hpp>
#include <boost/process/start_dir.hpp>
#include <system_error>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::runner {
namespace fs = std::filesystem;
namespace bp = boost::process;
namespace {

using Time = std::chrono::steady_clock;

/// Poll interval for kernels that cannot signal the end of a child process.
constexpr int kLookAgain_ms = 2;
/// Seconds that a killed process may take to disappear.
constexpr double kDying_s = 1;

/// File descriptor that closes itself, is not inherited, and is never a standard descriptor
/// (0 to 2).
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {
    if (number_ < 0 || number_ > 2) return;
    const int higher = ::fcntl(number_, F_DUPFD_CLOEXEC, 3);
    ::close(std::exchange(number_, higher));
  }
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

Descriptor open_emptied(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) {
    throw base::RunError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  }
  return file;
}

/// Pipe from a child process. The child writes to `write`, and reading from `read` does not block.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw base::RunError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    }
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    ::fcntl(read.number(), F_SETFL, O_NONBLOCK);
  }
  Descriptor read, write;
};

/// Appends the available data to `text`. Closes the pipe when all processes that write to the pipe
/// have closed their ends.
void drain(Descriptor& pipe, std::string& text) {
  std::array<char, 65536> piece;
  while (pipe.number() >= 0) {
    const ssize_t size = ::read(pipe.number(), piece.data(), piece.size());
    if (size > 0) text.append(piece.data(), static_cast<std::size_t>(size));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return;
    if (size == 0) pipe.close();
  }
}

/// Returns the milliseconds until the deadline, rounded up, as timeout for poll().
int left_ms(Time::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Time::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, 3'600'000));
}

Time::time_point after(double seconds) {
  return Time::now() +
         std::chrono::duration_cast<Time::duration>(std::chrono::duration<double>(seconds));
}

/// Returns a descriptor that becomes readable when the process ends. The descriptor is invalid on
/// kernels before 5.3.
Descriptor end_of(ProcessId process) {
#ifdef SYS_pidfd_open
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
#else
  return Descriptor();
#endif
}

// Pauses between attempts to start a process. A busy machine may reach its limit on processes for a
// moment.
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kLongestPause{1600};

/// Unblocks all signals, and resets those that job scripts trap to their default. A shell cannot
/// trap a signal that was blocked or ignored when the shell started.
void reset_signals() {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) ::signal(number, SIG_DFL);
}

ProcessId spawn(const Command& command, const Environment& inherited, int out, int err) {
  const fs::path program = bp::search_path(command.arguments.at(0));
  if (program.empty()) {
    throw base::RunError(fmt::format("cannot find {} in PATH", command.arguments[0]));
  }
  // If the folder is missing, boost would start the program in another folder.
  if (!fs::is_directory(command.folder)) {
    throw base::RunError(fmt::format("cannot start {1} in {0}: no such folder",
                                     command.folder.string(), program.string()));
  }
  bp::environment environment;
  for (const auto& [name, value] : inherited) environment[name] = value;
  for (const auto& [name, value] : command.environment) environment[name] = value;
  const std::vector<std::string> arguments(command.arguments.begin() + 1, command.arguments.end());
  const auto before_exec = [&](auto&) {
    for (const int kept : command.keep_open) ::fcntl(kept, F_SETFD, 0);
    reset_signals();
  };
  for (auto pause = kFirstPause;; pause *= 2) {
    bp::group group;
    std::error_code error;
    bp::child child(bp::exe(program.string()), bp::args(arguments), environment,
                    bp::start_dir(command.folder.string()), bp::std_in < bp::null,
                    bp::posix::fd.bind(1, out), bp::posix::fd.bind(2, err),
                    bp::extend::on_exec_setup(before_exec), group, error);
    if (error == std::errc::resource_unavailable_try_again && pause <= kLongestPause) {
      std::this_thread::sleep_for(pause);
      continue;
    }
    if (error) {
      throw base::RunError(fmt::format("cannot start {} in {}: {}", program.string(),
                                       command.folder.string(), error.message()));
    }
    group.detach();  // the destructor of `group` would kill the process
    child.detach();  // has_ended() waits for the process and reads its resource usage
    return child.id();
  }
}

/// Returns whether the process was started with `entry` in its environment. /proc/<pid>/environ is
/// a sequence of NAME=value, each ended by a zero byte. The file cannot be read for processes of
/// other users and is empty for processes that have ended.
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

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

class RealCommandRunner : public CommandRunner {
 public:
  explicit RealCommandRunner(CleanEnvironment environment)
      : environment_(std::move(environment.variables)) {}

  ProcessId start(const Command& command) override {
    const Descriptor out = open_emptied(command.out);
    const Descriptor err = open_emptied(command.err);
    const ProcessId process = spawn(command, environment_, out.number(), err.number());
    children_.insert_or_assign(process, Child{});
    return process;
  }

  Answer run(const Command& command, double timeout_s) override {
    Pipe out, err;
    Answer answer;
    answer.process = spawn(command, environment_, out.write.number(), err.write.number());
    children_.insert_or_assign(answer.process, Child{});
    out.write.close();
    err.write.close();
    listen(answer, out.read, err.read, after(timeout_s));
    answer.end = wait(answer.process, 0);
    if (!answer.end) {
      kill_group(answer.process);
      wait(answer.process, kDying_s);
    } else {
      children_.erase(answer.process);
    }
    return answer;
  }

  std::optional<ExitStatus> wait(ProcessId process, double timeout_s) override {
    const Time::time_point deadline = after(timeout_s);
    const Child& child = children_.at(process);
    if (has_ended(process)) return child.end;
    const Descriptor end = end_of(process);
    while (!has_ended(process)) {
      if (Time::now() >= deadline) return std::nullopt;
      pollfd watched{end.number(), POLLIN, 0};  // poll() ignores a descriptor below 0
      const int left = left_ms(deadline);
      ::poll(&watched, 1, end.number() < 0 ? std::min(left, kLookAgain_ms) : left);
    }
    return child.end;
  }

  ProcessUsage usage(ProcessId process) override { return children_.at(process).usage; }

  void signal(ProcessId process, int signal) override { ::kill(process, signal); }

  void kill_group(ProcessId process) override {
    if (::kill(-process, SIGKILL) != 0) ::kill(process, SIGKILL);
  }

  std::vector<ProcessId> find_by_environment(const std::string& entry) override {
    std::vector<ProcessId> found;
    std::error_code ignored;  // processes may end while the list is read
    for (const auto& item : fs::directory_iterator("/proc", ignored)) {
      const std::string name = item.path().filename().string();
      const std::optional<ProcessId> process = base::number_of<ProcessId>(name);
      if (process && was_started_with(item.path(), entry)) found.push_back(*process);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  struct Child {
    std::optional<ExitStatus> end;
    ProcessUsage usage;
  };

  /// Collects the output of a child process until the child ends. The function does not wait until
  /// the pipes are closed, because processes that the child started may hold the pipes open longer.
  void listen(Answer& answer, Descriptor& out, Descriptor& err, Time::time_point deadline) {
    const Descriptor end = end_of(answer.process);
    while (!has_ended(answer.process) && Time::now() < deadline) {
      std::array<pollfd, 3> watched{
          {{out.number(), POLLIN, 0}, {err.number(), POLLIN, 0}, {end.number(), POLLIN, 0}}};
      const int left = left_ms(deadline);
      ::poll(watched.data(), watched.size(),
             end.number() < 0 ? std::min(left, kLookAgain_ms) : left);
      drain(out, answer.out);
      drain(err, answer.err);
    }
    drain(out, answer.out);
    drain(err, answer.err);
  }

  /// Returns whether a child process has ended, and stores its exit status when it ends. If other
  /// code has already waited for the child, the child counts as ended with exit code 0.
  bool has_ended(ProcessId process) {
    Child& child = children_.at(process);
    if (child.end) return true;
    int status = 0;
    rusage used{};
    const pid_t answer = ::wait4(process, &status, WNOHANG, &used);
    if (answer == 0 || (answer < 0 && errno == EINTR)) return false;
    child.end =
        WIFSIGNALED(status) ? ExitStatus{0, WTERMSIG(status)} : ExitStatus{WEXITSTATUS(status), 0};
    child.usage = {seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss * 1024};
    return true;
  }

  Environment environment_;
  std::map<ProcessId, Child> children_;
};

}  // namespace

std::unique_ptr<CommandRunner> make_command_runner() {
  return make_command_runner(clean_environment(own_environment(), "local", {}));
}

std::unique_ptr<CommandRunner> make_command_runner(CleanEnvironment environment) {
  return std::make_unique<RealCommandRunner>(std::move(environment));
}

Answer ask_program(CommandRunner& commands, const Command& command, double timeout_s) {
  Answer answer = commands.run(command, timeout_s);
  if (!answer.end) {
    throw SchedulerUnreachable(
        fmt::format("{} has not answered for {} s", command.arguments[0], timeout_s));
  }
  return answer;
}

std::string first_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \n\r\t");
  if (start == std::string_view::npos) return "";
  return std::string(text.substr(start, text.find('\n', start) - start));
}

}  // namespace dlscale::runner
