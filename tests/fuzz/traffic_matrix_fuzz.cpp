// Any bytes as a matrix of traffic, CSV or JSON: refused with a sentence, or a symmetric pattern whose places all exist.
#include <polder/topology.hpp>

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto made = polder::matrix_pattern({reinterpret_cast<const char*>(data), size});
  if (!made.ok()) {
    if (made.status().code() != polder::Code::invalid_argument || made.status().message().empty()) std::abort();
    return 0;
  }
  if (made->places() == 0 || made->neighbour.size() != made->weight.size()) std::abort();
  if (made->begin.front() != 0 || made->begin.back() != made->neighbour.size()) std::abort();
  for (polder::Rank place = 0; place < made->places(); ++place) {
    if (made->begin[place] > made->begin[place + 1]) std::abort();
    for (std::size_t e = made->begin[place]; e < made->begin[place + 1]; ++e)
      if (made->neighbour[e] >= made->places() || made->neighbour[e] == place || !(made->weight[e] > 0)) std::abort();
  }
  return 0;
}
