// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/read_ahead.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_id.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::size_t kBlockFiles = 32;
constexpr std::int64_t kBlockBytes = std::int64_t{4} << 20;
constexpr std::size_t kBlocksAhead = 8;
constexpr std::size_t kMostThreads = 4;  ///< more wait for the one that writes
constexpr std::size_t kWorthThreads = 4 * kBlockFiles;

TakenFile read_now(const FileToTake& file) {
  TakenFile taken{.text = base::read_file(file.path)};
  taken.sha256 = contract::sha256_hex(taken.text);
  if (taken.sha256 == file.known_sha256) return taken;
  try {
    using Kind = FileToTake::Kind;
    if (file.kind == Kind::description) {
      taken.description = contract::run_spec_from_json(taken.text, file.name);
    }
    if (file.kind == Kind::results) taken.results = contract::parse_results(taken.text);
  } catch (const base::SpecError&) {  // whoever takes it says what is wrong with it
  }
  return taken;
}

}  // namespace

/// Files lie in blocks; a block is read by one thread and taken by one.
class ReadAhead::Work {
 public:
  explicit Work(std::vector<FileToTake> files) : files_(std::move(files)) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      bytes += files_[i].size;
      const bool is_full =
          blocks_.empty() || bytes > kBlockBytes || i - blocks_.back().first >= kBlockFiles;
      if (is_full) {
        blocks_.push_back({.first = i});
        bytes = files_[i].size;
      }
      places_[files_[i].name] = {blocks_.size() - 1, i - blocks_.back().first};
    }
    const std::size_t cores = std::thread::hardware_concurrency();
    if (cores < 2 || files_.size() < kWorthThreads) return;
    try {
      for (std::size_t i = 0; i < std::min(cores, kMostThreads); ++i) {
        threads_.emplace_back([this] { read_blocks(); });
      }
    } catch (const std::system_error&) {  // with fewer, or none
    }
  }

  ~Work() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    room_.notify_all();
    threads_.clear();
  }

  TakenFile take(const FileToTake& file) {
    const auto place = places_.find(file.name);
    if (threads_.empty() || place == places_.end()) return read_now(file);
    if (place->second.first < taken_) return read_now(file);  // out of turn
    const auto [at, index] = place->second;
    {
      std::unique_lock lock(mutex_);
      if (at > taken_) {
        for (; taken_ < at; ++taken_) blocks_[taken_].content.clear();
        room_.notify_all();
      }
      ready_.wait(lock, [&, block = at] { return blocks_[block].is_read; });
    }
    Content& content = blocks_[at].content[index];
    if (content.error) std::rethrow_exception(content.error);
    return std::move(content.file);
  }

 private:
  struct Content {
    TakenFile file;
    std::exception_ptr error;
  };
  struct Block {
    std::size_t first = 0;  ///< of its files
    std::vector<Content> content = {};
    bool is_read = false;
  };

  void read_blocks() {
    for (;;) {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] {
        return stopped_ || next_ >= blocks_.size() || next_ < taken_ + kBlocksAhead;
      });
      if (stopped_ || next_ >= blocks_.size()) return;
      const std::size_t mine = next_++;
      lock.unlock();
      std::vector<Content> content = read_block(mine);
      lock.lock();
      blocks_[mine].content = std::move(content);
      blocks_[mine].is_read = true;
      ready_.notify_one();
    }
  }

  std::vector<Content> read_block(std::size_t block) const {
    const std::size_t first = blocks_[block].first;
    const std::size_t end = block + 1 < blocks_.size() ? blocks_[block + 1].first : files_.size();
    std::vector<Content> content(end - first);
    for (std::size_t i = first; i < end; ++i) {
      try {
        content[i - first].file = read_now(files_[i]);
      } catch (...) {
        content[i - first].error = std::current_exception();
      }
    }
    return content;
  }

  std::vector<FileToTake> files_;
  std::vector<Block> blocks_;
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> places_;  ///< block, place
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::size_t next_ = 0;   ///< block to be read
  std::size_t taken_ = 0;  ///< block that is being taken; changed by take alone
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

ReadAhead::ReadAhead(std::vector<FileToTake> files) : work_(new Work(std::move(files))) {}
ReadAhead::~ReadAhead() = default;

TakenFile ReadAhead::take(const FileToTake& file) {
  return work_->take(file);
}

}  // namespace dlscale::analysis
