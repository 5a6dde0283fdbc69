// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/read_ahead.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kBlockFiles = 32;
constexpr std::int64_t kBlockBytes = std::int64_t{4} << 20;
constexpr std::size_t kBlocksAhead = 8;
/// More threads would only wait for the single database writer.
constexpr std::size_t kMostThreads = 4;
constexpr std::size_t kWorthThreads = 4 * kBlockFiles;

TakenFile read_now(const fs::path& folder, const FileToTake& file) {
  TakenFile taken{.text = base::read_file(folder / file.name)};
  taken.size = static_cast<std::int64_t>(taken.text.size());
  taken.sha256 = contract::sha256_hex(taken.text);
  if (taken.sha256 == file.known_sha256) return taken;
  try {
    using Kind = FileToTake::Kind;
    if (file.kind == Kind::description) {
      taken.description = contract::run_spec_from_json(taken.text, file.name);
    }
    if (file.kind == Kind::results) taken.results = contract::parse_results(taken.text);
    if (taken.description || taken.results) std::string().swap(taken.text);
  } catch (const base::SpecError&) {  // the caller will parse the text again and report the error
  }
  return taken;
}

}  // namespace

/// Implementation of ReadAhead. Files are grouped into blocks. A thread reads a block, and the
/// caller takes the block's files. The caller then gives the block back to the same thread, which
/// frees the memory that it had allocated.
class ReadAhead::Work {
 public:
  Work(fs::path folder, std::vector<FileToTake> files)
      : folder_(std::move(folder)), files_(std::move(files)) {
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
    taken_blocks_.resize(std::min(cores, kMostThreads));
    try {
      for (std::size_t i = 0; i < taken_blocks_.size(); ++i) {
        threads_.emplace_back([this, i] { read_blocks(i); });
      }
    } catch (const std::system_error&) {  // continue with fewer threads or none
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

  TakenFile& take_file(const std::string& name) {
    const auto place = places_.find(name);
    const bool in_turn =
        !threads_.empty() && place != places_.end() && place->second.first >= taken_;
    if (!in_turn) return out_of_turn_ = read_now(folder_, {name});
    const auto [at, index] = place->second;
    {
      std::unique_lock lock(mutex_);
      for (; taken_ < at; ++taken_) {
        Block& block = blocks_[taken_];
        taken_blocks_[block.reader].push_back(std::move(block.content));
        room_.notify_one();
      }
      ready_.wait(lock, [&, block = at] { return blocks_[block].is_read; });
    }
    Content& content = blocks_[at].content[index];
    if (content.error) std::rethrow_exception(content.error);
    return content.file;
  }

 private:
  struct Content {
    TakenFile file;
    std::exception_ptr error;
  };
  struct Block {
    std::size_t first = 0;  ///< index of the block's first file
    std::vector<Content> content = {};
    std::size_t reader = 0;  ///< index of the thread that read the block
    bool is_read = false;
  };

  void read_blocks(std::size_t reader) {
    for (;;) {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] {
        return stopped_ || next_ >= blocks_.size() || next_ < taken_ + kBlocksAhead;
      });
      if (stopped_ || next_ >= blocks_.size()) return;
      const std::size_t mine = next_++;
      std::vector<std::vector<Content>> taken = std::exchange(taken_blocks_[reader], {});
      lock.unlock();
      taken.clear();
      std::vector<Content> content = read_block(mine);
      lock.lock();
      blocks_[mine].content = std::move(content);
      blocks_[mine].reader = reader;
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
        content[i - first].file = read_now(folder_, files_[i]);
      } catch (...) {
        content[i - first].error = std::current_exception();
      }
    }
    return content;
  }

  const fs::path folder_;
  const std::vector<FileToTake> files_;
  std::vector<Block> blocks_;
  /// Index of the block that contains a file and index of the file in that block, by file name.
  std::unordered_map<std::string_view, std::pair<std::size_t, std::size_t>> places_;
  /// Content of taken blocks, to be freed by the thread that read them.
  std::vector<std::vector<std::vector<Content>>> taken_blocks_;
  TakenFile out_of_turn_;
  std::mutex mutex_;
  std::condition_variable ready_, room_;
  std::size_t next_ = 0;  ///< index of the next block to read
  /// Index of the block whose files are being taken. Changed only by take_file().
  std::size_t taken_ = 0;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;
};

ReadAhead::ReadAhead(fs::path folder, std::vector<FileToTake> files)
    : work_(new Work(std::move(folder), std::move(files))) {}
ReadAhead::~ReadAhead() = default;

TakenFile& ReadAhead::take_file(const std::string& name) {
  return work_->take_file(name);
}

}  // namespace dlscale::analysis
