// SPDX-License-Identifier: Apache-2.0
// What a batch system that does not answer or has no room makes us do: how long and how often it is
// asked again.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace dlscale::runner {

// The error of a batch system that holds as many jobs of a user as it takes.

/// The job is refused because of others of the same user that wait or run, or because it is an
/// array of too many tasks: once some have ended, or with fewer tasks, it may be submitted again.
/// It is not there now.
class NoRoom : public base::RunError {
 public:
  explicit NoRoom(const std::string& message) : base::RunError(message) {}
};

// The error of a batch system that does not answer.

/// The exit code of `dlscale` when a batch system does not answer.
inline constexpr int kUnreachableExit = 4;

/// The batch system does not answer: it may be tried again. A submission that ends with this may
/// have reached it all the same.
class Unreachable : public base::RunError {
 public:
  explicit Unreachable(const std::string& message) : base::RunError(message, kUnreachableExit) {}
};

// How long and how often a batch system that does not answer is asked again.

/// Where waiting takes place.
struct Waiting {
  const base::Clock& clock;
  std::function<void(double seconds)> pause;
  std::function<int()> stop_requests;  ///< 0: go on
};

/// Waits `seconds`, or until there is a request to stop.
void wait_for(const Waiting& waiting, double seconds);

class Patience {
 public:
  /// Asked again after 1, 2, 4, … 60 s, for `limit_s` in all; 0: not asked again. `tell` is called
  /// with a line for people before each pause.
  Patience(Waiting waiting, double limit_s, std::function<void(const std::string& line)> tell)
      : waiting_(std::move(waiting)), limit_s_(limit_s), tell_(std::move(tell)) {}

  /// Asks until there is an answer. False when told to stop before. Throws Unreachable when the
  /// time is up.
  bool ask(const std::function<void()>& question) const;

 private:
  Waiting waiting_;
  double limit_s_;
  std::function<void(const std::string&)> tell_;
};

}  // namespace dlscale::runner
