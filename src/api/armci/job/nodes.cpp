#include "api/armci/job/nodes.hpp"

#include "api/armci/job/context.hpp"

#include <map>
#include <numeric>
#include <span>

namespace polder::armci {
namespace {

// The lowest rank whose memory this rank can load and store: it stands for the node.
Result<int> lowest_neighbour(Context& context) {
  auto probe = context.runtime().create_allocation(context.runtime().world(), {.size = 1});
  if (!probe.ok()) return std::move(probe).status();
  Status status = context.wait([&](Timeout slice) { return (*probe)->commit(slice); });
  if (!status.ok()) return status;
  Rank lowest = 0;
  for (; lowest < context.rank(); ++lowest) {
    auto pointer = context.runtime().direct_pointer((*probe)->at(lowest));
    if (!pointer.ok()) return std::move(pointer).status();
    if (*pointer != nullptr) break;
  }
  status = context.wait([&](Timeout slice) { return (*probe)->free(slice); });
  if (!status.ok()) return status;
  return int(lowest);
}

}  // namespace

Nodes::Nodes(Rank ranks) {
  std::vector<int> each(ranks);
  std::iota(each.begin(), each.end(), 0);
  arrange(each);
}

// Nodes are numbered by their lowest rank.
void Nodes::arrange(const std::vector<int>& lowest) {
  std::map<int, int> numbers;
  for (const int rank : lowest) numbers.emplace(rank, 0);
  int next = 0;
  for (auto& [rank, number] : numbers) number = next++;
  members_.assign(numbers.size(), {});
  node_of_.clear();
  for (std::size_t rank = 0; rank < lowest.size(); ++rank) {
    node_of_.push_back(numbers[lowest[rank]]);
    members_[std::size_t(node_of_.back())].push_back(int(rank));
  }
  shared_ = members_.size() < node_of_.size();
}

Status Nodes::find(Context& context) {
  auto lowest = lowest_neighbour(context);
  if (!lowest.ok()) return std::move(lowest).status();
  std::vector<int> all(context.size());
  Status status =
      context.mpi().allgather(std::as_bytes(std::span(&*lowest, 1)), std::as_writable_bytes(std::span(all)));
  if (!status.ok()) return status;
  arrange(all);
  return {};
}

int Nodes::node_of(int rank) const {
  return rank >= 0 && std::size_t(rank) < node_of_.size() ? node_of_[std::size_t(rank)] : -1;
}

int Nodes::ranks_in(int node) const {
  return node >= 0 && node < count() ? int(members_[std::size_t(node)].size()) : -1;
}

int Nodes::rank_of(int node, int index) const {
  return index >= 0 && index < ranks_in(node) ? members_[std::size_t(node)][std::size_t(index)] : -1;
}

}  // namespace polder::armci
