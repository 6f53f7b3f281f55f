/* The notes that a recording begins with: program, host, settings and environment. */
#ifndef KYMO_DESCRIBE_H
#define KYMO_DESCRIBE_H

/* Write the notes that every recording begins with. */
void describe_process(const char *const *argv);

#endif
