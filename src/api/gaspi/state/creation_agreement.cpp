#include "api/gaspi/state/creation_agreement.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace polder::gaspi {

void CreationAgreement::begin(gaspi_segment_id_t segment, bool success) {
  segment_ = segment;
  given_up_ = false;
  agreed_ = false;
  success_ = success;
}

Status CreationAgreement::run(Group& group, Timeout timeout) {
  if (agreed_) return {};
  const auto all = group.agree(success_ ? ~std::uint64_t{0} : 0, timeout);
  if (!all.ok() && all.status().timed_out()) return all.status();
  agreed_ = all.ok() && !all->dissenter && all->failed.empty();
  if (agreed_) return {};
  const std::string segment = "segment " + std::to_string(unsigned(*std::exchange(segment_, std::nullopt)));
  if (!all.ok()) return all.status();
  if (!all->failed.empty())
    return {Code::peer_failed, segment + ": rank " + std::to_string(all->failed.front()) + " is gone", Died::peer};
  return {Code::peer_failed, segment + ": rank " + std::to_string(*all->dissenter) + " could not create its part",
          Died::operation};
}

}  // namespace polder::gaspi
