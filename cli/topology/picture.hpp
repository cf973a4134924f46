// What a mapping looks like.
#pragma once

#include <polder/topology.hpp>

#include <string>

namespace polder::cli {

// Branches of that level in which there are units.
std::size_t branches_in_use(const Topology& topology, std::size_t level);

// Writes an SVG of the places: a square each, the planes of a grid beside each other, coloured by the outermost branch of its unit,
// nodes in different lightness. invalid_argument: too many places for a picture. system: the file cannot be written.
Status write_picture(const CommunicationPattern& pattern, const Topology& topology, std::span<const Rank> order,
                     const std::string& path);

}  // namespace polder::cli
