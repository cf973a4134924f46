#include "coll/table/table.hpp"

#include "coll/algorithms/node_algorithms.hpp"
#include "core/group/slots.hpp"
#include "util/assert.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace polder::coll {
namespace {

constexpr Rank kNear = core::Slots::kNear + 1;  // members, each with a slot for every other
constexpr std::size_t k1 = 1024, kAny = ~std::size_t{0};
constexpr Rank kAll = ~Rank{0};
constexpr std::size_t kLine = Node::kInline;

// What there is, with all that it needs.
constexpr Row kAbilities[] = {
    {Kind::barrier, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::barrier, Algorithm::two_level, kAny, kAll, false, false, false, true},
    {Kind::barrier, Algorithm::dissemination},

    {Kind::broadcast, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::broadcast, Algorithm::two_level, kAny, kAll, false, false, false, true},
    {Kind::broadcast, Algorithm::binomial},
    {Kind::broadcast, Algorithm::chain},
    {Kind::broadcast, Algorithm::scatter_allgather},
    {Kind::broadcast, Algorithm::spread, kAny, kNear},

    {Kind::reduce, Algorithm::board, kLine, kAll, false, false, true},
    {Kind::reduce, Algorithm::late_tree, kAny, kAll, false, false, true, false, true},
    {Kind::reduce, Algorithm::claimed_slices, kAny, kAll, false, false, true, false, true},
    {Kind::reduce, Algorithm::two_level, kAny, kAll, false, false, false, true},
    {Kind::reduce, Algorithm::ordered, kAny, kAll, false, false, false, false, true},
    {Kind::reduce, Algorithm::scatter_gather, kAny, kAll, true},
    {Kind::reduce, Algorithm::whole, kAny, kNear},
    {Kind::reduce, Algorithm::slices, kAny, kNear},

    {Kind::allreduce, Algorithm::board, kLine, kAll, false, false, true},
    {Kind::allreduce, Algorithm::late_tree, kAny, kAll, false, false, true, false, true},
    {Kind::allreduce, Algorithm::claimed_slices, kAny, kAll, false, false, true, false, true},
    {Kind::allreduce, Algorithm::two_level, kAny, kAll, false, false, false, true},
    {Kind::allreduce, Algorithm::whole, kAny, kNear},
    {Kind::allreduce, Algorithm::slices, kAny, kNear},
    {Kind::allreduce, Algorithm::doubling},
    {Kind::allreduce, Algorithm::circulant, kAny, kAll, true},
    {Kind::allreduce, Algorithm::ring, kAny, kAll, true},
    {Kind::allreduce, Algorithm::reduce_broadcast, kAny, kAll, false, false, false, false, true},

    {Kind::reduce_scatter, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::reduce_scatter, Algorithm::two_level, kAny, kAll, false, false, false, true},
    {Kind::reduce_scatter, Algorithm::slices, kAny, kNear},
    {Kind::reduce_scatter, Algorithm::circulant, kAny, kAll, true},
    {Kind::reduce_scatter, Algorithm::ordered, kAny, kAll, false, false, false, false, true},

    {Kind::allgather, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::allgather, Algorithm::two_level, kAny, kAll, false, false, false, true},
    {Kind::allgather, Algorithm::spread, kAny, kNear},
    {Kind::allgather, Algorithm::bruck},
    {Kind::allgather, Algorithm::ring},

    {Kind::gather, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::gather, Algorithm::binomial},
    {Kind::gather, Algorithm::spread, kAny, kNear},
    {Kind::scatter, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::scatter, Algorithm::binomial},
    {Kind::scatter, Algorithm::spread, kAny, kNear},

    {Kind::alltoall, Algorithm::shared, kAny, kMostBlocks, false, false, true},
    {Kind::alltoall, Algorithm::two_level, kAny, kAll, false, true, false, true},
    {Kind::alltoall, Algorithm::spread, kAny, kNear},
    {Kind::alltoall, Algorithm::bruck, kAny, kAll, false, true},
    {Kind::alltoall, Algorithm::routed},

    {Kind::scan, Algorithm::look_back, kLine, kAll, false, false, true},
    {Kind::scan, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::scan, Algorithm::doubling, kAny, kAll, false, false, false, false, true},
    {Kind::scan, Algorithm::chain},
    {Kind::exscan, Algorithm::look_back, kLine, kAll, false, false, true},
    {Kind::exscan, Algorithm::shared, kAny, kAll, false, false, true},
    {Kind::exscan, Algorithm::doubling, kAny, kAll, false, false, false, false, true},
    {Kind::exscan, Algorithm::chain},

    {Kind::neighbours, Algorithm::spread, kAny, kAll, false, false, false, false, false, true},
    {Kind::neighbours, Algorithm::routed},
};

constexpr Row of_blocks(Row row, bool blocks = true) {
  row.blocks = blocks;
  return row;
}

// Of members that share memory, one turn; of others, where one letter's overhead counts more than its bytes, the fewest
// rounds, then the least volume. Of scans over nodes in blocks, the fewest letters over the network: a chain has one for each node. And
// of scans by up to four: members of a chain end after as many rounds on average as those that double, and many calls one behind the other
// follow each other along it.
constexpr Row kRows[] = {
    {Kind::barrier, Algorithm::shared},
    {Kind::barrier, Algorithm::two_level},
    {Kind::barrier, Algorithm::dissemination},

    {Kind::broadcast, Algorithm::shared},
    {Kind::broadcast, Algorithm::two_level},
    {Kind::broadcast, Algorithm::binomial, kAny, 2},
    {Kind::broadcast, Algorithm::binomial, 4 * k1},
    {Kind::broadcast, Algorithm::spread, 16 * k1, 8},
    {Kind::broadcast, Algorithm::binomial, 8 * k1},
    {Kind::broadcast, Algorithm::spread, 16 * k1, 10},
    {Kind::broadcast, Algorithm::binomial, 16 * k1},
    {Kind::broadcast, Algorithm::spread, 32 * k1, 20},
    {Kind::broadcast, Algorithm::binomial, 32 * k1},
    {Kind::broadcast, Algorithm::spread, 256 * k1},
    {Kind::broadcast, Algorithm::chain, kAny, 5},
    {Kind::broadcast, Algorithm::spread, 512 * k1},
    {Kind::broadcast, Algorithm::chain, kAny, 12},
    {Kind::broadcast, Algorithm::spread},
    {Kind::broadcast, Algorithm::scatter_allgather},

    {Kind::reduce, Algorithm::board},
    {Kind::reduce, Algorithm::late_tree, 32 * k1},
    {Kind::reduce, Algorithm::claimed_slices},
    {Kind::reduce, Algorithm::two_level},
    {Kind::reduce, Algorithm::whole, kAny, 2},
    {Kind::reduce, Algorithm::whole, 32 * k1, 3},
    {Kind::reduce, Algorithm::whole, 8 * k1, 12},
    {Kind::reduce, Algorithm::slices, kAny, 12},
    {Kind::reduce, Algorithm::ordered, 16 * k1},
    {Kind::reduce, Algorithm::ordered, 32 * k1, 32},
    {Kind::reduce, Algorithm::scatter_gather},
    {Kind::reduce, Algorithm::ordered},

    {Kind::allreduce, Algorithm::board, kLine, 8},
    {Kind::allreduce, Algorithm::late_tree, 128 * k1},
    {Kind::allreduce, Algorithm::claimed_slices},
    {Kind::allreduce, Algorithm::two_level},
    {Kind::allreduce, Algorithm::whole, 256 * k1, 2},
    {Kind::allreduce, Algorithm::whole, 4 * k1, 8},
    {Kind::allreduce, Algorithm::slices, kAny, 8},
    {Kind::allreduce, Algorithm::doubling, 8 * k1, 12},
    {Kind::allreduce, Algorithm::slices, kAny, 12},
    {Kind::allreduce, Algorithm::doubling, 16 * k1},
    {Kind::allreduce, Algorithm::circulant},
    {Kind::allreduce, Algorithm::slices},
    {Kind::allreduce, Algorithm::doubling},
    {Kind::allreduce, Algorithm::reduce_broadcast},

    {Kind::reduce_scatter, Algorithm::shared},
    {Kind::reduce_scatter, Algorithm::two_level},
    {Kind::reduce_scatter, Algorithm::slices, kAny, 8},
    {Kind::reduce_scatter, Algorithm::circulant},
    {Kind::reduce_scatter, Algorithm::slices},
    {Kind::reduce_scatter, Algorithm::ordered},

    {Kind::allgather, Algorithm::shared},
    {Kind::allgather, Algorithm::two_level, 256 * k1},
    {Kind::allgather, Algorithm::spread, kAny, 4},
    {Kind::allgather, Algorithm::two_level, 4096 * k1},
    of_blocks({Kind::allgather, Algorithm::two_level}),
    {Kind::allgather, Algorithm::spread, kAny, 12},
    {Kind::allgather, Algorithm::bruck, 512 * k1},
    {Kind::allgather, Algorithm::ring, kAny, 16},
    {Kind::allgather, Algorithm::bruck, 4096 * k1},
    {Kind::allgather, Algorithm::ring, kAny, 96},
    {Kind::allgather, Algorithm::bruck, 32768 * k1},
    {Kind::allgather, Algorithm::ring},

    {Kind::gather, Algorithm::shared},
    {Kind::gather, Algorithm::spread, kAny, 12},
    {Kind::gather, Algorithm::binomial},
    {Kind::scatter, Algorithm::shared},
    {Kind::scatter, Algorithm::spread, kAny, 12},
    {Kind::scatter, Algorithm::binomial},

    {Kind::alltoall, Algorithm::shared},
    {Kind::alltoall, Algorithm::two_level, 4 * k1},
    {Kind::alltoall, Algorithm::spread, kAny, 12},
    {Kind::alltoall, Algorithm::bruck, 256},
    {Kind::alltoall, Algorithm::spread},
    {Kind::alltoall, Algorithm::bruck, k1, 64},
    {Kind::alltoall, Algorithm::bruck, 512, 96},
    {Kind::alltoall, Algorithm::routed},

    {Kind::scan, Algorithm::look_back},
    {Kind::scan, Algorithm::shared},
    of_blocks({Kind::scan, Algorithm::chain, kAny, 32}),
    {Kind::scan, Algorithm::chain, kAny, 4},
    {Kind::scan, Algorithm::doubling, 128 * k1},
    {Kind::scan, Algorithm::chain, kAny, 10},
    {Kind::scan, Algorithm::doubling, 256 * k1},
    {Kind::scan, Algorithm::chain, kAny, 28},
    {Kind::scan, Algorithm::doubling, 512 * k1},
    {Kind::scan, Algorithm::chain, kAny, 64},
    {Kind::scan, Algorithm::doubling, 1024 * k1},
    {Kind::scan, Algorithm::chain, kAny, 140},
    {Kind::scan, Algorithm::doubling, 2048 * k1},
    {Kind::scan, Algorithm::chain, kAny, 300},
    {Kind::scan, Algorithm::doubling},
    {Kind::exscan, Algorithm::look_back},
    {Kind::exscan, Algorithm::shared},
    of_blocks({Kind::exscan, Algorithm::chain, kAny, 32}),
    {Kind::exscan, Algorithm::chain, kAny, 4},
    {Kind::exscan, Algorithm::doubling, 128 * k1},
    {Kind::exscan, Algorithm::chain, kAny, 10},
    {Kind::exscan, Algorithm::doubling, 256 * k1},
    {Kind::exscan, Algorithm::chain, kAny, 28},
    {Kind::exscan, Algorithm::doubling, 512 * k1},
    {Kind::exscan, Algorithm::chain, kAny, 64},
    {Kind::exscan, Algorithm::doubling, 1024 * k1},
    {Kind::exscan, Algorithm::chain, kAny, 140},
    {Kind::exscan, Algorithm::doubling, 2048 * k1},
    {Kind::exscan, Algorithm::chain, kAny, 300},
    {Kind::exscan, Algorithm::doubling},

    {Kind::neighbours, Algorithm::spread},
    {Kind::neighbours, Algorithm::routed},
};

// As far as the algorithm can. REQUIRES: there is such a one.
Row able(const Row& row) {
  const Row* const ability = std::find_if(std::begin(kAbilities), std::end(kAbilities), [&](const Row& a) {
    return a.kind == row.kind && a.algorithm == row.algorithm;
  });
  POLDER_ASSERT(ability != std::end(kAbilities));
  return {row.kind,
          row.algorithm,
          std::min(row.most_bytes, ability->most_bytes),
          std::min(row.most_members, ability->most_members),
          ability->commutes,
          ability->equal,
          ability->node,
          ability->levels,
          ability->tree,
          ability->direct,
          row.blocks};
}

bool fits(const Row& row, const Choice& choice) {
  return row.kind == choice.kind && choice.bytes <= row.most_bytes && choice.members <= row.most_members &&
         (choice.commutes || !row.commutes) && (choice.equal || !row.equal) && (choice.node || !row.node) &&
         (choice.levels || !row.levels) && (row.tree || !choice.layout) && (choice.direct || !row.direct) &&
         (choice.blocks || !row.blocks);
}

std::string variable_of(Kind kind) {
  std::string name = "POLDER_COLL_" + std::string(to_string(kind));
  for (char& letter : name) letter = char(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  constexpr std::string_view kNames[] = {"choose",
                                         "dissemination",
                                         "binomial",
                                         "chain",
                                         "scatter_allgather",
                                         "ordered",
                                         "scatter_gather",
                                         "whole",
                                         "doubling",
                                         "slices",
                                         "circulant",
                                         "ring",
                                         "reduce_broadcast",
                                         "spread",
                                         "bruck",
                                         "routed",
                                         "two_level",
                                         "shared",
                                         "board",
                                         "look_back",
                                         "late_tree",
                                         "claimed_slices"};
  return algorithm <= kLastAlgorithm ? kNames[std::size_t(algorithm)] : "unknown";
}

Table::Table() {
  std::transform(std::begin(kRows), std::end(kRows), std::back_inserter(rows_), able);
}

Algorithm Table::choose(const Choice& choice) const {
  const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Row& each) { return fits(each, choice); });
  POLDER_ASSERT(row != rows_.end());
  return row->algorithm;
}

std::vector<Algorithm> Table::all_for(const Choice& choice) {
  std::vector<Algorithm> all;
  for (const Row& ability : kAbilities)
    if (fits(ability, choice)) all.push_back(ability.algorithm);
  return all;
}

Status Table::prefer(std::string_view kind, std::string_view algorithm, std::size_t most_bytes, Rank most_members,
                     bool blocks) {
  for (const Row& ability : kAbilities)
    if (kind == to_string(ability.kind) && algorithm == to_string(ability.algorithm)) {
      // What does not fit a call goes on to the rows behind it.
      rows_.insert(rows_.begin(), able(of_blocks({ability.kind, ability.algorithm, most_bytes, most_members}, blocks)));
      return {};
    }
  return {Code::invalid_argument,
          "there is no " + std::string(kind) + " by an algorithm '" + std::string(algorithm) + "'"};
}

Table Table::of_environment() {
  Table table;
  if (const char* const file = std::getenv("POLDER_COLL_TABLE"); file != nullptr && *file != '\0') {
    std::ifstream stream(file);
    std::ostringstream text;
    text << stream.rdbuf();  // of a folder: fails, where an iterator over it would throw
    const Status status = stream && text ? table.read(text.str()) : Status(Code::system, "it cannot be read");
    if (!status.ok())
      util::log(util::LogLevel::warning, "POLDER_COLL_TABLE=%s: %s", file, std::string(status.message()).c_str());
  }
  for (std::uint8_t kind = 1; kind <= std::uint8_t(kLastKind); ++kind) {
    const std::string name = variable_of(Kind(kind));
    const char* const wanted = std::getenv(name.c_str());
    if (wanted == nullptr || *wanted == '\0') continue;
    if (Status status = table.prefer(to_string(Kind(kind)), wanted); !status.ok())
      util::log(util::LogLevel::warning, "%s: %s", name.c_str(), std::string(status.message()).c_str());
  }
  return table;
}

}  // namespace polder::coll
