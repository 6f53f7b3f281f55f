// Waiting with the C++ library's own types; a cancelled thread runs its destructors.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <shared_mutex>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

static std::mutex mutex;
static std::shared_mutex shared;
static std::timed_mutex timed;
static std::condition_variable condition;
static bool is_ready;
static pid_t waiter;

static void announce()
{
	__atomic_store_n(&waiter, static_cast<pid_t>(syscall(SYS_gettid)), __ATOMIC_RELEASE);
}

static void until_it_sleeps()
{
	for (;;) {
		pid_t id = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE);
		std::string text;

		if (id != 0) {
			std::ifstream file("/proc/self/task/" + std::to_string(id) + "/stat");
			std::getline(file, text);
			if (text.find(") S ") != std::string::npos)
				break;
		}
		sched_yield();
	}
	__atomic_store_n(&waiter, 0, __ATOMIC_RELEASE);
}

static void lock_all()
{
	announce();
	std::lock_guard<std::mutex> guard(mutex);
	announce();
	std::unique_lock<std::shared_mutex> writer(shared);
	writer.unlock();
	announce();
	std::shared_lock<std::shared_mutex> reader(shared);
}

static void wait_for_condition()
{
	std::unique_lock<std::mutex> lock(mutex);

	announce();
	condition.wait(lock, [] { return is_ready; });
	std::puts("ready");
}

struct Farewell {
	~Farewell()
	{
		std::puts("destroyed");
	}
};

static void *wait_for_ever(void *)
{
	Farewell farewell;
	std::unique_lock<std::mutex> lock(mutex);

	try {
		announce();
		for (;;)
			condition.wait(lock);
	} catch (...) {
		std::puts("unwinding");
		throw;
	}
}

int main()
{
	using namespace std::chrono_literals;
	std::unique_lock<std::mutex> lock(mutex);
	pthread_t cancelled;
	void *result;

	shared.lock_shared();
	std::thread locker(lock_all);
	until_it_sleeps();
	lock.unlock();
	until_it_sleeps();
	shared.unlock_shared();
	locker.join();

	std::thread waiting(wait_for_condition);
	until_it_sleeps();
	lock.lock();
	is_ready = true;
	lock.unlock();
	condition.notify_all();
	waiting.join();

	lock.lock();
	std::printf("%d\n", condition.wait_for(lock, 1ms, [] { return false; }));
	lock.unlock();
	timed.lock();
	std::thread([] { std::printf("%d\n", timed.try_lock_for(1ms)); }).join();
	timed.unlock();

	pthread_create(&cancelled, nullptr, wait_for_ever, nullptr);
	until_it_sleeps();
	pthread_cancel(cancelled);
	pthread_join(cancelled, &result);
	std::printf("%d\n", result == PTHREAD_CANCELED);
	return 5;
}
