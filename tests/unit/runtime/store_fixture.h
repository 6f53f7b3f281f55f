/* What the tests of recordings that are being written share. */
#ifndef KYMO_STORE_FIXTURE_H
#define KYMO_STORE_FIXTURE_H

#include "platform/usage.h"
#include "runtime/store/store.h"

#include "runtime/lifecycle/session.h"
#include "runtime_fixture.h"

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

#endif
