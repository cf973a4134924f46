// Records from one member to another, and from that one to this, in the order in which they were written. They travel in
// cells; a cell is written again when the other side has given it back.
#pragma once

#include "coll/port/window.hpp"
#include "coll/rows/row_layout.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>

namespace polder::coll {

class RowPipe {
 public:
  RowPipe(WindowPort& window, const RowLayout& layout, RowPipeKind kind, Rank peer)
      : window_(window),
        layout_(layout),
        peer_(peer),
        here_(layout.pipe(kind, peer)),
        there_(layout.pipe(kind, window.me())) {}

  Rank peer() const { return peer_; }

  // ---- leaving ----
  // Whether the next record has room.
  bool has_room(bool has_values);
  // Writes it. REQUIRES: it has room.
  void write(const RowRecord& record, const std::byte* values = nullptr);
  // What has been written leaves, though its cell is not full.
  void close();
  // Gives cells back, and sends those that are closed. True: nothing is left to be done.
  bool push();
  std::uint64_t bytes() const { return bytes_; }      // that have left so far
  std::uint64_t written() const { return written_; }  // records so far

  // ---- come ----
  // The oldest record that has come and has not been taken, all of which lies in its cell; null: none, or the pipe is
  // damaged.
  const RowRecord* next();
  static const std::byte* values(const RowRecord& record) {
    return reinterpret_cast<const std::byte*>(&record) + sizeof(RowRecord);
  }
  void take();
  std::uint64_t taken() const { return taken_; }  // records so far
  // The peer has sent what is no record: nothing more comes.
  bool is_damaged() const { return is_damaged_; }
  // That, or that a record makes no sense where it came.
  Status refused() const;

 private:
  std::byte* leaving(std::uint64_t number) { return window_.own() + layout_.leaving(here_, number); }
  bool is_free(std::uint64_t number) const;

  WindowPort& window_;
  const RowLayout& layout_;
  const Rank peer_;
  const std::uint32_t here_, there_;

  std::uint64_t closed_ = 0, sent_ = 0;  // cells
  std::size_t filled_ = 0;               // bytes of the cell that is being written; 0: none is
  std::uint64_t bytes_ = 0, written_ = 0;
  std::uint64_t came_ = 0, given_back_ = 0;  // cells, all records of which have been taken
  std::uint64_t taken_ = 0;
  std::size_t at_ = 0;  // in the one that is being read; 0: none is
  bool is_damaged_ = false;
};

}  // namespace polder::coll
