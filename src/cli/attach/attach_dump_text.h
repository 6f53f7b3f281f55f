/* The stacks of a process as text. */
#ifndef KYMO_ATTACH_DUMP_TEXT_H
#define KYMO_ATTACH_DUMP_TEXT_H

struct dump;

void dump_print(struct dump *dump);

#endif
