/* Allocation inside the recording.  The file grows in extents that double, so that a short run
 * makes a small file and a long one rarely grows.  A chunk is complete before header.end covers
 * it. */
#include "runtime/store/store.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/spin.h"
#include "platform/files/canceldisable.h"
#include "platform/stackmark.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/lifecycle/session.h"
#include "runtime/log.h"

#define EXTENT_FIRST	     (UINT64_C(48) << 10)
#define SLACK_MAX	     (UINT64_C(32) << 10) /* releasing less costs more than it is worth */
#define EXTENT_MAX	     (UINT64_C(64) << 20)
#define FROZEN_RESERVE	     (UINT64_C(256) << 10)
#define STREAM_PAYLOAD_FIRST (KYMO_CHUNK_ALIGN - sizeof(struct kymo_chunk))
#define STREAM_PAYLOAD_MAX   (UINT64_C(256) << 10)
#define CALIBRATION_GAP_NS   1000000000u
#define BASELINE_MIN_NS	     200000u /* for a rate with an error below 0.1 percent */
#define BASELINE_READINGS    100000  /* limits the loop if a clock does not advance */

struct store store;

static struct spin lock;
static __thread char lock_token __attribute__((tls_model("initial-exec")));
static uint64_t chunk_sequence; /* guarded by the lock */
static int cancel_state;	/* of the holder: cancelling it would leave the lock taken */
static uint32_t lock_mark;	/* the holder's stack position; 0 = it keeps the lock */

/* A holder that was interrupted and left by a long jump never unlocks: at worst the change in
 * its private part is incomplete, so the lock is taken over. */
bool store_lock(void)
{
	uint32_t mark = stack_mark();

	if (spin_acquire(&lock, (uintptr_t)&lock_token))
		cancel_state = cancel_disable();
	else if (lock_mark == 0 || stack_mark_is_alive(lock_mark, mark))
		return false;
	lock_mark = mark;
	return true;
}

void store_lock_keep(void)
{
	lock_mark = 0;
}

void store_unlock(void)
{
	int state = cancel_state;

	spin_release(&lock);
	cancel_restore(state);
}

void store_lock_reset(void)
{
	if (lock.owner == (uintptr_t)&lock_token)
		store_unlock();
	else
		spin_release(&lock);
}

void store_abandon(void)
{
	unlink(store.file.path);
	mapfile_release(&store.file);
	store.header = NULL;
}

int store_open(const char *path, uint64_t limit_bytes)
{
	struct kymo_header *header;
	int result = mapfile_create(&store.file, path);

	if (result != 0)
		return result;
	result = mapfile_grow(&store.file, EXTENT_FIRST);
	if (result != 0) {
		store_abandon();
		return result;
	}
	header = (struct kymo_header *)store.file.base;
	memcpy(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic));
	header->version = KYMO_FORMAT_VERSION;
	header->header_size = KYMO_HEADER_SIZE;
	header->state = KYMO_STATE_OPEN;
	header->clock_kind = clock_kind();
	header->file_bytes = store.file.mapped;
	header->exit_status = -1;
	header->pairs[0] = clock_read_pair();
	header->pair_count = 1;
	header->start_ticks = header->pairs[0].ticks;
	header->start_realtime_ns = header->pairs[0].realtime_ns;
	__atomic_store_n(&header->end, KYMO_HEADER_SIZE, __ATOMIC_RELEASE);
	store.header = header;
	store.limit_bytes = limit_bytes;
	store.is_full = false;
	memset(store.stream, 0, sizeof(store.stream));
	memset(store.stream_payload, 0, sizeof(store.stream_payload));
	chunk_sequence = 0;
	return 0;
}

/* Refusals are final: with retries, the recording and the program would keep competing for a
 * full disk. */
static void store_refuse(uint64_t size, int reason)
{
	store.header->refused_chunks++;
	store.header->refused_bytes += size;
	if (store.is_full)
		return;
	store.is_full = true;
	if (store.file.is_frozen)
		return;
	kymo_log(KYMO_LOG_ERROR, "cannot enlarge the recording '%s': %s; nothing more is recorded",
		 store.file.path, reason ? strerror(reason) : "RECORD_LIMIT_MB is reached");
}

static uint64_t extent_end(uint64_t needed)
{
	uint64_t step = store.file.mapped < EXTENT_MAX ? store.file.mapped : EXTENT_MAX;
	uint64_t end = store.file.mapped + step;

	if (store.limit_bytes && end > store.limit_bytes)
		end = store.limit_bytes & ~(uint64_t)(KYMO_CHUNK_ALIGN - 1);
	return end < needed ? needed : end;
}

/* Make [header.end, needed) usable: with extra space, or only that if more is refused. */
static int store_extend(uint64_t needed)
{
	int result;

	if (needed <= store.file.mapped)
		return 0;
	if (store.limit_bytes && needed > store.limit_bytes)
		return -1;
	result = mapfile_grow(&store.file, extent_end(needed));
	if (result != 0)
		result = mapfile_grow(&store.file, needed);
	if (result == 0)
		store.header->file_bytes = store.file.mapped;
	return result;
}

/* A process forked by a direct system call has a copy of the lock, but no copy of the recording. */
static bool is_owner(void)
{
	return session.is_restricted || getpid() == session.pid;
}

struct kymo_chunk *store_chunk(enum kymo_chunk_type type, uint64_t payload, uint32_t thread,
			       uint32_t record_size)
{
	uint64_t size = payload + sizeof(struct kymo_chunk);
	struct kymo_chunk *chunk;
	uint64_t offset;
	int result;

	if (!store.header || store.header->state != KYMO_STATE_OPEN || !is_owner())
		return NULL;
	size = (size + KYMO_CHUNK_ALIGN - 1) & ~(uint64_t)(KYMO_CHUNK_ALIGN - 1);
	offset = store.header->end;
	result = store.is_full ? -1 : store_extend(offset + size);
	if (result != 0) {
		store_refuse(size, result > 0 ? result : 0);
		return NULL;
	}
	store_calibrate(false);
	chunk = (struct kymo_chunk *)(store.file.base + offset);
	chunk->type = (uint16_t)type;
	chunk->size = size;
	chunk->thread = thread;
	chunk->record_size = record_size;
	chunk->sequence = ++chunk_sequence;
	chunk->magic = KYMO_CHUNK_MAGIC;
	__atomic_store_n(&store.header->end, offset + size, __ATOMIC_RELEASE);
	return chunk;
}

void *store_append(enum kymo_chunk_type type, uint64_t size, uint32_t record_size,
		   uint64_t first_id)
{
	struct kymo_chunk *chunk = store.stream[type];
	uint64_t *payload = &store.stream_payload[type];

	if (!chunk || chunk->size - sizeof(*chunk) - chunk->used < size) {
		if (*payload == 0)
			*payload = STREAM_PAYLOAD_FIRST;
		chunk = store_chunk(type, *payload > size ? *payload : size, KYMO_NO_THREAD,
				    record_size);
		if (!chunk)
			return NULL;
		chunk->base = first_id;
		store.stream[type] = chunk;
		if (*payload < STREAM_PAYLOAD_MAX)
			*payload = *payload * 2 + sizeof(*chunk);
	}
	return (char *)(chunk + 1) + chunk->used;
}

void store_publish(enum kymo_chunk_type type, uint64_t size)
{
	struct kymo_chunk *chunk = store.stream[type];

	__atomic_store_n(&chunk->used, chunk->used + size, __ATOMIC_RELEASE);
}

uint64_t store_offset(const void *address)
{
	return (uint64_t)((const char *)address - store.file.base);
}

/* Halve the number of pairs: keep the first, and thin out the others. */
static void store_thin_pairs(struct kymo_header *header)
{
	/* The pairs stay valid if the process is killed here. */
	__atomic_store_n(&header->pair_count, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 1; i < KYMO_CLOCK_PAIRS / 2; i++)
		header->pairs[i] = header->pairs[2 * i];
	__atomic_store_n(&header->pair_count, KYMO_CLOCK_PAIRS / 2, __ATOMIC_RELEASE);
}

static void store_add_pair(struct kymo_header *header, const struct kymo_clock_pair *pair)
{
	if (header->pair_count == KYMO_CLOCK_PAIRS)
		store_thin_pairs(header);
	header->pairs[header->pair_count] = *pair;
	__atomic_store_n(&header->pair_count, header->pair_count + 1, __ATOMIC_RELEASE);
}

/* The gap to the next pair is the time between the first pair and the last, at most
 * CALIBRATION_GAP_NS: so the rate soon becomes more precise than from the first two pairs. */
static uint64_t next_pair_ns(const struct kymo_header *header)
{
	uint64_t first = header->pairs[0].monotonic_ns;
	uint64_t last = header->pairs[header->pair_count - 1].monotonic_ns;
	uint64_t gap = last - first;

	return last + (gap < CALIBRATION_GAP_NS ? gap : CALIBRATION_GAP_NS);
}

void store_calibrate(bool is_forced)
{
	struct kymo_header *header = store.header;
	struct kymo_clock_pair pair;

	if (store.file.is_frozen)
		return;
	if (!is_forced &&
	    (header->pair_count < 2 || usage_clock_ns(CLOCK_MONOTONIC) < next_pair_ns(header)))
		return;
	pair = clock_read_pair();
	store_add_pair(header, &pair);
}

void store_precede(const struct kymo_clock_pair *first)
{
	struct kymo_header *header = store.header;
	struct kymo_clock_pair own = header->pairs[0];

	if (first->ticks >= own.ticks || first->monotonic_ns + BASELINE_MIN_NS > own.monotonic_ns)
		return;
	header->pairs[1] = own;
	header->pairs[0] = *first;
	header->pair_count = 2;
}

void store_calibrate_start(void)
{
	struct kymo_header *header = store.header;
	struct kymo_clock_pair pair = clock_read_pair();

	if (header->pair_count > 1)
		return;
	for (int i = 0; i < BASELINE_READINGS && clock_is_ticks() &&
			pair.monotonic_ns - header->pairs[0].monotonic_ns < BASELINE_MIN_NS;
	     i++)
		pair = clock_read_pair();
	store_add_pair(header, &pair);
}

void store_inherit_function_events(const struct kymo_header *parent)
{
	struct kymo_header *header = store.header;
	struct kymo_clock_pair own = header->pairs[0];

	header->pairs[0] = parent->pairs[0];
	header->pairs[1] = parent->pairs[parent->pair_count - 1];
	header->pairs[2] = own;
	header->pair_count = 3;
}

void store_reserve(void)
{
	(void)store_extend(store.header->end + FROZEN_RESERVE);
}

void store_freeze(bool is_frozen)
{
	if (is_frozen) /* some reserve; without it, the space that is left */
		store_reserve();
	store.file.is_frozen = is_frozen;
	pages_freeze(is_frozen);
}

static bool has_little_slack(void)
{
	return store.file.is_frozen || store.file.mapped - store.header->end <= SLACK_MAX;
}

void store_shrink(void)
{
	struct kymo_header *header = store.header;

	if (has_little_slack() || mapfile_truncate(&store.file, header->end) != 0)
		return;
	store.file.mapped = header->end;
	header->file_bytes = header->end;
}

int store_close(void)
{
	struct kymo_header *header = store.header;

	store_calibrate(true);
	header->end_ticks = ticks_now();
	__atomic_store_n(&header->state, KYMO_STATE_CLOSED, __ATOMIC_RELEASE);
	if (has_little_slack())
		return 0;
	header->file_bytes = header->end;
	return mapfile_truncate(&store.file, header->end);
}
