/* A library for tests of src/pystack, loaded by the Python program under test: it walks the
 * stack of the thread that calls it, or of any thread at the ticks of a timer. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pystack/merge/pymerge.h"
#include "pystack/pycode.h"
#include "pystack/merge/pymerge_bounds.h"
#include "pystack/pyruntime_self.h"
#include "pystack/pystack.h"
#include "pystack/walk/pystack_walk.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define EXPORTED    __attribute__((visibility("default")))
#define FRAMES_MAX  1024
#define WORDS_MAX   (4u << 20) /* of recorded samples */
#define TIMERS_MAX  64
#define SAMPLE_HEAD 3 /* words: thread id, status, frames */

static struct pyruntime runtime;

EXPORTED int ps_find(void)
{
	return pyruntime_self(&runtime, NULL);
}

EXPORTED const char *ps_reason(void)
{
	const char *reason = NULL;
	struct pyruntime found;

	return pyruntime_self(&found, &reason) ? "" : reason;
}

/* What an observer outside needs: addresses of symbols, and the version. */
EXPORTED void ps_addresses(uint64_t words[5])
{
	words[0] = runtime.runtime;
	words[1] = runtime.evaluate;
	words[2] = runtime.code_type;
	words[3] = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "Py_Version");
	words[4] = runtime.hexversion;
}

EXPORTED unsigned ps_version(void)
{
	return runtime.hexversion;
}

/* Each frame as four words: code, offset, is it an entry, address in the C stack. */
static size_t put_frames(const struct pyframe *frames, size_t count, uint64_t *words)
{
	for (size_t i = 0; i < count; i++) {
		words[4 * i] = frames[i].code;
		words[4 * i + 1] = frames[i].offset;
		words[4 * i + 2] = frames[i].is_entry;
		words[4 * i + 3] = frames[i].c_address;
	}
	return 4 * count;
}

/* words[0] = status; returns the number of frames that follow. */
EXPORTED long ps_here(uint64_t *words, long capacity)
{
	struct pyframe *frames = malloc((size_t)capacity * sizeof(*frames));
	size_t count = 0;

	words[0] = (uint64_t)pystack_walk(&runtime, NULL, pyruntime_this_thread(&runtime), frames,
					  (size_t)capacity, &count);
	put_frames(frames, count, words + 1);
	free(frames);
	return (long)count;
}

EXPORTED uint64_t ps_thread(void)
{
	return pyruntime_this_thread(&runtime);
}

static struct pycode code;

EXPORTED int ps_code(uint64_t address)
{
	return pycode_read(&runtime, NULL, address, &code);
}

EXPORTED const char *ps_code_name(void)
{
	return code.name;
}

EXPORTED const char *ps_code_qualname(void)
{
	return code.qualname;
}

EXPORTED const char *ps_code_filename(void)
{
	return code.filename;
}

EXPORTED unsigned ps_code_first_line(void)
{
	return code.first_line;
}

EXPORTED unsigned ps_code_flags(void)
{
	return code.flags;
}

EXPORTED const void *ps_code_lines(void)
{
	return (const void *)(uintptr_t)code.lines;
}

EXPORTED unsigned ps_code_lines_size(void)
{
	return code.lines_size;
}

EXPORTED int ps_gil(uint64_t words[5])
{
	struct pygil gil;

	if (!pygil_read(&runtime, NULL, pyruntime_this_thread(&runtime), &gil))
		return 0;
	words[0] = gil.address;
	words[1] = gil.size;
	words[2] = gil.condition;
	words[3] = gil.switch_condition;
	words[4] = gil.holder;
	return 1;
}

struct room { /* of one thread; too much for where the loader puts thread-locals */
	struct pyframe frames[FRAMES_MAX];
	struct unwind_frame native[FRAMES_MAX];
	struct pymerge_frame merged[2 * FRAMES_MAX];
	volatile sig_atomic_t is_walking;
};

/* For each frame two words: 0 and an address, or 1 and a code object.  words[0]: certain. */
EXPORTED long ps_merged(uint64_t *words)
{
	struct room *room = calloc(1, sizeof(*room));
	struct unwind_frame *native = room->native;
	struct pyframe *python = room->frames;
	struct pymerge_frame *merged = room->merged;
	struct pymerge_evaluation evaluation = {.count = 0};
	struct unwind_registers registers;
	struct unwind_stack stack = {0};
	enum unwind_end end;
	size_t native_count, python_count;
	struct pymerge_result result;

	unwind_learn();
	unwind_from_here(&registers);
	native_count = unwind_self(&registers, &stack, native, FRAMES_MAX, &end);
	pystack_walk(&runtime, NULL, pyruntime_this_thread(&runtime), python, FRAMES_MAX,
		     &python_count);
	pymerge_bounds(&runtime, &evaluation);
	result = pymerge(&(struct pymerge_stack){native, python, native_count, python_count, false},
			 &evaluation, merged);
	words[0] = result.is_certain;
	words[1] = end;
	for (size_t i = 0; i < result.count; i++) {
		words[2 + 2 * i] = merged[i].is_python;
		words[3 + 2 * i] = merged[i].is_python ? python[merged[i].index].code
						       : native[merged[i].index].address;
	}
	free(room);
	return (long)result.count;
}

/* Calls back: a native frame with a known name. */
EXPORTED __attribute__((noinline)) int ps_call(int (*function)(void))
{
	int result = function();

	__asm__ volatile("" : "+r"(result));
	return result;
}

static uint64_t *samples;
static _Atomic uint64_t used;
static _Atomic long merges[2]; /* not certain, certain */
static struct pymerge_evaluation evaluation_bounds;
static timer_t timers[TIMERS_MAX];
static int timer_count;
static int sample_signal;

static __thread struct room *own; /* of a thread that is sampled, before the first tick */

static void count_merge(const void *context, size_t count)
{
	struct unwind_registers registers;
	struct unwind_stack stack = {0};
	struct pymerge_result result;
	enum unwind_end end;
	size_t native;

	unwind_from_context(context, &registers);
	native = unwind_self(&registers, &stack, own->native, FRAMES_MAX, &end);
	if (end != UNWIND_COMPLETE)
		return;
	result = pymerge(&(struct pymerge_stack){own->native, own->frames, native, count, false},
			 &evaluation_bounds, own->merged);
	atomic_fetch_add(&merges[result.is_certain], 1);
}

static void handler(int number, siginfo_t *info, void *context)
{
	struct pyframe *frames = own->frames;
	int saved = errno;
	enum pystack_status status;
	uint64_t at, size;
	size_t count;

	(void)number;
	(void)info;
	own->is_walking = true;
	status = pystack_walk(&runtime, NULL, pyruntime_this_thread(&runtime), frames, FRAMES_MAX,
			      &count);
	if (status == PYSTACK_OK)
		count_merge(context, count);
	own->is_walking = false;
	size = SAMPLE_HEAD + 4 * count;
	at = atomic_fetch_add(&used, size);
	if (at + size <= WORDS_MAX) {
		samples[at] = (uint64_t)syscall(SYS_gettid);
		samples[at + 1] = status;
		samples[at + 2] = count;
		put_frames(frames, count, samples + at + SAMPLE_HEAD);
	} else {
		atomic_fetch_sub(&used, size);
	}
	errno = saved;
}

/* Sample the calling thread every so many microseconds. */
EXPORTED int ps_start(long microseconds)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID};
	struct sigaction action = {.sa_sigaction = handler};
	struct itimerspec times = {.it_interval.tv_nsec = microseconds * 1000,
				   .it_value.tv_nsec = microseconds * 1000};

	if (!samples)
		samples = calloc(WORDS_MAX, sizeof(*samples));
	if (!own)
		own = calloc(1, sizeof(*own));
	if (timer_count == 0) {
		unwind_learn();
		pymerge_bounds(&runtime, &evaluation_bounds);
	}
	sample_signal = SIGRTMAX - 3;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(sample_signal, &action, NULL);
	event.sigev_signo = sample_signal;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_count == TIMERS_MAX ||
	    timer_create(CLOCK_MONOTONIC, &event, &timers[timer_count]) != 0)
		return -1;
	return timer_settime(timers[timer_count++], 0, &times, NULL);
}

static void end_quietly(int number)
{
	if (!own || !own->is_walking)
		_exit(0);
	signal(number, SIG_DFL); /* the instruction is tried again */
}

/* Interpreters before 3.13 free what daemon threads still use, and now and then end by it; from
 * here on that is a quiet end, and a crash is one of the walk's. */
EXPORTED void ps_ends_quietly(void)
{
	signal(SIGSEGV, end_quietly);
}

EXPORTED void ps_stop(void)
{
	while (timer_count > 0)
		timer_delete(timers[--timer_count]);
}

EXPORTED const uint64_t *ps_samples(void)
{
	return samples;
}

EXPORTED uint64_t ps_used(void)
{
	return used;
}

EXPORTED long ps_merges(int is_certain)
{
	return merges[is_certain];
}
