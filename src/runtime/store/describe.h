/* The notes a recording begins with: which program, where, with which settings and environment. */
#ifndef KYMO_DESCRIBE_H
#define KYMO_DESCRIBE_H

/* describe.c: the notes every recording begins with. */
void describe_process(const char *const *argv);

#endif
