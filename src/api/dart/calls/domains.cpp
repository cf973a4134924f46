// Trees of domains: a team's own and those of the program.
#include "api/dart/job/error.hpp"
#include "api/dart/locality/domain.hpp"
#include "api/dart/locality/edit.hpp"
#include "api/dart/symbols.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

using namespace polder;
using namespace polder::dart;

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

template <class T>
T* allocated(std::size_t count) {
  // Tables of pointers are wanted, too. NOLINTNEXTLINE(bugprone-sizeof-expression)
  auto* const memory = static_cast<T*>(std::calloc(count, sizeof(T)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

dart_ret_t not_there(const char* call, const std::string& what) {
  (void)refused(call, Status(Code::invalid_argument, "there is no domain of " + what));
  return DART_ERR_NOTFOUND;
}

dart_ret_t without_domain(const char* call) {
  return refused(call, null_argument("a domain, or where one goes,"));
}

Result<std::vector<std::string_view>> tags_of(int count, const char** tags) {
  if (count < 1 || tags == nullptr) return Status(Code::invalid_argument, std::to_string(count) + " tags");
  if (std::find(tags, tags + count, nullptr) != tags + count) return null_argument("one of the tags");
  return std::vector<std::string_view>(tags, tags + count);
}

// `change(domain, tags)` where there are some.
template <class Change>
dart_ret_t change_by_tags(const char* call, Domain* domain, int count, const char** tags, Change change) {
  return guarded(call, [&] {
    if (domain == nullptr) return without_domain(call);
    const auto found = tags_of(count, tags);
    if (!found.ok()) return refused(call, found.status());
    change(*domain, *found);
    return DART_OK;
  });
}

// The domains of a scope that are someone's share of several.
std::vector<std::string_view> share_of(const std::vector<Domain*>& domains, std::size_t part, std::size_t parts) {
  const std::size_t each = (domains.size() + parts - 1) / parts;
  std::vector<std::string_view> tags;
  for (std::size_t i = part * each; i < std::min(domains.size(), (part + 1) * each); ++i)
    tags.push_back(tag_of(*domains[i]));
  return tags;
}

}  // namespace

extern "C" {

dart_ret_t dart_domain_create(dart_domain_locality_t** domain_out) {
  return guarded("dart_domain_create", [&] {
    if (domain_out == nullptr) return without_domain("dart_domain_create");
    *domain_out = nullptr;
    *domain_out = new_domain().release();
    return DART_OK;
  });
}

dart_ret_t dart_domain_clone(const dart_domain_locality_t* domain_in, dart_domain_locality_t** domain_out) {
  return guarded("dart_domain_clone", [&] {
    if (domain_out != nullptr) *domain_out = nullptr;
    if (domain_in == nullptr || domain_out == nullptr) return without_domain("dart_domain_clone");
    *domain_out = copy_of(*domain_in).release();
    return DART_OK;
  });
}

dart_ret_t dart_domain_destroy(dart_domain_locality_t* domain) {
  if (domain == nullptr) return without_domain("dart_domain_destroy");
  DomainDeleter()(domain);
  return DART_OK;
}

dart_ret_t dart_domain_assign(dart_domain_locality_t* domain_lhs, const dart_domain_locality_t* domain_rhs) {
  return guarded("dart_domain_assign", [&] {
    if (domain_lhs == nullptr || domain_rhs == nullptr) return without_domain("dart_domain_assign");
    if (domain_lhs == domain_rhs) return DART_OK;
    const DomainTree copy = copy_of(*domain_rhs);  // which may lie below the other
    strip(*domain_lhs);
    copy_into(*domain_lhs, *copy);
    return DART_OK;
  });
}

dart_ret_t dart_domain_find(const dart_domain_locality_t* domain_in, const char* domain_tag,
                            dart_domain_locality_t** subdomain_out) {
  if (subdomain_out != nullptr) *subdomain_out = nullptr;
  if (domain_in == nullptr || domain_tag == nullptr || subdomain_out == nullptr)
    return without_domain("dart_domain_find");
  // The interface gives out what it got to look at as something to change.
  *subdomain_out = find_domain(const_cast<Domain&>(*domain_in), domain_tag);
  return *subdomain_out == nullptr ? DART_ERR_NOTFOUND : DART_OK;
}

dart_ret_t dart_domain_select(dart_domain_locality_t* domain_in, int num_subdomain_tags, const char** subdomain_tags) {
  return change_by_tags("dart_domain_select", domain_in, num_subdomain_tags, subdomain_tags,
                        [](Domain& domain, DomainTags tags) { select_domains(domain, tags); });
}

dart_ret_t dart_domain_exclude(dart_domain_locality_t* domain_in, int num_subdomain_tags, const char** subdomain_tags) {
  return change_by_tags("dart_domain_exclude", domain_in, num_subdomain_tags, subdomain_tags,
                        [](Domain& domain, DomainTags tags) { exclude_domains(domain, tags); });
}

dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t* domain, dart_domain_locality_t* subdomain,
                                     int subdomain_rel_id) {
  return guarded("dart_domain_add_subdomain", [&] {
    if (domain == nullptr || subdomain == nullptr) return without_domain("dart_domain_add_subdomain");
    if (subdomain->parent != nullptr || domain == subdomain)
      return refused("dart_domain_add_subdomain", Status(Code::invalid_argument, "the domain is in a tree already"));
    DomainTree tree(subdomain);
    const Status status = add_domain(*domain, tree, subdomain_rel_id);
    (void)tree.release();  // the caller's, still, if it could not be added
    return outcome("dart_domain_add_subdomain", status);
  });
}

dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t* domain, dart_domain_locality_t* new_parent_domain,
                                      int new_domain_rel_id) {
  return guarded("dart_domain_move_subdomain", [&] {
    if (domain == nullptr || new_parent_domain == nullptr) return without_domain("dart_domain_move_subdomain");
    return outcome("dart_domain_move_subdomain", move_domain(*domain, *new_parent_domain, new_domain_rel_id));
  });
}

dart_ret_t dart_domain_split_scope(const dart_domain_locality_t* domain_in, dart_locality_scope_t scope, int num_parts,
                                   dart_domain_locality_t* split_domain_out) {
  constexpr const char* kCall = "dart_domain_split_scope";
  return guarded(kCall, [&] {
    if (domain_in == nullptr || split_domain_out == nullptr) return without_domain(kCall);
    if (num_parts < 1) return refused(kCall, Status(Code::invalid_argument, std::to_string(num_parts) + " parts"));
    const DomainTree whole = copy_of(*domain_in);
    std::vector<Domain*> domains;
    collect_scope(*whole, scope, domains);
    if (domains.empty()) return not_there(kCall, "scope " + std::to_string(scope));
    for (int part = 0; part < num_parts; ++part) {
      const DomainTree reduced = copy_of(*whole);
      select_domains(*reduced, share_of(domains, std::size_t(part), std::size_t(num_parts)));
      split_domain_out[part].parent = nullptr;  // the rest is not read
      copy_into(split_domain_out[part], *reduced);
    }
    return DART_OK;
  });
}

dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t* domain_in, dart_locality_scope_t scope,
                                     int* num_domains_out, dart_domain_locality_t*** domains_out) {
  return guarded("dart_domain_scope_domains", [&] {
    if (num_domains_out != nullptr) *num_domains_out = 0;
    if (domains_out != nullptr) *domains_out = nullptr;
    if (domain_in == nullptr || num_domains_out == nullptr || domains_out == nullptr)
      return without_domain("dart_domain_scope_domains");
    std::vector<Domain*> domains;
    collect_scope(const_cast<Domain&>(*domain_in), scope, domains);
    if (domains.empty()) return DART_ERR_NOTFOUND;
    *domains_out = allocated<Domain*>(domains.size());
    std::ranges::copy(domains, *domains_out);
    *num_domains_out = int(domains.size());
    return DART_OK;
  });
}

dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t* domain_in, dart_locality_scope_t scope,
                                  int* num_domains_out, char*** domain_tags_out) {
  return guarded("dart_domain_scope_tags", [&] {
    if (num_domains_out != nullptr) *num_domains_out = 0;
    if (domain_tags_out != nullptr) *domain_tags_out = nullptr;
    if (domain_in == nullptr || num_domains_out == nullptr || domain_tags_out == nullptr)
      return without_domain("dart_domain_scope_tags");
    std::vector<Domain*> domains;
    collect_scope(const_cast<Domain&>(*domain_in), scope, domains);
    if (domains.empty()) return DART_ERR_NOTFOUND;
    std::vector<std::unique_ptr<char, Free>> tags;
    for (const Domain* domain : domains) {
      tags.emplace_back(allocated<char>(sizeof domain->domain_tag + 1));
      std::ranges::copy(tag_of(*domain), tags.back().get());
    }
    *domain_tags_out = allocated<char*>(tags.size());
    for (std::size_t i = 0; i < tags.size(); ++i) (*domain_tags_out)[i] = tags[i].release();
    *num_domains_out = int(tags.size());
    return DART_OK;
  });
}

dart_ret_t dart_domain_group(dart_domain_locality_t* domain_in, int num_group_subdomains,
                             const char** group_subdomain_tags, char* group_domain_tag_out) {
  constexpr const char* kCall = "dart_domain_group";
  return guarded(kCall, [&] {
    if (group_domain_tag_out != nullptr) *group_domain_tag_out = '\0';
    if (domain_in == nullptr || group_domain_tag_out == nullptr) return without_domain(kCall);
    const auto tags = tags_of(num_group_subdomains, group_subdomain_tags);
    if (!tags.ok()) return refused(kCall, tags.status());
    const auto tag = group_domains(*domain_in, *tags);
    if (!tag.ok()) {
      const dart_ret_t answer = refused(kCall, tag.status());
      return tag.status().code() == Code::invalid_segment ? DART_ERR_NOTFOUND : answer;
    }
    std::strncpy(group_domain_tag_out, tag->c_str(), DART_LOCALITY_DOMAIN_TAG_MAX_SIZE);
    return DART_OK;
  });
}

}  // extern "C"
