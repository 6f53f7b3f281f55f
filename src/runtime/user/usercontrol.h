/* Recording stopped and started by the program, and names of its threads.  Each returns an enum
 * kymo_result and keeps errno.  Context: any. */
#ifndef KYMO_USERCONTROL_H
#define KYMO_USERCONTROL_H

int userapi_thread_label(const char *name);
int userapi_start(void);
int userapi_stop(void);
int userapi_thread_start(void);
int userapi_thread_stop(void);
int userapi_snapshot(const char *name);

#endif
