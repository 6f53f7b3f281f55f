/* What the runtime gives to a collector that samples: who runs, room, and when it may write. */
#include "runtime/control/sampling.h"

#include <pthread.h>

#include "format/gateword.h"
#include "model/recording/recording_open.h"
#include "platform/ticks.h"
#include "runtime/control/gate.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

static char told[64]; /* a letter for each call */
static struct kymo_thread *told_thread;

static void tell(char what)
{
	size_t length = strlen(told);

	if (length + 1 < sizeof(told))
		told[length] = what;
}

static void on_begin(struct kymo_thread *thread)
{
	tell('b');
	told_thread = thread;
}

static void on_end(struct kymo_thread *thread)
{
	(void)thread;
	tell('e');
}

static void on_fork(bool is_recorded)
{
	tell(is_recorded ? 'f' : 'F');
}

static void on_closing(bool is_closing)
{
	tell(is_closing ? 'c' : 'o');
}

static const struct kymo_thread_listener listener = {
	.begin = on_begin, .end = on_end, .forked = on_fork, .closing = on_closing};

static void open_listening(void)
{
	fixture_open(NULL);
	kymo_thread_listen(&listener);
}

static void *attach(void *unused)
{
	kymo_thread();
	return unused;
}

static void threads_body(void)
{
	struct kymo_thread *own;
	pthread_t thread;

	open_listening();
	CHECK(!strcmp(told, ""));
	own = kymo_thread();
	CHECK(!strcmp(told, "b") && told_thread == own);
	CHECK(kymo_thread_number(own) == 0 && kymo_thread_system_id(own) == (uint64_t)getpid());
	CHECK(pthread_create(&thread, NULL, attach, NULL) == 0 && pthread_join(thread, NULL) == 0);
	CHECK(!strcmp(told, "bbe"));
}

static void late_body(void)
{
	fixture_open(NULL);
	kymo_thread();
	kymo_thread_listen(&listener);
	CHECK(!strcmp(told, "b"));
}

static void closing_body(void)
{
	open_listening();
	kymo_thread();
	CHECK(kymo_exec_begin());
	CHECK(!strcmp(told, "bc"));
	kymo_exec_failed();
	CHECK(!strcmp(told, "bco"));
	kymo_runtime_close(0);
	CHECK(!strcmp(told, "bcoc"));
}

/* In the child: which is told at once, and makes its recording only when it is asked to. */
static int child(void)
{
	struct kymo_thread *thread;

	if (strcmp(told, "bf") != 0 || kymo_thread_current)
		return 1;
	thread = kymo_sample_resume();
	if (!thread || thread != kymo_thread_current || kymo_thread_number(thread) != 0)
		return 2;
	if (strcmp(told, "bf") != 0 || kymo_sample_resume() != thread)
		return 3;
	return store.header->flags & KYMO_HEADER_SAMPLES ? 0 : 4;
}

static void fork_body(void)
{
	int status = 0;
	pid_t process;

	open_listening();
	kymo_sample_mark();
	kymo_thread();
	process = fork();
	if (process == 0)
		_exit(child());
	CHECK(waitpid(process, &status, 0) == process && status == 0);
	CHECK(!strcmp(told, "b"));
}

static void chunk_body(void)
{
	struct kymo_chunk *chunk;
	struct kymo_thread *thread;

	fixture_open(NULL);
	thread = kymo_thread();
	chunk = kymo_sample_chunk(thread, KYMO_CHUNK_STACKS, 1000, 16, 7);
	CHECK(chunk && chunk->type == KYMO_CHUNK_STACKS && chunk->thread == 0);
	CHECK(chunk->base == 7 && chunk->record_size == 16 && chunk->size >= 1000 + 64);
	/* As in a handler that came while this thread held the lock. */
	CHECK(store_lock());
	store_lock_keep();
	CHECK(!kymo_sample_chunk(thread, KYMO_CHUNK_SAMPLES, 1000, 0, 0));
	store_unlock();
	CHECK(kymo_sample_chunk(thread, KYMO_CHUNK_SAMPLES, 1000, 0, 0));
	kymo_runtime_close(0);
	CHECK(!kymo_sample_chunk(thread, KYMO_CHUNK_SAMPLES, 1000, 0, 0));
}

static void full_body(void)
{
	static const char *const settings[] = {"RECORD_LIMIT_MB=1", NULL};
	uint64_t refused;

	fixture_open(settings);
	while (kymo_sample_chunk(kymo_thread(), KYMO_CHUNK_SAMPLES, 100000, 0, 0))
		;
	refused = store.header->refused_chunks;
	CHECK(refused > 0);
	CHECK(!kymo_sample_chunk(kymo_thread(), KYMO_CHUNK_SAMPLES, 100, 0, 0));
	CHECK(store.header->refused_chunks == refused);
}

static const struct kymo_code *code_at(uint32_t id)
{
	const struct kymo_chunk *chunk = store.stream[KYMO_CHUNK_CODES];

	return (const struct kymo_code *)(chunk + 1) + (id - chunk->base);
}

static const struct kymo_string *string_at(uint64_t reference)
{
	return (const struct kymo_string *)(store.file.base + reference);
}

static void code_body(void)
{
	static const char lines[] = {3, 0, 1, 0};
	struct kymo_code_spec spec = {.name = "work",
				      .file = "/a.py",
				      .lines = lines,
				      .lines_size = sizeof(lines),
				      .first_line = 12,
				      .version = 0x30b,
				      .address = 0x1234};
	const struct kymo_code *code;
	uint32_t first = 99, second = 99;

	fixture_open(NULL);
	CHECK(kymo_sample_code(&spec, &first) && first == 0);
	spec.lines = NULL;
	spec.lines_size = 0;
	CHECK(kymo_sample_code(&spec, &second) && second == 1);
	code = code_at(first);
	CHECK(!strcmp(string_at(code->name)->text, "work") && code->qualname == 0);
	CHECK(code->first_line == 12 && code->version == 0x30b && code->address == 0x1234);
	CHECK(string_at(code->lines)->length == sizeof(lines));
	CHECK(!memcmp(string_at(code->lines)->text, lines, sizeof(lines)));
	CHECK(code_at(second)->lines == 0 && code_at(second)->file == code->file);
	CHECK(store_lock());
	store_lock_keep();
	CHECK(!kymo_sample_code(&spec, &first) && first == 0);
	store_unlock();
}

static void gate_body(void)
{
	struct kymo_thread *thread;
	uint64_t since = 1, before;

	fixture_open(NULL);
	thread = kymo_thread();
	CHECK(kymo_sample_admits(thread, &since));
	CHECK(gate_switch(false));
	CHECK(!kymo_sample_admits(thread, &since));
	before = ticks_now();
	CHECK(gate_switch(true));
	CHECK(kymo_sample_admits(thread, &since) && since >= before && since <= ticks_now());
	/* A program's own pause is its thread's. */
	kymo_user_pause(thread);
	CHECK(!kymo_sample_admits(thread, &since));
	CHECK(kymo_user_resume(thread) && kymo_sample_admits(thread, &since));
	kymo_runtime_close(0);
	CHECK(!kymo_sample_admits(thread, &since));
}

/* The window begins with nobody making an event. */
static void window_body(void)
{
	static const char *const settings[] = {"TRACE_DELAY=0.05", "CLOCK=monotonic", NULL};
	uint64_t since = 0, begin;

	fixture_open(settings);
	begin = store.header->start_ticks;
	while (!kymo_sample_admits(kymo_thread(), &since))
		CHECK(ticks_now() < begin + UINT64_C(20000000000));
	CHECK(since >= begin + 50000000);
}

static void registry_body(void)
{
	CHECK(kymo_sample_signals() == 0);
	kymo_sample_signals_set(UINT64_C(1) << 63 | 1);
	CHECK(kymo_sample_signals() == (UINT64_C(1) << 63 | 1));
	fixture_open(NULL);
	CHECK(!(store.header->flags & KYMO_HEADER_SAMPLES));
	kymo_sample_mark();
	CHECK(store.header->flags & KYMO_HEADER_SAMPLES);
}

/* An address in a module: they are looked for once, and only where that was asked for. */
static void note_address_body(void)
{
	fixture_open(NULL);
	CHECK(!kymo_sample_note_address((uint64_t)(uintptr_t)note_address_body));
}

/* Neither a profile nor a trace: the recording has threads all the same. */
static void alone_body(void)
{
	static const char *const settings[] = {"PROFILE=OFF", "TRACE=OFF", NULL};
	struct recording *recording;

	fixture_open(settings);
	CHECK(kymo_runtime_mode() == 0);
	kymo_region_enter(kymo_thread(), fixture_region("unseen"));
	kymo_region_leave(kymo_thread(), fixture_region("unseen"));
	CHECK(kymo_sample_chunk(kymo_thread(), KYMO_CHUNK_SAMPLES, 100, 0, 0));
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(recording->thread_count == 1);
	recording_free(recording);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name##_body);                                                          \
	}
CASE(threads)
CASE(late)
CASE(closing)
CASE(fork)
CASE(chunk)
CASE(full)
CASE(code)
CASE(gate)
CASE(window)
CASE(registry)
CASE(note_address)
CASE(alone)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),	     cmocka_unit_test(test_late),
		cmocka_unit_test(test_closing),	     cmocka_unit_test(test_fork),
		cmocka_unit_test(test_chunk),	     cmocka_unit_test(test_full),
		cmocka_unit_test(test_code),	     cmocka_unit_test(test_gate),
		cmocka_unit_test(test_window),	     cmocka_unit_test(test_registry),
		cmocka_unit_test(test_note_address), cmocka_unit_test(test_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
