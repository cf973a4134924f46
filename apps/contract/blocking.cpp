#include "blocking.hpp"

#include <algorithm>
#include <fstream>
#include <random>

#include <nlohmann/json.hpp>

namespace contract {
namespace {

Owners regular(const Grid& grid, polder::Rank ranks) {
  const std::uint64_t blocks = grid.blocks();
  Owners owners(blocks);
  for (std::uint64_t block = 0; block < blocks; ++block) owners[block] = polder::Rank(block * ranks / blocks);
  return owners;
}

// Fisher and Yates; std::shuffle may differ between libraries.
Owners shuffled(Owners owners, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t left = owners.size(); left > 1; --left) std::swap(owners[left - 1], owners[random() % left]);
  return owners;
}

Owners cyclic(const Grid& grid, polder::Rank ranks) {
  const polder::Rank rows = rank_rows(ranks), columns = ranks / rows;
  Owners owners(grid.blocks());
  for (std::uint64_t block = 0; block < owners.size(); ++block) {
    const BlockPlace at = grid.place(block);
    const std::uint64_t row = at.batch * grid.rows.count() + at.row;
    owners[block] = polder::Rank(row % rows * columns + at.column % columns);
  }
  return owners;
}

// In a multiple of `parts`.
std::uint64_t piece_of(std::uint64_t extent, std::uint64_t parts) {
  constexpr std::uint64_t kFewest = 128, kMost = 1024;
  if (extent >= 2 * parts * kFewest) parts *= 2;
  while (extent > parts * kMost) parts *= 2;
  return std::max<std::uint64_t>((extent + parts - 1) / parts, 1);
}

}  // namespace

polder::Rank rank_rows(polder::Rank ranks) {
  polder::Rank rows = 1;
  for (polder::Rank some = 1; some * some <= ranks; ++some)
    if (ranks % some == 0) rows = some;
  return rows;
}

Owners distribute(Distribution how, const Grid& grid, polder::Rank ranks, std::uint64_t seed) {
  switch (how) {
    case Distribution::regular: return regular(grid, ranks);
    case Distribution::random: return shuffled(regular(grid, ranks), seed);
    case Distribution::cyclic: return cyclic(grid, ranks);
  }
  return {};
}

Result<GivenOwners> read_owners(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Status(Code::system, "cannot open '" + path + "', which says who has which block");
  const auto document = nlohmann::json::parse(file, nullptr, false);
  GivenOwners given;
  for (const auto& [name, owners] :
       {std::pair("first", &given.first), {"second", &given.second}, {"result", &given.result}}) {
    const auto refuse = [&, name = name] {  // clang before 16 captures no bindings
      return Status(Code::invalid_argument,
                    "'" + path + "' has no list of ranks named \"" + name + "\", one rank for each block");
    };
    if (!document.is_object() || !document.contains(name) || !document[name].is_array()) return refuse();
    for (const auto& rank : document[name]) {
      if (!rank.is_number_unsigned() || rank.get<std::uint64_t>() > UINT32_MAX) return refuse();
      owners->push_back(rank.get<polder::Rank>());
    }
  }
  return given;
}

Status check_owners(const std::string& which, const Owners& owners, const Grid& grid, polder::Rank ranks) {
  if (owners.size() != grid.blocks()) {
    return {Code::invalid_argument, "owners are given for " + std::to_string(owners.size()) + " blocks of " + which +
                                        ", which has " + std::to_string(grid.rows.count()) + " x " +
                                        std::to_string(grid.columns.count()) + " blocks in " +
                                        std::to_string(grid.batches) + " matrices"};
  }
  const auto wrong = std::ranges::find_if(owners, [ranks](polder::Rank owner) { return owner >= ranks; });
  if (wrong == owners.end()) return {};
  return {Code::invalid_argument, "block " + std::to_string(wrong - owners.begin()) + " of " + which +
                                      " is given to rank " + std::to_string(*wrong) + ", and there are " +
                                      std::to_string(ranks) + " ranks"};
}

Pieces default_pieces(const Pieces& extents, polder::Rank ranks, Distribution how) {
  polder::Rank down = rank_rows(ranks), across = ranks / down;
  if (how != Distribution::cyclic && extents.rows > extents.columns) std::swap(down, across);
  return {piece_of(extents.rows, down), piece_of(extents.columns, across), piece_of(extents.inner, 1)};
}

}  // namespace contract
