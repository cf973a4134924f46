// A rank that does what its arguments say, one after the other:
//
//   actor [WHO:]ACTION[=VALUE]...       WHO: a rank, or several as 0,2; without it all ranks act
//
//   attach, finish           join and leave the job              exit=CODE      end at once
//   publish=KEY              publish the rank under KEY          crash          write to address 8
//   lookup=RANK.KEY          wait for it; print what came        raise=SIGNAL   signal this process
//   kill=RANK, report=RANK   as in bootstrap.hpp                 ignore=SIGNAL  ... from now on
//   abort=CODE.REASON        end the job                         hold           sleep until killed
//   failed=RANK, finished=RANK  wait for that state; print it    sleep=MILLISECONDS
//   print=TEXT, error=TEXT   a line on standard output, error    env=NAME       print NAME=VALUE
//   input                    print the lines of standard input   lines=COUNT    print many long lines
//   job                      print what job() says               cores          print the cores it may use
//   background, escape       start a child that sleeps in this process group, in a session of its own
//   touch=FILE               create FILE                         await=FILE     wait until it is there

#include "bootstrap/local/attach.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace {

using polder::Health;
using polder::Rank;
using polder::Status;
using polder::Timeout;
using polder::bootstrap::Bootstrap;
using namespace std::chrono_literals;

std::unique_ptr<Bootstrap> bootstrap;

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "actor: %s\n", what.c_str());
  std::exit(99);
}

void require(const Status& status) {
  if (!status.ok()) give_up(status.to_string());
}

void say(const std::string& text) {
  const std::string line = text + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) != ssize_t(line.size())) give_up("cannot write");
}

[[noreturn]] void hold() {
  while (true) pause();
}

void attach() {
  auto result = polder::bootstrap::local::attach_from_environment();
  if (!result) give_up(result.status().to_string());
  bootstrap = *std::move(result);
}

std::pair<std::string, std::string> split(const std::string& text, char at) {
  const auto place = text.find(at);
  return place == std::string::npos ? std::pair(text, std::string())
                                    : std::pair(text.substr(0, place), text.substr(place + 1));
}

Rank rank_of(const std::string& text) {
  return Rank(std::stoul(text));
}

void lookup(const std::string& value) {
  const auto [owner, key] = split(value, '.');
  const auto found = bootstrap->lookup(rank_of(owner), key, Timeout(60s));
  say(found ? std::string(reinterpret_cast<const char*>(found->data()), found->size()) : found.status().to_string());
}

void publish(const std::string& key) {
  const std::string text = "from " + std::to_string(bootstrap->job().rank);
  require(bootstrap->publish(key, std::as_bytes(std::span(text))));
}

void wait_for(Health health, const char* name, const std::string& rank) {
  while (bootstrap->health(rank_of(rank)) != health) std::this_thread::sleep_for(1ms);
  say("rank " + rank + " " + name);
}

void start_child(bool own_session) {
  if (fork() != 0) return;
  if (own_session) setsid();
  hold();
}

void crash() {
  signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit code
  volatile std::uintptr_t nowhere = 8;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

void print_lines(const std::string& count) {
  const char* rank = std::getenv("POLDER_RANK");
  // In pieces that do not end with the lines, so that whoever joins them must wait for the rest.
  const std::string line(300, rank[0]);
  std::string text;
  for (int i = 0; i < std::stoi(count); ++i) text += line + "\n";
  for (std::size_t at = 0; at < text.size(); at += 1000)
    if (write(STDOUT_FILENO, text.data() + at, std::min<std::size_t>(1000, text.size() - at)) < 0)
      give_up("cannot write");
}

void print_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) give_up("sched_getaffinity");
  std::string text = "cores";
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) text += " " + std::to_string(core);
  say(text);
}

void print_job() {
  const auto& job = bootstrap->job();
  say("job " + std::to_string(job.rank) + " of " + std::to_string(job.size) + " spares " + std::to_string(job.spares));
}

void abort_job(const std::string& value) {
  const auto [code, reason] = split(value, '.');
  bootstrap->abort(std::stoi(code), reason);
}

using Action = void (*)(const std::string&);

const std::map<std::string, Action> kActions = {
    {"attach", [](const std::string&) { attach(); }},
    {"finish", [](const std::string&) { bootstrap->finish(); }},
    {"publish", publish},
    {"lookup", lookup},
    {"kill", [](const std::string& rank) { require(bootstrap->kill(rank_of(rank))); }},
    {"report", [](const std::string& rank) { bootstrap->report_failure(rank_of(rank)); }},
    {"abort", abort_job},
    {"failed", [](const std::string& rank) { wait_for(Health::failed, "failed", rank); }},
    {"finished", [](const std::string& rank) { wait_for(Health::finished, "finished", rank); }},
    {"exit", [](const std::string& code) { _exit(std::stoi(code)); }},
    {"crash", [](const std::string&) { crash(); }},
    {"raise", [](const std::string& signal) { raise(std::stoi(signal)); }},
    {"ignore", [](const std::string& number) { signal(std::stoi(number), SIG_IGN); }},
    {"hold", [](const std::string&) { hold(); }},
    {"sleep", [](const std::string& time) { std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(time))); }},
    {"print", [](const std::string& text) { say(text); }},
    {"error", [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }},
    {"env",
     [](const std::string& name) {
       say(name + "=" + (std::getenv(name.c_str()) ? std::getenv(name.c_str()) : "(none)"));
     }},
    {"input",
     [](const std::string&) {
       for (std::string line; std::getline(std::cin, line);) say("read " + line);
     }},
    {"lines", print_lines},
    {"job", [](const std::string&) { print_job(); }},
    {"cores", [](const std::string&) { print_cores(); }},
    {"background", [](const std::string&) { start_child(false); }},
    {"escape", [](const std::string&) { start_child(true); }},
    {"touch", [](const std::string& path) { close(open(path.c_str(), O_CREAT | O_WRONLY, 0600)); }},
    {"await",
     [](const std::string& path) {
       while (access(path.c_str(), F_OK) != 0) std::this_thread::sleep_for(1ms);
     }},
};

bool is_meant(const std::string& who) {
  const char* text = std::getenv("POLDER_RANK");
  const std::string me = text == nullptr ? "0" : text;
  for (auto [first, rest] = split(who, ','); !first.empty(); std::tie(first, rest) = split(rest, ','))
    if (first == me) return true;
  return false;
}

void act(const std::string& word) {
  auto [who, what] = split(word, ':');
  if (what.empty() || who.find_first_not_of("0123456789,") != std::string::npos)
    what = word;
  else if (!is_meant(who))
    return;
  const auto [name, value] = split(what, '=');
  const auto action = kActions.find(name);
  if (action == kActions.end()) give_up("no action " + name);
  action->second(value);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) act(argv[i]);
  return 0;
}
