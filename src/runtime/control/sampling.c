/* What sampling collectors need from the runtime: the calling thread, and space in the recording.
 *
 * Signal handlers request space.  They take the store's lock; a handler that interrupted its
 * holder is refused, and the sample is lost and counted. */
#include "runtime/control/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/keeperrno.h"
#include "platform/files/nocancel_io.h"
#include "platform/stackmark.h"
#include "platform/usage.h"
#include "runtime/control/gate.h"
#include "runtime/control/samplingnotify.h"
#include "runtime/lifecycle/session.h"
#include "runtime/modules.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/threads/thread.h"

#define LISTENERS_MAX 4u

/* Written before the program's main(), by constructors. */
static const struct kymo_thread_listener *listeners[LISTENERS_MAX];
static unsigned listener_count;
static uint64_t signal_bits;
static bool is_marked;
static bool is_resuming; /* in a forked child, which has one thread */

static uint32_t code_count; /* guarded by the store's lock */

static bool has_record(const struct kymo_thread *thread)
{
	return thread && thread->record;
}

void sampling_notify_begin(struct kymo_thread *thread)
{
	for (unsigned i = 0; i < listener_count && has_record(thread); i++)
		listeners[i]->begin(thread);
}

void sampling_notify_end(struct kymo_thread *thread)
{
	for (unsigned i = 0; i < listener_count; i++)
		listeners[i]->end(thread);
}

void sampling_notify_forking(bool is_begun)
{
	for (unsigned i = 0; i < listener_count; i++)
		if (listeners[i]->forking)
			listeners[i]->forking(is_begun);
}

void sampling_notify_replacing(bool is_begun)
{
	for (unsigned i = 0; i < listener_count; i++)
		if (listeners[i]->replacing)
			listeners[i]->replacing(is_begun);
}

void sampling_notify_limiting(void)
{
	for (unsigned i = 0; i < listener_count; i++)
		if (listeners[i]->limiting)
			listeners[i]->limiting();
}

void sampling_notify_fork(bool is_recorded)
{
	code_count = 0;
	for (unsigned i = 0; i < listener_count; i++)
		listeners[i]->forked(is_recorded);
}

void sampling_notify_closing(bool is_closing)
{
	for (unsigned i = 0; i < listener_count; i++)
		listeners[i]->closing(is_closing);
}

void kymo_thread_listen(const struct kymo_thread_listener *chosen)
{
	unsigned i = 0;

	while (i < listener_count && listeners[i] != chosen)
		i++;
	if (i == LISTENERS_MAX)
		return;
	listeners[i] = chosen;
	if (i == listener_count)
		listener_count++;
	if (has_record(kymo_thread_current))
		chosen->begin(kymo_thread_current);
}

struct kymo_thread *kymo_sample_resume(void)
{
	struct kymo_thread *thread;
	KEEP_ERRNO();

	if (!kymo_thread_current && session.state == SESSION_FORKED) {
		is_resuming = true;
		session_ensure();
		is_resuming = false;
	}
	thread = kymo_thread_current;
	return session.state == KYMO_RUNTIME_ACTIVE && has_record(thread) ? thread : NULL;
}

bool sampling_is_resuming(void)
{
	return is_resuming;
}

uint64_t kymo_thread_system_id(const struct kymo_thread *thread)
{
	return thread->record->system_id;
}

uint32_t kymo_thread_number(const struct kymo_thread *thread)
{
	return thread->record->number;
}

bool kymo_sample_elsewhere(bool is_elsewhere)
{
	bool was_elsewhere = stack_is_elsewhere();

	stack_mark_elsewhere(is_elsewhere);
	return was_elsewhere;
}

static bool sampling_take_lock(void)
{
	if (session.state != KYMO_RUNTIME_ACTIVE || session.is_restricted || store.is_full ||
	    !store_lock())
		return false;
	if (session.state == KYMO_RUNTIME_ACTIVE)
		return true;
	store_unlock();
	return false;
}

struct kymo_chunk *kymo_sample_chunk(struct kymo_thread *thread, enum kymo_chunk_type type,
				     uint64_t payload, uint32_t record_size, uint64_t base)
{
	struct kymo_chunk *chunk = NULL;
	KEEP_ERRNO();

	if (has_record(thread) && sampling_take_lock()) {
		chunk = store_chunk(type, payload, thread->record->number, record_size);
		if (chunk)
			chunk->base = base;
		store_unlock();
	}
	return chunk;
}

struct kymo_chunk *kymo_sample_table(enum kymo_chunk_type type, uint64_t payload)
{
	struct kymo_chunk *chunk = NULL;
	KEEP_ERRNO();

	if (sampling_take_lock()) {
		chunk = store_chunk(type, payload, KYMO_NO_THREAD, 0);
		store_unlock();
	}
	return chunk;
}

/* If mappings cannot be duplicated, as in emulators, open the file again. */
bool kymo_sample_remap(struct kymo_chunk *chunk, void *place)
{
	KEEP_ERRNO();
	void *got = mremap(chunk, 0, chunk->size, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	int fd;

	if (got != MAP_FAILED)
		return true;
	fd = plain_open(store.file.path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd >= 0) {
		got = mmap(place, chunk->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
			   (off_t)store_offset(chunk));
		plain_close(fd);
	}
	return got != MAP_FAILED;
}

/* The lock is held. */
static bool sampling_write_code(const struct kymo_code_spec *spec)
{
	struct kymo_code code = {
		.name = string_intern(spec->name),
		.qualname = string_intern(spec->qualname),
		.file = string_intern(spec->file),
		.lines = string_bytes(spec->lines, spec->lines_size),
		.first_line = spec->first_line,
		.version = spec->version,
		.flags = spec->flags,
		.address = spec->address,
	};
	struct kymo_code *record =
		store_append(KYMO_CHUNK_CODES, sizeof(code), sizeof(code), code_count);

	if (!record)
		return false;
	*record = code;
	store_publish(KYMO_CHUNK_CODES, sizeof(code));
	return true;
}

bool kymo_sample_code(const struct kymo_code_spec *spec, uint32_t *id_out)
{
	KEEP_ERRNO();
	bool is_written;

	if (!sampling_take_lock())
		return false;
	is_written = sampling_write_code(spec);
	if (is_written)
		*id_out = code_count++;
	store_unlock();
	return is_written;
}

/* True if the current name is a prefix of name, as the kernel truncates names, or empty. */
static bool may_name(const struct kymo_thread *thread, const char *name, uint64_t given)
{
	uint64_t now = __atomic_load_n(&thread->record->name, __ATOMIC_ACQUIRE);
	const char *text = now && now != given ? string_text(now) : "";

	return strncmp(text, name, strlen(text)) == 0;
}

bool kymo_sample_name(struct kymo_thread *thread, const char *name, uint64_t *given)
{
	KEEP_ERRNO();
	uint64_t reference = 0;

	if (!has_record(thread) || !sampling_take_lock())
		return false;
	if (may_name(thread, name, *given))
		reference = string_intern(name);
	if (reference) {
		__atomic_store_n(&thread->record->name, reference, __ATOMIC_RELEASE);
		*given = reference;
	}
	store_unlock();
	return reference != 0;
}

bool kymo_sample_admits(const struct kymo_thread *thread, uint64_t *since_out)
{
	const struct kymo_thread *now = kymo_thread_current;
	KEEP_ERRNO();
	bool is_open;

	if (session.state != KYMO_RUNTIME_ACTIVE || thread->paused || (now && now->paused))
		return false;
	is_open = gate_is_open(kymo_now(thread), since_out);
	return is_open;
}

bool kymo_sample_note_address(uint64_t address)
{
	return modules_note_address(address);
}

void kymo_sample_signals_set(uint64_t signals)
{
	signal_bits = signals;
}

uint64_t kymo_sample_signals(void)
{
	return signal_bits;
}

uint32_t sampling_header_flag(void)
{
	return is_marked ? KYMO_HEADER_SAMPLES : 0;
}

void kymo_sample_waits(struct kymo_thread *thread)
{
	if (session.is_restricted || thread->is_fiber)
		return;
	thread->has_waits = true;
	thread->waited_start_ns = usage_waited_ns(thread->record->system_id);
}

void kymo_sample_mark(void)
{
	is_marked = true;
	if (store.header)
		store.header->flags |= KYMO_HEADER_SAMPLES;
}
