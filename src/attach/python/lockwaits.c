/* Up to early 3.13 a lock of Python's is a semaphore of the C library, whose address is the futex
 * that its waiters sleep on: the lock is the object of the waiting frame that has this address.
 *
 * In later 3.13 threading.Lock is a byte within its object, from 3.14 on threading.RLock, too.
 * Each waiter has a semaphore of its own, on its stack, preceded by the address of the byte; so the
 * object is known without a search.  A byte has no owner: the owner is the thread with an open
 * `with` block, as before; for locks of the interpreter itself it is unknown. */
#include "attach/python/lockwaits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "attach/python/framecontents.h"
#include "attach/python/threadframes.h"
#include "pystack/pyread.h"

#define FIRST_BYTES	0x030du /* the first version with locks that are bytes, in some releases */
#define LAST_SEMAPHORES 0x030du /* the last version with locks that are semaphores */
#define LOCK_PLACE	16u	/* in a lock's object: the semaphore's address, or the byte */
#define BYTE_BEFORE	8u	/* before the semaphore of a waiter: the byte's address */
#define BYTE_WAITED_FOR 2u
#define RLOCK_OWNER	24u
#define RLOCK_COUNT	32u
#define FUNCTION_METHOD 16u
#define FUNCTION_NAME	32u
#define METHOD_NAME	24u
#define BOUND_SELF	24u
#define WAITING_FRAMES	3u  /* number of innermost frames that may use the lock */
#define WORDS_ABOVE	16u /* of a stack, beyond those certainly in use */
#define MUTEX_KINDS	0x1ffu
#define MUTEX_CONTENDED 2u

struct search {
	struct watch *watch;
	struct pyobjects objects;
	struct threadframes *frames; /* of each thread */
};

const char *lockwaits_kind_text(enum lock_kind kind)
{
	switch (kind) {
	case LOCK_GIL:
		return "the GIL";
	case LOCK_PLAIN:
		return "threading.Lock";
	case LOCK_RECURSIVE:
		return "threading.RLock";
	case LOCK_CONDITION:
		return "a notification of threading.Condition";
	case LOCK_MUTEX:
		return "a mutex";
	case LOCK_INTERNAL:
		return "a lock or event of the interpreter";
	case LOCK_NONE:
	case LOCK_UNKNOWN:
		break;
	}
	return "a futex";
}

size_t lockwaits_thread(const struct watch *watch, pid_t id)
{
	for (size_t i = 0; i < watch->count; i++)
		if (watch->threads[i]->task.id == id)
			return i;
	return SIZE_MAX;
}

static bool lockwaits_type_of(const struct search *search, uint64_t object, char *name, size_t size)
{
	uint64_t type;

	return pyobject_type(&search->objects, object, &type) &&
	       pyobject_type_name(&search->objects, type, name, size);
}

static enum lock_kind lockwaits_kind_of(const struct search *search, uint64_t object)
{
	char name[32];

	if (!object || !lockwaits_type_of(search, object, name, sizeof(name)))
		return LOCK_NONE;
	if (strcmp(name, "_thread.lock") == 0)
		return LOCK_PLAIN;
	return strcmp(name, "_thread.RLock") == 0 ? LOCK_RECURSIVE : LOCK_NONE;
}

/* The object that a bound method of C or of Python belongs to; 0 = it is none.  method: only one of
 * that name in C, or of any name in Python. */
static uint64_t lockwaits_self_of(const struct search *search, uint64_t object, const char *method)
{
	const struct pymemory *memory = search->objects.memory;
	uint64_t self, definition, address;
	char name[32], text[16] = "";

	if (!lockwaits_type_of(search, object, name, sizeof(name)) ||
	    !pyobject_word(&search->objects, object + BOUND_SELF, &self))
		return 0;
	if (strcmp(name, "method") == 0)
		return self;
	if (strcmp(name, "builtin_function_or_method") != 0)
		return 0;
	if (!method)
		return self;
	if (!pyobject_word(&search->objects, object + FUNCTION_METHOD, &definition) ||
	    !pyobject_word(&search->objects, definition, &address) ||
	    !memory->read(memory->context, address, text, strlen(method) + 1))
		return 0;
	return memcmp(text, method, strlen(method) + 1) == 0 ? self : 0;
}

struct lock_key {	      /* identifies a lock */
	uint64_t futex, byte; /* byte 0 = there is none */
};

static bool has_only_bytes(const struct search *search)
{
	return search->watch->python.version > LAST_SEMAPHORES;
}

static bool lockwaits_is_that(const struct search *search, uint64_t object,
			      const struct lock_key *key, struct lock_wait *wait)
{
	enum lock_kind kind = lockwaits_kind_of(search, object);
	uint64_t semaphore;

	if (kind == LOCK_NONE ||
	    (object + LOCK_PLACE != key->byte &&
	     (!pyobject_word(&search->objects, object + LOCK_PLACE, &semaphore) ||
	      semaphore != key->futex)))
		return false;
	wait->kind = kind;
	wait->address = object;
	return true;
}

/* Condition.wait(): each waiter has a lock of its own, which is acquired twice. */
static bool is_notification(const struct search *search, const struct framecontents *contents,
			    const struct lock_key *key, struct lock_wait *wait)
{
	uint64_t object, self = 0;
	bool is_number, is_found = false;
	struct lock_wait waiter = {0};
	char name[16];

	for (uint32_t i = 0; i < contents->variables; i++) {
		if (!framecontents_variable(contents, i, name, sizeof(name), &object, &is_number) ||
		    is_number || !object)
			continue;
		if (strcmp(name, "self") == 0)
			self = object;
		is_found |= strcmp(name, "waiter") == 0 &&
			    lockwaits_is_that(search, object, key, &waiter);
	}
	if (!is_found || !self || !lockwaits_type_of(search, self, name, sizeof(name)) ||
	    strcmp(name, "Condition") != 0)
		return false;
	wait->kind = LOCK_CONDITION;
	wait->address = self;
	return true;
}

static bool find_in_frame(const struct search *search, const struct framecontents *contents,
			  const struct lock_key *key, struct lock_wait *wait)
{
	char name[8];
	uint64_t object;
	bool is_number;

	if (is_notification(search, contents, key, wait))
		return true;
	for (uint32_t i = 0; i < contents->certain + WORDS_ABOVE; i++) {
		object = framecontents_word(contents, i);
		if (object &&
		    (lockwaits_is_that(search, object, key, wait) ||
		     lockwaits_is_that(search, lockwaits_self_of(search, object, NULL), key, wait)))
			return true;
	}
	for (uint32_t i = 0; i < contents->variables; i++)
		if (framecontents_variable(contents, i, name, sizeof(name), &object, &is_number) &&
		    !is_number && lockwaits_is_that(search, object, key, wait))
			return true;
	return false;
}

static bool find_object(const struct search *search, size_t index, const struct lock_key *key,
			struct lock_wait *wait)
{
	const struct threadframes *frames = &search->frames[index];
	struct framecontents contents;

	for (size_t i = 0; i < frames->count && i < WAITING_FRAMES; i++)
		if (framecontents_open(&contents, &search->objects, frames->addresses[i],
				       frames->frames[i].code, frames->frames[i].offset) &&
		    find_in_frame(search, &contents, key, wait))
			return true;
	return false;
}

/* The byte that a thread waits for which sleeps on its own semaphore; 0 = the futex is something
 * else. */
static uint64_t byte_behind(const struct search *search, uint64_t futex)
{
	struct remote *remote = &search->watch->remote;
	unsigned char bits;
	uint64_t byte;

	if (search->watch->python.version < FIRST_BYTES ||
	    !remote_read(remote, futex - BYTE_BEFORE, &byte, sizeof(byte)) ||
	    !remote_read(remote, byte, &bits, sizeof(bits)) || !(bits & BYTE_WAITED_FOR))
		return 0;
	return byte;
}

static bool find_lock(const struct search *search, size_t index, uint64_t futex,
		      struct lock_wait *wait)
{
	const struct lock_key key = {futex, byte_behind(search, futex)};

	if (!search->objects.offsets)
		return false;
	if (find_object(search, index, &key, wait) ||
	    (key.byte && pyread_is_object(key.byte) &&
	     lockwaits_is_that(search, key.byte - LOCK_PLACE, &key, wait)))
		return true;
	if (!key.byte || !has_only_bytes(search))
		return false;
	wait->kind = LOCK_INTERNAL;
	wait->address = key.byte;
	return true;
}

/* Recognise a glibc mutex by its words: the owner is one of the process's threads. */
static bool find_mutex(const struct search *search, uint64_t futex, struct lock_wait *wait)
{
	struct {
		uint32_t lock, count;
		int32_t owner;
		uint32_t users, kind;
	} mutex;
	pid_t owner;

	if (!remote_read(&search->watch->remote, futex, &mutex, sizeof(mutex)) ||
	    mutex.kind > MUTEX_KINDS || mutex.owner <= 0 ||
	    (mutex.lock != MUTEX_CONTENDED && (mutex.lock & 0x3fffffff) != (uint32_t)mutex.owner))
		return false;
	owner = targettasks_find(&search->watch->tasks, mutex.owner);
	if (!owner)
		return false;
	wait->kind = LOCK_MUTEX;
	wait->owner = owner;
	return true;
}

static void find_gil_holder(const struct watch *watch, const struct watch_thread *thread,
			    struct lock_wait *wait)
{
	wait->kind = LOCK_GIL;
	for (size_t i = 0; i < watch->count; i++)
		if (watch->threads[i]->gil == KYMO_GIL_HELD &&
		    (watch->threads[i]->interpreter == thread->interpreter ||
		     watch->python.version < 0x030c))
			wait->owner = watch->threads[i]->task.id;
}

static void find_wait(const struct search *search, size_t index, struct lock_wait *wait)
{
	const struct watch_thread *thread = search->watch->threads[index];
	const struct targettask_reading *task = &thread->task.last;

	if (thread->result != WATCH_STACK || !task->is_asleep || task->call != SYS_futex)
		return;
	*wait = (struct lock_wait){.kind = LOCK_UNKNOWN, .address = task->argument};
	if (thread->gil == KYMO_GIL_WAITED_FOR)
		find_gil_holder(search->watch, thread, wait);
	else if (!find_lock(search, index, task->argument, wait))
		find_mutex(search, task->argument, wait);
}

/* The object of the method that ends a `with` block: up to 3.13 the method is bound to it, from
 * 3.14 on the object follows the method. */
static uint64_t ended_by(const struct search *search, const struct framecontents *contents,
			 uint32_t i)
{
	uint64_t word = framecontents_word(contents, i), place, text;
	char type[32], name[16] = "";

	if (!word)
		return 0;
	if (!has_only_bytes(search) || i + 1 >= contents->certain)
		return lockwaits_self_of(search, word, "__exit__");
	if (!lockwaits_type_of(search, word, type, sizeof(type)))
		return 0;
	place = strcmp(type, "method_descriptor") == 0 ? METHOD_NAME
		: strcmp(type, "function") == 0	       ? FUNCTION_NAME
						       : 0;
	if (!place || !pyobject_word(&search->objects, word + place, &text) ||
	    !pyobject_text(&search->objects, text, name, sizeof(name)) ||
	    strcmp(name, "__exit__") != 0)
		return lockwaits_self_of(search, word, "__exit__");
	return framecontents_word(contents, i + 1);
}

/* The word is the method of a lock, or of a Condition, whose lock is an attribute. */
static bool is_held_by_word(const struct search *search, const struct framecontents *contents,
			    uint32_t i, uint64_t lock)
{
	uint64_t self = ended_by(search, contents, i);

	if (!self || self == lock)
		return self != 0;
	return lockwaits_kind_of(search, self) == LOCK_NONE &&
	       pyobject_attribute(&search->objects, self, "_lock") == lock;
}

static bool is_held_by_frame(const struct search *search, const struct framecontents *contents,
			     uint64_t lock)
{
	for (uint32_t i = 0; i < contents->certain; i++)
		if (is_held_by_word(search, contents, i, lock))
			return true;
	return false;
}

static bool find_with_block(const struct search *search, size_t index, struct lock_wait *wait)
{
	const struct threadframes *frames = &search->frames[index];
	struct framecontents contents;

	for (size_t i = 0; i < frames->count; i++) {
		if (!framecontents_open(&contents, &search->objects, frames->addresses[i],
					frames->frames[i].code, frames->frames[i].offset) ||
		    !is_held_by_frame(search, &contents, wait->address))
			continue;
		wait->owner = search->watch->threads[index]->task.id;
		wait->owner_frame = threadframes_word(search->watch->threads[index], i);
		return true;
	}
	return false;
}

static void find_recorded_owner(const struct search *search, struct lock_wait *wait)
{
	const struct watch *watch = search->watch;
	uint64_t handle;

	if (!pyobject_word(&search->objects, wait->address + RLOCK_OWNER, &handle) || !handle)
		return;
	if (pyobject_word(&search->objects, wait->address + RLOCK_COUNT, &wait->count))
		wait->count += has_only_bytes(search); /* there it excludes the first time */
	for (size_t i = 0; i < watch->count; i++)
		if (watch->threads[i]->handle == handle) {
			find_with_block(search, i, wait);
			wait->owner = watch->threads[i]->task.id;
		}
}

/* Also finds a lock that the waiter itself has acquired before. */
static void find_owner(const struct search *search, struct lock_wait *wait)
{
	if (wait->kind == LOCK_RECURSIVE)
		find_recorded_owner(search, wait);
	else if (wait->kind == LOCK_PLAIN)
		for (size_t i = 0; i < search->watch->count; i++)
			if (find_with_block(search, i, wait))
				break;
}

/* The GIL is released regularly: waiting for it is not part of a deadlock. */
static bool is_cyclic(const struct watch *watch, const struct lockwaits *locks, size_t index)
{
	size_t at = index;

	for (size_t steps = 0; steps <= locks->count; steps++) {
		const struct lock_wait *wait = &locks->waits[at];

		if (wait->kind == LOCK_NONE || wait->kind == LOCK_GIL || !wait->owner)
			return false;
		at = lockwaits_thread(watch, wait->owner);
		if (at == index)
			return true;
		if (at == SIZE_MAX)
			return false;
	}
	return false;
}

bool lockwaits_read(struct lockwaits *locks, struct watch *watch)
{
	const struct pymemory memory = {.read = remote_read, .context = &watch->remote};
	struct search search = {.watch = watch};

	*locks = (struct lockwaits){.count = watch->count};
	locks->waits = calloc(watch->count + 1, sizeof(*locks->waits));
	search.frames = calloc(watch->count + 1, sizeof(*search.frames));
	if (!locks->waits || !search.frames) {
		free(search.frames);
		lockwaits_release(locks);
		return false;
	}
	if (watch->has_python)
		pyobjects_init(&search.objects, &watch->python.runtime, &memory);
	for (size_t i = 0; i < watch->count && search.objects.offsets; i++)
		threadframes_read(&search.frames[i], watch, watch->threads[i]);
	for (size_t i = 0; i < watch->count; i++)
		find_wait(&search, i, &locks->waits[i]);
	for (size_t i = 0; i < watch->count; i++)
		find_owner(&search, &locks->waits[i]);
	for (size_t i = 0; i < watch->count; i++)
		locks->waits[i].is_in_cycle = is_cyclic(watch, locks, i);
	for (size_t i = 0; i < watch->count; i++)
		threadframes_release(&search.frames[i]);
	free(search.frames);
	return true;
}

void lockwaits_release(struct lockwaits *locks)
{
	free(locks->waits);
	*locks = (struct lockwaits){0};
}
