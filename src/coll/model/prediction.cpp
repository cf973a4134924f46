#include "coll/model/prediction.hpp"

#include "coll/table/wire_call.hpp"

#include <algorithm>
#include <string>

namespace polder::coll {
namespace {

constexpr Rank kMostOfAlltoall = 8192;

}  // namespace

Choice choice_of(const ModelCall& call) {
  return {.kind = call.kind, .bytes = call.bytes, .members = call.members};
}

Result<FlowOutcome> predict(const ModelCall& call, Algorithm algorithm, FlowOptions options) {
  const auto able = Table::all_for(choice_of(call));
  if (std::find(able.begin(), able.end(), algorithm) == able.end())
    return Status{Code::invalid_argument, std::string(to_string(call.kind)) + " by '" +
                                              std::string(to_string(algorithm)) + "' of " +
                                              std::to_string(call.members) + " members: it cannot serve this call"};
  if (call.kind == Kind::alltoall && call.members > kMostOfAlltoall)
    return Status{Code::invalid_argument, "alltoall of more than " + std::to_string(kMostOfAlltoall) +
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
  Flow flow(call.members, std::move(options));
  return flow.run([&](Wire& wire) {
    wire.elements.size = kModelElement;
    return carry_out(wire, wire_call);
  });
}

}  // namespace polder::coll
