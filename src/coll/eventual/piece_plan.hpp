// How the vector of an eventual operation travels where it does not go from
// each member straight to the root or from it: in pieces, each of which has a
// tree of its own. Members are known by their distance from the root, their
// number.
//
//   binomial   one piece. Number v reads of v without its lowest bit; v, v + 1,
//   v + 2, v + 4, ... are combined, so subtrees
//              are members that follow each other. Tzeng, Chen 1998; Iakymchuk
//              et al. 2022, section III-B.
//   slices     each number but 0 is the hub of some pieces, dealt round by
//   round: a broadcast brings a piece to its hub,
//              from which all others read it; of a reduce the hub combines it,
//              in ascending order of members, and the root reads it there, or
//              of an allreduce all others. Scatter and allgather (Barnett et
//              al. 1994), reduce_scatter and gather (Rabenseifner 2004), both
//              without their rounds.
#pragma once

#include <polder/eventual.hpp>
#include <polder/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace polder::coll {

// Most rounds of slices: flags of a member in an operation.
constexpr unsigned kMostRounds = 16;

class PiecePlan {
 public:
  PiecePlan() = default;
  // `taking_part` members from the root on, around the end, of `members`.
  // REQUIRES: at least 3 of them, but for flat; 1 to kMostRounds rounds, which
  // are of slices. `way` is not `fastest`.
  PiecePlan(EventualWay way, Rank root, Rank members, Rank taking_part, std::size_t elements, unsigned rounds);
  // Of slices: all that take part put the result together, not only the root.
  PiecePlan for_all() const {
    PiecePlan plan = *this;
    plan.is_for_all_ = true;
    return plan;
  }

  EventualWay way() const { return way_; }
  bool is_flat() const { return way_ == EventualWay::flat; }
  Rank taking_part() const { return taking_part_; }
  // In ascending order of members. REQUIRES: i < taking_part().
  Rank participant(Rank i) const { return i < wrapped_ ? i : root_ + (i - wrapped_); }
  bool takes_part(Rank member) const { return number_of(member) < taking_part_; }

  std::uint32_t pieces() const { return pieces_; }
  // The first element of a piece; of piece pieces(), the number of elements.
  std::size_t begin(std::uint32_t piece) const {
    return piece * (elements_ / pieces_) + std::min<std::size_t>(piece, elements_ % pieces_);
  }
  // Which of its own pieces it is of the member that passes it on: it has a
  // flag for each.
  unsigned round(std::uint32_t piece) const { return way_ == EventualWay::slices ? piece / hubs() : 0; }

  // ---- a broadcast ----
  // From where a member that is not the root reads a piece.
  Rank source(std::uint32_t piece, Rank member) const;
  // How many read it of that member, which is not the root, and which; those
  // with the longest way behind them first.
  Rank readers(std::uint32_t piece, Rank member) const;
  Rank reader(std::uint32_t piece, Rank member, Rank i) const;
  // In which order a member reads them: its own first, then those of the hubs
  // behind it.
  std::uint32_t read_as(std::uint32_t i, Rank member) const;

  // ---- a reduce ----
  // Pieces that this member combines, and those that the root, or all, put
  // together.
  std::uint32_t jobs(Rank member) const;
  std::uint32_t job(Rank member, std::uint32_t i) const;
  // What it reads for a piece, in the order in which it is combined.
  struct Part {
    Rank member = 0;
    bool is_combined = false;  // by that member, of what it has read; not its own contribution
  };
  Rank parts(std::uint32_t piece, Rank member) const;
  Part part(std::uint32_t piece, Rank member, Rank i) const;
  // Who reads what it has of a piece, and who reads its own contribution
  // besides the root.
  Rank receivers(std::uint32_t piece, Rank member) const;
  Rank receiver(Rank member, Rank i) const;
  Rank shown_to(Rank member) const;
  Rank shown_to(Rank member, Rank i) const;

 private:
  Rank number_of(Rank member) const { return member >= root_ ? member - root_ : member + members_ - root_; }
  Rank member_of(Rank number) const { return number < members_ - root_ ? root_ + number : number - (members_ - root_); }
  Rank hubs() const { return taking_part_ - 1; }
  Rank hub(std::uint32_t piece) const { return 1 + piece % hubs(); }
  std::uint32_t behind(Rank hub, std::uint32_t i, std::uint32_t round) const {
    return round * hubs() + (hub + i) % hubs();
  }
  Rank children(Rank number) const;

  EventualWay way_ = EventualWay::flat;
  Rank root_ = 0, members_ = 1, taking_part_ = 1;
  Rank wrapped_ = 0;  // participants behind the end
  bool is_for_all_ = false;
  std::uint32_t pieces_ = 1;
  std::size_t elements_ = 0;
};

}  // namespace polder::coll
