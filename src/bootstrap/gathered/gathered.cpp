#include "bootstrap/gathered/gathered.hpp"

#include "bootstrap/gathered/crew_control.hpp"
#include "bootstrap/gathered/exchanged_records.hpp"
#include "bootstrap/gathered/introduction.hpp"
#include "bootstrap/gathered/node_page.hpp"
#include "bootstrap/gathered/spread_bootstrap.hpp"
#include "bootstrap/gathered/verdict.hpp"
#include "bootstrap/gathered/watcher.hpp"
#include "bootstrap/local/local_bootstrap.hpp"

#include <string>
#include <vector>

namespace polder::bootstrap::gathered {
namespace {

Status check(const Exchange& exchange) {
  if (exchange.size == 0 || exchange.size > local::kMaxRanks)
    return {Code::invalid_argument, "exchange: a job has 1 to " + std::to_string(local::kMaxRanks) + " ranks, not " +
                                        std::to_string(exchange.size)};
  if (exchange.rank >= exchange.size)
    return {Code::invalid_rank,
            "exchange: no rank " + std::to_string(exchange.rank) + " in a job of " + std::to_string(exchange.size)};
  if (!exchange.allgather) return {Code::invalid_argument, "exchange: there is no allgather"};
  return {};
}

struct Offer {
  Verdict verdict;
  std::int32_t file;  // the leader's descriptor of its node's page
};

// What a rank holds once its node has come together.
struct Place {
  Crew crew;
  std::shared_ptr<Watcher> watcher;
};

Status take_place(Place& place, const Introduction& leader, std::int32_t file) {
  if (place.crew.page == nullptr) {
    auto page = open_node_page(leader.process.pid, file, leader.size);
    if (!page.ok()) return std::move(page).status();
    place.crew.page = *std::move(page);
  }
  auto watcher = Watcher::start(place.crew);
  if (!watcher.ok()) return std::move(watcher).status();
  place.watcher = *std::move(watcher);
  return place.crew.page->enter(place.crew.me);
}

std::vector<Introduction> of_node(const std::vector<Rank>& ranks, std::span<const Introduction> introductions) {
  std::vector<Introduction> node;
  for (const Rank rank : ranks) node.push_back(introductions[rank]);
  return node;
}

// Whoever fails says so in the next exchange, so that nobody waits for it and all fail alike.
Result<Place> come_together(const Exchange& exchange, std::span<const Introduction> introductions) {
  Place place{.crew = {.page = nullptr, .me = exchange.rank, .ranks = ranks_beside(exchange.rank, introductions)},
              .watcher = nullptr};
  const Rank leader = place.crew.ranks.front();
  Offer offer{make_verdict({}), -1};
  if (leader == exchange.rank) {
    auto page = make_node_page(exchange.size, introductions.front().random, of_node(place.crew.ranks, introductions));
    offer.verdict = make_verdict(page.status());
    if (page.ok()) place.crew.page = *std::move(page);
    if (place.crew.page != nullptr) offer.file = place.crew.page->file().get();
  }
  auto offers = gather(exchange, offer);
  if (!offers.ok()) return std::move(offers).status();
  if (Status status = first_failure(*offers, [](const Offer& each) -> const Verdict& { return each.verdict; });
      !status.ok())
    return status;
  if (Status status = agree(exchange, take_place(place, introductions[leader], (*offers)[leader].file)); !status.ok())
    return status;
  return place;
}

std::vector<bool> marked(const std::vector<Rank>& ranks, Rank size) {
  std::vector<bool> marks(size);
  for (const Rank rank : ranks) marks[rank] = true;
  return marks;
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> create(const Exchange& exchange) {
  if (Status status = check(exchange); !status.ok()) return status;
  auto introductions = gather(exchange, make_introduction(exchange.rank, exchange.size));
  if (!introductions.ok()) return std::move(introductions).status();
  if (Status status = check_introductions(*introductions); !status.ok()) return status;
  auto place = come_together(exchange, *introductions);
  if (!place.ok()) return std::move(place).status();

  const Crew& crew = place->crew;
  auto node = std::make_unique<local::LocalBootstrap>(crew.page, crew.me, make_crew_control(crew, place->watcher));
  if (crew.ranks.size() == exchange.size) return std::unique_ptr<Bootstrap>(std::move(node));
  return std::unique_ptr<Bootstrap>(std::make_unique<SpreadBootstrap>(
      std::move(node), crew.ranks, lowest_beside(*introductions),
      std::make_unique<ExchangedRecords>(exchange, marked(crew.ranks, exchange.size))));
}

}  // namespace polder::bootstrap::gathered
