#include "model_file.hpp"

#include "common/file.hpp"
#include "common/output_file.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace mf {
namespace {

constexpr std::uint64_t kMagic = 0x31666d7265646c6f;  // "olderm" and a version

struct Head {
  std::uint64_t magic = kMagic;
  std::uint64_t length = 0;  // of a vector
  std::uint64_t users = 0, items = 0;
  std::uint64_t iterations = 0;
  double mean = 0;
  std::uint64_t check = 0;  // of the others

  std::uint64_t sum() const {
    return drawn(magic ^ length << 40, users, items) ^ drawn(iterations, 1, std::bit_cast<std::uint64_t>(mean));
  }
  std::uint64_t ids_at() const { return sizeof(Head); }
  std::uint64_t users_at() const { return ids_at() + 8 * (users + items); }
  std::uint64_t items_at() const { return users_at() + 8 * length * users; }
  std::uint64_t bytes() const { return items_at() + 8 * length * items; }
};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

Status write_own(const apps::Team& team, const apps::File& file, const Head& head, const RatingTable& table,
                 const Factors& users, const Factors& items) {
  Status status =
      file.write_at(head.users_at() + 8 * head.length * table.first_user[team.rank()], bytes_of(users.values()));
  if (team.rank() != 0) return status;
  if (status.ok()) status = file.write_at(0, std::as_bytes(std::span(&head, 1)));
  if (status.ok()) status = file.write_at(head.ids_at(), bytes_of(table.users));
  if (status.ok()) status = file.write_at(head.ids_at() + 8 * head.users, bytes_of(table.items));
  if (status.ok()) status = file.write_at(head.items_at(), bytes_of(items.values()));
  return status;
}

template <class T>
Status read_values(const apps::File& file, std::uint64_t at, std::vector<T>& values) {
  return file.read_at(at, std::as_writable_bytes(std::span(values)));
}

bool is_plausible(const Head& head, std::uint64_t size) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (head.magic != kMagic || head.check != head.sum()) return false;
  if (head.length == 0 || head.length > 4096 || head.users > kMost || head.items > kMost) return false;
  return head.bytes() == size && std::isfinite(head.mean);
}

bool are_finite(const Factors& factors) {
  return std::ranges::all_of(factors.values(), [](double value) { return std::isfinite(value); });
}

}  // namespace

Status write_model(const apps::Team& team, const std::string& path, const RatingTable& table, const Factors& users,
                   const Factors& items, std::uint64_t iterations) {
  Head head{.length = items.length(),
            .users = table.users.size(),
            .items = table.items.size(),
            .iterations = iterations,
            .mean = table.mean};
  head.check = head.sum();
  const apps::Crew crew = crew_of(team);
  Result<apps::OutputFile> output = apps::OutputFile::create(crew, path, head.bytes());
  if (!output.ok()) return std::move(output).status();
  return output->commit(crew, write_own(team, output->file(), head, table, users, items));
}

Result<Model> read_model(const std::string& path) {
  const Result<apps::File> file = apps::File::open(path);
  if (!file.ok()) return file.status();
  const Result<std::uint64_t> size = file->size();
  if (!size.ok()) return size.status();
  const Status none(Code::invalid_argument, "'" + path + "' is no model of this program, or not all of one");
  Head head;
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
