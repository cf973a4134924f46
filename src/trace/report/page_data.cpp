// What the page shows, with a bound on everything: a page that takes minutes to open is read by nobody.
#include "trace/report/page.hpp"
#include "trace/text/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace polder::trace {

namespace {

constexpr std::size_t kMostTabled = 60;   // in tables by name
constexpr std::size_t kMostCells = 96;    // of each side of the matrix
constexpr std::size_t kMostNames = 1000;  // of single calls
constexpr std::size_t kMostText = 120;    // bytes of a name
constexpr std::size_t kMostRemarks = 200;
constexpr std::size_t kBits = 65;

// "null" for nobody.
std::string rank_json(Rank rank) {
  return rank == ~Rank{0} ? std::string("null") : std::to_string(rank);
}

std::string row_of(std::initializer_list<std::int64_t> numbers) {
  return json_numbers(numbers);
}

// Names by number, and what calls of that name do. A program may name more regions than a page should hold: those met
// late share a name.
class Names {
 public:
  std::int64_t number_of(const std::string& name, EventKind like = EventKind::none) {
    const bool full = entries_.size() >= kMostNames;
    const auto [at, fresh] =
        numbers_.try_emplace(full && !numbers_.contains(name) ? std::string("...") : name, entries_.size());
    if (fresh) entries_.push_back({at->first.substr(0, kMostText), ""});
    if (is_call(like) || like == EventKind::runtime) entries_[at->second].activity = to_string(activity_of(like));
    return std::int64_t(at->second);
  }
  std::string names_json() const {
    return json_list(entries_, [](const Entry& entry) { return json_text(entry.name); });
  }
  // Empty for regions.
  std::string activities_json() const {
    return json_list(entries_, [](const Entry& entry) { return json_text(entry.activity); });
  }

 private:
  struct Entry {
    std::string name;
    const char* activity;
  };
  std::map<std::string, std::size_t> numbers_;
  std::vector<Entry> entries_;
};

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t n) {
      return i + n < bytes.size() ? std::uint32_t(std::uint8_t(bytes[i + n])) : 0;
    };
    const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (int digit = 0; digit < 4; ++digit)
      text += i + std::size_t(digit) > bytes.size() ? '=' : kDigits[three >> (18 - 6 * digit) & 63];
  }
  return text;
}

std::string page_loss_json(const Loss& loss) {
  JsonObject object;
  object.add("cause", json_text(to_string(loss.cause)))
      .add("ns", loss.ns)
      .add("others_ns", loss.others_ns)
      .add("times", std::int64_t(loss.times));
  object.add("ranks", json_numbers(loss.ranks))
      .add("culprit", rank_json(loss.culprit))
      .add("root", rank_json(loss.root));
  object.add("call", json_text(loss.call.substr(0, kMostText)));
  object.add("sentence", json_text(loss.sentence)).add("way_out", json_text(loss.way_out));
  const Instance& longest = loss.longest;
  object.add("longest", longest.rank == ~Rank{0}
                            ? std::string("null")
                            : row_of({std::int64_t(longest.rank), longest.begin_ns, longest.end_ns}));
  return object.text();
}

std::string efficiencies_json(const Efficiencies& rated) {
  JsonObject object;
  object.add("parallel", rated.parallel).add("load_balance", rated.load_balance);
  object.add("communication", rated.communication).add("serialisation", rated.serialisation);
  return object.add("transfer", rated.transfer).text();
}

std::string path_json(const Analysis& analysis, Names& names) {
  JsonObject object;
  object.add("transfer", analysis.path_transfer_ns);
  object.add("calls", json_list(analysis.path_calls, [&](const PathCall& call) {
               const std::int64_t name = call.call.empty() ? -1 : names.number_of(call.call);
               return row_of({std::int64_t(call.rank), name, call.ns});
             }));
  object.add("pieces", json_list(analysis.path_pieces, [](const PathPiece& piece) {
               return row_of({std::int64_t(piece.rank), piece.begin_ns, piece.end_ns});
             }));
  return object.text();
}

// A byte for each activity of each bin: 255 is the whole bin.
std::string timeline_json(const Timeline& timeline) {
  std::string bytes;
  for (const auto& row : timeline.rows)
    for (const auto& bin : row) {
      double all = 0;
      for (const float ns : bin) all += double(ns);
      for (const float ns : bin) bytes += char(all > 0 ? std::lround(255 * double(ns) / all) : 0);
    }
  JsonObject object;
  object.add("bins", std::int64_t(timeline.bins)).add("rows", std::int64_t(timeline.rows.size()));
  object.add("ranks_per_row", std::int64_t(timeline.ranks_per_row));
  std::vector<std::string> activities;
  for (std::size_t i = 0; i < kActivities; ++i) activities.emplace_back(to_string(Activity(i)));
  object.add("activities", json_list(activities, json_text));
  return object.add("cells", json_text(base64(bytes))).text();
}

std::string calls_json(const std::vector<LongCall>& calls, Names& names) {
  return json_list(calls, [&](const LongCall& call) {
    return "[" + std::to_string(call.rank) + "," + std::to_string(call.thread) + "," +
           std::to_string(names.number_of(call.name, call.like)) + "," + std::to_string(call.begin_ns) + "," +
           std::to_string(call.end_ns - call.begin_ns) + "," + rank_json(call.peer) + "," + std::to_string(call.bytes) +
           "]";
  });
}

std::size_t count_hosts(const Analysis& analysis) {
  std::set<std::string> hosts;
  for (const RankProfile& profile : analysis.profiles) hosts.insert(profile.host);
  return hosts.size();
}

std::string waits_json(const std::vector<RankWait>& waits) {
  return json_list(waits, [](const RankWait& wait) {
    return row_of({std::int64_t(wait.rank), std::int64_t(wait.from), wait.begin_ns, wait.end_ns, wait.from_ns});
  });
}

// Of many ranks, blocks of neighbours.
std::string matrix_json(const Analysis& analysis) {
  const Rank block = std::max<Rank>(1, Rank((std::uint64_t{analysis.ranks} + kMostCells - 1) / kMostCells));
  std::map<std::pair<Rank, Rank>, PairTraffic> cells;
  for (const auto& [pair, traffic] : analysis.traffic) {
    PairTraffic& cell = cells[{pair.first / block, pair.second / block}];
    cell.bytes += traffic.bytes;
    cell.messages += traffic.messages;
    cell.ns += traffic.ns;
  }
  JsonObject object;
  object.add("block", std::int64_t(block)).add("size", std::int64_t((analysis.ranks + block - 1) / block));
  object.add("cells", json_list(cells, [](const auto& entry) {
               const auto& [pair, sum] = entry;
               return row_of({std::int64_t(pair.first), std::int64_t(pair.second), std::int64_t(sum.bytes),
                              std::int64_t(sum.messages), sum.ns});
             }));
  return object.text();
}

// Ranks, or rows of the timeline where these stand for several.
struct Row {
  Rank first = 0;
  Rank ranks = 0;
  std::string host;
  std::int64_t useful_ns = 0;
  std::int64_t calls_ns = 0;
  std::int64_t startup_ns = 0;
  std::int64_t run_delay_ns = 0;
  std::map<std::string, CallTotals> calls;
};

void add(CallTotals& to, const CallTotals& totals) {
  to.count += totals.count;
  to.ns += totals.ns;
  to.bytes += totals.bytes;
  to.failures += totals.failures;
}

std::vector<Row> rows_of(const Analysis& analysis) {
  std::map<Rank, Row> rows;
  for (const RankProfile& profile : analysis.profiles) {
    const Rank per_row = std::max<Rank>(analysis.timeline.ranks_per_row, 1);
    Row& row = rows[profile.rank / per_row];
    if (row.ranks++ == 0) row.first = profile.rank;
    row.host = row.host.empty() || row.host == profile.host ? profile.host : "several";
    row.useful_ns += profile.useful_ns;
    row.calls_ns += profile.calls_ns;
    row.startup_ns += profile.startup_ns;
    row.run_delay_ns += std::int64_t(profile.run_delay_ns);
    for (const auto& [name, totals] : profile.calls) add(row.calls[name], totals);
  }
  std::vector<Row> all;
  for (auto& [number, row] : rows) all.push_back(std::move(row));
  return all;
}

std::string rows_json(const std::vector<Row>& rows) {
  return json_list(rows, [](const Row& row) {
    JsonObject object;
    object.add("rank", std::int64_t(row.first)).add("ranks", std::int64_t(row.ranks)).add("host", json_text(row.host));
    object.add("useful", row.useful_ns).add("calls", row.calls_ns).add("startup", row.startup_ns);
    return object.add("delay", row.run_delay_ns).text();
  });
}

// The calls that took most time; the others come as one.
class CallTable {
 public:
  explicit CallTable(const std::vector<Row>& rows) {
    std::map<std::string, CallTotals> sums;
    for (const Row& row : rows)
      for (const auto& [name, totals] : row.calls) add(sums[name], totals);
    std::vector<std::pair<std::string, CallTotals>> order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool own_line = i < kMostTabled;
      line_[order[i].first] = std::min(i, kMostTabled);
      if (i > kMostTabled) {
        add(lines_.back().second, order[i].second);
        continue;
      }
      lines_.emplace_back(own_line ? order[i].first : "others", order[i].second);
    }
  }

  std::string text(const Analysis& analysis, const std::vector<Row>& rows) const {
    std::vector<std::vector<std::int64_t>> ns(lines_.size(), std::vector<std::int64_t>(rows.size()));
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (const auto& [name, totals] : rows[row].calls) ns[line_.at(name)][row] += totals.ns;
    std::vector<std::array<std::uint64_t, kBits>> durations(lines_.size());
    for (const auto& [name, histogram] : analysis.durations)
      if (const auto line = line_.find(name); line != line_.end())
        for (std::size_t i = 0; i < kBits; ++i) durations[line->second][i] += histogram[i];
    std::string all;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      const auto& [name, sum] = lines_[line];
      JsonObject object;
      object.add("name", json_text(name.substr(0, kMostText))).add("count", std::int64_t(sum.count)).add("ns", sum.ns);
      object.add("bytes", std::int64_t(sum.bytes)).add("failures", std::int64_t(sum.failures));
      object.add("by_row", json_numbers(ns[line])).add("durations", json_numbers(durations[line]));
      all += (all.empty() ? "" : ",") + object.text();
    }
    return "[" + all + "]";
  }

 private:
  std::map<std::string, std::size_t> line_;
  std::vector<std::pair<std::string, CallTotals>> lines_;
};

// JavaScript rounds those beyond 53 bits.
std::string number_json(std::uint64_t number) {
  return std::to_string(number);
}

// By region: how often, and what each counter of the processor or the kernel counted in it. Those that were met most.
std::string hardware_json(const Analysis& analysis) {
  std::vector<std::pair<std::string, RegionCounts>> regions(analysis.hardware.begin(), analysis.hardware.end());
  std::ranges::stable_sort(regions, std::greater(), [](const auto& region) { return region.second.times; });
  if (regions.size() > kMostTabled) regions.resize(kMostTabled);
  return json_list(regions, [](const auto& region) {
    JsonObject counts;
    for (const auto& [counter, count] : region.second.counts)
      counts.add(counter.substr(0, kMostText), number_json(count));
    JsonObject object;
    object.add("region", json_text(region.first.substr(0, kMostText)));
    return object.add("times", number_json(region.second.times)).add("counts", counts.text()).text();
  });
}

// The largest number of 64 bits that a mean, which is rounded to 53 of them, may be.
constexpr double kLargestMean = 18446744073709549568.0;

// Each bin that has something: its number, the least, the mean and the most.
std::string curve_json(const std::pair<const std::string, CounterCurve>& counter) {
  const auto& [name, curve] = counter;
  const auto mean = [](const CounterCurve::Bin& bin) {
    return bin.sum / double(std::max<std::uint64_t>(bin.events, 1));
  };
  std::string bins;
  for (std::size_t i = 0; i < curve.bins.size(); ++i) {
    const CounterCurve::Bin& bin = curve.bins[i];
    if (bin.events == 0) continue;
    bins += (bins.empty() ? "[" : ",[") + std::to_string(i) + "," + number_json(bin.least) + "," +
            number_json(std::uint64_t(std::min(mean(bin), kLargestMean))) + "," + number_json(bin.most) + "]";
  }
  JsonObject object;
  object.add("name", json_text(name.substr(0, kMostText))).add("events", number_json(curve.all.events));
  object.add("least", number_json(curve.all.least))
      .add("most", number_json(curve.all.most))
      .add("mean", mean(curve.all));
  return object.add("bins", std::int64_t(curve.bins.size())).add("curve", "[" + bins + "]").text();
}

std::string remarks_json(const std::vector<std::string>& remarks) {
  std::vector<std::string> told(remarks.begin(),
                                remarks.begin() + std::ptrdiff_t(std::min(remarks.size(), kMostRemarks)));
  if (told.size() < remarks.size())
    told.push_back("and " + std::to_string(remarks.size() - told.size()) + " more, which polder trace stats prints");
  return json_list(told, [](const std::string& remark) { return json_text(remark.substr(0, 1000)); });
}

}  // namespace

std::string page_data(const Analysis& analysis) {
  const std::vector<Row> rows = rows_of(analysis);
  Names names;
  JsonObject waits;
  for (const auto& [name, ns] : analysis.wait_states) waits.add(name, ns);
  JsonObject object;
  object.add("ranks", std::int64_t(analysis.ranks)).add("events", std::int64_t(analysis.events));
  object.add("duration", analysis.duration_ns).add("losses", json_list(analysis.losses, page_loss_json));
  object.add("efficiencies", efficiencies_json(analysis.efficiencies)).add("wait_states", waits.text());
  object.add("path", path_json(analysis, names)).add("timeline", timeline_json(analysis.timeline));
  object.add("calls", calls_json(analysis.longest, names));
  object.add("hosts", std::int64_t(count_hosts(analysis)));
  object.add("waits", waits_json(analysis.waits)).add("matrix", matrix_json(analysis));
  object.add("sizes", json_numbers(analysis.sizes)).add("rows", rows_json(rows));
  object.add("table", CallTable(rows).text(analysis, rows)).add("remarks", remarks_json(analysis.remarks));
  object.add("names", names.names_json()).add("hardware", hardware_json(analysis));
  object.add("counters", json_list(analysis.counters, curve_json));
  return object.add("activity_of", names.activities_json()).text();
}

}  // namespace polder::trace
