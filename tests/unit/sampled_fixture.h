/* Synthetic samples of one thread, or of two at random, for the tests of what is made of
 * them.  Include cmocka.h before. */
#ifndef KYMO_SAMPLED_FIXTURE_H
#define KYMO_SAMPLED_FIXTURE_H

#include "model/samples/sampled_tree.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

#define UNIT 1024u /* of recorded times */

/* Modules that are in no file: their functions are called "name+0x10". */
#define PROGRAM	    UINT64_C(0x100000)
#define LIBC	    UINT64_C(0x200000)
#define INTERPRETER UINT64_C(0x300000)
#define EXTENSION   UINT64_C(0x400000)
#define KYMO	    UINT64_C(0x500000)
#define MODULE_SIZE UINT64_C(0x100000)

struct sampled_fixture {
	struct synthetic *synthetic;
	struct recording *recording;
	struct samples *samples;
	struct calltree *tree;
	uint64_t time; /* in units */
};

static inline struct sampled_fixture begin(void)
{
	struct sampled_fixture sampled = {.synthetic = synthetic_new(KYMO_HEADER_SAMPLES)};
	struct synthetic *s = sampled.synthetic;

	synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_module(s, "/nowhere/prog", NULL, PROGRAM, PROGRAM + MODULE_SIZE, PROGRAM);
	synthetic_module(s, "/nowhere/libc.so.6", NULL, LIBC, LIBC + MODULE_SIZE, LIBC);
	synthetic_module(s, "/nowhere/libpython3.11.so.1.0", NULL, INTERPRETER,
			 INTERPRETER + MODULE_SIZE, INTERPRETER);
	synthetic_module(s, "/nowhere/_multiarray.so", NULL, EXTENSION, EXTENSION + MODULE_SIZE,
			 EXTENSION);
	synthetic_module(s, "/nowhere/libkymo-locks.so", NULL, KYMO, KYMO + MODULE_SIZE, KYMO);
	synthetic_sample(s, 0, KYMO_SAMPLE_BEGIN, 0, 0, 0, SYNTHETIC_NONE, SYNTHETIC_NONE);
	return sampled;
}

static inline void end(struct sampled_fixture *sampled)
{
	calltree_free(sampled->tree);
	samples_free(sampled->samples);
	recording_free(sampled->recording);
	synthetic_free(sampled->synthetic);
}

static const struct sampled_options plain = {.weight = SAMPLED_BY_WALL};

static inline void open_samples(struct sampled_fixture *sampled)
{
	synthetic_close(sampled->synthetic, (sampled->time + 1) * UNIT);
	sampled->recording = synthetic_open(sampled->synthetic);
	assert_int_equal(samples_new(sampled->recording, &sampled->samples, NULL), KYMO_OK);
}

static inline void make_tree(struct sampled_fixture *sampled, const struct sampled_options *options)
{
	if (!sampled->recording)
		open_samples(sampled);
	calltree_free(sampled->tree);
	sampled->tree = NULL;
	assert_int_equal(sampled_tree_new(sampled->recording, sampled->samples, options,
					  &sampled->tree, NULL),
			 KYMO_OK);
}

static inline uint64_t native(uint64_t address)
{
	return kymo_frame(KYMO_FRAME_NATIVE, address);
}

static inline uint64_t python(uint32_t code, uint32_t offset)
{
	return kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)code << 32 | offset);
}

static inline uint64_t kernel(uint32_t number)
{
	return kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)number << 48);
}

/* A sample of the first thread: units of time after the one before. */
static inline void put(struct sampled_fixture *sampled, enum kymo_sample_kind kind, uint64_t units,
		       uint32_t stack, uint64_t cpu_units)
{
	sampled->time += units;
	synthetic_sample(sampled->synthetic, 0, kind, KYMO_GIL_UNKNOWN, sampled->time * UNIT, stack,
			 cpu_units == SYNTHETIC_NONE ? SYNTHETIC_NONE : cpu_units * UNIT,
			 SYNTHETIC_NONE);
}

static inline uint32_t stack_of(struct sampled_fixture *sampled, const uint64_t *frames,
				size_t count)
{
	uint32_t stack = 0;

	for (size_t i = 0; i < count; i++)
		stack = synthetic_stack(sampled->synthetic, 0, stack, frames[i]);
	return stack;
}
#define STACK(sampled, ...)                                                                        \
	stack_of(sampled, (const uint64_t[]){__VA_ARGS__},                                         \
		 sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* A function of CPython 3.9 whose instructions of two bytes are a line each. */
static inline uint32_t code_of_lines(struct sampled_fixture *sampled, const char *name,
				     uint32_t first_line)
{
	static const unsigned char table[] = {2, 1, 2, 1, 2, 1, 2, 1};
	uint32_t id = synthetic_code(sampled->synthetic, name, "/src/a.py", first_line);
	struct kymo_code *code = synthetic_code_at(sampled->synthetic, id);

	code->version = 3 << 8 | 9;
	code->lines = synthetic_string_of(sampled->synthetic, table, sizeof(table));
	return id;
}

static inline uint64_t descriptor(uint32_t number, enum kymo_descriptor_kind kind)
{
	return kernel(number) | (uint64_t)kind << 32 | 5;
}

static inline uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static inline uint64_t random_frame(uint64_t *seed, const uint32_t codes[4])
{
	static const uint64_t modules[] = {PROGRAM, LIBC, INTERPRETER, EXTENSION, KYMO};

	switch (next_random(seed) % 8) {
	case 0:
	case 1:
	case 2:
		return python(codes[next_random(seed) % 4], next_random(seed) % 16);
	case 3:
		return kernel((uint32_t)(next_random(seed) % 500));
	case 4:
		return kymo_frame(KYMO_FRAME_MARK, next_random(seed) % 6);
	default:
		return native(modules[next_random(seed) % 5] + next_random(seed) % 8);
	}
}

static inline void put_random(struct sampled_fixture *sampled, uint64_t *seed, uint32_t thread,
			      uint32_t *stacks, unsigned int stack_count)
{
	enum kymo_sample_kind kind =
		next_random(seed) % 4 == 0 ? KYMO_SAMPLE_CPUTIME : KYMO_SAMPLE_REALTIME;

	sampled->time += next_random(seed) % 50;
	synthetic_sample(sampled->synthetic, thread, kind,
			 (enum kymo_gil_state)(next_random(seed) % 4), sampled->time * UNIT,
			 stacks[next_random(seed) % stack_count], next_random(seed) % 40 * UNIT,
			 SYNTHETIC_NONE);
}

static inline struct sampled_fixture random_samples(uint64_t seed)
{
	enum { STACKS = 60, SAMPLES = 300 };
	struct sampled_fixture sampled = begin();
	uint32_t codes[4], stacks[2][STACKS + 1];

	for (int i = 0; i < 4; i++)
		codes[i] = synthetic_code(sampled.synthetic, i % 2 ? "f" : "g", "/src/a.py",
					  1 + (uint32_t)(next_random(&seed) % 3));
	synthetic_thread(sampled.synthetic, 0, "worker", 0);
	synthetic_sample(sampled.synthetic, 1, KYMO_SAMPLE_BEGIN, 0, 0, 0, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	for (uint32_t thread = 0; thread < 2; thread++) {
		stacks[thread][0] = 0;
		for (int i = 1; i <= STACKS; i++)
			stacks[thread][i] =
				synthetic_stack(sampled.synthetic, thread,
						stacks[thread][next_random(&seed) % (unsigned)i],
						random_frame(&seed, codes));
	}
	for (int i = 0; i < SAMPLES; i++) {
		uint32_t thread = next_random(&seed) % 2;

		put_random(&sampled, &seed, thread, stacks[thread], STACKS + 1);
	}
	return sampled;
}

#endif
