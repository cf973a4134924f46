#include "coll/model/prediction.hpp"

#include "coll/table/wire_call.hpp"

#include <algorithm>
#include <string>

namespace polder::coll {
namespace {

constexpr Rank kMostOfAlltoall = 8192;

}  // namespace

Choice choice_of(const ModelCall& call) {
  // On a ring all have a slot for the one before and the one behind.
  return {.kind = call.kind, .bytes = call.bytes, .members = call.members, .direct = call.kind == Kind::neighbours};
}

// Of members on a ring, each of which has a block for those in front of and behind it: that of member c lies at
// `members` + c less the member's own place, so that one list serves all.
static std::vector<Block> ring_blocks(const ModelCall& call) {
  std::vector<Block> blocks(2 * std::size_t{call.members} + 1, Block{0, 0, false});
  if (call.members < 2) return blocks;
  for (const std::size_t distance : {std::size_t{1}, std::size_t{call.members} - 1})
    blocks[call.members + distance] = blocks[call.members - distance] = {0, call.bytes, true};
  return blocks;
}

Result<FlowOutcome> predict(const ModelCall& call, Algorithm algorithm, FlowOptions options) {
  const auto able = Table::all_for(choice_of(call));
  if (std::find(able.begin(), able.end(), algorithm) == able.end())
    return Status{Code::invalid_argument, std::string(to_string(call.kind)) + " by '" +
                                              std::string(to_string(algorithm)) + "' of " +
                                              std::to_string(call.members) + " members: it cannot serve this call"};
  if ((call.kind == Kind::alltoall || call.kind == Kind::neighbours) && call.members > kMostOfAlltoall)
    return Status{Code::invalid_argument, std::string(to_string(call.kind)) + " of more than " +
                                              std::to_string(kMostOfAlltoall) +
                                              " members: the model has work and memory for each pair"};
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
  const std::vector<Block> ring = call.kind == Kind::neighbours ? ring_blocks(call) : std::vector<Block>();
  for (std::size_t me = 0; !ring.empty() && me < calls.size(); ++me)
    calls[me].sent = calls[me].received = ring.data() + call.members - me;
  FlowModel flow(call.members, std::move(options));
  return flow.run([&](Wire& wire) {
    wire.elements.size = kModelElement;
    return carry_out(wire, calls[calls.size() == 1 ? 0 : wire.me]);
  });
}

}  // namespace polder::coll
