#include "model_file.hpp"

#include "common/file.hpp"
#include "model_head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace mf {
namespace {

template <class T>
Status read_values(const apps::File& file, std::uint64_t at, std::vector<T>& values) {
  return file.read_at(at, std::as_writable_bytes(std::span(values)));
}

bool is_plausible(const ModelHead& head, std::uint64_t size) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (head.magic != kModelMagic || head.check != head.sum()) return false;
  if (head.length == 0 || head.length > 4096 || head.users > kMost || head.items > kMost) return false;
  return head.bytes() == size && std::isfinite(head.mean);
}

bool are_finite(const Factors& factors) {
  return std::ranges::all_of(factors.values(), [](double value) { return std::isfinite(value); });
}

}  // namespace

Result<Model> read_model(const std::string& path) {
  const Result<apps::File> file = apps::File::open(path);
  if (!file.ok()) return file.status();
  const Result<std::uint64_t> size = file->size();
  if (!size.ok()) return size.status();
  const Status none(Code::invalid_argument, "'" + path + "' is no model of this program, or not all of one");
  ModelHead head;
  if (*size < sizeof head) return none;
  Status status = file->read_at(0, std::as_writable_bytes(std::span(&head, 1)));
  if (!status.ok()) return status;
  if (!is_plausible(head, *size)) return none;
  Model model{.iterations = head.iterations,
              .mean = head.mean,
              .users = std::vector<std::uint64_t>(head.users),
              .items = std::vector<std::uint64_t>(head.items),
              .user_factors = Factors(head.users, unsigned(head.length)),
              .item_factors = Factors(head.items, unsigned(head.length))};
  status = read_values(*file, head.ids_at(), model.users);
  if (status.ok()) status = read_values(*file, head.ids_at() + 8 * head.users, model.items);
  if (status.ok()) status = read_values(*file, head.users_at(), model.user_factors.values());
  if (status.ok()) status = read_values(*file, head.items_at(), model.item_factors.values());
  if (!status.ok()) return status;
  if (!std::ranges::is_sorted(model.users) || !std::ranges::is_sorted(model.items) || !are_finite(model.user_factors) ||
      !are_finite(model.item_factors))
    return none;
  return model;
}

}  // namespace mf
