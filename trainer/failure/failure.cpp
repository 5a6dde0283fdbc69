// SPDX-License-Identifier: Apache-2.0
#include "trainer/failure/failure.hpp"

#include <array>
#include <new>
#include <optional>

#include "base/error.hpp"

namespace dlscale::trainer {

Failure failure_of(const std::exception& error) {
  const std::string text = error.what();
  Failure failure{text.substr(0, text.find('\n'))};  // drops LibTorch's stack trace
  if (const auto* known = dynamic_cast<const base::Error*>(&error)) {
    failure.exit_code = known->exit_code();
  }
  // LibTorch has no separate exception type for the case that an allocator gets no memory, so the
  // message must be searched.
  if (dynamic_cast<const std::bad_alloc*>(&error) || text.find("out of memory") != text.npos ||
      text.find("can't allocate memory") != text.npos) {
    failure.outcome = contract::RunOutcome::OutOfMemory;
  }
  return failure;
}

namespace {

std::string broadcast_text_from(int root, std::string text, CollectiveQueue& queue) {
  auto size = static_cast<std::int64_t>(text.size());
  queue.broadcast({&size, 1, ElementType::int64}, root)->wait();
  text.resize(static_cast<std::size_t>(size));
  queue.broadcast({text.data(), size, ElementType::uint8}, root)->wait();
  return text;
}

/// Runs `work`. Returns the failure if `work` throws, and nullopt otherwise. Catches the exceptions
/// that main() would catch, so that this rank can first report the failure to the other ranks.
std::optional<Failure> attempt(const std::function<void()>& work) {
  try {
    work();
    return std::nullopt;
  } catch (const std::exception& error) {
    return failure_of(error);
  }
}

}  // namespace

std::string broadcast_text(std::string text, CollectiveQueue& queue) {
  return broadcast_text_from(0, std::move(text), queue);
}

void all_or_none(CollectiveQueue& queue, const std::function<void()>& work) {
  std::optional<Failure> failure = attempt(work);
  std::int64_t first = failure ? queue.rank() : queue.size();
  queue.all_reduce({&first, 1, ElementType::int64}, ReduceOp::min)->wait();
  if (first == queue.size()) return;

  const int root = static_cast<int>(first);
  Failure shared = failure.value_or(Failure{});
  std::array<std::int64_t, 2> codes{shared.exit_code, static_cast<std::int64_t>(shared.outcome)};
  queue.broadcast({codes.data(), codes.size(), ElementType::int64}, root)->wait();
  shared.message = broadcast_text_from(root, std::move(shared.message), queue);
  if (root != 0) shared.message = "rank " + std::to_string(root) + ": " + shared.message;
  shared.exit_code = static_cast<int>(codes[0]);
  shared.outcome = static_cast<contract::RunOutcome>(codes[1]);
  throw SharedError(shared);
}

}  // namespace dlscale::trainer
