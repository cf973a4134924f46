// Where cells lie in the windows of a table of rows, and what is in them: to each member, and from each member, there are
// two pipes, one for what its keeper is told and asked, one for what it answers. A cell is a head and records.
#pragma once

#include "coll/stale/stale_news.hpp"
#include "util/platform.hpp"

#include <polder/stale_table.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace polder::coll {

// In front of the values, where it has some.
struct RowRecord {
  enum class Kind : std::uint32_t {
    update,   // values: what the sender adds to the row in its iteration `clock`
    write,    // likewise: what it puts in the place of the row
    tick,     // all updates before its tick `clock` have been sent
    ask,      // for the row, complete up to `clock` at least
    row,      // values: the row, complete up to `clock`; others may be at `newest`
    initial,  // likewise; nobody has updated it
  };
  static constexpr Kind kLastKind = Kind::initial;
  Kind kind;
  std::uint32_t slowest;  // a member whose clock is `clock`, in an answer
  std::uint64_t row, clock;
  std::uint64_t newest = 0;
  std::uint64_t heard = 0;  // in an answer: so many records of the one who asked are in it
  std::uint64_t unused = 0;

  bool has_values() const { return kind == Kind::update || kind == Kind::write || kind == Kind::row; }
};
static_assert(sizeof(RowRecord) == 48);

// Each pipe is one of these, both ways.
enum class RowPipeKind : std::uint32_t { told, answers };

class RowLayout {
 public:
  static constexpr std::size_t kAligned = 16, kCellHead = 16;  // the head: bytes of the cell, as 64 bits

  RowLayout(const StaleTableSpec& spec, Rank members)
      : row_bytes_(spec.row.count * spec.row.element_size),
        cells_(spec.cells),
        cell_bytes_(util::round_up(std::max(spec.cell_bytes, kCellHead + record_bytes(true)), 64)),
        members_(members) {}

  std::size_t row_bytes() const { return row_bytes_; }  // as it is combined
  std::size_t record_bytes(bool has_values) const {
    return sizeof(RowRecord) + (has_values ? util::round_up(row_bytes_, kAligned) : 0);
  }
  std::size_t cell_bytes() const { return cell_bytes_; }

  // The number of a pipe at one of its ends, by who is at the other one.
  std::uint32_t pipe(RowPipeKind kind, Rank peer) const { return std::uint32_t(kind) * members_ + peer; }
  std::uint32_t pipes() const { return 2 * members_; }

  std::size_t bytes() const { return 2 * std::size_t{pipes()} * cells_ * cell_bytes_; }
  std::size_t arriving(std::uint32_t pipe, std::uint64_t number) const {
    return (std::size_t{pipe} * cells_ + number % cells_) * cell_bytes_;
  }
  std::size_t leaving(std::uint32_t pipe, std::uint64_t number) const { return arriving(pipes() + pipe, number); }

  // Flags, each with one writer for life.
  std::uint32_t flags() const { return news() + StaleNews::flags(members_); }
  std::uint32_t news() const { return 2 * pipes() * cells_; }  // the first flag of StaleNews
  NotificationId arrived(std::uint32_t pipe, std::uint64_t number) const {
    return pipe * cells_ + NotificationId(number % cells_);
  }
  NotificationId given_back(std::uint32_t pipe, std::uint64_t number) const {
    return NotificationId(pipes() * cells_ + arrived(pipe, number));
  }
  // Never 0, and another one for each use of a cell.
  static std::uint32_t tag(std::uint64_t number) { return std::uint32_t(2 * number + 1); }
  unsigned cells() const { return cells_; }

 private:
  const std::size_t row_bytes_;
  const unsigned cells_;
  const std::size_t cell_bytes_;
  const Rank members_;
};

}  // namespace polder::coll
