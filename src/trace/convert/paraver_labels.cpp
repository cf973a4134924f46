#include "trace/convert/paraver_labels.hpp"

#include "trace/convert/paraver_names.hpp"

#include <algorithm>
#include <vector>

namespace polder::trace::paraver {

namespace {

constexpr std::string_view kOptions =
    "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK           100\n"
    "SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n"
    "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n";

std::string type_line(int type, std::string_view label) {
  return "0    " + std::to_string(type) + "    " + std::string(label) + "\n";
}

std::string label_of(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return std::uint8_t(c) < 0x20; }, ' ');
  return text;
}

std::string section(std::string_view lines, std::string_view values) {
  std::string text = "EVENT_TYPE\n" + std::string(lines);
  if (!values.empty()) text += "VALUES\n" + std::string(values);
  return text + "\n";
}

std::string states_text() {
  std::string names = "STATES\n", colours = "STATES_COLOR\n";
  for (const PrvState& state : states()) {
    names += std::to_string(state.id) + "    " + std::string(state.name) + "\n";
    colours += std::to_string(state.id) + "    {" + std::string(state.colour) + "}\n";
  }
  return names + "\n" + colours + "\n";
}

// "v  v-1", as Extrae labels ranks, queues and notifications.
std::string number_line(std::int64_t value) {
  return std::to_string(value) + "    " + std::to_string(value - 1) + "\n";
}

}  // namespace

std::int64_t Labels::value_of(int type, const std::string& name) {
  auto& numbers_of = types_[type].numbers;
  return numbers_of.try_emplace(name, std::int64_t(numbers_of.size()) + 1).first->second;
}

int Labels::counter_type(const std::string& name) {
  return counters_.try_emplace(name, kFirstCounter + int(counters_.size())).first->second;
}

std::string Labels::pcf_file(Rank ranks) const {
  std::string calls = "0    Outside GASPI\n";
  for (const Routine& routine : routines())
    calls += std::to_string(routine.value) + "    " + std::string(routine.name) + "\n";
  const auto values = [&](int type) {
    std::vector<std::pair<std::int64_t, std::string>> sorted;
    if (const auto found = types_.find(type); found != types_.end())
      for (const auto& [name, value] : found->second.numbers) sorted.emplace_back(value, name);
    std::sort(sorted.begin(), sorted.end());
    std::string text = "0    End\n";
    for (const auto& [value, name] : sorted) text += std::to_string(value) + "    " + label_of(name) + "\n";
    return text;
  };
  const auto numbers = [&](int one, int other) {
    std::set<std::int64_t> all;
    for (const int type : {one, other})
      if (const auto found = used_.find(type); found != used_.end())
        all.insert(found->second.begin(), found->second.end());
    std::string text;
    for (const std::int64_t value : all) text += number_line(value);
    return text;
  };
  std::string every_rank;
  for (Rank rank = 0; rank < ranks; ++rank) every_rank += number_line(std::int64_t(rank) + 1);
  std::string text = std::string(kOptions) + states_text();
  text += section(type_line(kGaspiCall, "GASPI call"), calls);
  text += section(type_line(kGaspiSize, "GASPI size"), "");
  text += section(type_line(kGaspiRank, "GASPI rank") + type_line(kRank, "Polder rank"), every_rank);
  text +=
      section(type_line(kGaspiQueue, "GASPI queue") + type_line(kQueue, "Polder queue"), numbers(kGaspiQueue, kQueue));
  text +=
      section(type_line(kGaspiNotification, "GASPI notification_id") + type_line(kNotification, "Polder notification"),
              numbers(kGaspiNotification, kNotification));
  text += section(type_line(kCall, "Polder call"), values(kCall));
  text += section(type_line(kSize, "Polder size"), "");
  text += section(type_line(kOutcome, "Polder outcome"), values(kOutcome));
  text += section(type_line(kGroup, "Polder group"), values(kGroup));
  text += section(type_line(kRegion, "User region"), values(kRegion));
  text += section(type_line(kMark, "User mark"), values(kMark));
  text += section(type_line(kMarkValue, "User mark value"), "");
  text += section(type_line(kInner, "Polder within calls"), values(kInner));
  for (const auto& [name, type] : counters_) text += section(type_line(type, "User counter " + label_of(name)), "");
  return text;
}

}  // namespace polder::trace::paraver
