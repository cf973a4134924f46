#include "trace/convert/convert.hpp"

#include "trace_fixture.hpp"

#include <cstdio>
#include <fstream>

namespace polder::trace {
namespace {

class ChromeTest : public TraceTest {
 protected:
  // The merged trace; its report is left in report_.
  void merge(const std::string& path) {
    auto report = convert(directory_, "chrome", path);
    EXPECT_TRUE(report.ok()) << report.status().to_string();
    if (report) report_ = *std::move(report);
  }

  // What `python3 -c program` prints with the merged trace as `t`, its list of events as `e`.
  std::string ask_python(const std::string& expression) {
    const std::string path = directory_ + "/merged.json";
    merge(path);
    const std::string command = "python3 -c 'import json; t=json.load(open(\"" + path +
                                "\")); e=t[\"traceEvents\"]; print(" + expression + ", end=\"\")' 2>&1";
    std::string output;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return "popen failed";
    char buffer[4096];
    while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, got);
    EXPECT_EQ(::pclose(pipe), 0) << output;
    return output;
  }

  void write_header(Rank rank, const FileHeader& header) const {
    std::ofstream(file_path(directory_, rank), std::ios::binary)
        .write(reinterpret_cast<const char*>(&header), sizeof header);
  }

  ConvertReport report_;
};

TEST_F(ChromeTest, WritesWhatHappened) {
  auto first = open(options(0, 2)), second = open(options(1, 2));
  first->record(event_at(EventKind::put_notify, 1000, 1010,
                         {.peer = 1, .segment = 7, .bytes = 64, .queue = 2, .notification = 3, .value = 9}));
  second->record(event_at(EventKind::wait_some, 990, 1015, {.segment = 7, .notification = 3}));
  second->record(event_at(EventKind::reset, 1016, 1017, {.segment = 7, .notification = 3, .value = 9}));
  second->record(make_event(EventKind::peer_failed, Phase::mark, 1'020'000, 1'020'000, {.peer = 0}));
  second->record(make_event(EventKind::allreduce, Phase::async, 1'000'500, 1'030'000, {.bytes = 8}, Code::timeout));
  second->record(make_event(kind_of(EventKind::first_user, 1), Phase::counter, 1'021'000, 1'021'000, {.bytes = 5}));
  first.reset();
  second.reset();

  EXPECT_EQ(ask_python("[(x[\"pid\"],x[\"name\"],x[\"ts\"],x[\"dur\"]) for x in e if x[\"ph\"]==\"X\"]"),
            "[(0, 'put_notify', 1000.0, 10.0), (1, 'wait_some', 990.0, 25.0), (1, 'reset', 1016.0, 1.0)]");
  EXPECT_EQ(ask_python("[x[\"args\"] for x in e if x[\"name\"]==\"put_notify\"]"),
            "[{'peer': 1, 'segment': 7, 'bytes': 64, 'queue': 2, 'notification': 3, 'value': 9}]");
  EXPECT_EQ(ask_python("[(x[\"ph\"],x[\"pid\"],x[\"ts\"]) for x in e if x[\"name\"]==\"notification\"]"),
            "[('s', 0, 1000.0), ('f', 1, 1014.999)]");
  EXPECT_EQ(ask_python("len(set(x[\"id\"] for x in e if x[\"ph\"] in \"sf\"))"), "1");
  EXPECT_EQ(ask_python("[(x[\"ts\"],x[\"args\"]) for x in e if x[\"ph\"]==\"i\"]"), "[(1020.0, {'peer': 0})]");
  EXPECT_EQ(ask_python("[(x[\"ph\"],x[\"ts\"],x.get(\"args\")) for x in e if x[\"ph\"] in \"be\"]"),
            "[('b', 1000.5, {'bytes': 8, 'outcome': 'timeout'}), ('e', 1030.0, None)]");
  EXPECT_EQ(ask_python("[(x[\"name\"],x[\"args\"][\"value\"]) for x in e if x[\"ph\"]==\"C\"]"), "[('kind 4097', 5)]");
  EXPECT_EQ(ask_python("sorted(x[\"args\"][\"name\"].split(\",\")[0] for x in e if x[\"name\"]==\"process_name\")"),
            "['rank 0 (node7', 'rank 1 (node7']");
  EXPECT_EQ(ask_python("len([x for x in e if x[\"name\"]==\"thread_name\"])"), "2");
  EXPECT_EQ(report_.events, 6u);
  EXPECT_EQ(report_.flows, 1u);
  EXPECT_EQ(report_.duration_ns, 1'030'000);
  EXPECT_TRUE(report_.remarks.empty()) << report_.remarks.front();
}

// The number of the algorithm stands where other calls have their queue.
TEST_F(ChromeTest, TheAlgorithmOfACollectiveHasItsName) {
  auto recorder = open(options());
  const KindName names[] = {{algorithm_kind(11), EventKind::none, "ring", "algorithm"},
                            {kind_of(EventKind::first_door, 5), EventKind::allreduce, "gaspi_allreduce", "gaspi"}};
  ASSERT_TRUE(recorder->name_kinds(names).ok());
  recorder->record(event_at(EventKind::allreduce, 1, 2, {.bytes = 8, .queue = 11}));
  recorder->record(event_at(kind_of(EventKind::first_door, 5), 3, 4, {.bytes = 8, .queue = 11}));
  recorder->record(event_at(EventKind::allreduce, 5, 6, {.bytes = 8, .queue = 12}));
  recorder->record(event_at(EventKind::put, 7, 8, {.peer = 0, .bytes = 8, .queue = 11}));
  recorder.reset();
  EXPECT_EQ(ask_python("[(x[\"args\"].get(\"algorithm\"),x[\"args\"].get(\"queue\")) for x in e if x[\"ph\"]==\"X\"]"),
            "[('ring', None), ('ring', None), (None, 12), (None, 11)]");
  ASSERT_TRUE(convert(directory_, "csv", directory_ + "/events.csv").ok());
  std::ifstream csv(directory_ + "/events.csv");
  std::string line;
  for (const char* end : {",algorithm", ",ok,ring", ",ok,ring", ",ok,", ",ok,"}) {
    ASSERT_TRUE(std::getline(csv, line));
    EXPECT_TRUE(line.ends_with(end)) << line;
  }
}

TEST_F(ChromeTest, TraceWithoutEventsIsValidToo) {
  open(options());
  EXPECT_EQ(ask_python("[x[\"ph\"] for x in e if x[\"ph\"]!=\"M\"]"), "[]");
  EXPECT_EQ(report_.events, 0u);
  EXPECT_EQ(report_.duration_ns, 0);
}

TEST_F(ChromeTest, OddNamesAreValidJson) {
  auto recorder = open(options());
  const KindName names[] = {{EventKind::first_user, EventKind::region, "\"quoted\" \\ \xff", "a\nb"}};
  ASSERT_TRUE(recorder->name_kinds(names).ok());
  recorder->name_thread("th\"read");
  recorder->record(event_at(EventKind::first_user, 1, 2));
  recorder.reset();
  EXPECT_EQ(ask_python("[x[\"name\"] for x in e if x[\"ph\"]==\"X\"]==[\"\\\"quoted\\\" \\\\ \\ufffd\"]"), "True");
  EXPECT_EQ(ask_python("[x[\"args\"][\"name\"] for x in e if x[\"name\"]==\"thread_name\"]"), "['th\"read']");
}

TEST_F(ChromeTest, ManyEventsOfManyRanks) {
  constexpr Rank kRanks = 5;
  for (Rank rank = 0; rank < kRanks; ++rank) {
    auto recorder = open(options(rank, kRanks));
    for (int i = 0; i < 10'000; ++i) recorder->record(event_at(EventKind::get, i, i + 1, {.peer = rank}));
  }
  EXPECT_EQ(ask_python("len([x for x in e if x[\"ph\"]==\"X\" and x[\"pid\"]==x[\"args\"][\"peer\"]])"), "50000");
  EXPECT_EQ(report_.events, 50'000u);
}

TEST_F(ChromeTest, TornFilesMissingRanksAndLossesAreToldAndTheRestIsMerged) {
  for (const Rank rank : {1, 2}) {
    auto recorder = open(options(rank, 6));
    for (int i = 0; i < 20; ++i) recorder->record(event_at(EventKind::put, i, i + 1));
  }
  const std::string torn = file_path(directory_, 2);
  std::filesystem::resize_file(torn,
                               std::filesystem::file_size(torn) - sizeof(ChunkHeader) - sizeof(FinishRecord) - 10);
  EXPECT_EQ(ask_python("len([x for x in e if x[\"ph\"]==\"X\"])"), "39");
  ASSERT_EQ(report_.remarks.size(), 4u);
  EXPECT_EQ(report_.remarks[0], "rank 0: no trace file");
  EXPECT_EQ(report_.remarks[1].find("rank 2: did not close"), 0u) << report_.remarks[1];
  EXPECT_EQ(report_.remarks[2].find("rank 2: a torn event chunk"), 0u) << report_.remarks[2];
  EXPECT_EQ(report_.remarks[3], "rank 3 to 5: no trace file");
}

TEST_F(ChromeTest, FilesOfDifferentJobsAreNotMixed) {
  open(options(0, 2));
  RecorderOptions other = options(1, 2);
  other.job = 43;
  open(other);
  const Status status = convert(directory_, "chrome", "").status();
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("different jobs"), std::string_view::npos);
}

TEST_F(ChromeTest, OneRankTwiceIsRefused) {
  open(options(0, 2));
  std::filesystem::copy_file(file_path(directory_, 0), directory_ + "/copy.trace");
  EXPECT_EQ(convert(directory_, "chrome", "").status().code(), Code::invalid_argument);
  EXPECT_EQ(convert(directory_, "tea", "").status().code(), Code::invalid_argument);
}

TEST_F(ChromeTest, ClocksOfMachinesAreBroughtTogetherByTheTimeOfDayIfNothingElseIsKnown) {
  // Rank 1 runs on a machine whose monotonic clock started 1 s later, so it shows 1 s less for the same moment.
  for (const Rank rank : {0, 1}) {
    RecorderOptions here = options(rank, 2);
    here.host = "machine" + std::to_string(rank);
    auto recorder = open(here);
    recorder->record(event_at(EventKind::barrier, rank == 0 ? 5'000'000 : 4'000'000, 5'000'100));
    EXPECT_TRUE(recorder->flush().ok());
    std::fstream file(recorder->path(), std::ios::binary | std::ios::in | std::ios::out);
    FileHeader header = read(rank).file.header;
    const std::int64_t mine = rank == 0 ? 5'000'000'000 : 4'000'000'000;
    header.clocks = {mine, mine, 1'000'000'000'000};
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    time_.now = mine;
  }
  // No finish record, which would be a second reading of these made-up clocks: the files are cut where it begins.
  for (const Rank rank : {0, 1}) {
    const std::string path = file_path(directory_, rank);
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - sizeof(ChunkHeader) - sizeof(FinishRecord));
  }
  EXPECT_EQ(ask_python("[x[\"ts\"] for x in e if x[\"ph\"]==\"X\"]"), "[0.0, 0.0]");
}

TEST_F(ChromeTest, OutputFileIsReplacedAsAWholeOrNotAtAll) {
  const std::string path = directory_ + "/out.json";
  std::ofstream(path) << "old";
  EXPECT_FALSE(convert(directory_, "chrome", path).ok()) << "there are no traces";
  EXPECT_EQ(std::filesystem::file_size(path), 3u);
  open(options());
  EXPECT_TRUE(convert(directory_, "chrome", path).ok());
  EXPECT_GT(std::filesystem::file_size(path), 3u);
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_EQ(convert(directory_, "chrome", directory_ + "/none/out.json").status().code(), Code::system);
}

}  // namespace
}  // namespace polder::trace
