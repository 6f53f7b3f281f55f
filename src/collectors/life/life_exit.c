/* The end: the recording is closed with the status that the program ends with. */
#include <stdlib.h>

#include "collectors/life/life.h"
#include "runtime/lifecycle.h"

void life_ending(int status)
{
	kymo_runtime_end(status);
}

static void on_end(int status, void *unused)
{
	(void)unused;
	kymo_runtime_end(status & 0xff);
}

void life_follow_exit(void)
{
	/* The loader registers the destructors of libraries later, and the program its own
	 * handlers: both run before this one. */
	on_exit(on_end, NULL);
}
