#include "launch/tagged_output.hpp"

#include "util/shared_memory.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace polder::cli {
namespace {

constexpr std::size_t kLongestLine = 1 << 20;

// Moves the complete lines of `text` to `sink` and leaves the rest.
void take_lines(std::string& text, const std::string& prefix, LineSink& sink) {
  std::string_view rest = text;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    sink.add(prefix, rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (rest.size() >= kLongestLine) {
    sink.add(prefix, rest);
    rest = {};
  }
  text.erase(0, text.size() - rest.size());
}

}  // namespace

namespace {

bool are_one_file(int a, int b) {
  struct stat first {
  }, second{};
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

TaggedOutput::TaggedOutput(EventLoop& loop, bool tag, std::function<void()> before)
    : loop_(loop),
      tag_(tag),
      before_(std::move(before)),
      error_(are_one_file(STDOUT_FILENO, STDERR_FILENO) ? out_ : own_error_) {}

Result<TaggedOutput::WriteEnds> TaggedOutput::open(Rank rank) {
  const std::string prefix = tag_ ? "[" + std::to_string(rank) + "] " : "";
  auto out = open_stream(prefix, out_);
  if (!out) return out.status();
  auto error = open_stream(prefix, error_);
  if (!error) return error.status();
  return WriteEnds{*std::move(out), *std::move(error)};
}

Result<util::Fd> TaggedOutput::open_stream(const std::string& prefix, LineSink& sink) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return util::system_error("pipe for tagged output");
  util::Fd write_end(ends[1]);
  Stream& stream = streams_[ends[0]] = {util::Fd(ends[0]), prefix, "", &sink};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);  // our end only: the rank writes and blocks as usual
  if (Status status = watch(stream); !status.ok()) return status;
  return write_end;
}

Status TaggedOutput::watch(Stream& stream) {
  const int pipe = stream.pipe.get();
  return loop_.watch(pipe, EPOLLIN, [this, pipe] { on_readable(pipe); });
}

void TaggedOutput::on_readable(int pipe) {
  Stream& stream = streams_.at(pipe);
  LineSink& sink = *stream.sink;
  if (read_some(stream) == Read::end) close(stream);
  before_();
  sink.flush();
  if (!sink.empty()) hold_back(sink);
}

// The end: the writers have ended, or nobody wants to read it.
TaggedOutput::Read TaggedOutput::read_some(Stream& stream) {
  char buffer[65536];
  const ssize_t count = read(stream.pipe.get(), buffer, sizeof buffer);
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Read::nothing_now : Read::end;
  stream.partial.append(buffer, std::size_t(count));
  if (count == 0 && !stream.partial.empty()) stream.partial.push_back('\n');
  take_lines(stream.partial, stream.prefix, *stream.sink);
  return count > 0 && !stream.sink->broken() ? Read::some : Read::end;
}

void TaggedOutput::close(Stream& stream) {
  const int pipe = stream.pipe.get();
  loop_.forget(pipe);
  streams_.erase(pipe);
}

void TaggedOutput::say(const std::string& sentence) {
  before_();
  error_.add("polder: ", sentence);
  error_.flush();
  if (!error_.empty()) hold_back(error_);
}

// The reader is slow: go on when it has taken some, and meanwhile let the ranks wait in their writes.
void TaggedOutput::hold_back(LineSink& sink) {
  if (!held_.insert(&sink).second) return;
  for (auto& [pipe, stream] : streams_)
    if (stream.sink == &sink) loop_.forget(pipe);
  if (!loop_.watch(sink.file(), EPOLLOUT, [this, &sink] { resume(sink); }).ok()) {
    sink.flush_all(-1);  // cannot be watched: a file, which takes all
    resume(sink);
  }
}

void TaggedOutput::resume(LineSink& sink) {
  before_();
  sink.flush();
  if (!sink.empty()) return;
  loop_.forget(sink.file());
  held_.erase(&sink);
  for (auto& [pipe, stream] : streams_)
    if (stream.sink == &sink)
      if (Status status = watch(stream); !status.ok()) say("output of a rank is lost: " + status.to_string());
}

void TaggedOutput::finish(int milliseconds) {
  before_();
  while (!streams_.empty()) {
    Stream& stream = streams_.begin()->second;
    // Also ends where nothing is there now: whoever still holds the pipe now is no process of the job.
    while (read_some(stream) == Read::some) stream.sink->flush_all(milliseconds);
    stream.sink->flush_all(milliseconds);
    close(stream);
  }
  out_.flush_all(milliseconds);
  error_.flush_all(milliseconds);
}

}  // namespace polder::cli
