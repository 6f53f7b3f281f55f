/* The beginning: opens the recording before the program's main(), with the region of the whole
 * program as its first.  On failure the program is not recorded.  Serves lifecycle.h. */
#include "runtime/lifecycle/lifecycle.h"

#include <string.h>

#include "base/basename.h"
#include "base/keeperrno.h"
#include "collectors/lifecycle/lifecycle_environment.h"
#include "collectors/lifecycle/lifecycle_exec.h"
#include "collectors/lifecycle/lifecycle_exit.h"
#include "collectors/lifecycle/lifecycle_fork.h"
#include "collectors/lifecycle/lifecycle_rights.h"
#include "collectors/lifecycle/lifecycle_spawn.h"
#include "collectors/lifecycle/lifecycle_thread.h"
#include "collectors/wrap.h"
#include "runtime/log.h"

static void open_program(const char *const *argv)
{
	static const struct kymo_thread_ticket first = {KYMO_NO_THREAD, 0};
	const char *name = argv && argv[0] && argv[0][0] ? argv[0] : program_invocation_name;
	struct kymo_region_spec program = {.kind = KYMO_REGION_PROGRAM,
					   .name = path_shown_name(name)};
	struct kymo_thread *thread = kymo_thread_begin(&first, NULL);

	kymo_thread_outermost(thread, kymo_region_intern(&program));
	kymo_runtime_ready();
}

static void collector_resolve(void)
{
	lifecycle_exit_resolve();
	lifecycle_thread_resolve();
	lifecycle_fork_resolve();
	lifecycle_exec_resolve();
	lifecycle_spawn_resolve();
	lifecycle_rights_resolve();
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	struct kymo_runtime_options options = {
		.size = sizeof(options), .argv = (const char *const *)argv, .is_resident = true};
	char reason[768];
	KEEP_ERRNO();

	(void)argc;
	collector_resolve();
	if (kymo_runtime_open(&options, reason, sizeof(reason)) == 0) {
		open_program(options.argv);
		lifecycle_thread_init();
		lifecycle_follow_exit();
	} else if (strcmp(reason, "KYMO_ENABLED is off") != 0) {
		kymo_log(KYMO_LOG_ERROR, "%s; the program continues unrecorded", reason);
	}
	lifecycle_environment_keep();
}
