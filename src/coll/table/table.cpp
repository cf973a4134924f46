#include "coll/table/table.hpp"

#include "core/group/slots.hpp"
#include "util/log.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

namespace polder::coll {
namespace {

constexpr Rank kNear = core::Slots::kNear + 1;  // members, each with a slot for every other
constexpr std::size_t k1 = 1024, kAny = ~std::size_t{0};
constexpr Rank kAll = ~Rank{0};

// Where one letter's overhead counts more than its bytes, the fewest rounds; then the least volume.
constexpr Row kRows[] = {
    {Kind::barrier, Algorithm::dissemination},

    {Kind::broadcast, Algorithm::binomial, 16 * k1},
    {Kind::broadcast, Algorithm::chain, kAny, 4},
    {Kind::broadcast, Algorithm::scatter_allgather},

    {Kind::reduce, Algorithm::ordered, 16 * k1},
    {Kind::reduce, Algorithm::scatter_gather, kAny, kAll, true},
    {Kind::reduce, Algorithm::ordered},

    {Kind::allreduce, Algorithm::whole, kAny, 2},
    {Kind::allreduce, Algorithm::whole, 4 * k1, 8},
    {Kind::allreduce, Algorithm::slices, kAny, 8},
    {Kind::allreduce, Algorithm::doubling, 16 * k1},
    {Kind::allreduce, Algorithm::circulant, kAny, kAll, true},
    {Kind::allreduce, Algorithm::slices, kAny, kNear},
    {Kind::allreduce, Algorithm::doubling},

    {Kind::reduce_scatter, Algorithm::slices, kAny, 8},
    {Kind::reduce_scatter, Algorithm::circulant, kAny, kAll, true},
    {Kind::reduce_scatter, Algorithm::slices, kAny, kNear},
    {Kind::reduce_scatter, Algorithm::ordered},

    {Kind::allgather, Algorithm::spread, kAny, 8},
    {Kind::allgather, Algorithm::bruck, 512 * k1},
    {Kind::allgather, Algorithm::ring},

    {Kind::gather, Algorithm::binomial},
    {Kind::scatter, Algorithm::binomial},

    {Kind::alltoall, Algorithm::spread, kAny, 8},
    {Kind::alltoall, Algorithm::bruck, 256, kAll, false, true},
    {Kind::alltoall, Algorithm::spread, kAny, kNear},
    {Kind::alltoall, Algorithm::routed},

    {Kind::scan, Algorithm::doubling},
    {Kind::exscan, Algorithm::doubling},
};

bool fits(const Row& row, const Choice& choice) {
  return row.kind == choice.kind && choice.bytes <= row.most_bytes && choice.members <= row.most_members &&
         (choice.commutes || !row.commutes) && (choice.equal || !row.equal);
}

std::string variable_of(Kind kind) {
  std::string name = "POLDER_COLL_" + std::string(to_string(kind));
  for (char& letter : name) letter = char(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

}  // namespace

std::string_view to_string(Algorithm algorithm) {
  constexpr std::string_view kNames[] = {
      "choose",   "dissemination", "binomial",  "chain", "scatter_allgather", "ordered", "scatter_gather", "whole",
      "doubling", "slices",        "circulant", "ring",  "reduce_broadcast",  "spread",  "bruck",          "routed"};
  return algorithm <= kLastAlgorithm ? kNames[std::size_t(algorithm)] : "unknown";
}

Table::Table() : rows_(std::begin(kRows), std::end(kRows)) {}

Algorithm Table::choose(const Choice& choice) const {
  return std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) { return fits(row, choice); })->algorithm;
}

Status Table::prefer(std::string_view kind, std::string_view algorithm) {
  // With all that it needs: what does not fit a call goes on to the rows behind it.
  struct Need {
    Kind kind;
    Algorithm algorithm;
    Rank most_members = ~Rank{0};
    bool commutes = false, equal = false;
  };
  static constexpr Need kOthers[] = {
      {Kind::allreduce, Algorithm::ring, ~Rank{0}, true},
      {Kind::allreduce, Algorithm::reduce_broadcast},
      {Kind::allreduce, Algorithm::whole, kNear},
      {Kind::allreduce, Algorithm::slices, kNear},
      {Kind::allreduce, Algorithm::circulant, ~Rank{0}, true},
      {Kind::broadcast, Algorithm::chain},
      {Kind::allgather, Algorithm::spread, kNear},
      {Kind::reduce_scatter, Algorithm::slices, kNear},
      {Kind::reduce_scatter, Algorithm::circulant, ~Rank{0}, true},
      {Kind::alltoall, Algorithm::spread, kNear},
      {Kind::alltoall, Algorithm::bruck, ~Rank{0}, false, true},
      {Kind::reduce, Algorithm::scatter_gather, ~Rank{0}, true},
  };
  for (const Need& need : kOthers)
    if (kind == to_string(need.kind) && algorithm == to_string(need.algorithm)) {
      rows_.insert(rows_.begin(),
                   {need.kind, need.algorithm, ~std::size_t{0}, need.most_members, need.commutes, need.equal});
      return {};
    }
  for (const Row& row : kRows)
    if (kind == to_string(row.kind) && algorithm == to_string(row.algorithm)) {
      rows_.insert(rows_.begin(), {row.kind, row.algorithm});
      return {};
    }
  return {Code::invalid_argument,
          "there is no " + std::string(kind) + " by an algorithm '" + std::string(algorithm) + "'"};
}

Table Table::of_environment() {
  Table table;
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
