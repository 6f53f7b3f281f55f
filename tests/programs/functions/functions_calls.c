/* Ways of calling: depth, tail calls, arguments and results in every kind of register. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>

#include "functions_scene.h"
#include "functions_types.h"

static NOINLINE uint64_t descend(uint64_t depth, uint64_t value)
{
	if (depth == 0)
		return value;
	return descend(depth - 1, value * 31 + depth) ^ depth;
}

static NOINLINE unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static NOINLINE unsigned ackermann(unsigned m, unsigned n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void play_depth(void)
{
	mix(descend(100000, 1));
	mix(fibonacci(22));
	mix(ackermann(2, 40));
}

static NOINLINE uint64_t is_odd(uint64_t n, uint64_t sum);

static NOINLINE uint64_t is_even(uint64_t n, uint64_t sum)
{
	return n == 0 ? sum * 2 : is_odd(n - 1, sum + n);
}

static NOINLINE uint64_t is_odd(uint64_t n, uint64_t sum)
{
	return n == 0 ? sum * 2 + 1 : is_even(n - 1, sum ^ n);
}

static NOINLINE uint64_t count_down(uint64_t n, uint64_t sum)
{
	return n == 0 ? sum : count_down(n - 1, sum * 33 + n);
}

typedef uint64_t (*step_fn)(uint64_t, uint64_t);

static step_fn volatile steps[] = {is_even, count_down, is_odd};

static NOINLINE uint64_t through_pointer(uint64_t n, uint64_t sum)
{
	return steps[n % 3](n % 100, sum);
}

/* Arguments on the stack, of which a tail call to one with fewer may make use. */
static NOINLINE uint64_t with_many(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
				   uint64_t f, uint64_t g, uint64_t h, double i, float j)
{
	return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + (uint64_t)(i * 19) +
	       (uint64_t)(j * 23);
}

static NOINLINE uint64_t with_many_turned(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
					  uint64_t e, uint64_t f, uint64_t g, uint64_t h, double i,
					  float j)
{
	return with_many(h, g, f, e, d, c, b, a, j, (float)i);
}

static void play_tails(void)
{
	mix(is_even(10000, 1));
	mix(count_down(10000, 1));
	for (uint64_t i = 0; i < 2000; i++)
		mix(through_pointer(i, i));
	for (uint64_t i = 0; i < 100; i++)
		mix(with_many_turned(i, 2, 3, i, 5, 6, i, 8, (double)i / 2, (float)i));
}

static NOINLINE double sum_of(const char *kinds, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, kinds);
	for (; *kinds; kinds++)
		switch (*kinds) {
		case 'd':
			sum += va_arg(list, double);
			break;
		case 'L':
			sum += (double)va_arg(list, long double);
			break;
		case 'i':
			sum += va_arg(list, int);
			break;
		default:
			sum += (double)va_arg(list, long);
		}
	va_end(list);
	return sum;
}

static NOINLINE int format(char *text, size_t size, const char *pattern, ...)
{
	va_list list, again;
	int length;

	va_start(list, pattern);
	va_copy(again, list);
	length = vsnprintf(text, size, pattern, list);
	length += vsnprintf(text, size, pattern, again);
	va_end(again);
	va_end(list);
	return length;
}

static void play_variadic(void)
{
	char text[200];

	for (int i = 0; i < 50; i++) {
		mix((uint64_t)sum_of("idLdlidddddddddLi", i, 1.5, 2.5L, i / 4., 5l, 6, 1., 2., 3.,
				     4., 5., 6., 7., 8., 9., 10.25L, 11));
		mix((uint64_t)sum_of(""));
		mix((uint64_t)format(text, sizeof(text), "%d %s %.3f %Lg %c %ld %g", i, "text",
				     i / 3., i / 7.L, 'x', 123456789l, 1e10));
		mix_bytes(text, strlen(text));
	}
}

typedef int int4 __attribute__((vector_size(16)));
typedef long long wide4 __attribute__((vector_size(32)));
typedef long long wide8 __attribute__((vector_size(64)));

static NOINLINE int4 add4(int4 a, int4 b)
{
	return a * 3 + b;
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static NOINLINE wide4 add_wide4(wide4 a, wide4 b, int depth)
{
	return depth == 0 ? a + b : add_wide4(b, a + 1, depth - 1) ^ a;
}

__attribute__((target("avx512f"))) static NOINLINE wide8 add_wide8(wide8 a, wide8 b, int depth)
{
	return depth == 0 ? a + b : add_wide8(b, a + 1, depth - 1) ^ a;
}

__attribute__((target("avx2"))) static NOINLINE void play_avx(void)
{
	wide4 value = {1, 2, 3, 4}, other = {5, 6, 7, 8};

	for (int i = 0; i < 100; i++)
		value = add_wide4(value, other, i % 8);
	mix_bytes(&value, sizeof(value));
}

__attribute__((target("avx512f"))) static NOINLINE void play_avx512(void)
{
	wide8 value = {1, 2, 3, 4, 5, 6, 7, 8}, other = {9, 8, 7, 6, 5, 4, 3, 2};

	for (int i = 0; i < 100; i++)
		value = add_wide8(value, other, i % 8);
	mix_bytes(&value, sizeof(value));
}
#endif

static void play_vectors(void)
{
	int4 value = {1, 2, 3, 4};

	for (int i = 0; i < 100; i++)
		value = add4(value, (int4){i, 1, i, 2});
	mix_bytes(&value, sizeof(value));
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2"))
		play_avx();
	if (__builtin_cpu_supports("avx512f"))
		play_avx512();
#endif
}

/* A leaf that keeps its values below the stack pointer. */
static NOINLINE uint64_t red_zone(uint64_t n)
{
	volatile uint64_t kept[12];
	uint64_t sum = 0;

	for (unsigned i = 0; i < 12; i++)
		kept[i] = n * i;
	for (unsigned i = 0; i < 12; i++)
		sum = sum * 3 + kept[11 - i];
	return sum;
}

static NOINLINE uint64_t aligned_to(const void *place)
{
	return (uintptr_t)place % 64;
}

static NOINLINE uint64_t with_alignment(uint64_t n)
{
	_Alignas(64) volatile char place[64];
	_Alignas(16) volatile double pair[2];

	place[0] = (char)n;
	pair[0] = (double)n;
	return aligned_to((const void *)place) + (uintptr_t)pair % 16 + (uint64_t)place[0];
}

static NOINLINE uint64_t with_alloca(size_t size)
{
	unsigned char *place = __builtin_alloca(size + 1);

	memset(place, (int)size, size + 1);
	return place[size / 2] + descend(size % 50, place[size]);
}

static void play_stack(void)
{
	for (uint64_t i = 0; i < 200; i++) {
		mix(red_zone(i));
		mix(with_alignment(i));
		mix(with_alloca((size_t)i * 13));
	}
}

static NOINLINE uint64_t by_table(unsigned kind, uint64_t value)
{
	switch (kind) {
	case 0:
		return value + 17;
	case 1:
		return value * 3;
	case 2:
		return value ^ 0xff00ff;
	case 3:
		value++; /* fall through */
	case 4:
		return value << 3;
	case 5:
		return red_zone(value);
	case 6:
		return value >> 2;
	case 7:
		return ~value;
	case 8:
		return value - 1000;
	default:
		return is_odd(value % 64, value);
	}
}

static NOINLINE uint64_t by_labels(const unsigned char *program)
{
	static const void *const labels[] = {&&end, &&add, &&twice, &&turn, &&call};
	uint64_t value = 1;

	goto *labels[*program];
add:
	value += *program++ + 6u;
	goto *labels[*program];
twice:
	value *= 2u + *program++;
	goto *labels[*program];
turn:
	value = (value << 7 | value >> 57) ^ *program++;
	goto *labels[*program];
call:
	value = by_table(*program++, value);
	goto *labels[*program];
end:
	return value;
}

/* The compiler may well make a loop back to the first instruction of this. */
static NOINLINE uint64_t loops_at_once(const char *text)
{
	do
		if (*text == 'x')
			return (uint64_t)*text;
	while (*text++);
	return 0;
}

static NOINLINE void nothing(void)
{
	__asm__ volatile("" ::: "memory");
}

static NOINLINE int constant(void)
{
	return 42;
}

static void play_inside(void)
{
	unsigned char program[100];

	for (unsigned i = 0; i < 1000; i++) {
		mix(by_table(i % 12, i));
		mix(loops_at_once(i % 2 ? "abcdefx" : "abc"));
		nothing();
		mix((uint64_t)constant());
		for (unsigned k = 0; k < sizeof(program); k++)
			program[k] = (unsigned char)(1 + (i + k * k) % 4);
		program[sizeof(program) - 1] = 0;
		mix(by_labels(program));
	}
}

static NOINLINE int compare(const void *a, const void *b)
{
	int one = *(const int *)a, other = *(const int *)b;

	return one < other ? -1 : one > other;
}

static NOINLINE uint64_t plain_choice(uint64_t n)
{
	return n * 3;
}

static NOINLINE uint64_t other_choice(uint64_t n)
{
	return n * 5;
}

static uint64_t (*choose(void))(uint64_t)
{
	return __builtin_constant_p(choose) ? other_choice : plain_choice;
}

uint64_t chosen_when_loaded(uint64_t n) __attribute__((ifunc("choose")));

static void play_callbacks(void)
{
	int numbers[500];

	for (int i = 0; i < 500; i++)
		numbers[i] = i * 7919 % 503;
	qsort(numbers, 500, sizeof(int), compare);
	mix_bytes(numbers, sizeof(numbers));
	for (int i = 0; i < 500; i++)
		mix(bsearch(&i, numbers, 500, sizeof(int), compare) != NULL);
	for (uint64_t i = 0; i < 100; i++)
		mix(chosen_when_loaded(i));
}

static const struct scene scenes[] = {
	{"depth", play_depth},		 {"tails", play_tails},	      {"variadic", play_variadic},
	{"structures", play_structures}, {"floating", play_floating}, {"vectors", play_vectors},
	{"stack", play_stack},		 {"inside", play_inside},     {"callbacks", play_callbacks},
};

int main(int argc, char **argv)
{
	return SCENES(scenes, argc, argv);
}
