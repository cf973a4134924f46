#include "coll/model/prediction.hpp"

#include "coll/table/wire_call.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace polder::coll {
namespace {

constexpr Rank kMostOfAlltoall = 8192;
constexpr Rank kMostOfRouted = 4096;

// What members of an exchange of neighbours bring.
class ModelNeighbours {
 public:
  ModelNeighbours(const NeighbourGraph& graph, const Slots& slots, Algorithm algorithm, std::size_t bytes)
      : members_(graph.members()) {
    algorithm == Algorithm::spread ? list_edges(graph, slots, bytes) : list_pairs(graph, bytes);
  }

  void add_to(WireCall& call, Rank member) const {
    const std::size_t row = leaving_.empty() ? std::size_t{member} * members_ : 0;
    call.sent = sent_.data() + row;
    call.received = (received_.empty() ? sent_ : received_).data() + row;
    if (leaving_.empty()) return;
    call.leaving = leaving_[member];
    call.coming = coming_[member];
  }

 private:
  // One block in the place of each.
  void list_edges(const NeighbourGraph& graph, const Slots& slots, std::size_t bytes) {
    sent_.assign(members_, Block{0, bytes});
    for (Rank member = 0; member < members_; ++member) {
      leaving_.push_back(graph.edges_from(member, slots));
      coming_.push_back(graph.edges_to(member, slots));
    }
  }
  void list_pairs(const NeighbourGraph& graph, std::size_t bytes) {
    const std::vector<Block> none(std::size_t{members_} * members_, Block{0, 0, false});
    sent_ = none;
    if (!graph.is_symmetric()) received_ = none;
    for (Rank from = 0; from < members_; ++from)
      for (const Rank to : graph.destinations(from)) {
        sent_[std::size_t{from} * members_ + to] = {0, bytes};
        if (!received_.empty()) received_[std::size_t{to} * members_ + from] = {0, bytes};
      }
  }

  const Rank members_;
  std::vector<Block> sent_, received_;  // of all members, or those of one after those of the other
  std::vector<std::vector<SlottedEdge>> leaving_, coming_;
};

// Nothing: the model can do it.
Status check_size(const ModelCall& call, Algorithm algorithm) {
  const bool routes = call.kind == Kind::neighbours && algorithm != Algorithm::spread;
  const Rank most = routes ? kMostOfRouted : kMostOfAlltoall;
  if ((!routes && call.kind != Kind::alltoall) || call.members <= most) return {};
  return {Code::invalid_argument, std::string(to_string(call.kind)) + " of more than " + std::to_string(most) +
                                      " members: the model has work and memory for each pair"};
}

}  // namespace

Choice choice_of(const ModelCall& call) {
  const bool direct = call.kind == Kind::neighbours && (call.graph == nullptr || call.graph->has_slots());
  return {.kind = call.kind, .bytes = call.bytes, .members = call.members, .direct = direct};
}

Result<FlowOutcome> predict(const ModelCall& call, Algorithm algorithm, FlowOptions options) {
  const auto able = Table::all_for(choice_of(call));
  if (std::find(able.begin(), able.end(), algorithm) == able.end())
    return Status{Code::invalid_argument, std::string(to_string(call.kind)) + " by '" +
                                              std::string(to_string(algorithm)) + "' of " +
                                              std::to_string(call.members) + " members: it cannot serve this call"};
  if (Status status = check_size(call, algorithm); !status.ok()) return status;
  const bool reducing = call.kind == Kind::reduce_scatter;
  const std::size_t element = reducing ? kModelElement : 1, elements = call.bytes / element;
  std::vector<std::size_t> begins;
  if (has_parts(call.kind)) {
    const Parts parts(elements, call.members, 1);
    for (Rank member = 0; member < call.members; ++member) begins.push_back(parts.begin(member));
    begins.push_back(elements);
  }
  std::vector<Block> blocks;
  if (call.kind == Kind::alltoall && algorithm != Algorithm::bruck) blocks.assign(call.members, Block{0, call.bytes});
  options.payload = false;
  const Phantom sent, received;
  const WireCall wire_call{.kind = call.kind,
                           .algorithm = algorithm,
                           .root = call.root,
                           .send = sent.base(),
                           .receive = received.base(),
                           .bytes = call.bytes,
                           .count = call.bytes / kModelElement,
                           .element = kModelElement,
                           .begins = begins.data(),
                           .sent = blocks.data(),
                           .received = blocks.data()};
  std::vector<WireCall> calls(call.kind == Kind::neighbours ? call.members : 1, wire_call);
  std::optional<ModelNeighbours> neighbours;
  if (call.kind == Kind::neighbours) {
    const Slots slots(call.members, options.near);
    neighbours.emplace(call.graph != nullptr ? *call.graph : NeighbourGraph::ring(call.members), slots, algorithm,
                       call.bytes);
    for (Rank member = 0; member < call.members; ++member) neighbours->add_to(calls[member], member);
  }
  FlowModel flow(call.members, std::move(options));
  return flow.run([&](Wire& wire) {
    wire.elements.size = kModelElement;
    return carry_out(wire, calls[calls.size() == 1 ? 0 : wire.me]);
  });
}

}  // namespace polder::coll
