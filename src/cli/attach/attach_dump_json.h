/* The stacks of a process as programs read them. */
#ifndef KYMO_ATTACH_DUMP_JSON_H
#define KYMO_ATTACH_DUMP_JSON_H

struct dump;

void dump_write(struct dump *dump);

#endif
