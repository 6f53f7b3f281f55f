/* The browser is started by an orphaned child: kymo may end while it is open. */
#include "cli/page/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"

static void become_browser(const char *program, const char *what)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	setsid();
	if (nowhere >= 0) {
		dup2(nowhere, STDIN_FILENO);
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
	}
	command_restore_signals();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (fork() == 0)
		execlp(program, program, what, (char *)NULL);
	_exit(0);
}

void browser_open(const char *what)
{
	const char *chosen = getenv("BROWSER");
	pid_t child;

	if (!chosen || !*chosen) {
		if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
			return;
		chosen = "xdg-open";
	}
	child = fork();
	if (child == 0)
		become_browser(chosen, what);
	if (child > 0)
		waitpid(child, NULL, 0);
}
