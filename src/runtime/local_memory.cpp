// Memory for a rank's own buffers, and pointers into the memory of others.
#include "core/engine/engine.hpp"
#include "core/post/transfer.hpp"

#include <polder/allocation.hpp>
#include <polder/runtime.hpp>

#include <string>
#include <utility>

namespace polder {

struct core::LocalExposure {
  device::Exposure exposure;
};

Result<LocalMemory> Runtime::allocate_local(std::size_t bytes) {
  if (Status status = engine_->peers().check_open(); !status.ok()) return status;
  if (bytes > SIZE_MAX / 2)
    return Status(Code::invalid_size, "local memory of " + std::to_string(bytes) + " bytes is too much");
  LocalMemory memory;
  if (bytes == 0) return memory;
  auto exposure = engine_->outside().device->expose(nullptr, bytes);
  if (!exposure.ok()) return std::move(exposure).status();
  memory.engine_ = engine_.get();
  memory.data_ = exposure->data;
  memory.size_ = bytes;
  memory.exposure_ = std::make_unique<core::LocalExposure>(core::LocalExposure{*exposure});
  return memory;
}

LocalMemory::LocalMemory() = default;

LocalMemory::~LocalMemory() {
  if (exposure_ != nullptr) engine_->outside().device->conceal(exposure_->exposure);
}

LocalMemory::LocalMemory(LocalMemory&& other) noexcept
    : engine_(other.engine_),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      exposure_(std::move(other.exposure_)) {}

LocalMemory& LocalMemory::operator=(LocalMemory&& other) noexcept {
  std::swap(engine_, other.engine_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(exposure_, other.exposure_);
  return *this;
}

Result<std::byte*> Runtime::direct_range(const char* what, GlobalAddress address, std::size_t bytes,
                                         std::size_t alignment, Timeout timeout) {
  auto segment =
      engine_->peer_segments().checked(address.rank, address.segment, timeout, [&](const core::PeerSegment& with) {
        Status status = core::check_range(what, with, address, bytes);
        return status.ok() ? core::check_alignment(what, with, address, bytes, alignment) : status;
      });
  if (!segment.ok()) return std::move(segment).status();
  std::byte* data = (*segment)->data;
  return data == nullptr ? nullptr : data + address.offset;
}

}  // namespace polder
