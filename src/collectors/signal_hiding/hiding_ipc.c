/* Semaphores and message queues.  Serves signal_hiding.h. */
#include "collectors/signal_hiding/signal_hiding.h"
#include <sys/ipc.h>
#include <sys/msg.h>

#include "collectors/signal_hiding/hiding_restart.h"

static bool ipc_is_ended(ssize_t result)
{
	return result < 0 && errno == EINTR;
}

int hiding_semop(int set, struct sembuf *operations, size_t count)
{
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->semop(set, operations, count);
	do
		HIDING_WAIT(&call, result = hiding_real()->semop(set, operations, count));
	while (hiding_repeats(&call, ipc_is_ended(result)));
	return result;
}

int hiding_semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *time)
{
	struct hiding_call call = HIDING_CALL;
	struct timespec rest;
	int64_t deadline;
	int result;

	if (!hiding_is_on())
		return hiding_real()->semtimedop(set, operations, count, time);
	deadline = hiding_deadline(CLOCK_MONOTONIC, time);
	for (;;) {
		HIDING_WAIT(&call,
			    result = hiding_real()->semtimedop(set, operations, count, time));
		if (!hiding_repeats(&call, ipc_is_ended(result)))
			return result;
		time = hiding_rest(CLOCK_MONOTONIC, deadline, &rest);
	}
}

int hiding_msgsnd(int queue, const void *message, size_t size, int flags)
{
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->msgsnd(queue, message, size, flags);
	do
		HIDING_WAIT(&call, result = hiding_real()->msgsnd(queue, message, size, flags));
	while (hiding_repeats(&call, ipc_is_ended(result)));
	return result;
}

ssize_t hiding_msgrcv(int queue, void *message, size_t size, long type, int flags)
{
	struct hiding_call call = HIDING_CALL;
	ssize_t result;

	if (!hiding_is_on())
		return hiding_real()->msgrcv(queue, message, size, type, flags);
	do
		HIDING_WAIT(&call,
			    result = hiding_real()->msgrcv(queue, message, size, type, flags));
	while (hiding_repeats(&call, ipc_is_ended(result)));
	return result;
}

/* The limit is an absolute time, not a duration. */
int hiding_sem_timedwait(sem_t *semaphore, const struct timespec *time)
{
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->sem_timedwait(semaphore, time);
	do
		HIDING_WAIT(&call, result = hiding_real()->sem_timedwait(semaphore, time));
	while (hiding_repeats(&call, ipc_is_ended(result)));
	return result;
}

int hiding_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time)
{
	struct hiding_call call = HIDING_CALL;
	int result;

	if (!hiding_is_on())
		return hiding_real()->sem_clockwait(semaphore, clock, time);
	do
		HIDING_WAIT(&call, result = hiding_real()->sem_clockwait(semaphore, clock, time));
	while (hiding_repeats(&call, ipc_is_ended(result)));
	return result;
}
