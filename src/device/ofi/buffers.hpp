// Buffers of one packet each, registered where the provider wants that.
#pragma once

#include "device/wire/format/protocol.hpp"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace polder::device::ofi {

struct OfiEndpoint;

// Goes before a packet.
struct Prefix {
  std::uint32_t kind = 0;  // wire::Packet
  std::uint32_t header_bytes = 0;
};

struct Buffer {
  fi_context2 context;              // the provider's; the first member, so that an event leads back to the buffer
  void* registration = nullptr;     // what the provider wants to see of it
  OfiEndpoint* endpoint = nullptr;  // to which it is sent; null: it is received into
  std::size_t bytes = 0;
  alignas(16) std::array<std::byte, sizeof(Prefix) + wire::kPacketLimit> content;
};

class BufferPool {
 public:
  // `domain`: buffers are registered with it; null: no need.
  explicit BufferPool(fid_domain* domain) : domain_(domain) {}
  ~BufferPool() { forget_registrations(); }
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Null: no more can be registered.
  Buffer* take() {
    if (free_.empty() && !grow()) return nullptr;
    Buffer* buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  void give_back(Buffer* buffer) {
    buffer->endpoint = nullptr;
    free_.push_back(buffer);
  }
  // Before the domain ends.
  void forget_registrations() {
    for (fid_mr* registration : registrations_) fi_close(&registration->fid);
    registrations_.clear();
  }

 private:
  bool grow() {
    auto made = std::make_unique_for_overwrite<Buffer>();
    made->registration = nullptr;
    made->endpoint = nullptr;
    if (domain_ != nullptr) {
      fid_mr* registration = nullptr;
      const auto key = std::uint64_t(all_.size()) + 1;
      if (fi_mr_reg(domain_, made->content.data(), made->content.size(), FI_SEND | FI_RECV, 0, key, 0, &registration,
                    nullptr) != 0)
        return false;
      registrations_.push_back(registration);
      made->registration = fi_mr_desc(registration);
    }
    free_.push_back(made.get());
    all_.push_back(std::move(made));
    return true;
  }

  fid_domain* const domain_;
  std::vector<Buffer*> free_;
  std::vector<std::unique_ptr<Buffer>> all_;
  std::vector<fid_mr*> registrations_;
};

}  // namespace polder::device::ofi
