#include "model_file.hpp"

#include "common/file.hpp"
#include "common/output_file.hpp"
#include "model_head.hpp"

#include <span>

namespace mf {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

Status write_own(const apps::Team& team, const apps::File& file, const ModelHead& head, const RatingTable& table,
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

}  // namespace

Status write_model(const apps::Team& team, const std::string& path, const RatingTable& table, const Factors& users,
                   const Factors& items, std::uint64_t iterations) {
  ModelHead head{.length = items.length(),
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

}  // namespace mf
