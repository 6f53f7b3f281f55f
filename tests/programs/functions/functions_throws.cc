// Exceptions: through many frames, destructors, threads, other languages' frames, and uncaught.
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <typeinfo>
#include <unistd.h>
#include <unwind.h>
#include <variant>
#include <vector>

#include "functions_scene.h"
#include "functions_thrown.h"

namespace
{

void play_throws()
{
	for (int i = 0; i < 500; i++)
		mix(catch_others(i % 40, i));
	mix(catch_others(5000, 2));
}

// From destructors and catch clauses, again and again.

struct throws_inside {
	NOINLINE ~throws_inside()
	{
		try {
			throw_deep(3, 0);
		} catch (int number) {
			mix(number + std::uncaught_exceptions());
		}
	}
};

NOINLINE void rethrow(int depth)
{
	try {
		throws_inside inside;
		if (depth == 0)
			throw own("innermost");
		rethrow(depth - 1);
	} catch (own &error) {
		error.values.push_back(depth);
		throw;
	}
}

NOINLINE void nest(int depth)
{
	try {
		if (depth == 0)
			throw std::logic_error("deepest");
		nest(depth - 1);
	} catch (...) {
		std::throw_with_nested(std::runtime_error("level " + std::to_string(depth)));
	}
}

NOINLINE void look_into(const std::exception &error)
{
	mix_bytes(error.what(), strlen(error.what()));
	try {
		std::rethrow_if_nested(error);
	} catch (const std::exception &inner) {
		look_into(inner);
	}
}

NOINLINE void throw_another(int number)
{
	try {
		throw_deep(number, 0);
	} catch (int seen) {
		throw std::string(static_cast<size_t>(seen % 7) + 1, 'x');
	}
}

void play_nested()
{
	for (int i = 0; i < 60; i++) {
		try {
			rethrow(i % 20);
		} catch (const own &error) {
			for (int value : error.values)
				mix(value);
		}
		try {
			nest(i % 20);
		} catch (const std::exception &error) {
			look_into(error);
		}
		try {
			throw_another(i % 10);
		} catch (const std::string &text) {
			mix(text.size());
		}
	}
}

// Kept, handed to other threads, thrown on there.

NOINLINE std::exception_ptr keep(int kind)
{
	try {
		throw_deep(5, kind);
	} catch (...) {
		return std::current_exception();
	}
	return nullptr;
}

void play_threads()
{
	std::vector<std::exception_ptr> kept;

	for (int i = 0; i < 20; i++) {
		auto failing = std::async(std::launch::async, throw_deep, i, i);
		try {
			mix(failing.get());
		} catch (const std::exception &error) {
			mix(work(3, 1));
		} catch (...) {
			mix(2);
		}
		kept.push_back(keep(i));
	}
	for (const auto &one : kept)
		std::thread([&] {
			try {
				if (one)
					std::rethrow_exception(one);
			} catch (const own &) {
				mix(3);
			} catch (...) {
				mix(4);
			}
		}).join();
}

// Foreign ones: of another language, and the forced unwinding of a thread's end.

void clean_foreign(_Unwind_Reason_Code, _Unwind_Exception *exception)
{
	mix(11);
	std::free(exception);
}

NOINLINE void throw_foreign(int depth)
{
	guarded guard(depth);

	if (depth > 0) {
		throw_foreign(depth - 1);
		mix(1);
		return;
	}
	auto *exception = static_cast<_Unwind_Exception *>(
		std::aligned_alloc(alignof(_Unwind_Exception), sizeof(_Unwind_Exception)));
	memset(exception, 0, sizeof(*exception));
	memcpy(&exception->exception_class, "KYMOTEST", 8);
	exception->exception_cleanup = clean_foreign;
	_Unwind_RaiseException(exception);
	mix(99);
}

NOINLINE void leave_thread(int depth)
{
	guarded guard(depth);

	try {
		if (depth == 0)
			pthread_exit(nullptr);
		leave_thread(depth - 1);
	} catch (const std::exception &) {
		mix(98);
	}
}

void play_foreign()
{
	for (int i = 0; i < 20; i++) {
		try {
			throw_foreign(i);
		} catch (...) {
			mix(5);
		}
		try {
			try {
				throw_foreign(3);
			} catch (...) {
				mix(6);
				throw;
			}
		} catch (...) {
			mix(7);
		}
		std::thread(leave_thread, i).join();
	}
}

// Through C's frames, function objects, constructors that fail.

extern "C" int compare_or_throw(const void *a, const void *b)
{
	int one = *static_cast<const int *>(a), other = *static_cast<const int *>(b);

	if (one == 13 || other == 13)
		throw one + other;
	return one - other;
}

struct failing {
	guarded first{1}, second{2};
	explicit failing(int number)
	{
		if (number % 2)
			throw std::bad_alloc();
	}
};

struct made : failing {
	guarded third{3};
	explicit made(int number) : failing(number) {}
};

void play_across()
{
	for (int i = 0; i < 50; i++) {
		int numbers[20];
		for (int k = 0; k < 20; k++)
			numbers[k] = k * 7 % 20 + (i % 2 ? 20 : 0);
		try {
			qsort(numbers, 20, sizeof(int), compare_or_throw);
			mix(numbers[0]);
		} catch (int sum) {
			mix(sum >= 13);
		}
		try {
			std::vector<made> all;
			for (int k = 0; k < 4; k++)
				all.emplace_back(k * 2 + (k == 3 ? i : 0));
			mix(all.size());
		} catch (const std::bad_alloc &) {
			mix(8);
		}
		std::function<int(int)> call = [&](int n) { return throw_deep(n, i); };
		std::variant<int, std::string> value;
		try {
			value = call(i % 6);
		} catch (const std::string &text) {
			value = text;
		} catch (...) {
			value = 9;
		}
		mix(value.index());
		try {
			mix(dynamic_cast<own &>(
				    *std::unique_ptr<std::exception>(new std::exception))
				    .values.size());
		} catch (const std::bad_cast &) {
			mix(10);
		}
	}
}

// Ends of processes: uncaught, noexcept, thrown while unwinding.

NOINLINE void never_throws(int depth) noexcept
{
	throw_deep(depth, 1);
}

struct throws_at_end {
	~throws_at_end() noexcept(false) { throw 1; }
};

NOINLINE void throw_twice()
{
	throws_at_end last;
	throw 2;
}

[[noreturn]] void at_terminate()
{
	mix(work(10, 10));
	_exit(static_cast<int>(scene_sum % 60) + 1);
}

NOINLINE void end(int way)
{
	alarm(20);
	if (way >= 5)
		std::set_terminate(at_terminate);
	switch (way % 5) {
	case 0:
		throw_deep(20, 0);
		break;
	case 1:
		never_throws(5);
		break;
	case 2:
		throw_twice();
		break;
	case 3:
		std::thread(throw_deep, 10, 2).join();
		break;
	default:
		throw_foreign(4);
		std::terminate();
	}
}

void play_uncaught()
{
	for (int way = 0; way < 10; way++) {
		int status = 0;
		pid_t child = fork();
		if (child == 0) {
			fclose(stderr);
			close(2);
			end(way);
			_exit(0);
		}
		waitpid(child, &status, 0);
		mix(status & 0xffff & ~0x80);
	}
}

const struct scene scenes[] = {
	{"throws", play_throws},   {"nested", play_nested}, {"threads", play_threads},
	{"foreign", play_foreign}, {"across", play_across}, {"uncaught", play_uncaught},
};

} // namespace

int main(int argc, char **argv)
{
	return SCENES(scenes, argc, argv);
}
