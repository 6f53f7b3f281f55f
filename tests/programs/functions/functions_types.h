/* Calls with structures, wide integers and floating-point numbers of every width. */
#ifndef KYMO_FUNCTIONS_TYPES_H
#define KYMO_FUNCTIONS_TYPES_H

#include <complex.h>

#include "functions_scene.h"

#define NOINLINE __attribute__((noinline))

struct large {
	uint64_t values[9];
};
struct pair {
	uint64_t first, second;
};
struct mixed {
	double real;
	uint64_t number;
};
struct floats {
	float a, b, c, d;
};
struct tiny {
	char a;
	short b;
};

static NOINLINE struct large make_large(uint64_t n)
{
	struct large made;

	for (int i = 0; i < 9; i++)
		made.values[i] = n * 7 + (uint64_t)i;
	return made;
}

static NOINLINE struct large turn_large(struct large one, uint64_t by)
{
	struct large turned;

	for (unsigned i = 0; i < 9; i++)
		turned.values[(i + by) % 9] = one.values[i] ^ by;
	return turned;
}

static NOINLINE struct pair make_pair(uint64_t a)
{
	return (struct pair){a * 3, a ^ 0x5555};
}

static NOINLINE struct mixed make_mixed(struct pair from)
{
	return (struct mixed){(double)from.first / 3, from.second};
}

static NOINLINE struct floats make_floats(struct mixed from)
{
	return (struct floats){(float)from.real, 2, (float)from.number, 4};
}

static NOINLINE struct tiny make_tiny(struct floats from)
{
	return (struct tiny){(char)from.a, (short)from.c};
}

static NOINLINE double complex rotate(double complex value, float complex by)
{
	return value * by + I;
}

static NOINLINE unsigned __int128 multiply(unsigned __int128 a, unsigned __int128 b)
{
	return a * b + 1;
}

static void play_structures(void)
{
	for (uint64_t i = 0; i < 100; i++) {
		struct large one = turn_large(make_large(i), i % 9);
		struct tiny tiny = make_tiny(make_floats(make_mixed(make_pair(i))));
		double complex value = rotate((double)i + 2 * I, 0.5f - I);
		unsigned __int128 wide = multiply((unsigned __int128)i << 70, i + 3);

		mix_bytes(&one, sizeof(one));
		mix((uint64_t)tiny.a + (uint64_t)tiny.b);
		mix((uint64_t)(creal(value) * 8) ^ (uint64_t)(int64_t)(cimag(value) * 8));
		mix((uint64_t)wide ^ (uint64_t)(wide >> 64));
	}
}

static NOINLINE long double extended(long double a, double b, long double c)
{
	return a * b + c / 3;
}

static NOINLINE long double deep_extended(int depth, long double value)
{
	return depth == 0 ? value : deep_extended(depth - 1, value / 3) * 2 + depth;
}

static NOINLINE long double complex extended_pair(long double a)
{
	return a + 2 * a * I;
}

static NOINLINE double many_doubles(double a, double b, double c, double d, double e, double f,
				    double g, double h, double i)
{
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9;
}

static NOINLINE float one_float(float a, int n)
{
	return n == 0 ? a : one_float(a * 1.5f, n - 1) + (float)n;
}

static void play_floating(void)
{
	for (int i = 0; i < 100; i++) {
		long double value = extended(i, i / 7., deep_extended(i % 40, i));
		long double complex both = extended_pair(value);
		double sum = many_doubles(i, 1, 2, 3, 4, 5, 6, 7, one_float((float)i, i % 10));

		mix_bytes(&value, 10);
		value = cimagl(both) - creall(both);
		mix_bytes(&value, 10);
		mix_bytes(&sum, sizeof(sum));
	}
}

#endif
