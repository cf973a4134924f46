// One evaluation of the fast multipole method: potentials and fields of all particles.
#pragma once

#include "decomposition.hpp"
#include "essential.hpp"
#include "expansions.hpp"
#include "far_field.hpp"
#include "local_work.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace fmm {

struct SolverSettings {
  unsigned order = 8;
  std::size_t leaf_size = 64;
  Precision precision = Precision::full;
  const Kernels* kernels = nullptr;  // must be set
  std::uint64_t memory = 0;          // bytes that this rank may use; 0: not limited
};

enum class Phase : std::uint8_t { share, tree, upward, walk, far, near, fetch, downward, total };
inline constexpr std::array<const char*, 9> kPhaseNames{"share", "tree",  "upward",   "walk", "far",
                                                        "near",  "fetch", "downward", "total"};
inline constexpr std::size_t kPhases = kPhaseNames.size();

// Of this rank, of one evaluation.
struct StepNumbers {
  std::array<double, kPhases> seconds{};
  std::uint64_t particles = 0;
  std::uint64_t cells = 0;
  std::uint64_t depth = 0;
  std::uint64_t translations = 0;
  std::uint64_t body_pairs = 0;
  std::uint64_t essential_bytes = 0;  // read from other ranks
  std::uint64_t bytes = 0;            // memory in use at the end
};

class Solver {
 public:
  Solver(const Team& team, const SolverSettings& settings);

  // Collective. Takes the particles to the ranks where they belong and computes. The first call shares them out by
  // number, later ones by what they cost the last time. `particles` may be particles(). All ranks fail together; those that stopped
  // because of another one get an error without a text.
  Status evaluate(std::span<const Particle> particles);

  // After evaluate(): the particles that this rank has now, and what acts on each, in the same order.
  std::span<Particle> particles() const { return decomposition_.particles(); }
  double potential(std::size_t body) const { return values(0)[body] * scale(); }
  std::array<double, 3> field(std::size_t body) const;
  // The particle of a body.
  std::size_t particle_of(std::size_t body) const { return decomposition_.order()[body].index; }

  const Decomposition& decomposition() const { return decomposition_; }
  const Expansions& expansions() const { return expansions_; }
  const StepNumbers& numbers() const { return numbers_; }

 private:
  class Watch;

  Status compute();
  Status prepare_memory();
  Status gather_trees(bool failed, LocalWork& work, std::vector<TreeInfo>& trees);
  Status fetch(Essential& essential, LocalWork& work);
  void remote_work(const Essential& essential, FarField& far, NearField& near);
  Status share_costs();
  std::uint64_t own_memory() const;
  Status check_memory(std::uint64_t bytes) const;

  double scale() const { return 1 / decomposition_.domain().unit(); }
  double* values(std::size_t array) const { return const_cast<double*>(values_.data()) + array * value_stride_; }
  Field field_arrays() const { return {values(0), values(1), values(2), values(3)}; }

  const Team& team_;
  SolverSettings settings_;
  Expansions expansions_;
  Decomposition decomposition_;
  Window cell_window_;
  Window multipole_window_;
  std::uint64_t few_;
  std::vector<double> locals_;
  std::vector<double> values_;  // potential and field at the bodies, in the domain's units
  std::size_t value_stride_ = 0;
  std::vector<Effort> efforts_;
  std::vector<double> weights_;
  StepNumbers numbers_;
};

}  // namespace fmm
