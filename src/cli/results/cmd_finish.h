/* kymo finish: writes the outputs at the end of a run. */
#ifndef KYMO_CMD_FINISH_H
#define KYMO_CMD_FINISH_H

/* kymo finish as a part of another command: the time spent before is not counted with the
 * outputs. */
int command_finish_run(int argc, char **argv);

#endif
