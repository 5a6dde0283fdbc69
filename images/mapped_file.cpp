// SPDX-License-Identifier: Apache-2.0
#include "images/mapped_file.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& path, const std::string& problem) {
  throw base::RunError(fmt::format("cannot read {}: {}", path.string(), problem),
                       contract::kExitData);
}

/// One mapped file, as the handler sees it. `begin` is 0 where the place is free.
struct Place {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> is_damaged{false};
};

// A signal handler has nothing but globals to look at.
constexpr std::size_t kPlaces = 256;
std::array<Place, kPlaces> places;
struct sigaction handler_before {};

void hand_on(int signal, siginfo_t* info, void* context) {
  if ((handler_before.sa_flags & SA_SIGINFO) != 0) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(signal);
  } else {
    ::signal(SIGBUS, SIG_DFL);  // what failed is tried again, and ends the program
  }
}

void put_zeros(int signal, siginfo_t* info, void* context) {
  const int error_before = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (Place& place : places) {
    const std::uintptr_t begin = place.begin.load();
    if (begin == 0 || address < begin || address >= place.end.load()) continue;
    void* const page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
    place.is_damaged.store(true);
    if (::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        page) {
      errno = error_before;
      return;
    }
  }
  errno = error_before;
  hand_on(signal, info, context);
}

void install_handler_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = &put_zeros;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, &handler_before);
  });
}

int take_place(const void* data, std::size_t size) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (places[i].begin.load() != 0) continue;
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    places[i].is_damaged.store(false);
    places[i].end.store(begin + size);
    places[i].begin.store(begin);
    return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) : path_(path) {
  OpenFile file(path.c_str());
  if (!file.is_open()) fail(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    fail(path, "it is no regular file");
  }
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.number(), 0);
  if (data == MAP_FAILED) fail(path, std::strerror(errno));
  install_handler_once();
  place_ = take_place(data, size);
  if (place_ < 0) {
    ::munmap(data, size);
    fail(path, fmt::format("{} files are mapped already", kPlaces));
  }
  data_ = static_cast<const std::uint8_t*>(data);
  size_ = size;
  descriptor_ = file.release();
}

MappedFile::~MappedFile() {
  if (data_ == nullptr) return;
  places[static_cast<std::size_t>(place_)].begin.store(0);
  ::munmap(const_cast<std::uint8_t*>(data_), size_);
  ::close(descriptor_);
}

bool MappedFile::is_damaged() const {
  return place_ >= 0 && places[static_cast<std::size_t>(place_)].is_damaged.load();
}

/// A short call; the one that fetches goes through all pages, there or not.
bool MappedFile::is_in_memory(std::size_t offset) const {
  char byte = 0;
  const iovec one{&byte, 1};
  return ::preadv2(descriptor_, &one, 1, static_cast<off_t>(offset), RWF_NOWAIT) == 1;
}

void MappedFile::will_read(std::size_t offset, std::size_t size) const {
  if (offset >= size_ || is_in_memory(offset)) return;
  const auto page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = offset / page_bytes * page_bytes;
  const std::size_t end = offset + std::min(size, size_ - offset);
  ::madvise(const_cast<std::uint8_t*>(data_) + first, end - first, MADV_WILLNEED);
}

}  // namespace dlscale::images
