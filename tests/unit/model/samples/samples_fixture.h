/* What the tests of samples share: those of one thread, as read again. */
#ifndef KYMO_SAMPLES_FIXTURE_H
#define KYMO_SAMPLES_FIXTURE_H

#include "model/samples/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

#define UNIT 1024u /* of recorded times */

struct opened {
	struct synthetic *synthetic;
	struct recording *recording;
	struct samples *samples;
};

static inline struct opened open_samples(struct synthetic *synthetic)
{
	struct opened opened = {synthetic, synthetic_open(synthetic), NULL};

	assert_int_equal(samples_new(opened.recording, &opened.samples, NULL), KYMO_OK);
	return opened;
}

static inline void close_samples(struct opened *opened)
{
	samples_free(opened->samples);
	recording_free(opened->recording);
	synthetic_free(opened->synthetic);
}

static inline struct synthetic *one_thread(void)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_SAMPLES);

	synthetic_thread(synthetic, KYMO_NO_THREAD, "MainThread", 0);
	return synthetic;
}

/* A sample of the first thread, of whole units of time. */
static inline void put(struct synthetic *synthetic, enum kymo_sample_kind kind, uint64_t units,
		       uint32_t stack)
{
	synthetic_sample(synthetic, 0, kind, KYMO_GIL_UNKNOWN, units * UNIT, stack, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
}

static inline uint64_t native(uint64_t address)
{
	return kymo_frame(KYMO_FRAME_NATIVE, address);
}

static inline void assert_next(struct opened *opened, struct sample_position *position,
			       enum kymo_sample_kind kind, uint32_t stack, uint64_t wall_units)
{
	struct sample sample;

	assert_true(samples_next(opened->samples, 0, position, &sample));
	assert_int_equal(sample.kind, kind);
	assert_int_equal(sample.stack, stack);
	assert_true(sample.wall_ns == (double)(wall_units * UNIT));
	assert_int_equal(sample.ticks - sample.start_ticks, wall_units * UNIT);
}

#endif
