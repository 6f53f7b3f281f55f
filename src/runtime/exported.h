/* What other libraries may call. */
#ifndef KYMO_EXPORTED_H
#define KYMO_EXPORTED_H

#define KYMO_EXPORT __attribute__((visibility("default")))

#endif
