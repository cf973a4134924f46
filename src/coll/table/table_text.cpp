// The table as text: read from a file, and printed.
#include "coll/table/table.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace polder::coll {
namespace {

constexpr std::size_t kAnySize = ~std::size_t{0};
constexpr const char* kBlocks = "blocks";

// "64k", "2M", "any".
bool read_number(std::string_view word, std::size_t& number) {
  if (word == "any") return number = kAnySize, true;
  unsigned shift = 0;
  if (!word.empty() && word.back() == 'k') shift = 10;
  if (!word.empty() && word.back() == 'M') shift = 20;
  if (!word.empty() && word.back() == 'G') shift = 30;
  const char* const end = word.data() + word.size() - (shift != 0);
  const auto [last, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || last != end || word.empty() || number > kAnySize >> shift) return false;
  number <<= shift;
  return true;
}

std::string print_number(std::size_t number) {
  if (number == kAnySize) return "any";
  if (number != 0 && number % (1 << 20) == 0) return std::to_string(number >> 20) + "M";
  if (number != 0 && number % 1024 == 0) return std::to_string(number >> 10) + "k";
  return std::to_string(number);
}

struct Line {
  int number;
  std::vector<std::string> words;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::istringstream all{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(all, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    Line next{number, {}};
    for (std::string word; words >> word;) next.words.push_back(word);
    if (!next.words.empty()) lines.push_back(std::move(next));
  }
  return lines;
}

Status wrong(const Line& line, const std::string& what) {
  return {Code::invalid_argument, "line " + std::to_string(line.number) + ": " + what};
}

Status add(Table& table, const Line& line) {
  constexpr std::size_t kAll = 5;
  if (line.words.size() < 2 || line.words.size() > kAll)
    return wrong(line, "a row is a kind, an algorithm, and perhaps the most bytes and members and 'blocks'");
  std::size_t bytes = kAnySize, members = kAnySize;
  if (line.words.size() > 2 && !read_number(line.words[2], bytes)) return wrong(line, line.words[2] + " is no size");
  if (line.words.size() > 3 && !read_number(line.words[3], members))
    return wrong(line, line.words[3] + " is no number");
  const bool blocks = line.words.size() == kAll;
  if (blocks && line.words.back() != kBlocks) return wrong(line, line.words.back() + " is not '" + kBlocks + "'");
  const Rank most = members > ~Rank{0} ? ~Rank{0} : Rank(members);
  if (Status status = table.prefer(line.words[0], line.words[1], bytes, most, blocks); !status.ok())
    return wrong(line, std::string(status.message()));
  return {};
}

// What must hold besides sizes, and what the row is good for.
std::string what_it_needs(const Row& row) {
  const std::pair<bool, const char*> all[] = {
      {row.node, "members that share memory"},
      {row.levels, "members on several nodes, some beside others"},
      {row.commutes, "functions that commute"},
      {row.equal, "blocks of one size"},
      {row.direct, "neighbours that have slots for each other"},
      {row.tree, "the same bits in any layout"},
  };
  std::string text;
  for (const auto& [holds, words] : all)
    if (holds) text += (text.empty() ? "" : "; ") + std::string(words);
  return text;
}

}  // namespace

std::string print_size(std::size_t bytes) {
  return print_number(bytes);
}

std::string to_string(const Row& row) {
  const std::size_t members = row.most_members == ~Rank{0} ? kAnySize : row.most_members;
  return std::string(to_string(row.kind)) + " " + std::string(to_string(row.algorithm)) + " " +
         print_number(row.most_bytes) + " " + print_number(members) + (row.blocks ? " " + std::string(kBlocks) : "");
}

std::string why_not(const Row& row, const Choice& choice) {
  if (row.node && !choice.node) return "members that share memory only";
  if (row.blocks && !choice.blocks) return "members of several nodes only, where those of each follow each other";
  if (row.levels && !choice.levels) return "members on several nodes only, some beside others";
  if (choice.bytes > row.most_bytes) return "more than " + print_number(row.most_bytes) + " bytes";
  if (choice.members > row.most_members) return "more than " + std::to_string(row.most_members) + " members";
  if (row.commutes && !choice.commutes) return "functions that commute only";
  if (row.equal && !choice.equal) return "blocks of one size only";
  if (row.direct && !choice.direct) return "neighbours that have slots for each other only";
  if (!row.tree && choice.layout) return "it does not combine by the tree of members";
  return "";
}

// From the last line on, because each goes in front.
Status Table::read(std::string_view text) {
  Table read = *this;
  const std::vector<Line> lines = lines_of(text);
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (Status status = add(read, *line); !status.ok()) return status;
  *this = std::move(read);
  return {};
}

std::string Table::print() const {
  std::string text;
  for (const Row& row : rows_) {
    std::string line = to_string(row);
    if (const std::string needs = what_it_needs(row); !needs.empty()) {
      line.resize(std::max<std::size_t>(line.size() + 1, 44), ' ');
      line += "# " + needs;
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace polder::coll
