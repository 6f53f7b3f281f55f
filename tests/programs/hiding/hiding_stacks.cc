// Stacks that a handler may come upon: tiny alternate ones, coroutines, exceptions on their way.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static sigjmp_buf place;
static ucontext_t home, there;
static long turns;

static void spin(int milliseconds)
{
	timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
	       milliseconds);
}

static void on_small_stack(int)
{
	spin(5);
	handled = handled + 1;
}

static void leave(int)
{
	handled = handled + 1;
	siglongjmp(place, 1);
}

/* Hardly larger than the system says is needed for one handler. */
static void small_stacks()
{
	size_t size = static_cast<size_t>(sysconf(_SC_MINSIGSTKSZ)) + 1024;
	stack_t stack = {};
	struct sigaction action = {};

	stack.ss_size = size;
	stack.ss_sp = malloc(size);
	sigaltstack(&stack, nullptr);
	action.sa_handler = on_small_stack;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	printf("small stacks: %d\n", handled);
}

static void jumps()
{
	struct sigaction action = {};

	handled = 0;
	action.sa_handler = leave;
	sigaction(SIGUSR2, &action, nullptr);
	for (volatile int i = 0; i < 2000; i = i + 1)
		if (sigsetjmp(place, 1) == 0)
			raise(SIGUSR2);
	printf("jumps: %d\n", handled);
}

static void turn()
{
	for (;;) {
		turns++;
		swapcontext(&there, &home);
	}
}

static void coroutines()
{
	static char stack[32768];

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	makecontext(&there, turn, 0);
	for (int i = 0; i < 50000; i++)
		swapcontext(&home, &there);
	printf("coroutines: %ld\n", turns);
}

static int deep(int depth)
{
	std::string guard(20, 'x');

	if (depth == 0)
		throw std::runtime_error("bottom");
	return deep(depth - 1) + static_cast<int>(guard.size());
}

static void *throw_many(void *)
{
	long caught = 0;

	for (int i = 0; i < 5000; i++)
		try {
			deep(20);
		} catch (const std::runtime_error &) {
			caught++;
		}
	return reinterpret_cast<void *>(caught);
}

static void exceptions()
{
	pthread_t threads[3];
	long caught = 0;

	for (auto &thread : threads)
		pthread_create(&thread, nullptr, throw_many, nullptr);
	for (auto &thread : threads) {
		void *value;

		pthread_join(thread, &value);
		caught += reinterpret_cast<long>(value);
	}
	printf("exceptions: %ld\n", caught);
}

int main()
{
	small_stacks();
	jumps();
	coroutines();
	exceptions();
	return 5;
}
