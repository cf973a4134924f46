// Any bytes as a topology.conf of Slurm's: refused with a sentence, or every host has its place under switches.
#include <polder/topology.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::string> hosts{"n0", "n1", "a"};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto made = polder::switch_topology(text, hosts, 2);
  if (!made.ok()) {
    if (made.status().code() != polder::Code::invalid_argument || made.status().message().empty()) std::abort();
    return 0;
  }
  const auto& spec = made->spec();
  if (spec.coordinates.size() != hosts.size() * 2 * spec.levels.size()) std::abort();
  for (polder::Rank unit = 0; unit < 6; ++unit)
    if (made->distance(unit, unit) != 0 || !(made->distance(0, unit) >= 0)) std::abort();
  return 0;
}
