#include "buffered_shuffle.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace terasort {
namespace {

constexpr gaspi_segment_id_t kOutput = 1;
constexpr gaspi_segment_id_t kInput = 2;

// One queue for each of the two output buffers of a peer, so that waiting for the one that is to be filled again does
// not wait for the one just sent.
constexpr gaspi_queue_id_t kBufferQueue[2] = {1, 2};
constexpr gaspi_queue_id_t kAcknowledgeQueue = 3;

// Both kinds of notification arrive beside the input segment, so that one wait sees them all: number r says that rank r
// has filled its buffer, number ranks + r that rank r has emptied ours.
//
// The value of the first kind: twice the number of records, plus 1 if they are the last ones. (0 records come only as
// the last.)
constexpr gaspi_notification_t data_value(std::uint64_t records, bool last) {
  return gaspi_notification_t(records << 1 | (last ? 1 : 0));
}
constexpr gaspi_notification_t kStop = ~gaspi_notification_t{0};  // the sender has failed
constexpr gaspi_notification_t kEmptied = 1;
constexpr std::uint64_t kMostInBuffer = (kStop >> 1) - 1;

// Records partitioned between two looks at what has arrived: about 30 us.
constexpr std::uint64_t kRecordsPerTurn = 2048;

}  // namespace

BufferedShuffle::BufferedShuffle(Caller& caller, std::uint64_t buffer_bytes)
    : caller_(caller),
      buffer_records_(std::clamp<std::uint64_t>(buffer_bytes / kRecordBytes, 1, kMostInBuffer)),
      peers_(caller.ranks()) {
  peers_[caller.rank()].all_received = true;  // this rank needs no message to itself
}

BufferedShuffle::~BufferedShuffle() {
  if (caller_.lost_peers()) return;  // the process ends anyway, and a segment that a peer still uses cannot go
  if (output_ != nullptr) (void)gaspi_segment_delete(kOutput);
  if (input_ != nullptr) (void)gaspi_segment_delete(kInput);
}

std::uint64_t BufferedShuffle::buffer_bytes(std::uint64_t) const {
  return (3 * (caller_.ranks() - 1) + 1) * buffer_records_ * kRecordBytes;
}

Status BufferedShuffle::prepare() {
  // A segment has at least one byte, also where there are no peers.
  const std::uint64_t bytes = std::max<std::uint64_t>((caller_.ranks() - 1) * buffer_records_, 1) * kRecordBytes;
  Status status = create_segment(kOutput, 2 * bytes, &output_);
  if (status.ok()) status = create_segment(kInput, bytes, &input_);
  if (!status.ok()) return status;
  own_.resize(buffer_records_ * kRecordBytes);
  for (unsigned to = 0; to < peers_.size(); ++to) open_buffer(to);
  return {};
}

Status BufferedShuffle::create_segment(gaspi_segment_id_t id, std::uint64_t bytes, std::byte** data) {
  Status status = caller_.call("gaspi_segment_create", [&](gaspi_timeout_t timeout) {
    return gaspi_segment_create(id, bytes, GASPI_GROUP_ALL, timeout, GASPI_MEM_UNINITIALIZED);
  });
  if (!status.ok()) return status;
  gaspi_pointer_t pointer = nullptr;
  const gaspi_return_t code = gaspi_segment_ptr(id, &pointer);
  if (code != GASPI_SUCCESS) return gaspi_error("gaspi_segment_ptr", code);
  *data = static_cast<std::byte*>(pointer);
  return {};
}

Status BufferedShuffle::run(InputPart& input, const Splitters& splitters, RecordStore& store, Progress& progress) {
  Run run{input, splitters, store, progress};
  Status status;
  caller_.heard();
  while (status.ok() && !finished(run)) status = turn(run);
  for (const gaspi_queue_id_t queue : {kBufferQueue[0], kBufferQueue[1], kAcknowledgeQueue})
    if (status.ok()) status = caller_.wait(queue);
  if (!status.message().empty()) stop_others();
  return status;
}

bool BufferedShuffle::finished(const Run& run) const {
  return run.all_partitioned() &&
         std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.all_sent && peer.all_received; });
}

Status BufferedShuffle::turn(Run& run) {
  run.moved = false;
  Status status = receive(run);
  if (status.ok()) status = partition(run);
  if (status.ok()) status = send_rests(run);
  if (status.ok() && !run.moved && !finished(run)) status = wait_for_news();
  return status;
}

// One sweep over the notifications, each at most once, so that busy senders do not keep us from sending.
Status BufferedShuffle::receive(Run& run) {
  const gaspi_number_t count = 2 * caller_.ranks();
  for (gaspi_notification_id_t begin = 0, id = 0; begin < count; begin = id + 1) {
    const gaspi_return_t code = gaspi_notify_waitsome(kInput, begin, count - begin, &id, GASPI_TEST);
    if (code == GASPI_TIMEOUT) break;
    if (code != GASPI_SUCCESS) return caller_.failed("gaspi_notify_waitsome", code);
    Status status = arrived(run, id);
    if (!status.ok()) return status;
  }
  return {};
}

Status BufferedShuffle::arrived(Run& run, gaspi_notification_id_t id) {
  gaspi_notification_t value = 0;
  const gaspi_return_t code = gaspi_notify_reset(kInput, id, &value);
  if (code != GASPI_SUCCESS) return gaspi_error("gaspi_notify_reset", code);
  if (value == 0) return {};
  run.moved = true;
  caller_.heard();
  if (id < caller_.ranks()) return take(run, id, value);

  const unsigned to = id - caller_.ranks();
  peers_[to].ready = true;
  // After the input's end send_rests() sends it, with the news that it is the last.
  return peers_[to].full() && !run.all_partitioned() ? send(to, false) : Status();
}

Status BufferedShuffle::take(Run& run, unsigned from, gaspi_notification_t value) {
  if (value == kStop) return stopped_by_another();
  const std::uint64_t records = value >> 1;
  peers_[from].all_received = (value & 1) != 0;
  if (records > run.store.room()) return share_too_large(run.store.capacity());
  run.store.append(input_ + input_offset(from, caller_.rank()), records);
  return peers_[from].all_received ? Status() : acknowledge(from);
}

Status BufferedShuffle::acknowledge(unsigned to) {
  const gaspi_notification_id_t id = caller_.ranks() + caller_.rank();
  return caller_.post("gaspi_notify", kAcknowledgeQueue, [&](gaspi_timeout_t timeout) {
    return gaspi_notify(kInput, gaspi_rank_t(to), id, kEmptied, kAcknowledgeQueue, timeout);
  });
}

Status BufferedShuffle::partition(Run& run) {
  if (run.chunk.empty()) {
    if (run.input.at_end()) return {};
    Status status = refill(run);
    if (!status.ok()) return status;
  }
  return partition_some(run, std::min<std::uint64_t>(run.chunk.size() / kRecordBytes, kRecordsPerTurn));
}

Status BufferedShuffle::refill(Run& run) {
  run.progress.at(run.input.chunk_position() - run.input.part().begin);
  const Result<std::span<const std::byte>> chunk = run.input.read_chunk();
  if (!chunk.ok()) return chunk.status();
  run.chunk = *chunk;
  run.position = run.input.chunk_position();
  return {};
}

// Stops early at a record whose peer has both buffers full.
Status BufferedShuffle::partition_some(Run& run, std::uint64_t count) {
  Status status;
  std::uint64_t done = 0;
  for (const std::byte* record = run.chunk.data(); done < count && status.ok(); ++done, record += kRecordBytes) {
    const unsigned to = run.splitters.rank_of(record, run.position + done);
    Peer& peer = peers_[to];
    if (peer.full()) break;
    std::memcpy(peer.next, record, kRecordBytes);
    peer.next += kRecordBytes;
    if (peer.full()) status = pass_on(run, to);
  }
  run.chunk = run.chunk.subspan(done * kRecordBytes);
  run.position += done;
  run.moved |= done > 0;
  return status;
}

Status BufferedShuffle::pass_on(Run& run, unsigned to) {
  if (to == caller_.rank()) return keep_own(run);
  return peers_[to].ready ? send(to, false) : Status();
}

Status BufferedShuffle::keep_own(Run& run) {
  const auto records = std::uint64_t(peers_[caller_.rank()].next - own_.data()) / kRecordBytes;
  if (records > run.store.room()) return share_too_large(run.store.capacity());
  run.store.append(own_.data(), records);
  open_buffer(caller_.rank());
  return {};
}

void BufferedShuffle::open_buffer(unsigned to) {
  peers_[to].next = buffer_of(to);
  peers_[to].end = peers_[to].next + buffer_records_ * kRecordBytes;
}

// After the last record of the input: what is left in the buffers, or only the news that nothing comes any more.
Status BufferedShuffle::send_rests(Run& run) {
  if (!run.all_partitioned()) return {};
  if (!peers_[caller_.rank()].all_sent) {
    peers_[caller_.rank()].all_sent = true;
    Status status = keep_own(run);
    if (!status.ok()) return status;
  }
  for (unsigned step = 1; step < caller_.ranks(); ++step) {
    const unsigned to = (caller_.rank() + step) % caller_.ranks();
    if (peers_[to].all_sent || !peers_[to].ready) continue;
    Status status = send(to, true);
    if (!status.ok()) return status;
    run.moved = true;
  }
  return {};
}

Status BufferedShuffle::send(unsigned to, bool last) {
  Peer& peer = peers_[to];
  assert(peer.ready);
  const gaspi_queue_id_t queue = kBufferQueue[peer.filling];
  const gaspi_offset_t from_offset = output_offset(to, peer.filling);
  const gaspi_offset_t to_offset = input_offset(caller_.rank(), to);
  const auto bytes = std::uint64_t(peer.next - buffer_of(to));
  const gaspi_notification_t value = data_value(bytes / kRecordBytes, last);
  Status status = caller_.post("gaspi_write_notify", queue, [&](gaspi_timeout_t timeout) {
    if (bytes == 0) return gaspi_notify(kInput, gaspi_rank_t(to), caller_.rank(), value, queue, timeout);
    return gaspi_write_notify(kOutput, from_offset, gaspi_rank_t(to), kInput, to_offset, bytes, caller_.rank(), value,
                              queue, timeout);
  });
  if (!status.ok()) return status;
  peer.ready = false;
  peer.all_sent = last;
  peer.filling ^= 1;
  open_buffer(to);
  // The buffer that comes next was emptied at its target; the standard wants its queue waited for all the same.
  return caller_.wait(kBufferQueue[peer.filling]);
}

// Best effort: whoever does not hear it learns of our failure from our silence.
void BufferedShuffle::stop_others() {
  for (unsigned step = 1; step < caller_.ranks(); ++step) {
    const auto to = gaspi_rank_t((caller_.rank() + step) % caller_.ranks());
    (void)gaspi_notify(kInput, to, caller_.rank(), kStop, kAcknowledgeQueue, Caller::kSlice);
  }
  (void)gaspi_wait(kAcknowledgeQueue, Caller::kSlice);
}

Status BufferedShuffle::wait_for_news() {
  gaspi_notification_id_t id = 0;
  const gaspi_return_t code = gaspi_notify_waitsome(kInput, 0, 2 * caller_.ranks(), &id, Caller::kSlice);
  if (code == GASPI_SUCCESS) return {};
  if (code != GASPI_TIMEOUT) return caller_.failed("gaspi_notify_waitsome", code);
  return caller_.check("the shuffle");
}

}  // namespace terasort
