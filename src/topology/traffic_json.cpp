#include "topology/traffic_json.hpp"

#include "topology/json_cursor.hpp"

#include <array>
#include <cmath>
#include <optional>

namespace polder::topology {
namespace {

constexpr double kMostRanks = 1 << 20;  // a pattern has memory for each: a number alone must not take much
constexpr std::size_t kUsed = 4, kFewest = 3;

struct TrafficDocument {
  std::optional<Rank> ranks;
  std::optional<std::vector<PlaceTraffic>> traffic;
};

bool is_rank(double number) {
  return number >= 0 && number < kMostRanks && number == std::floor(number);
}

Status read_ranks(JsonCursor& json, TrafficDocument& document) {
  if (document.ranks) return json.wrong("\"ranks\" for the second time");
  const auto number = json.number();
  if (!number.ok()) return number.status();
  if (*number < 1 || !is_rank(*number - 1)) return json.wrong("\"ranks\" is no number from 1 to 1048576");
  document.ranks = Rank(*number);
  return {};
}

// [from, to, bytes, messages, ...]
Status read_entry(JsonCursor& json, std::vector<PlaceTraffic>& traffic) {
  std::array<double, kUsed> numbers{};
  std::size_t count = 0;
  const Status status = json.items([&] {
    const auto number = json.number();
    if (!number.ok()) return number.status();
    if (count < kUsed) numbers[count] = *number;
    ++count;
    return Status();
  });
  if (!status.ok()) return status;
  const auto [from, to, bytes, messages] = numbers;
  const std::string entry = "entry " + std::to_string(traffic.size()) + " of \"traffic\" ";
  if (count < kFewest)
    return json.wrong(entry + "has " + std::to_string(count) + " numbers: sender, receiver, bytes, messages");
  if (!is_rank(from) || !is_rank(to)) return json.wrong(entry + "has a sender or receiver that is no rank");
  if (bytes < 0 || messages < 0) return json.wrong(entry + "has fewer than 0 bytes or messages");
  traffic.push_back({Rank(from), Rank(to), bytes, messages});
  return {};
}

Status read_traffic(JsonCursor& json, TrafficDocument& document) {
  if (document.traffic) return json.wrong("\"traffic\" for the second time");
  document.traffic.emplace();
  return json.items([&] { return read_entry(json, *document.traffic); });
}

Status read_document(JsonCursor& json, TrafficDocument& document) {
  Status status = json.members([&](std::string_view name) {
    if (name == "ranks") return read_ranks(json, document);
    if (name == "traffic") return read_traffic(json, document);
    return json.skip();
  });
  if (!status.ok()) return status;
  if (!json.at_end()) return json.wrong("something follows the object");
  if (!document.ranks) return json.wrong("the object has no \"ranks\"");
  if (!document.traffic) return json.wrong("the object has no \"traffic\"");
  return {};
}

}  // namespace

Result<CommunicationPattern> traffic_json_pattern(std::string_view json) {
  JsonCursor cursor(json);
  TrafficDocument document;
  if (const Status status = read_document(cursor, document); !status.ok())
    return Status(Code::invalid_argument, "communication pattern in JSON, " + std::string(status.message()));
  return traffic_pattern(*document.ranks, *document.traffic);
}

}  // namespace polder::topology
