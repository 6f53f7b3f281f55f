/* Exceptions through frames of all kinds: `unwind_throws steps` steps through a few,
 * `unwind_throws storm` throws many while a timer's handler unwinds, and prints what came
 * of them. */
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "unwind_steps.h"

extern "C" {
#include "object/unwind/unwind.h"
}

#define noinline __attribute__((noinline))

static long destroyed;

struct Guard {
	int number;
	explicit Guard(int given) : number(given)
	{
	}
	~Guard()
	{
		destroyed += number;
	}
};

static noinline int fall(int depth)
{
	Guard guard(depth);
	volatile char *room = static_cast<volatile char *>(__builtin_alloca(depth * 24 + 8));

	room[0] = static_cast<char>(depth);
	if (depth == 0)
		throw std::runtime_error("ground");
	try {
		return fall(depth - 1) + room[0];
	} catch (const std::logic_error &) {
		return -1;
	} catch (const std::exception &) {
		if (depth % 3 == 0)
			throw;
		throw std::runtime_error(std::string("from ") + std::to_string(depth));
	}
}

static long catch_all(int times)
{
	long sum = 0;

	for (int i = 0; i < times; i++) {
		try {
			fall(i % 10);
		} catch (const std::exception &error) {
			sum += static_cast<long>(std::strlen(error.what()));
		}
	}
	return sum;
}

static unwind_stack own;
static unsigned long complete, others;

static void on_tick(int, siginfo_t *, void *context)
{
	unwind_registers from;
	unwind_frame frames[200];
	enum unwind_end end;

	unwind_from_context(context, &from);
	unwind_self(&from, &own, frames, 200, &end);
	if (end == UNWIND_COMPLETE)
		complete++;
	else
		others++;
}

static void start_timer()
{
	struct sigaction action = {};
	sigevent event = {};
	itimerspec period = {{0, 100000}, {0, 100000}};
	pthread_attr_t attributes;
	timer_t timer;
	size_t size;
	void *low;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	own.low = reinterpret_cast<uintptr_t>(low);
	own.high = own.low + size;
	unwind_learn();
	action.sa_sigaction = on_tick;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(SIGRTMAX, &action, nullptr);
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGRTMAX;
	event._sigev_un._tid = static_cast<int>(syscall(SYS_gettid));
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &period, nullptr);
}

int main(int count, char **names)
{
	const bool is_storm = count > 1 && !std::strcmp(names[1], "storm");
	long sum;

	if (is_storm) {
		start_timer();
		for (sum = 0; complete + others < 2000;)
			sum = catch_all(100);
		std::printf("%ld %ld\n", sum, destroyed % 1650);
		std::fprintf(stderr, "storm: %lu complete, %lu others\n", complete, others);
		return 0;
	}
	catch_all(10); /* the unwinder of exceptions is made ready at the first */
	steps_prepare();
	steps_begin();
	sum = catch_all(4);
	steps_end();
	std::printf("%ld\n", sum);
	return steps_report("throws");
}
