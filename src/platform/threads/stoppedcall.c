/* signal(7), "Interruption of system calls and library functions by stop signals": the calls
 * listed there that wait before they do anything.  One list for stopping threads of this process
 * and of others. */
#include "platform/threads/stoppedcall.h"

#include <stddef.h>
#include <sys/syscall.h>

bool stoppedcall_can_repeat(int64_t call)
{
	static const uint16_t calls[] = {
		SYS_epoll_pwait,    SYS_semop,	  SYS_semtimedop, SYS_rt_sigtimedwait,
		SYS_io_getevents,   SYS_recvfrom, SYS_recvmsg,	  SYS_recvmmsg,
		SYS_sendto,	    SYS_sendmsg,  SYS_accept,	  SYS_accept4,
		SYS_read, /* of a socket with a time limit, or of inotify */
		SYS_io_uring_enter,
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
		SYS_epoll_pwait2,
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i] == call)
			return true;
	return false;
}
