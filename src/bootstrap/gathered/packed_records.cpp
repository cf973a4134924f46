#include "bootstrap/gathered/packed_records.hpp"

#include <cstdint>
#include <cstring>

namespace polder::bootstrap::gathered {
namespace {

struct Head {
  std::uint32_t key_bytes;
  std::uint32_t value_bytes;
};

void append(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* first = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), first, first + size);
}

}  // namespace

std::vector<std::byte> pack(const Records& records) {
  std::vector<std::byte> bytes;
  for (const auto& [key, value] : records) {
    const Head head{std::uint32_t(key.size()), std::uint32_t(value.size())};
    append(bytes, &head, sizeof head);
    append(bytes, key.data(), key.size());
    append(bytes, value.data(), value.size());
  }
  return bytes;
}

std::optional<Records> unpack(std::span<const std::byte> bytes) {
  Records records;
  while (!bytes.empty()) {
    Head head;
    if (bytes.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    bytes = bytes.subspan(sizeof head);
    if (bytes.size() < head.key_bytes || bytes.size() - head.key_bytes < head.value_bytes) return std::nullopt;
    const std::string key(reinterpret_cast<const char*>(bytes.data()), head.key_bytes);
    const auto value = bytes.subspan(head.key_bytes, head.value_bytes);
    records[key] = {value.begin(), value.end()};
    bytes = bytes.subspan(head.key_bytes + head.value_bytes);
  }
  return records;
}

}  // namespace polder::bootstrap::gathered
