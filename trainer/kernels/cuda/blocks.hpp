// SPDX-License-Identifier: Apache-2.0
// Programming model for GPU kernels that can also run on a CPU. Tests can therefore run the kernels
// without a GPU.
//
// A kernel is a function template with a Block parameter, which represents one thread block. A
// kernel consists of phases. In each phase, block.each_thread(body) calls body(thread) for every
// thread and then waits for all threads. On a GPU, each thread runs its own call and then waits at
// a barrier. On a CPU, a loop runs the calls of all threads one after another. A thread therefore
// cannot keep local variables from one phase to the next. Data that a later phase needs must lie in
// block.shared(). The functions are constexpr because nvcc compiles constexpr functions for the GPU
// without an annotation.
//
// A Block has these members:
// - tile() and chunk() return the position of the block in the grid.
// - threads() returns the number of threads in the block.
// - shared<S>() returns the shared memory of the block.
// - load, store, store_pack and widen transfer packs of values from and to memory and convert their
//   types.
#pragma once

#include <cstdint>
#include <type_traits>

namespace dlscale::trainer::kernel {

/// Pack of V neighbouring values in memory. One instruction loads or stores the whole pack.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T values[V];
};

/// Number of values of type T in a pack of 16 bytes, the largest access of a GPU.
template <class T>
constexpr int kWidestPack = 16 / static_cast<int>(sizeof(T));

constexpr int kThreads = 256;  ///< number of threads in a block that works on rows of channels

/// Division of a matrix of `rows` x `channels` values among blocks. The channels of a row are
/// neighbours in memory. A block has at most `columns` x `lanes` threads. The rows are divided into
/// chunks, and a block works on one chunk. In its chunk, thread t handles column t % columns of the
/// packs, in the rows t / columns, t / columns + lanes, t / columns + 2 lanes and so on.
struct RowGrid {
  std::int64_t rows;
  int channels;
  int vector;   ///< number of values in a pack
  int columns;  ///< number of packs of a row that a block handles
  int lanes;    ///< number of rows that a block handles at the same time
  int tiles;    ///< number of blocks that together cover a row
  int chunks;   ///< number of blocks among which the rows are divided
  std::int64_t rows_per_chunk;
};

/// Returns the grid for a matrix. `widest` is the number of values in 16 bytes. `blocks` is the
/// number of blocks that occupy the whole GPU. Packs have `widest` values if the number of channels
/// is a multiple of `widest`, and otherwise one value.
constexpr RowGrid make_row_grid(std::int64_t rows, int channels, int widest, int blocks) {
  constexpr int kMostColumns = 32;
  constexpr int kLeastRowsPerLane = 4;
  RowGrid grid{};
  grid.rows = rows;
  grid.channels = channels;
  grid.vector = channels % widest == 0 ? widest : 1;
  const int packs = channels / grid.vector;
  grid.columns = packs < kMostColumns ? packs : kMostColumns;
  grid.lanes = kThreads / grid.columns;
  grid.tiles = (packs + grid.columns - 1) / grid.columns;
  const std::int64_t rows_of_block = std::int64_t{grid.lanes} * kLeastRowsPerLane;
  const std::int64_t useful = (rows + rows_of_block - 1) / rows_of_block;
  const std::int64_t allowed = blocks / grid.tiles > 0 ? blocks / grid.tiles : 1;
  const std::int64_t chunks = useful < allowed ? useful : allowed;
  grid.chunks = static_cast<int>(chunks > 0 ? chunks : 1);
  grid.rows_per_chunk = (rows + grid.chunks - 1) / grid.chunks;
  return grid;
}

/// Part of a matrix that one thread of a block handles.
struct ThreadPart {
  bool works;  ///< false when the thread has nothing to do
  int column, lane;
  int channel;  ///< first channel of the part
  std::int64_t first_row, last_row;
};

template <class Block>
constexpr ThreadPart part_of(const Block& block, const RowGrid& grid, int thread) {
  const int column = thread % grid.columns;
  const int lane = thread / grid.columns;
  const int channel = (block.tile() * grid.columns + column) * grid.vector;
  const std::int64_t begin = block.chunk() * grid.rows_per_chunk;
  const std::int64_t end = begin + grid.rows_per_chunk;
  return {lane < grid.lanes && channel < grid.channels,
          column,
          lane,
          channel,
          begin + lane,
          end < grid.rows ? end : grid.rows};
}

/// Calls `start` with the number of values in a pack of the grid as a compile-time constant, which
/// is 1 or kWidestPack<T>.
template <class T, class Start>
constexpr void with_pack(const RowGrid& grid, const Start& start) {
  if (grid.vector == kWidestPack<T>) {
    start(std::integral_constant<int, kWidestPack<T>>{});
  } else {
    start(std::integral_constant<int, 1>{});
  }
}

}  // namespace dlscale::trainer::kernel
