/* Threads: pthread_create in the parent, start_thread as the first region of the child.
 *
 * The child's parameters are in a slot of a fixed table until it has begun; if all slots are
 * taken, in a page of their own. */
#include "collectors/lifecycle/lifecycle_thread.h"

#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/pages.h"
#include "collectors/wrap.h"
#include "runtime/lifecycle/lifecycle.h"

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*create_c11_fn)(thrd_t *, thrd_start_t, void *);
typedef int (*name_fn)(pthread_t, const char *);
typedef int (*control_fn)(int, ...);

WRAP_SLOT(pthread_create);
WRAP_SLOT(thrd_create);
WRAP_SLOT(pthread_setname_np);
WRAP_SLOT(prctl);

struct start { /* passed from the creating thread to the created one */
	union {
		void *(*routine)(void *);
		thrd_start_t routine_c11;
	};
	void *argument;
	struct kymo_thread_ticket ticket;
};

#define START_WORDS 16u
#define START_COUNT (START_WORDS * 64u)
#define PAGE_BYTES  4096u
#define NAME_BYTES  15u /* as many as the kernel stores */

static struct start starts[START_COUNT];
static uint64_t taken[START_WORDS]; /* atomic; a bit for each of starts[] */

static uint32_t create_region, create_c11_region, start_region; /* 0 = not recorded */

void lifecycle_thread_resolve(void)
{
	(void)WRAP_REAL(pthread_create, create_fn);
	(void)WRAP_REAL(thrd_create, create_c11_fn);
	(void)WRAP_REAL(pthread_setname_np, name_fn);
	(void)WRAP_REAL(prctl, control_fn);
}

static uint32_t region(const char *name)
{
	struct kymo_region_spec spec = {.kind = KYMO_REGION_PTHREAD, .name = name};

	return kymo_region_intern(&spec);
}

void lifecycle_thread_init(void)
{
	create_region = region("pthread_create");
	create_c11_region = region("thrd_create");
	start_region = region("start_thread");
}

static struct start *start_get(void)
{
	for (unsigned word = 0; word < START_WORDS; word++) {
		uint64_t bits = __atomic_load_n(&taken[word], __ATOMIC_RELAXED);

		while (~bits) {
			unsigned bit = (unsigned)__builtin_ctzll(~bits);

			if (__atomic_compare_exchange_n(&taken[word], &bits,
							bits | UINT64_C(1) << bit, false,
							__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
				return &starts[word * 64 + bit];
		}
	}
	return pages_new(PAGE_BYTES);
}

static void start_put(struct start *start)
{
	size_t index = (size_t)(start - starts);

	if (start < starts || index >= START_COUNT)
		pages_free(start, PAGE_BYTES);
	else
		__atomic_and_fetch(&taken[index / 64], ~(UINT64_C(1) << index % 64),
				   __ATOMIC_RELEASE);
}

static struct start lifecycle_thread_begin(void *slot)
{
	struct start start = *(struct start *)slot;
	KEEP_ERRNO();

	start_put(slot);
	kymo_thread_outermost(kymo_thread_begin(&start.ticket, NULL), start_region);
	return start;
}

static void thread_end(void *unused)
{
	(void)unused;
	kymo_thread_end();
}

static void *lifecycle_thread_run(void *slot)
{
	struct start start = lifecycle_thread_begin(slot);
	void *result;

	if (kymo_likely(kymo_thread_end_is_seen()))
		return start.routine(start.argument);
	pthread_cleanup_push(thread_end, NULL);
	result = start.routine(start.argument);
	pthread_cleanup_pop(1);
	return result;
}

static int run_c11(void *slot)
{
	struct start start = lifecycle_thread_begin(slot);
	int result;

	if (kymo_likely(kymo_thread_end_is_seen()))
		return start.routine_c11(start.argument);
	pthread_cleanup_push(thread_end, NULL);
	result = start.routine_c11(start.argument);
	pthread_cleanup_pop(1);
	return result;
}

struct creation { /* a creation that is recorded */
	struct start *start;
	struct kymo_thread *thread;
	uint32_t region;
	bool is_entered;
};

/* False if nothing is recorded, or there is no memory. */
static bool creation_begin(struct creation *creation, uint32_t create, void *argument)
{
	KEEP_ERRNO();

	if (create == 0 || kymo_runtime_state() != KYMO_RUNTIME_ACTIVE)
		return false;
	creation->start = start_get();
	if (!creation->start)
		return false;
	creation->thread = kymo_thread();
	creation->region = create;
	creation->is_entered = kymo_region_enter(creation->thread, create);
	creation->start->argument = argument;
	creation->start->ticket = kymo_thread_ticket();
	return true;
}

static void creation_end(const struct creation *creation, bool is_created)
{
	KEEP_ERRNO();

	if (creation->is_entered)
		kymo_region_leave(creation->thread, creation->region);
	if (!is_created)
		start_put(creation->start);
}

int lifecycle_thread_create(pthread_t *thread, const pthread_attr_t *attributes,
			    void *(*routine)(void *), void *argument)
{
	create_fn real = WRAP_REAL(pthread_create, create_fn);
	struct creation creation;
	int result;

	if (!creation_begin(&creation, create_region, argument))
		return real(thread, attributes, routine, argument);
	creation.start->routine = routine;
	result = real(thread, attributes, lifecycle_thread_run, creation.start);
	creation_end(&creation, result == 0);
	return result;
}

int lifecycle_thread_create_c11(thrd_t *thread, thrd_start_t routine, void *argument)
{
	create_c11_fn real = WRAP_REAL(thrd_create, create_c11_fn);
	struct creation creation;
	int result;

	if (!creation_begin(&creation, create_c11_region, argument))
		return real(thread, routine, argument);
	creation.start->routine_c11 = routine;
	result = real(thread, run_c11, creation.start);
	creation_end(&creation, result == thrd_success);
	return result;
}

static void name_this(const char *name)
{
	KEEP_ERRNO();

	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE && !kymo_runtime_is_restricted())
		kymo_thread_name((uint64_t)syscall(SYS_gettid), name);
}

int lifecycle_thread_name(pthread_t thread, const char *name)
{
	int result = WRAP_REAL(pthread_setname_np, name_fn)(thread, name);

	/* The name of another thread is read when that ends. */
	if (result == 0 && pthread_equal(thread, pthread_self()))
		name_this(name);
	return result;
}

static int control(int option, const unsigned long arguments[4])
{
	return WRAP_REAL(prctl, control_fn)(option, arguments[0], arguments[1], arguments[2],
					    arguments[3]);
}

static int thread_restrict_calls(const unsigned long arguments[4])
{
	bool has_begun = kymo_restrict_begin(arguments[0] == SECCOMP_MODE_STRICT);
	int result = control(PR_SET_SECCOMP, arguments);

	if (has_begun)
		kymo_restrict_end(result == 0);
	return result;
}

int lifecycle_control_process(int option, const unsigned long arguments[4])
{
	int result;

	if (option == PR_SET_SECCOMP)
		return thread_restrict_calls(arguments);
	/* A seccomp filter is next, perhaps by an instruction that is not intercepted. */
	if (option == PR_SET_NO_NEW_PRIVS && !kymo_runtime_is_restricted())
		kymo_confine();
	/* Reading the clock will kill the program. */
	if (option == PR_SET_TSC && arguments[0] == PR_TSC_SIGSEGV)
		kymo_runtime_end(-1);
	result = control(option, arguments);
	if (option == PR_SET_NAME && result == 0) {
		char name[NAME_BYTES + 1] = "";

		strncpy(name, (const char *)arguments[0], NAME_BYTES);
		name_this(name);
	}
	return result;
}
