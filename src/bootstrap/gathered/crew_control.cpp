#include "bootstrap/gathered/crew_control.hpp"

namespace polder::bootstrap::gathered {
namespace {

class CrewControl final : public local::JobControl {
 public:
  CrewControl(Crew crew, std::shared_ptr<Watcher> watcher) : crew_(std::move(crew)), watcher_(std::move(watcher)) {}

  Status kill(Rank by, Rank rank) override { return kill_rank(crew_, by, rank); }
  void abort(Rank, int code, std::string_view reason) override { abort_job(crew_, code, reason); }

 private:
  Crew crew_;
  std::shared_ptr<Watcher> watcher_;
};

}  // namespace

std::unique_ptr<local::JobControl> make_crew_control(Crew crew, std::shared_ptr<Watcher> watcher) {
  return std::make_unique<CrewControl>(std::move(crew), std::move(watcher));
}

}  // namespace polder::bootstrap::gathered
