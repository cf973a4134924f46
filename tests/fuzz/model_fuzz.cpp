// Any bytes as a model that mf has written: refused, or all of one. The check sum of the head is made right, so that what is
// behind it is looked at.
#include "memory_file.hpp"
#include "model_file.hpp"
#include "model_head.hpp"

#include <cmath>
#include <cstring>
#include <vector>

namespace {

void check(const std::vector<std::uint8_t>& bytes) {
  const MemoryFile file(bytes.data(), bytes.size());
  const auto model = mf::read_model(file.path());
  if (!model.ok()) {
    if (model.status().code() != polder::Code::invalid_argument) std::abort();
    return;
  }
  const std::size_t length = model->user_factors.length();
  if (model->user_factors.values().size() != model->users.size() * length ||
      model->item_factors.values().size() != model->items.size() * length ||
      8 * (model->user_factors.values().size() + model->item_factors.values().size()) > bytes.size())
    std::abort();
  for (const double value : model->user_factors.values())
    if (!std::isfinite(value)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> bytes(data, data + size);
  check(bytes);
  mf::ModelHead head;
  if (size < sizeof head) return 0;
  std::memcpy(&head, data, sizeof head);
  head.magic = mf::kModelMagic;
  head.check = head.sum();
  std::memcpy(bytes.data(), &head, sizeof head);
  check(bytes);
  return 0;
}
