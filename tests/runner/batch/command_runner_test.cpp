// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/command_runner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using runner::Command;
using runner::ExitStatus;
using runner::ProcessId;

namespace {

struct Shell {
  test::TempDir temp;
  std::unique_ptr<runner::CommandRunner> commands = runner::make_command_runner();

  Command command(const std::string& script) const {
    return {{"bash", "-c", script}, temp.path(), temp / "out", temp / "err", {}};
  }
  ExitStatus run(const std::string& script) {
    return commands->wait(commands->start(command(script)), 20).value();
  }
  std::string out() const { return base::read_file(temp / "out"); }
};

}  // namespace

TEST_CASE("a process runs in its folder and writes to its output files") {
  Shell shell;
  CHECK(shell.run("pwd; echo no >&2; exit 3") == ExitStatus{3, 0});
  CHECK(shell.out() == shell.temp.path().string() + "\n");
  CHECK(base::read_file(shell.temp / "err") == "no\n");
}

TEST_CASE("new output replaces longer old output") {
  Shell shell;
  shell.run("echo a long line of the first attempt");
  shell.run("echo short");
  CHECK(shell.out() == "short\n");
}

TEST_CASE("standard input is empty") {
  Shell shell;
  CHECK(shell.run("read -r line && exit 1 || exit 0") == ExitStatus{0, 0});
}

TEST_CASE("a process killed by a signal is reported as killed on every wait") {
  Shell shell;
  const ProcessId process = shell.commands->start(shell.command("kill -9 $$"));
  REQUIRE(shell.commands->wait(process, 20) == ExitStatus{0, SIGKILL});
  CHECK(shell.commands->wait(process, 0) == ExitStatus{0, SIGKILL});
}

TEST_CASE("waiting ends at its deadline while the process keeps running") {
  Shell shell;
  const ProcessId process = shell.commands->start(shell.command("sleep 60"));
  CHECK(shell.commands->wait(process, 0.05) == std::nullopt);
  shell.commands->kill_group(process);
  CHECK(shell.commands->wait(process, 20).has_value());
}

TEST_CASE("a process leads its own process group, which can be killed as a whole") {
  Shell shell;
  const ProcessId process =
      shell.commands->start(shell.command("sleep 60 & echo $!; touch ready; wait"));
  while (!std::filesystem::exists(shell.temp / "ready")) ::usleep(10000);
  CHECK(::getpgid(process) == process);
  const ProcessId grandchild = std::stoi(shell.out());
  shell.commands->kill_group(process);
  REQUIRE(shell.commands->wait(process, 20) == ExitStatus{0, SIGKILL});
  for (int i = 0; i < 500 && ::getpgid(grandchild) == process; ++i) ::usleep(10000);
  CHECK(::getpgid(grandchild) != process);
}

TEST_CASE("a signal is sent only to the process itself") {
  Shell shell;
  const ProcessId process = shell.commands->start(shell.command(
      "trap 'kill -0 $child && exit 7' TERM; sleep 60 & child=$!; touch ready; wait"));
  while (!std::filesystem::exists(shell.temp / "ready")) ::usleep(10000);
  shell.commands->signal(process, SIGTERM);
  CHECK(shell.commands->wait(process, 20) == ExitStatus{7, 0});
  shell.commands->kill_group(process);
}

TEST_CASE("a script can trap signals that were blocked or ignored in this program") {
  Shell shell;
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto former = ::signal(SIGUSR1, SIG_IGN);
  for (const char* const name : {"TERM", "USR1"}) {
    CHECK(shell.run(std::string("trap 'exit 7' ") + name + "; kill -" + name + " $$; exit 1") ==
          ExitStatus{7, 0});
  }
  ::signal(SIGUSR1, former);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("descendants are found by their environment, even in another group") {
  Shell shell;
  const std::string mark = shell.temp.path().string();
  Command command = shell.command("setsid bash -c 'touch ready; exec sleep 60' & wait");
  command.environment["DLSCALE_TEST_MARK"] = mark;
  const ProcessId process = shell.commands->start(command);
  while (!std::filesystem::exists(shell.temp / "ready")) ::usleep(10000);
  shell.commands->kill_group(process);
  shell.commands->wait(process, 20);
  const auto left = shell.commands->find_by_environment("DLSCALE_TEST_MARK=" + mark);
  REQUIRE(left.size() == 1);
  CHECK(left[0] != process);
  shell.commands->kill_group(left[0]);
  CHECK(shell.commands->find_by_environment("DLSCALE_TEST_MARK=other").empty());
}

TEST_CASE("the answer of a finished command contains its output") {
  Shell shell;
  const runner::Answer answer = shell.commands->run(shell.command("pwd; echo no >&2; exit 3"), 20);
  CHECK(answer.end == ExitStatus{3, 0});
  CHECK(answer.out == shell.temp.path().string() + "\n");
  CHECK(answer.err == "no\n");
  CHECK_FALSE(std::filesystem::exists(shell.temp / "out"));
}

TEST_CASE("output larger than a pipe buffer is complete") {
  Shell shell;
  const auto answer = shell.commands->run(
      shell.command("head -c 3000000 /dev/zero; head -c 1000000 /dev/zero >&2"), 20);
  CHECK(answer.out.size() == 3'000'000);
  CHECK(answer.err.size() == 1'000'000);
}

TEST_CASE("an answer does not wait for background processes of the command") {
  Shell shell;
  const auto answer = shell.commands->run(shell.command("echo here; sleep 60 & exit 0"), 20);
  CHECK(answer.end == ExitStatus{0, 0});
  CHECK(answer.out == "here\n");
  shell.commands->kill_group(answer.process);
}

TEST_CASE("a command that exceeds its time limit is killed, and its output is kept") {
  Shell shell;
  const auto answer = shell.commands->run(shell.command("echo first; sleep 60"), 0.3);
  CHECK(answer.end == std::nullopt);
  CHECK(answer.out == "first\n");
  CHECK(shell.commands->wait(answer.process, 20) == ExitStatus{0, SIGKILL});
}

TEST_CASE("a descriptor is inherited only on request") {
  Shell shell;
  const int file = ::open((shell.temp / "kept").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Command command = shell.command("echo kept >&" + std::to_string(file));
  CHECK(shell.commands->run(command, 20).end != ExitStatus{});
  command.keep_open = {file};
  CHECK(shell.commands->run(command, 20).end == ExitStatus{});
  CHECK(base::read_file(shell.temp / "kept") == "kept\n");
  ::close(file);
}

TEST_CASE("the usage of an ended process includes its children") {
  Shell shell;
  const ProcessId process = shell.commands->start(
      shell.command("python3 -c 'x = bytearray(50000000)\nfor i in range(2000000): pass'"));
  REQUIRE(shell.commands->wait(process, 20) == ExitStatus{});
  const runner::ProcessUsage usage = shell.commands->usage(process);
  CHECK(usage.cpu_s > 0.01);
  CHECK(usage.cpu_s < 20);
  CHECK(usage.peak_memory_bytes > 50'000'000);
  CHECK(usage.peak_memory_bytes < 500'000'000);
}

TEST_CASE("a command that cannot be started is an error with the reason") {
  Shell shell;
  Command missing = shell.command("");
  missing.arguments = {"no-such-program"};
  CHECK_THROWS_WITH(shell.commands->start(missing), "cannot find no-such-program in PATH");
  Command folder = shell.command("true");
  folder.folder = shell.temp / "nowhere";
  CHECK_THROWS_WITH(shell.commands->start(folder),
                    Catch::Contains(folder.folder.string() + ": no such folder"));
  Command unwritable = shell.command("true");
  unwritable.out = shell.temp / "nowhere/out";
  CHECK_THROWS_WITH(shell.commands->start(unwritable),
                    Catch::Contains("nowhere/out: No such file"));
}
