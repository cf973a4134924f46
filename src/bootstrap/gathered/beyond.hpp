// What reaches the ranks of other nodes, where the job page does not.
#pragma once

#include <polder/status.hpp>
#include <polder/timeout.hpp>
#include <polder/types.hpp>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace polder::bootstrap::gathered {

// Thread safe, but for share(). The calls are those of Bootstrap, for ranks of other nodes; arguments are checked.
class Beyond {
 public:
  virtual ~Beyond() = default;

  // Offers a record of this rank, which its own node has already, to other nodes.
  virtual Status publish(std::string_view key, std::span<const std::byte> value) = 0;
  virtual Result<std::vector<std::byte>> lookup(Rank owner, std::string_view key, Timeout timeout) = 0;
  // See Bootstrap::share_records().
  virtual Status share() = 0;

  virtual void report_failure(Rank rank) = 0;
  virtual Status kill(Rank rank) = 0;
  virtual void finish() = 0;
  // Ends what runs on other nodes, or begins to; this node follows.
  virtual void abort(int code, std::string_view reason) = 0;
};

}  // namespace polder::bootstrap::gathered
