#include "topology/network_place.hpp"

#include <cstdlib>
#include <string_view>

namespace polder::topology {
namespace {

constexpr util::Option kPlace{"POLDER_PLACE", "",
                              "where this node is in the network, from the outermost switch to the innermost, as in "
                              "row1.rack7; empty: as Slurm says, or unknown"};
constexpr util::Option kTable[] = {kPlace};

// FNV-1a (Fowler, Noll, Vo).
std::uint64_t number_of(std::string_view name) {
  std::uint64_t number = 14695981039346656037u;
  for (const char letter : name) number = (number ^ std::uint8_t(letter)) * 1099511628211u;
  return number;
}

}  // namespace

std::span<const util::Option> options() {
  return kTable;
}

Result<NetworkPlace> read_network_place(const std::string& place, const std::string& slurm) {
  NetworkPlace read;
  std::string_view text = place;
  if (text.empty() && slurm.find('.') != std::string::npos) text = std::string_view(slurm).substr(0, slurm.rfind('.'));
  for (std::size_t end = 0; end < text.size(); ++read.depth) {
    const std::size_t begin = read.depth == 0 ? 0 : end + 1;
    end = std::min(text.find('.', begin), text.size());
    if (end == begin || read.depth == kMostNetworkLevels)
      return Status(Code::invalid_argument, "the place '" + std::string(text) + "' of a node in the network: up to " +
                                                std::to_string(kMostNetworkLevels) +
                                                " names with dots between, as in row1.rack7");
    read.branch[read.depth] = number_of(text.substr(0, end));
  }
  return read;
}

Result<NetworkPlace> network_place() {
  const char* const slurm = std::getenv("SLURM_TOPOLOGY_ADDR");
  return read_network_place(util::option_text(kPlace), slurm != nullptr ? slurm : "");
}

}  // namespace polder::topology
