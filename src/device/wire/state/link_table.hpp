// The links of a device, by rank of the peer.
#pragma once

#include "device/wire/link/link.hpp"
#include "device/wire/state/worker.hpp"
#include "util/sparse_table.hpp"

#include <polder/types.hpp>

#include <memory>
#include <vector>

namespace polder::device::wire {

// A link stays as long as the device.
class LinkTable {
 public:
  LinkTable(TransportEvents& events, Rank size) : events_(events), size_(size), links_(size) {}

  // Any thread. Null: there is none.
  Link* find(Rank peer) const { return peer < size_ ? links_.find(peer) : nullptr; }

  // Made if there is none. REQUIRES: peer is a rank of the job.
  Link& of(Rank peer) POLDER_REQUIRES(kWorker) {
    bool is_new = false;
    Link& link = links_.find_or_insert(peer, [&] {
      is_new = true;
      return std::make_unique<Link>(events_, peer);
    });
    if (is_new) known_.push_back(&link);
    return link;
  }
  const std::vector<Link*>& known() const POLDER_REQUIRES(kWorker) { return known_; }

 private:
  TransportEvents& events_;
  const Rank size_;
  util::SparseTable<Link> links_;
  std::vector<Link*> known_ POLDER_GUARDED_BY(kWorker);
};

}  // namespace polder::device::wire
