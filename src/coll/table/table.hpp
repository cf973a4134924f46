// Which algorithm for which call: rows that are looked through from the top; the first one that fits is taken. Built
// in; the file that POLDER_COLL_TABLE names puts its rows in front of those, and POLDER_COLL_<KIND>=<algorithm> one in
// front of all of that kind. The ranks of a job are to have the same.
#pragma once

#include "coll/lane/call_record.hpp"

#include <polder/status.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polder::coll {

// Part of the fingerprint of a call: all members have to choose the same.
enum class Algorithm : std::uint8_t {
  choose,
  dissemination,
  binomial,
  chain,
  scatter_allgather,
  ordered,
  scatter_gather,
  whole,
  doubling,
  slices,
  circulant,
  ring,
  reduce_broadcast,
  spread,
  bruck,
  routed,
  two_level,
  shared,
  board,
  look_back,
  late_tree,
  claimed_slices,
};
constexpr Algorithm kLastAlgorithm = Algorithm::claimed_slices;
std::string_view to_string(Algorithm algorithm);
// Whether it runs over a Wire alone, and not over the memory that members of a node share.
constexpr bool runs_over_wire(Algorithm algorithm) {
  return algorithm < Algorithm::two_level;
}

// What the choice depends on; the same at all members.
struct Choice {
  Kind kind = Kind::none;
  std::size_t bytes = 0;  // of a member's vector; of all parts; of a block of an alltoall
  Rank members = 1;
  bool commutes = true;  // the function, if there is one
  bool equal = true;     // blocks, parts
  bool node = false;     // all members are of one node, and elements are not larger than its algorithms take
  bool levels = false;   // they are of several nodes, some of which have several of them; the function may go by nodes
  bool layout = false;   // the tree of members has to be kept (Reproducible::layout)
  bool direct = false;   // all who are neighbours have slots for each other
  bool blocks = false;   // they are of several nodes, some beside others, and those of each follow each other
};

struct Row {
  Kind kind;
  Algorithm algorithm;
  std::size_t most_bytes = ~std::size_t{0};
  Rank most_members = ~Rank{0};
  bool commutes = false;  // only for functions that do
  bool equal = false;     // only for blocks of the same size
  bool node = false;      // only for members that load and store each other's memory
  bool levels = false;    // only for members on several nodes, some beside others
  bool tree = false;      // it combines by the tree of members, ((0 1) (2 3)) ((4 5) ...)
  bool direct = false;    // only for neighbours that have slots for each other
  bool blocks =
      false;  // only for members of several nodes, where those of each follow each other; the row's wish, not its need
};

// A row as a line: "allreduce late_tree 128k any".
std::string to_string(const Row& row);
// What such a line says of a size: "128k", "any".
std::string print_size(std::size_t bytes);
// Why a row of its kind does not fit a call: "more than 48 bytes"; empty if it does.
std::string why_not(const Row& row, const Choice& choice);

class Table {
 public:
  Table();
  // With what the environment says.
  static Table of_environment();

  std::span<const Row> rows() const { return rows_; }
  // REQUIRES: the kind has rows; the last of each fits every call.
  Algorithm choose(const Choice& choice) const;
  // All that can serve a call, whatever rows say.
  static std::vector<Algorithm> all_for(const Choice& choice);
  // In front of all others. invalid_argument: there is no such kind or algorithm, or it is not one of that kind.
  Status prefer(std::string_view kind, std::string_view algorithm, std::size_t most_bytes = ~std::size_t{0},
                Rank most_members = ~Rank{0}, bool blocks = false);
  // Rows as lines, "allreduce late_tree 64k 8": a kind, an algorithm, the most bytes and members ("any", or left out), and "blocks"
  // where it is for members of several nodes alone of which those of each follow each other. What is behind a # is a comment. The error names the line, and nothing is changed.
  Status read(std::string_view text);
  // Such lines, with comments that say what rows need.
  std::string print() const;

 private:
  std::vector<Row> rows_;
};

}  // namespace polder::coll
