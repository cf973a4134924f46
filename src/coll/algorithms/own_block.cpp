// What a member sends to itself in an alltoall: a copy, S bytes; two where both buffers lie in pieces.
#include "coll/algorithms/algorithms.hpp"

namespace polder::coll {

void keep_own_block(Wire& wire, const std::byte* send, const Block& out, std::byte* receive, const Block& in,
                    Scattered scattered) {
  if (in.bytes == 0) return;
  if (scattered.send == nullptr && scattered.receive == nullptr)
    return wire.copy(receive + in.begin, send + out.begin, in.bytes);
  if (scattered.receive == nullptr) return scattered.send->read(out.begin, receive + in.begin, in.bytes);
  if (scattered.send == nullptr) return scattered.receive->write(in.begin, send + out.begin, in.bytes);
  std::byte* const packed = wire.scratch(in.bytes);
  scattered.send->read(out.begin, packed, in.bytes);
  scattered.receive->write(in.begin, packed, in.bytes);
}

}  // namespace polder::coll
