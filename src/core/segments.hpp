// The segments that this rank offers, and the root memory in which peers find them.
#pragma once

#include "core/peer.hpp"
#include "core/root_layout.hpp"
#include "device/device.hpp"

#include <polder/segment.hpp>
#include <polder/status.hpp>

#include <map>
#include <mutex>
#include <vector>

namespace polder::core {

class Engine;

class Segments {
 public:
  explicit Segments(Engine& engine) : engine_(engine) {}

  // Exposes the root. Once, before anything else.
  Status open(std::uint64_t job);
  // Conceals everything.
  void close();

  Result<Segment> create(const SegmentSpec& spec);
  // For groups, whose ids lie beyond the user's.
  Result<Segment> create_internal(SegmentId id, const SegmentSpec& spec);
  // For collective allocations, whose members agree on an automatic id. exists: it is taken here.
  Result<Segment> create_at(SegmentId id, const SegmentSpec& spec);
  // The lowest automatic id that is free and not below `from`; Root::kFirstGroupSegment if there is none.
  SegmentId free_id(SegmentId from) const;
  Status remove(SegmentId id);
  Result<Segment> find(SegmentId id) const;
  std::vector<SegmentId> ids() const;

  Root& root() { return *reinterpret_cast<Root*>(root_.data); }
  const device::Exposure& root_exposure() const { return root_; }

 private:
  struct Local {
    Segment segment;
    SegmentControl* control = nullptr;
    device::Exposure control_memory;
    device::Exposure user_memory;  // if the user brought it
    bool users = false;
  };

  std::size_t ids_in_use() const;
  Status check_limit() const;
  SegmentId next_free(SegmentId from) const;
  Result<Segment> add(SegmentId id, const SegmentSpec& spec);
  Result<SegmentId> choose_id(const SegmentSpec& spec) const;
  Result<Local> expose(const SegmentSpec& spec, SegmentId id);
  void announce(const Local& local, std::uint64_t generation);
  void conceal(const Local& local);

  Engine& engine_;
  device::Exposure root_;
  mutable std::mutex mutex_;
  std::uint64_t generations_ = 0;
  std::map<SegmentId, Local> segments_;
};

}  // namespace polder::core
