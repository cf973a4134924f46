// Records of ranks on other nodes, moved once over the caller's exchange.
#pragma once

#include "bootstrap/gathered/beyond.hpp"
#include "bootstrap/gathered/packed_records.hpp"

#include <polder/exchange.hpp>

#include <map>
#include <mutex>
#include <vector>

namespace polder::bootstrap::gathered {

// Cost of share(): two exchanges; each rank receives what all have published, some hundred bytes a rank.
class ExchangedRecords final : public Beyond {
 public:
  // `beside`: for each rank of the job, whether it is on this node.
  ExchangedRecords(Exchange exchange, std::vector<bool> beside)
      : exchange_(std::move(exchange)), beside_(std::move(beside)) {}
  // Whoever fails before it has shared still takes part, with that news: the others wait for it in their share().
  ~ExchangedRecords() override;

  Status publish(std::string_view key, std::span<const std::byte> value) override;
  Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) override;
  Status share() override;
  void report_failure(Rank) override {}  // each node notices by its own links
  Status kill(Rank rank) override;
  void finish() override {}
  void abort(int, std::string_view) override {}  // the caller's launcher sees this rank fail and ends the others

 private:
  Status share(const Status& mine);
  Status take_in(Rank rank, std::span<const std::byte> packed);

  const Exchange exchange_;
  const std::vector<bool> beside_;
  bool shared_ = false;

  std::mutex mutex_;  // of what follows
  Records mine_;
  std::map<Rank, Records> others_;
};

}  // namespace polder::bootstrap::gathered
