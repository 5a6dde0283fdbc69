// SPDX-License-Identifier: Apache-2.0
// Programming model for GPU kernels that also run on a CPU, where the tests run them.
//
// A kernel is a function template with a Block parameter, which represents one thread block. A
// kernel consists of phases. In each phase, block.each_thread(body) calls body(thread) for every
// thread and then waits for all threads. On a GPU, each thread runs its own call and then waits at
// a barrier. On a CPU, a loop runs the calls one after another. State that outlives a phase must
// therefore lie in block.shared(). The functions are constexpr because nvcc compiles constexpr
// functions for the GPU without an annotation.
//
// A Block has these members:
// - tile() and chunk() return its position in the grid.
// - threads() returns its number of threads.
// - shared<S>() returns its shared memory.
// - load, store, store_pack and widen transfer and convert packs of values.
#pragma once

#include <cstdint>

namespace dlscale::trainer::kernel {

/// Pack of V neighbouring values, which one instruction loads or stores.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T values[V];
};

constexpr int kThreads = 256;  ///< number of threads in a block that works on rows of channels

/// Division of a matrix of `rows` x `channels` values among blocks. The channels of a row are
/// neighbours in memory. A block has at most `columns` x `lanes` threads. Thread t handles the
/// packs of column t % columns in the rows t / columns, t / columns + lanes, … of its chunk.
struct RowGrid {
  std::int64_t rows;
  int channels;
  int vector;   ///< number of values in a pack
  int columns;  ///< number of packs that a block handles side by side
  int lanes;    ///< number of rows that a block handles at a time
  int tiles;    ///< number of blocks side by side
  int chunks;   ///< number of blocks one below another
  std::int64_t rows_per_chunk;
};

/// Returns the grid for a matrix. `widest` is the number of values in 16 bytes. `blocks` is the
/// maximum number of blocks on the GPU. Packs of `widest` values are used only when a row consists
/// of whole packs.
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
  bool works;  ///< true when the thread has a part
  int column, lane;
  int channel;  ///< first channel
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

}  // namespace dlscale::trainer::kernel
