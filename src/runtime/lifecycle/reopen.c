/* As in a forked child, except that the other threads still exist: their states are marked as
 * stale, and replaced by kymo_thread_attach(). */
#include "runtime/lifecycle/reopen.h"

#include <stddef.h>

#include "config/settings.h"
#include "runtime/counters.h"
#include "runtime/lifecycle/session.h"
#include "runtime/modules.h"
#include "runtime/runtime.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/threads/fiber.h"
#include "runtime/threads/thread.h"

static struct tables_snapshot before;
static bool is_due;

/* What was written to it stays mapped; the rest of its address range and its descriptor are
 * released. */
static void leave_file(void)
{
	struct mapfile file = store.file;

	mapfile_leave(&file);
	store.header = NULL;
}

void reopen_begin(void)
{
	if (session.state == KYMO_RUNTIME_DISABLED) { /* there was no recording */
		session.state = KYMO_RUNTIME_NEW;
		return;
	}
	if (!store_lock())
		return;
	before = tables_detach(store.file.base);
	threads_retire();
	fibers_forget();
	modules_forget();
	leave_file();
	is_due = true;
	store_unlock();
	counters_forked();
	settings_free(session.settings);
	session.settings = NULL;
	session.is_root = session.is_rank = session.is_finisher = session.is_forked = false;
	session.state = KYMO_RUNTIME_NEW;
}

bool reopen_tables(void)
{
	is_due = false;
	return tables_restore(&before);
}

bool reopen_is_due(void)
{
	return is_due;
}
