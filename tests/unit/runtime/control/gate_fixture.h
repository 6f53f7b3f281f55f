/* What the tests of switching off and on share. */
#ifndef KYMO_GATE_FIXTURE_H
#define KYMO_GATE_FIXTURE_H

#include "runtime/control/gate.h"

#include <pthread.h>
#include <sched.h>

#include "format/gateword.h"
#include "platform/ticks.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/store.h"
#include "user_fixture.h"

static struct kymo_thread *thread;

#endif
