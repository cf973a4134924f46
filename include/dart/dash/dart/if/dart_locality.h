/* Where units run: a tree of hardware for each team. */
#ifndef DART__LOCALITY_H_
#define DART__LOCALITY_H_

#include <dash/dart/if/dart_types.h>
#include <dash/dart/if/dart_util.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collective over the team, once; the second frees, and pointers that were given out become invalid. */
dart_ret_t dart_team_locality_init(dart_team_t team) DART_NOTHROW;
dart_ret_t dart_team_locality_finalize(dart_team_t team) DART_NOTHROW;

/* Into the team's own tree and table: not to be freed. */
dart_ret_t dart_domain_team_locality(dart_team_t team, const char* domain_tag,
                                     dart_domain_locality_t** team_domain_out) DART_NOTHROW;
dart_ret_t dart_unit_locality(dart_team_t team, dart_team_unit_t unit, dart_unit_locality_t** loc) DART_NOTHROW;

/* ---- trees of the caller's own ---- */

dart_ret_t dart_domain_create(dart_domain_locality_t** domain_out) DART_NOTHROW;
dart_ret_t dart_domain_clone(const dart_domain_locality_t* domain_in, dart_domain_locality_t** domain_out) DART_NOTHROW;
dart_ret_t dart_domain_destroy(dart_domain_locality_t* domain) DART_NOTHROW;
dart_ret_t dart_domain_assign(dart_domain_locality_t* domain_lhs,
                              const dart_domain_locality_t* domain_rhs) DART_NOTHROW;
dart_ret_t dart_domain_find(const dart_domain_locality_t* domain_in, const char* domain_tag,
                            dart_domain_locality_t** subdomain_out) DART_NOTHROW;
/* Keeps what lies on the way to one of the tags, or below it; takes away what lies below. */
dart_ret_t dart_domain_select(dart_domain_locality_t* domain_in, int num_subdomain_tags,
                              const char** subdomain_tags) DART_NOTHROW;
dart_ret_t dart_domain_exclude(dart_domain_locality_t* domain_in, int num_subdomain_tags,
                               const char** subdomain_tags) DART_NOTHROW;
dart_ret_t dart_domain_add_subdomain(dart_domain_locality_t* domain, dart_domain_locality_t* subdomain,
                                     int subdomain_rel_id) DART_NOTHROW;
dart_ret_t dart_domain_move_subdomain(dart_domain_locality_t* domain, dart_domain_locality_t* new_parent_domain,
                                      int new_domain_rel_id) DART_NOTHROW;
/* `split_domain_out` has num_parts entries, each of which becomes the root of a tree. */
dart_ret_t dart_domain_split_scope(const dart_domain_locality_t* domain_in, dart_locality_scope_t scope, int num_parts,
                                   dart_domain_locality_t* split_domain_out) DART_NOTHROW;
/* Arrays of malloc(), which the caller frees, and the strings of the first, too. */
dart_ret_t dart_domain_scope_tags(const dart_domain_locality_t* domain_in, dart_locality_scope_t scope,
                                  int* num_domains_out, char*** domain_tags_out) DART_NOTHROW;
dart_ret_t dart_domain_scope_domains(const dart_domain_locality_t* domain_in, dart_locality_scope_t scope,
                                     int* num_domains_out, dart_domain_locality_t*** domains_out) DART_NOTHROW;
dart_ret_t dart_domain_group(dart_domain_locality_t* domain_in, int num_group_subdomains,
                             const char** group_subdomain_tags, char* group_domain_tag_out) DART_NOTHROW;

#ifdef __cplusplus
}
#endif

#endif
