#include "coll/table/options.hpp"

#include "coll/lane/call_record.hpp"

#include <iterator>

namespace polder::coll {
namespace {

constexpr char kOfAKind[] =
    "the algorithm, one of those that polder info collectives has for it; the same at all ranks";
constexpr util::Option kTableOptions[] = {
    {"POLDER_COLL_TABLE", "", "a file of rows that go before those of polder info collectives; the same at all ranks"},
    {"POLDER_COLL_BARRIER", "", kOfAKind},
    {"POLDER_COLL_BROADCAST", "", kOfAKind},
    {"POLDER_COLL_REDUCE", "", kOfAKind},
    {"POLDER_COLL_ALLREDUCE", "", kOfAKind},
    {"POLDER_COLL_REDUCE_SCATTER", "", kOfAKind},
    {"POLDER_COLL_ALLGATHER", "", kOfAKind},
    {"POLDER_COLL_GATHER", "", kOfAKind},
    {"POLDER_COLL_SCATTER", "", kOfAKind},
    {"POLDER_COLL_ALLTOALL", "", kOfAKind},
    {"POLDER_COLL_SCAN", "", kOfAKind},
    {"POLDER_COLL_EXSCAN", "", kOfAKind},
    {"POLDER_COLL_NEIGHBOURS", "", kOfAKind}};
static_assert(std::size(kTableOptions) == 1 + std::size_t(kLastKind));

}  // namespace

std::span<const util::Option> table_options() {
  return kTableOptions;
}

}  // namespace polder::coll
