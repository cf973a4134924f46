// A network whose links are shared: vertices, nodes first and then switches, and the link that a letter takes next on its
// way to a node. Ways are fixed by source and destination, so letters between two nodes keep their order.
#pragma once

#include <polder/status.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace polder::coll {

class Interconnect {
 public:
  struct Hop {
    std::uint32_t link;  // one direction of a cable
    std::uint32_t to;    // the vertex at its end
  };

  virtual ~Interconnect() = default;
  virtual std::uint32_t nodes() const = 0;  // that can be attached
  virtual std::uint32_t links() const = 0;
  // The next hop from vertex `at` of a letter to `node`. REQUIRES: at != node, and `at` lies on the way of some letter
  // to it.
  virtual Hop next(std::uint32_t at, std::uint32_t node) const = 0;
  // "fat tree of 3 levels of switches with 16 ports"
  virtual std::string describe() const = 0;
};

// The network of a description, for at least `nodes` nodes:
//
//   crossbar          one switch without limits; nodes share nothing but their own links
//   fat_tree[:R]      three levels of switches with R ports (the least even R that suffices, up to 128), full
//                     bisection, ways chosen by destination (Leiserson 1985; Zahavi 2012)
//   dragonfly[:H]     groups of 2H routers with H nodes and H global links each (the least H that suffices), shortest
//                     ways (Kim, Dally, Scott, Abts 2008)
//   torus[:XxYx...]   a ring in each dimension (three, as equal as can be), dimension by dimension, the short way
//
// invalid_argument: there is no such network, or it has no place for so many nodes.
Result<std::unique_ptr<Interconnect>> make_interconnect(std::string_view description, std::uint32_t nodes);

}  // namespace polder::coll
