/* Notifies collectors that are loaded before the runtime is open. */
#include "runtime/lifecycle/opening.h"

#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"

#define LISTENERS_MAX 8

/* Written before the program's main(), by constructors, which run one after the other. */
static kymo_open_fn listeners[LISTENERS_MAX];
static unsigned listener_count;

void kymo_runtime_on_open(kymo_open_fn listener)
{
	if (session.state == KYMO_RUNTIME_ACTIVE)
		listener();
	else if (listener_count < LISTENERS_MAX)
		listeners[listener_count++] = listener;
}

void opening_notify(void)
{
	for (unsigned i = 0; i < listener_count; i++)
		listeners[i]();
}
