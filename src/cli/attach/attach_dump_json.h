/* The stacks of a process as JSON. */
#ifndef KYMO_ATTACH_DUMP_JSON_H
#define KYMO_ATTACH_DUMP_JSON_H

struct dump;

void dump_write(struct dump *dump);

#endif
