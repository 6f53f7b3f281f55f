/* A run of samples as `kymo report` has it.  Include cmocka.h before. */
#ifndef KYMO_REPORT_SAMPLED_FIXTURE_H
#define KYMO_REPORT_SAMPLED_FIXTURE_H

#include "report/report_fixture.h"
#include "sampled_fixture.h"

/* The samples are taken over. */
static inline void report_fixture_begin_sampled(struct report_fixture *fixture,
						struct sampled_fixture *sampled)
{
	synthetic_close(sampled->synthetic, (sampled->time + 1) * UNIT);
	report_fixture_open(fixture, &sampled->synthetic, 1, true);
}

/* Of f at a.py:10 and the native code it calls: 40 units of its own, 20 in an extension, 30 that it
 * waits for a lock and 10 of g at a.py:20. */
static inline void report_fixture_begin_samples(struct report_fixture *fixture)
{
	struct sampled_fixture sampled = begin();
	uint32_t f = code_of_lines(&sampled, "f", 10), g = code_of_lines(&sampled, "g", 20);
	uint64_t helper = native(INTERPRETER + 1);

	put(&sampled, KYMO_SAMPLE_REALTIME, 40, STACK(&sampled, python(f, 0)), 40);
	put(&sampled, KYMO_SAMPLE_REALTIME, 20,
	    STACK(&sampled, python(f, 0), native(EXTENSION + 1)), 20);
	put(&sampled, KYMO_SAMPLE_REALTIME, 30,
	    STACK(&sampled, python(f, 2), helper, native(LIBC + 1),
		  kernel(202) | UINT64_C(0xabc000)),
	    0);
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, STACK(&sampled, python(f, 2), helper, python(g, 0)),
	    10);
	report_fixture_begin_sampled(fixture, &sampled);
}

#endif
