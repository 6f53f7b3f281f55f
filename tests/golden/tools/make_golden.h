/* The golden recordings that are made apart.  The caller owns what they return. */
#ifndef KYMO_MAKE_GOLDEN_H
#define KYMO_MAKE_GOLDEN_H

struct synthetic;

struct synthetic *make_sampled(void);
struct synthetic *make_positions(void);
/* Of instrumented functions. */
struct synthetic *make_functions(void);
struct synthetic *make_mixed(void);
struct synthetic *make_away(void);
struct synthetic *make_marked(void);
struct synthetic *make_counted(void);

#endif
