// topology.conf of Slurm's topology/tree plug-in: SwitchName=s0 Nodes=n[0-3], SwitchName=root Switches=s[0-1].
#include <polder/topology.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

namespace polder {
namespace {

constexpr std::uint64_t kMostNames = 1'000'000;  // that one list stands for

struct SwitchTree {
  std::map<std::string, std::string> above;  // of a node or switch, the switch over it
  std::set<std::string> switches;
};

bool read_index(std::string_view word, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

// "01-16" between `head` and `tail`, as wide as its first number.
bool expand_range(const std::string& head, std::string_view range, const std::string& tail,
                  std::vector<std::string>& names) {
  const std::string_view first = range.substr(0, range.find('-'));
  const std::string_view last = first.size() == range.size() ? first : range.substr(first.size() + 1);
  std::uint64_t from = 0, to = 0;
  if (!read_index(first, from) || !read_index(last, to) || to < from || to - from >= kMostNames - names.size())
    return false;
  for (std::uint64_t i = 0; i <= to - from; ++i) {  // `to` may be the largest number there is
    std::string digits = std::to_string(from + i);
    if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
    names.push_back(head + digits + tail);
  }
  return true;
}

bool expand_name(const std::string& name, std::vector<std::string>& names) {
  const std::size_t open = name.find('['), close = name.find(']');
  if (names.size() >= kMostNames) return false;
  if (open == std::string::npos && close == std::string::npos) return names.push_back(name), !name.empty();
  if (open == std::string::npos || close == std::string::npos || close < open ||
      name.find('[', close) != std::string::npos)
    return false;
  std::istringstream ranges(name.substr(open + 1, close - open - 1));
  std::string range;
  bool some = false;
  while (std::getline(ranges, range, ',')) {
    if (!expand_range(name.substr(0, open), range, name.substr(close + 1), names)) return false;
    some = true;
  }
  return some;
}

// "n[1-4,7],login": commas in brackets do not part.
bool expand_list(const std::string& list, std::vector<std::string>& names) {
  std::string name;
  int depth = 0;
  for (const char c : list + ",") {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c != ',' || depth != 0) {
      name += c;
    } else {
      if (!expand_name(name, names)) return false;
      name.clear();
    }
  }
  return depth == 0;
}

Status wrong_line(std::size_t line, const std::string& what) {
  return {Code::invalid_argument, "topology.conf, line " + std::to_string(line) + ": " + what};
}

Status read_line(std::size_t number, const std::string& line, SwitchTree& tree) {
  std::istringstream words(line.substr(0, line.find('#')));
  std::string word, name;
  std::vector<std::string> below;
  while (words >> word) {
    const std::size_t equals = word.find('=');
    std::string key = word.substr(0, equals);
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "switchname") {
      name = value;
    } else if (key == "nodes" || key == "switches") {
      if (!expand_list(value, below)) return wrong_line(number, "'" + value + "' is no list of names");
    } else if (key != "linkspeed") {
      return wrong_line(number, "'" + word + "' is not SwitchName=, Nodes=, Switches= or LinkSpeed=");
    }
  }
  if (name.empty() && below.empty()) return {};
  if (name.empty() || below.empty()) return wrong_line(number, "a switch has a name, and nodes or switches");
  tree.switches.insert(name);
  for (const std::string& child : below)
    if (!tree.above.emplace(child, name).second) return wrong_line(number, "'" + child + "' is below two switches");
  return {};
}

// Switches over `host`, outermost first.
Status way_to(const std::string& host, const SwitchTree& tree, std::vector<std::string>& way) {
  for (auto up = tree.above.find(host); up != tree.above.end(); up = tree.above.find(up->second)) {
    way.insert(way.begin(), up->second);
    if (way.size() > tree.switches.size())
      return {Code::invalid_argument, "topology.conf: switches over '" + host + "' form a circle"};
  }
  if (way.empty()) return {Code::invalid_argument, "topology.conf: no switch has the host '" + host + "'"};
  return {};
}

}  // namespace

Result<Topology> switch_topology(std::string_view conf, std::span<const std::string> hosts, Rank per_node) {
  if (hosts.empty() || per_node == 0)
    return Status(Code::invalid_argument, "topology.conf: no host, or no unit on a host");
  SwitchTree tree;
  std::istringstream lines{std::string(conf)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number)
    if (Status status = read_line(number, line, tree); !status.ok()) return status;
  std::vector<std::vector<std::string>> ways(hosts.size());
  std::size_t depth = 0;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    if (Status status = way_to(hosts[h], tree, ways[h]); !status.ok()) return status;
    ways[h].push_back(hosts[h]);
    depth = std::max(depth, ways[h].size());
  }
  TopologySpec spec;
  for (std::size_t l = 0; l < depth; ++l)
    spec.levels.push_back({l + 1 == depth ? "node" : "switch" + std::to_string(l), 2.0 * double(depth - l), 1});
  spec.network_levels = depth;
  spec.levels.push_back({"unit", 0.1, 1});
  std::map<std::string, std::uint32_t> numbers;  // by first appearance
  for (const auto& way : ways)
    for (Rank unit = 0; unit < per_node; ++unit) {
      // A host under fewer switches than others stands below its last one as often as is missing.
      for (std::size_t l = 0; l < depth; ++l) {
        const std::string& name = l + 1 == depth ? way.back() : way[std::min(l, way.size() - 2)];
        spec.coordinates.push_back(numbers.emplace(name, std::uint32_t(numbers.size())).first->second);
      }
      spec.coordinates.push_back(unit);
    }
  return Topology::create(std::move(spec));
}

}  // namespace polder
