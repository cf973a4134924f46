#include "core/group/board_call.hpp"

#include <string>

namespace polder::core {

Status BoardCall::difference(std::uint32_t there, Rank rank) const {
  const std::uint16_t others = std::uint16_t(there);
  const bool gathers = combines == kNone, gathers_there = others == kNone;
  const auto kind = [](bool is_gather) { return std::string(is_gather ? "allgather" : "allreduce"); };
  const auto what = [&]() -> std::string {
    if (gathers != gathers_there) return kind(gathers) + " here, " + kind(gathers_there) + " there";
    if (there >> 16 != bytes) return std::to_string(bytes) + " bytes here, " + std::to_string(there >> 16) + " there";
    return combines >> 8 != others >> 8 ? "another operation there" : "another type of elements there";
  };
  return {Code::invalid_argument,
          kind(gathers) + ": rank " + std::to_string(rank) + " has made another call: " + what(), Died::operation};
}

}  // namespace polder::core
