/* What the tests of lines and threads of samples share. */
#ifndef KYMO_SAMPLED_TABLES_FIXTURE_H
#define KYMO_SAMPLED_TABLES_FIXTURE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/samples/sampled_frames.h"
#include "model/samples/sampled_threads.h"
#include "sampled_fixture.h"

static inline struct sampled_thread thread_of(struct sampled_fixture *sampled)
{
	struct sampled_threads *threads;
	struct sampled_thread thread;

	open_samples(sampled);
	assert_int_equal(sampled_threads_new(sampled->recording, sampled->samples, &threads),
			 KYMO_OK);
	assert_int_equal(threads->count, 1);
	thread = threads->threads[0];
	sampled_threads_free(threads);
	return thread;
}

/* One sample of ten units for each, with the CPU time that was used. */
static const struct {
	uint64_t leaf;
	uint64_t cpu_units;
	enum sampled_class class;
} leaves[] = {
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48 | 64, 0, SAMPLED_LOCK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48 | 64, 9, SAMPLED_LOCK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48 | 64, 10, SAMPLED_KERNEL},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(202) << 48, 0, SAMPLED_KERNEL}, /* wakes */
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(0) << 48, 4, SAMPLED_IO},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(0) << 48, 6, SAMPLED_KERNEL},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(0) << 48, SYNTHETIC_NONE, SAMPLED_IO},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(230) << 48, 0, SAMPLED_SLEEP},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(271) << 48, 0, SAMPLED_SLEEP},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(271) << 48 | UINT64_C(5) << 32, 0,
	 SAMPLED_NETWORK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(23) << 48, 0, SAMPLED_SLEEP},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(61) << 48, 0, SAMPLED_CHILD},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(232) << 48, 0, SAMPLED_NETWORK},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(9) << 48, 0, SAMPLED_KERNEL},
	{(uint64_t)KYMO_FRAME_KERNEL << 62 | UINT64_C(16383) << 48, 0, SAMPLED_KERNEL},
	{PROGRAM, 10, SAMPLED_NATIVE},
};

#endif
