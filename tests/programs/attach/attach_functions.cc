// A program that is instrumented while it runs, with threads in all kinds of places: in a tight
// loop, in exceptions, in the allocator, asleep, and in a call that a tracer's stop ends early.
// Until a byte comes on standard input; then "fine" and status 7, when nothing was disturbed.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define KEPT extern "C" __attribute__((noinline, noclone))

static std::atomic<bool> must_end{false};
static std::atomic<int> faults{0};
static int event;

KEPT int leaf(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 7 + 1;
}

KEPT int ten_leaves(int x)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += leaf(x + i);
	return sum;
}

KEPT int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEPT void throw_from(int depth)
{
	struct closer {
		int *open;
		~closer() { --*open; }
	};
	static thread_local int open;
	closer here{&open};

	++open;
	if (depth == 0)
		throw open;
	throw_from(depth - 1);
	if (open < 0)
		std::abort();
}

KEPT void compute()
{
	unsigned sum = 0;

	while (!must_end) {
		sum += (unsigned)ten_leaves((int)(sum & 255));
		if (fib(8) != 21)
			faults++;
	}
}

KEPT void throw_and_catch()
{
	while (!must_end) {
		try {
			throw_from(5);
			faults++;
		} catch (int open) {
			if (open != 6)
				faults++;
		}
		usleep(100);
	}
}

KEPT void allocate()
{
	void *kept[16] = {};

	for (unsigned i = 0; !must_end; i++) {
		std::free(kept[i % 16]);
		kept[i % 16] = std::malloc(17 + i * 7919 % 5000);
	}
	for (void *each : kept)
		std::free(each);
}

KEPT void sleep_on()
{
	const struct timespec moment = {0, 2000000};

	while (!must_end)
		if (nanosleep(&moment, nullptr) != 0)
			faults++;
}

KEPT void wait_for_event()
{
	struct epoll_event found, wanted = {};
	int set = epoll_create1(0);

	wanted.events = EPOLLIN;
	epoll_ctl(set, EPOLL_CTL_ADD, event, &wanted);
	if (epoll_wait(set, &found, 1, -1) != 1)
		faults++;
	close(set);
}

int main()
{
	std::vector<std::thread> threads;
	uint64_t one = 1;
	char byte;

	event = eventfd(0, 0);
	for (auto work : {compute, compute, throw_and_catch, allocate, sleep_on, wait_for_event})
		threads.emplace_back(work);
	std::puts("ready");
	std::fflush(stdout);
	if (read(0, &byte, 1) < 0)
		faults++;
	must_end = true;
	if (write(event, &one, sizeof(one)) != (ssize_t)sizeof(one))
		faults++;
	for (std::thread &thread : threads)
		thread.join();
	std::puts(faults == 0 ? "fine" : "disturbed");
	return faults == 0 ? 7 : 1;
}
