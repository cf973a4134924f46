// The locally essential part of the other ranks' trees: what of them acts on this rank's bodies.
//
// Warren & Salmon 1993 send it; here the receiver takes it, one-sided: it walks the others' trees level by level,
// reading the children of the cells it has to open, then the expansions and bodies of those where it stops. The owner
// does nothing, so it can compute. Between posting and waiting there is local work to do.
#pragma once

#include "interaction.hpp"
#include "kernels/kernels.hpp"
#include "team.hpp"
#include "tree.hpp"
#include "window.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fmm {

// What all ranks know of each other's trees from the start.
struct TreeInfo {
  Cell root;
  std::uint64_t cells = 0;
  std::uint64_t body_stride = 0;  // places of each of the arrays x, y, z, charge in the segment of bodies
  std::uint64_t failed = 0;
};

// A cell of another rank.
struct RemoteCell {
  Cell cell;
  std::uint32_t number = 0;       // in its tree
  std::uint32_t first_child = 0;  // here; 0: not read yet
  std::uint32_t expansion = 0;    // where it was read to, + 1; 0: not needed
  bool wanted = false;            // its children
};

// One other rank's tree, as far as it was read.
struct RemoteTree {
  polder::Rank rank = 0;
  TreeInfo info;
  std::vector<RemoteCell> cells;
  std::vector<Pair> open;     // pairs to look at
  std::vector<Pair> waiting;  // for the children of their source
  std::vector<Pair> far;
  std::vector<Pair> near;
  std::vector<std::uint32_t> wanted;
  std::vector<Cell> arriving;
};

class Essential {
 public:
  // `windows` of the same kind at all ranks. `few` as in meeting_of().
  struct Windows {
    const Window& cells;
    const Window& multipoles;
    const Window& bodies;
  };
  Essential(const Team& team, const Windows& windows, std::span<const Cell> local, std::uint64_t few)
      : team_(team), windows_(windows), local_(local), few_(few) {}
  ~Essential();  // waits until nothing more can arrive
  Essential(const Essential&) = delete;
  Essential& operator=(const Essential&) = delete;

  Status start(std::span<const TreeInfo> trees);

  // Walks as far as it can, then asks for the cells that it lacks. done() says whether there are none.
  Status walk();
  bool done() const { return done_; }
  // The most memory that ask_for_data() will take.
  std::size_t bytes_to_read(std::size_t stride) const;
  // Asks for the expansions (of `stride` numbers) and bodies. Call when done().
  Status ask_for_data(std::size_t stride);

  // Whether what was asked for is there; waits at most `timeout` (then Code::timeout).
  Status arrived(polder::Timeout timeout);

  // Pairs of a local and a remote cell: `far(target, remote cell, its expansion)`, `near(target, bodies())`.
  template <class Far, class Near>
  void for_each(const Far& far, const Near& near) const {
    for (const RemoteTree& tree : trees_)
      for (const Pair& pair : tree.far) {
        const RemoteCell& cell = tree.cells[pair.source];
        far(pair.target, cell.cell, expansions_.data() + std::size_t(cell.expansion - 1) * stride_);
      }
    for (std::size_t i = 0; i < trees_.size(); ++i)
      for (const Pair& pair : trees_[i].near)
        near(pair.target, place_of(i, trees_[i].cells[pair.source].cell.bodies()));
  }
  Bodies bodies() const;

  // The memory of what was read.
  std::size_t bytes() const;

 private:
  // Bodies of a rank that were read in one piece, and where they are here.
  struct Piece {
    Range range;
    std::uint32_t place;
  };

  std::size_t bytes_of_walk() const;
  void walk(RemoteTree& tree);
  Status ask_for_children(RemoteTree& tree);
  void attach_children(RemoteTree& tree);
  Status ask_for_expansions(RemoteTree& tree, std::size_t& place);
  std::vector<Piece> plan_bodies(const RemoteTree& tree, std::uint32_t& place) const;
  Status ask_for_bodies(std::size_t tree);
  Range place_of(std::size_t tree, Range bodies) const;

  const Team& team_;
  Windows windows_;
  std::span<const Cell> local_;
  std::uint64_t few_;
  bool done_ = false;
  std::unique_ptr<polder::Queue> queue_;
  std::vector<RemoteTree> trees_;
  std::size_t stride_ = 0;
  std::vector<double> expansions_;
  std::vector<std::vector<Piece>> pieces_;  // by tree, by begin
  std::size_t body_stride_ = 0;
  std::vector<double> bodies_;
};

}  // namespace fmm
