/* What system calls wait for, by number and by the functions that make them. The numbers are those
 * of the recorded machine, not of this one. */
#include "model/code/sampled_calls.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define NUMBER_SHIFT	48 /* in the content of a kernel's frame */
#define OBJECT_MASK	((UINT64_C(1) << NUMBER_SHIFT) - 1)

static const struct sampled_call x86_64_calls[] = {
#define CALL(number, name, class, is_wait) [number] = {#name, SAMPLED_##class, is_wait},
#include "model/code/x86_64/sampled_calls.def"
#undef CALL
};

/* Functions of the C library whose names differ from the system call they make. */
static const struct sampled_call functions[] = {
	{"futex_abstimed_wait_common", SAMPLED_LOCK, true},
	{"futex_abstimed_wait_common64", SAMPLED_LOCK, true},
	{"lll_lock_wait", SAMPLED_LOCK, true},
	{"lll_lock_wait_private", SAMPLED_LOCK, true},
	{"do_futex_wait", SAMPLED_LOCK, true},
	{"new_sem_wait_slow64", SAMPLED_LOCK, true},
	{"pthread_mutex_lock", SAMPLED_LOCK, false},
	{"pthread_mutex_timedlock", SAMPLED_LOCK, false},
	{"pthread_cond_wait", SAMPLED_LOCK, true},
	{"pthread_cond_timedwait", SAMPLED_LOCK, true},
	{"pthread_cond_clockwait", SAMPLED_LOCK, true},
	{"pthread_rwlock_rdlock", SAMPLED_LOCK, false},
	{"pthread_rwlock_wrlock", SAMPLED_LOCK, false},
	{"pthread_join", SAMPLED_LOCK, true},
	{"pthread_clockjoin_ex", SAMPLED_LOCK, true},
	{"pthread_barrier_wait", SAMPLED_LOCK, true},
	{"sem_wait", SAMPLED_LOCK, true},
	{"sem_timedwait", SAMPLED_LOCK, true},
	{"sem_clockwait", SAMPLED_LOCK, true},
	{"sleep", SAMPLED_SLEEP, true},
	{"usleep", SAMPLED_SLEEP, true},
	{"waitpid", SAMPLED_CHILD, true},
	{"wait", SAMPLED_CHILD, true},
	{"select64", SAMPLED_NETWORK, true},
	{"recv", SAMPLED_NETWORK, false},
	{"send", SAMPLED_NETWORK, false},
	{"pread", SAMPLED_IO, false},
	{"pwrite", SAMPLED_IO, false},
	{"open64", SAMPLED_IO, false},
};

const struct sampled_call *sampled_call_find(uint32_t number)
{
	return number < COUNT_OF(x86_64_calls) && x86_64_calls[number].name ? &x86_64_calls[number]
									    : NULL;
}

/* "read" of "__libc_read" and of "__GI___read_nocancel": the length without the C library's
 * prefixes and suffixes. */
static size_t calls_plain_name(const char **name)
{
	static const char *const before[] = {"__GI_", "__libc_", "__pthread_", "___", "__", "_"};
	static const char *const suffixes[] = {"_nocancel", "@plt"};
	size_t length;

	for (size_t i = 0; i < COUNT_OF(before); i++) {
		/* The pthread functions are listed with their prefix. */
		if (strncmp(*name, before[i], strlen(before[i])) == 0)
			*name += strcmp(before[i], "__pthread_") == 0 ? 2 : strlen(before[i]);
	}
	length = strlen(*name);
	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		size_t tail = strlen(suffixes[i]);

		if (length > tail && strcmp(*name + length - tail, suffixes[i]) == 0)
			length -= tail;
	}
	return length;
}

static const struct sampled_call *find_named(const struct sampled_call *calls, size_t count,
					     const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++) {
		if (calls[i].name && strncmp(calls[i].name, name, length) == 0 &&
		    calls[i].name[length] == '\0')
			return calls[i].class == SAMPLED_KERNEL ? NULL : &calls[i];
	}
	return NULL;
}

const struct sampled_call *sampled_call_named(const char *function)
{
	size_t length = calls_plain_name(&function);
	const struct sampled_call *call =
		find_named(functions, COUNT_OF(functions), function, length);

	return call ? call : find_named(x86_64_calls, COUNT_OF(x86_64_calls), function, length);
}

/* These wait for anything that has a descriptor, or for none: then only for time. */
static bool is_poll(const struct sampled_call *call)
{
	static const char *const names[] = {"poll", "ppoll", "select", "pselect6"};

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (strcmp(call->name, names[i]) == 0)
			return true;
	}
	return false;
}

bool sampled_call_is_sleep(uint64_t content)
{
	const struct sampled_call *call = sampled_call_find((uint32_t)(content >> NUMBER_SHIFT));

	return call && is_poll(call) && (content & OBJECT_MASK) == 0;
}

uint64_t sampled_call_sleep(void)
{
	uint64_t number = 0;

	while (number < COUNT_OF(x86_64_calls) &&
	       (!x86_64_calls[number].name ||
		strcmp(x86_64_calls[number].name, "clock_nanosleep") != 0))
		number++;
	return number << NUMBER_SHIFT;
}

enum sampled_class sampled_call_class(const struct sampled_call *call, uint64_t content)
{
	enum kymo_descriptor_kind kind = sampled_call_descriptor(content);

	/* A futex is named where it is waited for, not where waiters are woken. */
	if (strcmp(call->name, "futex") == 0 && (content & OBJECT_MASK) == 0)
		return SAMPLED_KERNEL;
	if (call->class != SAMPLED_IO && call->class != SAMPLED_NETWORK)
		return call->class;
	if (is_poll(call) && (content & OBJECT_MASK) == 0)
		return SAMPLED_SLEEP;
	switch (kind) {
	case KYMO_DESCRIPTOR_SOCKET:
		return SAMPLED_NETWORK;
	case KYMO_DESCRIPTOR_FILE:
	case KYMO_DESCRIPTOR_PIPE:
	case KYMO_DESCRIPTOR_TERMINAL:
		return SAMPLED_IO;
	case KYMO_DESCRIPTOR_OTHER:
		return call->class == SAMPLED_IO ? SAMPLED_OTHER : call->class;
	case KYMO_DESCRIPTOR_UNKNOWN:
		break;
	}
	return call->class;
}
