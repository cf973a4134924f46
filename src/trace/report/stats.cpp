#include "trace/report/stats.hpp"

#include "trace/analyse/sentences.hpp"
#include "trace/text/json.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <utility>
#include <vector>

namespace polder::trace {

namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* how, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, how);
  std::vsnprintf(text, sizeof text, how, arguments);
  va_end(arguments);
  return text;
}

std::map<std::string, CallTotals> totals_of(const Analysis& analysis) {
  std::map<std::string, CallTotals> all;
  for (const RankProfile& profile : analysis.profiles)
    for (const auto& [name, totals] : profile.calls) {
      CallTotals& sum = all[name];
      sum.count += totals.count;
      sum.ns += totals.ns;
      sum.bytes += totals.bytes;
      sum.failures += totals.failures;
    }
  return all;
}

double share_of(const Analysis& analysis, std::int64_t ns) {
  const double all = double(analysis.duration_ns) * double(std::max<std::size_t>(analysis.profiles.size(), 1));
  return all > 0 ? 100 * double(ns) / all : 0;
}

std::string losses_text(const Analysis& analysis) {
  if (analysis.losses.empty()) return "No losses were found.\n";
  std::string text = "The largest losses, in time of all ranks together:\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(analysis.losses.size(), 5); ++i) {
    const Loss& loss = analysis.losses[i];
    text += format("  %zu. %s: %s (%.1f %%)\n     ", i + 1, to_string(loss.cause), duration_text(loss.ns).c_str(),
                   share_of(analysis, loss.ns));
    text += loss.sentence + "\n     " + loss.way_out + "\n";
  }
  return text;
}

std::string path_text(const Analysis& analysis) {
  std::string text = "Critical path: ";
  std::vector<std::pair<std::int64_t, std::string>> parts;
  for (const PathShare& share : analysis.path)
    for (std::size_t i = 0; i < kActivities; ++i)
      parts.emplace_back(share.ns[i], format("rank %u %s", share.rank, to_string(Activity(i))));
  parts.emplace_back(analysis.path_transfer_ns, "between ranks");
  std::sort(parts.rbegin(), parts.rend());
  for (std::size_t i = 0; i < std::min<std::size_t>(parts.size(), 6) && parts[i].first > 0; ++i) {
    const double percent = analysis.duration_ns > 0 ? 100 * double(parts[i].first) / double(analysis.duration_ns) : 0;
    text += format("%s%s %.1f %%", i == 0 ? "" : ", ", parts[i].second.c_str(), percent);
    text += format(" (without it %s)", duration_text(analysis.duration_ns - parts[i].first).c_str());
  }
  return text + "\n";
}

std::string calls_text(const Analysis& analysis) {
  std::vector<std::pair<std::string, CallTotals>> calls;
  for (const auto& call : totals_of(analysis)) calls.push_back(call);
  std::sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  std::string text = format("%-28s %12s %12s %12s %14s %8s\n", "call", "count", "time", "each", "bytes", "failed");
  for (std::size_t i = 0; i < std::min<std::size_t>(calls.size(), 25); ++i) {
    const auto& [name, sum] = calls[i];
    text += format("%-28.28s %12llu %12s %12s %14llu %8llu\n", name.c_str(), (unsigned long long)sum.count,
                   duration_text(sum.ns).c_str(), duration_text(sum.ns / std::int64_t(sum.count)).c_str(),
                   (unsigned long long)sum.bytes, (unsigned long long)sum.failures);
  }
  return text;
}

std::string algorithms_text(const Analysis& analysis) {
  if (analysis.algorithms.empty()) return "";
  std::string text = "\nCollectives, by the algorithm that was chosen, of all ranks:\n";
  for (const auto& [key, sum] : analysis.algorithms)
    text += format("  %.40s by %.40s: %llu times, %s\n", key.first.c_str(), key.second.c_str(),
                   (unsigned long long)sum.count, duration_text(sum.ns).c_str());
  return text;
}

std::string hardware_text(const Analysis& analysis) {
  if (analysis.hardware.empty()) return "";
  std::string text = "\nCounted in regions of the program, with what they call, of all ranks:\n";
  for (const auto& [region, sums] : analysis.hardware) {
    text += format("  %.40s, %llu times:", region.c_str(), (unsigned long long)sums.times);
    for (const auto& [name, count] : sums.counts) text += format(" %s %llu", name.c_str(), (unsigned long long)count);
    const auto cycles = sums.counts.find("cycles"), instructions = sums.counts.find("instructions");
    if (cycles != sums.counts.end() && instructions != sums.counts.end() && cycles->second != 0)
      text += format(", %.2f instructions a cycle", double(instructions->second) / double(cycles->second));
    text += "\n";
  }
  return text;
}

// ---- JSON ----

std::string loss_json(const Loss& loss) {
  JsonObject object;
  object.add("cause", json_text(to_string(loss.cause)))
      .add("ns", loss.ns)
      .add("others_ns", loss.others_ns)
      .add("times", std::int64_t(loss.times));
  object.add("ranks", json_numbers(loss.ranks));
  const auto rank_or_null = [](Rank rank) { return rank == ~Rank{0} ? std::string("null") : std::to_string(rank); };
  object.add("culprit", rank_or_null(loss.culprit)).add("root", rank_or_null(loss.root));
  object.add("call", json_text(loss.call))
      .add("sentence", json_text(loss.sentence))
      .add("way_out", json_text(loss.way_out));
  return object.text();
}

std::string profile_json(const RankProfile& profile) {
  JsonObject calls;
  for (const auto& [name, sum] : profile.calls) {
    JsonObject call;
    call.add("count", std::int64_t(sum.count)).add("ns", sum.ns).add("bytes", std::int64_t(sum.bytes));
    calls.add(name, call.add("failures", std::int64_t(sum.failures)).text());
  }
  JsonObject object;
  object.add("rank", std::int64_t(profile.rank)).add("useful_ns", profile.useful_ns).add("calls_ns", profile.calls_ns);
  object.add("startup_ns", profile.startup_ns).add("run_delay_ns", std::int64_t(profile.run_delay_ns));
  return object.add("calls", calls.text()).text();
}

}  // namespace

std::string stats_text(const Analysis& analysis) {
  std::string text = format("%u ranks, %llu events, %s\n\n", analysis.ranks, (unsigned long long)analysis.events,
                            duration_text(analysis.duration_ns).c_str());
  text += losses_text(analysis) + "\n";
  const Efficiencies& rated = analysis.efficiencies;
  text += format(
      "Parallel efficiency %.1f %% = load balance %.1f %% x communication %.1f %% (serialisation %.1f %% x transfer "
      "%.1f "
      "%%)\n",
      100 * rated.parallel, 100 * rated.load_balance, 100 * rated.communication, 100 * rated.serialisation,
      100 * rated.transfer);
  text += path_text(analysis);
  for (const auto& [name, ns] : analysis.wait_states)
    if (ns > 0) text += format("%s: %s\n", name.c_str(), duration_text(ns).c_str());
  text += "\n" + calls_text(analysis) + algorithms_text(analysis) + hardware_text(analysis);
  for (const std::string& remark : analysis.remarks) text += "note: " + remark + "\n";
  return text;
}

std::string stats_json(const Analysis& analysis) {
  const Efficiencies& rated = analysis.efficiencies;
  JsonObject pop;
  pop.add("parallel", rated.parallel).add("load_balance", rated.load_balance).add("communication", rated.communication);
  pop.add("serialisation", rated.serialisation).add("transfer", rated.transfer);
  JsonObject waits;
  for (const auto& [name, ns] : analysis.wait_states) waits.add(name, ns);
  JsonObject object;
  object.add("ranks", std::int64_t(analysis.ranks)).add("events", std::int64_t(analysis.events));
  object.add("duration_ns", analysis.duration_ns).add("losses", json_list(analysis.losses, loss_json));
  object.add("efficiencies", pop.text()).add("wait_states", waits.text());
  object.add("path_transfer_ns", analysis.path_transfer_ns);
  object.add("critical_path", json_list(analysis.path, [](const PathShare& share) {
               JsonObject part;
               part.add("rank", std::int64_t(share.rank));
               for (std::size_t i = 0; i < kActivities; ++i) part.add(to_string(Activity(i)), share.ns[i]);
               return part.text();
             }));
  object.add("traffic", json_list(analysis.traffic, [](const auto& entry) {
               const auto& [pair, sum] = entry;
               return "[" + std::to_string(pair.first) + "," + std::to_string(pair.second) + "," +
                      std::to_string(sum.bytes) + "," + std::to_string(sum.messages) + "," + std::to_string(sum.ns) +
                      "]";
             }));
  object.add("algorithms", json_list(analysis.algorithms, [](const auto& entry) {
               JsonObject part;
               part.add("call", json_text(entry.first.first)).add("algorithm", json_text(entry.first.second));
               return part.add("count", std::int64_t(entry.second.count)).add("ns", entry.second.ns).text();
             }));
  JsonObject hardware;
  for (const auto& [region, sums] : analysis.hardware) {
    JsonObject counts;
    counts.add("times", std::int64_t(sums.times));
    for (const auto& [name, count] : sums.counts) counts.add(name, std::int64_t(count));
    hardware.add(region, counts.text());
  }
  object.add("hardware", hardware.text());
  object.add("profiles", json_list(analysis.profiles, profile_json));
  object.add("remarks", json_list(analysis.remarks, json_text));
  return object.text() + "\n";
}

std::string diff_text(const Analysis& before, const Analysis& after) {
  struct Change {
    std::int64_t ns;
    std::string text;
  };
  std::vector<Change> changes;
  const auto compare = [&](const std::string& what, std::int64_t from, std::int64_t to) {
    if (from == to) return;
    const std::string ratio = from > 0 ? format(", x %.2f", double(to) / double(from)) : "";
    changes.push_back({to - from, format("  %c%s  %s: %s -> %s%s\n", to > from ? '+' : '-',
                                         duration_text(std::abs(to - from)).c_str(), what.c_str(),
                                         duration_text(from).c_str(), duration_text(to).c_str(), ratio.c_str())});
  };
  const auto print = [&](std::size_t most) {
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return std::abs(a.ns) > std::abs(b.ns); });
    std::string text;
    for (std::size_t i = 0; i < std::min(most, changes.size()); ++i) text += changes[i].text;
    changes.clear();
    return text.empty() ? std::string("  nothing\n") : text;
  };
  std::string text =
      format("%s -> %s", duration_text(before.duration_ns).c_str(), duration_text(after.duration_ns).c_str());
  if (before.duration_ns > 0) text += format(" (x %.2f)", double(after.duration_ns) / double(before.duration_ns));
  text += format("; parallel efficiency %.1f %% -> %.1f %%\n\nWhy: losses that changed, in time of all ranks\n",
                 100 * before.efficiencies.parallel, 100 * after.efficiencies.parallel);
  std::map<Cause, std::pair<std::int64_t, std::int64_t>> causes;
  for (const Loss& loss : before.losses) causes[loss.cause].first = loss.ns;
  for (const Loss& loss : after.losses) causes[loss.cause].second = loss.ns;
  for (const auto& [cause, ns] : causes) compare(to_string(cause), ns.first, ns.second);
  text += print(5) + "\nWhere: calls that changed\n";
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> calls;
  for (const auto& [name, sum] : totals_of(before)) calls[name].first = sum.ns;
  for (const auto& [name, sum] : totals_of(after)) calls[name].second = sum.ns;
  for (const auto& [name, ns] : calls) compare(name, ns.first, ns.second);
  text += print(10);
  for (const Loss& loss : after.losses)
    if (const auto& ns = causes[loss.cause]; ns.second > ns.first + ns.first / 10) {
      text += "\n" + loss.sentence + " " + loss.way_out + "\n";
      break;
    }
  return text;
}

}  // namespace polder::trace
