#include "api/dart/locality/tree.hpp"

#include "api/dart/locality/counts.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace polder::dart {
namespace {

using ScopeIndex = std::pair<int, int>;  // as hwloc names a level

struct Member {
  dart_unit_locality_t* unit;
  dart_global_unit_t id;

  std::string host() const { return {unit->hwinfo.host, strnlen(unit->hwinfo.host, sizeof unit->hwinfo.host)}; }
  int levels() const { return unit->hwinfo.num_scopes; }
  // Level 0 is the outermost.
  ScopeIndex at(int level) const {
    const dart_locality_scope_pos_t& position = unit->hwinfo.scopes[levels() - 1 - level];
    return {position.scope, position.index};
  }
};
using Members = std::vector<Member>;
using Hosts = std::map<std::string, Members>;

class TreeBuilder {
 public:
  explicit TreeBuilder(dart_team_t team) : team_(team) {}

  DomainTree build(const Hosts& hosts) {
    DomainTree root = new_domain();
    describe(*root, DART_LOCALITY_SCOPE_GLOBAL, 0, ".");
    std::vector<Domain*> nodes;
    for (const auto& [host, members] : hosts)
      if (!is_coprocessor(host, hosts)) nodes.push_back(attach(*root, DART_LOCALITY_SCOPE_NODE));
    auto node = nodes.begin();
    for (const auto& [host, members] : hosts)
      if (!is_coprocessor(host, hosts)) fill_node(**node++, host, hosts);
    count_from_children(*root);
    return root;
  }

 private:
  // A machine of its own inside of another, as Xeon Phi cards are called: node7-mic0.
  static bool is_coprocessor(const std::string& host, const Hosts& hosts) {
    const auto suffix = host.find("-mic");
    return suffix != std::string::npos && hosts.contains(host.substr(0, suffix));
  }

  void describe(Domain& domain, dart_locality_scope_t scope, int level, const std::string& tag) {
    domain.scope = scope;
    domain.level = level;
    domain.team = team_;
    domain.global_index = count_[scope]++;
    set_tag(domain, tag);
  }

  // A new last child.
  Domain* attach(Domain& parent, dart_locality_scope_t scope) {
    std::vector<Domain*> children(children_of(parent).begin(), children_of(parent).end());
    DomainTree child = new_domain();
    describe(*child, scope, parent.level + 1, child_tag(parent, parent.num_domains));
    std::memcpy(child->host, parent.host, sizeof child->host);
    child->num_nodes = 1;
    child->node_id = parent.node_id;
    children.push_back(child.get());
    set_children(parent, children);
    return child.release();
  }

  void fill_node(Domain& node, const std::string& host, const Hosts& hosts) {
    std::memcpy(node.host, host.data(), std::min(host.size(), sizeof node.host));
    node.node_id = node.global_index;
    for (auto module = hosts.find(host); module != hosts.end() && module->first.starts_with(host); ++module) {
      if (module->first != host && !module->first.starts_with(host + "-mic")) continue;
      Domain& domain = *attach(node, DART_LOCALITY_SCOPE_MODULE);
      std::memset(domain.host, 0, sizeof domain.host);
      std::memcpy(domain.host, module->first.data(), std::min(module->first.size(), sizeof domain.host));
      const int cores = std::max(1, module->second.front().unit->hwinfo.num_cores);
      fill(domain, module->second, 0, std::max(1, cores / int(module->second.size())));
      domain.num_cores = cores;
    }
    count_from_children(node);
  }

  // What is below a domain that the members share `level` levels with.
  void fill(Domain& domain, const Members& members, int level, int cores_each) {
    std::map<ScopeIndex, Members> below;
    for (const Member& member : members) {
      if (level < member.levels())
        below[member.at(level)].push_back(member);
      else
        settle(member, domain, cores_each);
    }
    for (const auto& [place, inside] : below)
      fill(*attach(domain, dart_locality_scope_t(place.first)), inside, level + 1, cores_each);
    count_from_children(domain);
    std::vector<dart_global_unit_t> ids(members.size());
    std::ranges::transform(members, ids.begin(), &Member::id);
    set_units(domain, ids);
    domain.num_cores = cores_each * int(members.size());
  }

  static void settle(const Member& member, const Domain& domain, int cores_each) {
    std::memcpy(member.unit->domain_tag, domain.domain_tag, sizeof domain.domain_tag);
    member.unit->hwinfo.num_cores = cores_each;
  }

  const dart_team_t team_;
  std::map<dart_locality_scope_t, int> count_;
};

}  // namespace

DomainTree build_tree(dart_team_t team, std::span<dart_unit_locality_t> units,
                      std::span<const dart_global_unit_t> ids) {
  Hosts hosts;
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    const Member member{&units[unit], ids[unit]};
    hosts[member.host()].push_back(member);
  }
  return TreeBuilder(team).build(hosts);
}

}  // namespace polder::dart
