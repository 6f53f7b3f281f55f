/* What is thrown, and the frames and destructors that it passes. */
#ifndef KYMO_FUNCTIONS_THROWN_H
#define KYMO_FUNCTIONS_THROWN_H

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "functions_scene.h"

#define NOINLINE __attribute__((noinline))

namespace
{

NOINLINE uint64_t work(int depth, uint64_t value)
{
	return depth == 0 ? value : work(depth - 1, value * 31 + 7) ^ depth;
}

struct guarded {
	explicit guarded(int number) : number(number)
	{
	}
	NOINLINE ~guarded()
	{
		mix(work(number % 5, number));
	}
	int number;
};

struct own : std::runtime_error {
	using std::runtime_error::runtime_error;
	std::vector<int> values{1, 2, 3};
};

NOINLINE int throw_deep(int depth, int kind)
{
	guarded guard(depth);

	if (depth > 0)
		return throw_deep(depth - 1, kind) + 1;
	switch (kind % 5) {
	case 0:
		throw kind;
	case 1:
		throw std::string("text");
	case 2:
		throw own("own");
	case 3:
		throw std::make_unique<int>(kind);
	default:
		return kind;
	}
}

NOINLINE int catch_some(int depth, int kind)
{
	try {
		return throw_deep(depth, kind);
	} catch (int number) {
		return number + 1000;
	} catch (const std::string &text) {
		return static_cast<int>(text.size()) + 2000;
	}
}

NOINLINE int catch_others(int depth, int kind)
{
	try {
		guarded guard(77);
		return catch_some(depth, kind);
	} catch (const std::exception &error) {
		return static_cast<int>(std::string(error.what()).size()) + 3000;
	} catch (...) {
		return 4000;
	}
}

} // namespace

#endif
