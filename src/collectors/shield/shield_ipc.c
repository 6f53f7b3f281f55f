/* Semaphores and message queues. */
#include "collectors/shield/shield.h"
#include <sys/ipc.h>
#include <sys/msg.h>

static bool is_ended(ssize_t result)
{
	return result < 0 && errno == EINTR;
}

int shield_semop(int set, struct sembuf *operations, size_t count)
{
	struct shield_call call = SHIELD_CALL;
	int result;

	if (!shield_is_on())
		return shield_real()->semop(set, operations, count);
	do
		SHIELD_WAIT(&call, result = shield_real()->semop(set, operations, count));
	while (shield_repeats(&call, is_ended(result)));
	return result;
}

int shield_semtimedop(int set, struct sembuf *operations, size_t count, const struct timespec *time)
{
	struct shield_call call = SHIELD_CALL;
	struct timespec rest;
	int64_t deadline;
	int result;

	if (!shield_is_on())
		return shield_real()->semtimedop(set, operations, count, time);
	deadline = shield_deadline(CLOCK_MONOTONIC, time);
	for (;;) {
		SHIELD_WAIT(&call,
			    result = shield_real()->semtimedop(set, operations, count, time));
		if (!shield_repeats(&call, is_ended(result)))
			return result;
		time = shield_rest(CLOCK_MONOTONIC, deadline, &rest);
	}
}

int shield_msgsnd(int queue, const void *message, size_t size, int flags)
{
	struct shield_call call = SHIELD_CALL;
	int result;

	if (!shield_is_on())
		return shield_real()->msgsnd(queue, message, size, flags);
	do
		SHIELD_WAIT(&call, result = shield_real()->msgsnd(queue, message, size, flags));
	while (shield_repeats(&call, is_ended(result)));
	return result;
}

ssize_t shield_msgrcv(int queue, void *message, size_t size, long type, int flags)
{
	struct shield_call call = SHIELD_CALL;
	ssize_t result;

	if (!shield_is_on())
		return shield_real()->msgrcv(queue, message, size, type, flags);
	do
		SHIELD_WAIT(&call,
			    result = shield_real()->msgrcv(queue, message, size, type, flags));
	while (shield_repeats(&call, is_ended(result)));
	return result;
}

/* The limit is a time of day, not a length. */
int shield_sem_timedwait(sem_t *semaphore, const struct timespec *time)
{
	struct shield_call call = SHIELD_CALL;
	int result;

	if (!shield_is_on())
		return shield_real()->sem_timedwait(semaphore, time);
	do
		SHIELD_WAIT(&call, result = shield_real()->sem_timedwait(semaphore, time));
	while (shield_repeats(&call, is_ended(result)));
	return result;
}

int shield_sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *time)
{
	struct shield_call call = SHIELD_CALL;
	int result;

	if (!shield_is_on())
		return shield_real()->sem_clockwait(semaphore, clock, time);
	do
		SHIELD_WAIT(&call, result = shield_real()->sem_clockwait(semaphore, clock, time));
	while (shield_repeats(&call, is_ended(result)));
	return result;
}
