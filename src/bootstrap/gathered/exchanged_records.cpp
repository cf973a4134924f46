#include "bootstrap/gathered/exchanged_records.hpp"

#include "bootstrap/gathered/verdict.hpp"
#include "bootstrap/local/record_store.hpp"

#include <algorithm>
#include <string>

namespace polder::bootstrap::gathered {
namespace {

struct Announcement {
  Verdict verdict;
  std::uint64_t bytes;  // of what the rank has published
};

}  // namespace

ExchangedRecords::~ExchangedRecords() {
  if (shared_) return;
  const Status status = share(Status(Code::peer_failed, "the runtime could not be made there", Died::peer));
  static_cast<void>(status);  // this rank reports why it failed
}

Status ExchangedRecords::publish(std::string_view key, std::span<const std::byte> value) {
  std::lock_guard lock(mutex_);
  mine_.emplace(std::string(key), std::vector<std::byte>(value.begin(), value.end()));
  return {};
}

Result<std::vector<std::byte>> ExchangedRecords::lookup(Rank owner, std::string_view key, Timeout) {
  std::lock_guard lock(mutex_);
  const auto records = others_.find(owner);
  if (records != others_.end())
    if (const auto record = records->second.find(key); record != records->second.end()) return record->second;
  return Status(Code::unsupported, "lookup of '" + std::string(key) + "': rank " + std::to_string(owner) +
                                       " is on another machine and had not published it when the runtime was made; "
                                       "records are exchanged once");
}

Status ExchangedRecords::kill(Rank rank) {
  return {Code::unsupported, "kill: rank " + std::to_string(rank) + " runs on another machine, and this job was not " +
                                 "started by a launcher that Polder knows; abort() ends the whole job"};
}

Status ExchangedRecords::share() {
  return share(Status());
}

Status ExchangedRecords::share(const Status& mine) {
  shared_ = true;
  std::vector<std::byte> packed;
  {
    std::lock_guard lock(mutex_);
    packed = pack(mine_);
  }
  auto announced = gather(exchange_, Announcement{make_verdict(mine), packed.size()});
  if (!announced.ok()) return std::move(announced).status();
  if (Status status =
          first_failure(*announced, [](const Announcement& each) -> const Verdict& { return each.verdict; });
      !status.ok())
    return status;

  std::size_t room = 0;
  for (const Announcement& each : *announced) room = std::max(room, std::size_t(each.bytes));
  if (room > local::kStoreBytes)
    return {Code::invalid_argument, "a rank announces " + std::to_string(room) + " bytes of records"};
  packed.resize(room);
  std::vector<std::byte> all(room * exchange_.size);
  if (Status status = exchange_.allgather(packed, all); !status.ok()) return status;
  for (Rank rank = 0; rank < exchange_.size; ++rank)
    if (Status status = take_in(rank, std::span(all).subspan(rank * room, (*announced)[rank].bytes)); !status.ok())
      return status;
  return {};
}

Status ExchangedRecords::take_in(Rank rank, std::span<const std::byte> packed) {
  if (beside_[rank]) return {};  // the job page has them
  auto records = unpack(packed);
  if (!records)
    return {Code::invalid_argument, "what the exchange gave for rank " + std::to_string(rank) + " is not what it sent"};
  std::lock_guard lock(mutex_);
  others_[rank] = *std::move(records);
  return {};
}

}  // namespace polder::bootstrap::gathered
