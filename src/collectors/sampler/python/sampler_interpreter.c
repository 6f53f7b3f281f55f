/* The interpreter of the process: it may be present from the start, initialised later, loaded
 * later, or never.
 *
 * It is searched for at the start, and again whenever a stack led into an unknown module: no
 * Python runs without that.  One that was loaded later may be unloaded at any time, so checked
 * reads determine whether it runs Python now: then it is not unloaded. */
#include "collectors/sampler/python/sampler_interpreter.h"

#include <dlfcn.h>

#include "object/unwind/unwind.h"
#include "pystack/merge/pymerge_bounds.h"
#include "pystack/pyruntime.h"
#include "pystack/pyruntime_self.h"

#define FOUND_MAX 8u /* interpreters that a process has had, one after the other */

/* Only the result is used, not the answer. */
typedef int (*find_object_fn)(void *address, uint64_t answer[32]);

static find_object_fn find_object;
static struct sampler_interpreter found[FOUND_MAX]; /* each written once */
static unsigned found_count;			    /* by the searching thread */
static const struct sampler_interpreter *current;   /* atomic */
static bool was_ready;				    /* the permanent one; atomic */
static const char *obstacle;			    /* atomic; constant text */
static bool is_searching, has_new_module;	    /* atomic */

/* Reads memory of a library that may be unmapped concurrently. */
static bool interpreter_read_checked(void *unused, uint64_t address, void *to, size_t size)
{
	(void)unused;
	return unwind_copy(address, to, size);
}

static const struct pymemory checked = {.read = interpreter_read_checked};

void sampler_interpreter_note_module(void)
{
	__atomic_store_n(&has_new_module, true, __ATOMIC_RELAXED);
}

const char *sampler_interpreter_obstacle(void)
{
	return __atomic_load_n(&obstacle, __ATOMIC_RELAXED);
}

/* One at a time; a concurrent caller returns at once. */
static void interpreter_search(void)
{
	struct sampler_interpreter *next;
	const char *reason = NULL;

	if (__atomic_exchange_n(&is_searching, true, __ATOMIC_ACQUIRE))
		return;
	next = &found[found_count]; /* a previous search may have found one, which is in use now */
	__atomic_store_n(&has_new_module, false, __ATOMIC_RELAXED);
	if (!current && found_count < FOUND_MAX && pyruntime_find(&next->runtime, &reason)) {
		(void)pymerge_bounds(&next->runtime, &next->evaluation);
		found_count++;
		__atomic_store_n(&current, next, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&obstacle, reason, __ATOMIC_RELAXED);
	__atomic_store_n(&is_searching, false, __ATOMIC_RELEASE);
}

void sampler_interpreter_init(void)
{
	find_object = (find_object_fn)dlsym(RTLD_DEFAULT, "_dl_find_object");
	(void)dlerror();
	interpreter_search();
	if (current)
		found[0].is_permanent = true;
}

static bool interpreter_is_loaded(const struct sampler_interpreter *interpreter)
{
	void *address = (void *)(uintptr_t)interpreter->runtime.runtime;
	uint64_t answer[32];
	char byte;

	if (find_object)
		return find_object(address, answer) == 0;
	return unwind_copy(interpreter->runtime.runtime, &byte, 1);
}

/* A permanent one is checked in full only until it is ready. */
static bool is_ready(const struct pyruntime *runtime)
{
	if (__atomic_load_n(&was_ready, __ATOMIC_RELAXED))
		return pyruntime_is_running(runtime);
	if (!pyruntime_is_ready(runtime, NULL))
		return false;
	__atomic_store_n(&was_ready, true, __ATOMIC_RELAXED);
	return true;
}

const struct sampler_interpreter *sampler_interpreter_now(void)
{
	const struct sampler_interpreter *interpreter;

	if (__atomic_load_n(&has_new_module, __ATOMIC_RELAXED) &&
	    !__atomic_load_n(&current, __ATOMIC_RELAXED))
		interpreter_search();
	interpreter = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	if (!interpreter)
		return NULL;
	if (interpreter->is_permanent)
		return is_ready(&interpreter->runtime) ? interpreter : NULL;
	if (!interpreter_is_loaded(interpreter)) {
		__atomic_store_n(&current, NULL, __ATOMIC_RELEASE);
		return NULL;
	}
	return pyruntime_is_ready(&interpreter->runtime, &checked) ? interpreter : NULL;
}

void sampler_interpreter_forked(void)
{
	is_searching = false;
}
