// What an epoch looks like on disk: a table of its parts, and a file for each, whose header says whose it is.
#pragma once

#include "ckpt/copy_layout.hpp"

#include <polder/status.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace polder::ckpt {

// Before the bytes of a part. In the order of bytes of the machine that wrote it; of another one the magic is wrong.
struct EpochPartHeader {
  static constexpr std::uint64_t kMagic = 0x31747261'70706b63;  // "ckppart1"
  std::uint64_t magic = kMagic;
  std::uint64_t place = 0;
  CopyHeader copy;
};

// Magic, epoch, number of parts, for each its bytes and its checksum, and the checksum of all that.
struct EpochTable {
  static constexpr std::uint64_t kMagic = 0x316c6261'74706b63;  // "ckptabl1"
  struct Part {
    std::uint64_t bytes = 0;
    std::uint64_t checksum = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };

  std::uint64_t epoch = 0;
  std::vector<Part> parts;

  std::vector<std::byte> encode() const;
  // The message says what is wrong with it.
  static Result<EpochTable> decode(std::span<const std::byte> file);
};

// Whether this is the whole file of that part.
Status check_part(std::span<const std::byte> file, const EpochTable& table, std::size_t place);

}  // namespace polder::ckpt
