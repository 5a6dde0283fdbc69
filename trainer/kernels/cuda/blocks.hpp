// SPDX-License-Identifier: Apache-2.0
// How kernels for GPUs are written so that they also run, and are tested, on a processor.
//
// A kernel is a function template of a Block, which stands for one thread block. It consists of
// phases: block.each_thread(body) calls body(thread) for every thread and then waits for all of
// them. On a GPU each thread runs its own call and a barrier follows; on a processor a loop runs
// the calls one after another. State that outlives a phase therefore lies in block.shared(). The
// functions are constexpr because nvcc compiles those for the GPU without an annotation.
//
// A Block has: tile() and chunk(), its place in the grid; threads(), its number of threads;
// shared<S>(), its shared memory; load, store, widen and narrow for packs of values.
#pragma once

#include <cstdint>

namespace dlscale::trainer::kernel {

/// V neighbouring values, which one instruction loads or stores.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T values[V];
};

constexpr int kThreads = 256;  ///< of a block that works on rows of channels

/// How a matrix of `rows` x `channels` values, channels neighbouring in memory, is divided among
/// blocks. A block has `columns` x `lanes` threads at most; thread t handles the packs of column
/// t % columns in the rows t / columns, t / columns + lanes, … of its chunk.
struct RowGrid {
  std::int64_t rows;
  int channels;
  int vector;   ///< values of a pack
  int columns;  ///< packs that a block handles side by side
  int lanes;    ///< rows that a block handles at a time
  int tiles;    ///< blocks side by side
  int chunks;   ///< blocks one below another
  std::int64_t rows_per_chunk;
};

/// `widest`: values of 16 bytes. `blocks`: number of blocks that the GPU should have at most.
/// Packs are only used if rows consist of whole ones.
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

/// The part of a matrix that one thread of a block handles.
struct ThreadPart {
  bool works;  ///< whether the thread has a part
  int column, lane;
  int channel;  ///< first one
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
