#include "ckpt/epoch_format.hpp"

#include <cstring>

namespace polder::ckpt {
namespace {

constexpr std::size_t kTableHead = 3, kTablePart = 2, kTableTail = 1;  // words

Status not_a_table(const std::string& why) {
  return Status(Code::system, "the table of parts " + why);
}

}  // namespace

std::vector<std::byte> EpochTable::encode() const {
  std::vector<std::uint64_t> words = {kMagic, epoch, parts.size()};
  for (const Part& part : parts) words.insert(words.end(), {part.bytes, part.checksum});
  words.push_back(checksum_of(epoch, std::as_bytes(std::span(words))));
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

Result<EpochTable> EpochTable::decode(std::span<const std::byte> file) {
  std::vector<std::uint64_t> words(file.size() / 8);
  if (file.size() % 8 != 0 || words.size() < kTableHead + kTableTail)
    return not_a_table("has " + std::to_string(file.size()) + " bytes");
  std::memcpy(words.data(), file.data(), file.size());
  if (words[0] != kMagic) return not_a_table("is none, or of a machine with another order of bytes");
  const std::size_t room = words.size() - kTableHead - kTableTail;
  if (room % kTablePart != 0 || words[2] != room / kTablePart)
    return not_a_table("names " + std::to_string(words[2]) + " parts in " + std::to_string(file.size()) + " bytes");
  if (words.back() != checksum_of(words[1], file.first(file.size() - 8))) return not_a_table("has a wrong checksum");
  EpochTable table;
  table.epoch = words[1];
  for (std::size_t at = kTableHead; at + kTableTail < words.size(); at += kTablePart)
    table.parts.push_back({words[at], words[at + 1]});
  return table;
}

Status check_part(std::span<const std::byte> file, const EpochTable& table, std::size_t place) {
  const EpochTable::Part& wanted = table.parts[place];
  const std::string name = "part " + std::to_string(place) + " of epoch " + std::to_string(table.epoch);
  if (file.size() < sizeof(EpochPartHeader) || file.size() - sizeof(EpochPartHeader) != wanted.bytes)
    return Status(Code::system, name + " is a file of " + std::to_string(file.size()) + " bytes instead of " +
                                    std::to_string(sizeof(EpochPartHeader)) + " and " + std::to_string(wanted.bytes));
  EpochPartHeader header;
  std::memcpy(&header, file.data(), sizeof header);
  if (header.magic != EpochPartHeader::kMagic || header.place != place || header.copy.epoch != table.epoch ||
      header.copy.bytes != wanted.bytes || header.copy.checksum != wanted.checksum)
    return Status(Code::system, name + " is a file of another part or epoch");
  if (checksum_of(table.epoch, file.subspan(sizeof header)) != wanted.checksum)
    return Status(Code::system, name + " has a wrong checksum");
  return {};
}

}  // namespace polder::ckpt
