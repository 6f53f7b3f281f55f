/* Paths of the parts of Kymo: beside the command, in the build, in an installed prefix and in a
 * Python package (cmake/KymoInstall.cmake).  Uses malloc.  Context: init. */
#ifndef KYMO_INSTALLED_H
#define KYMO_INSTALLED_H

/* Each returns an absolute path (free), NULL = there is none. */
char *installed_library(const char *name); /* "libkymo-lifecycle.so" */
char *installed_presets(void);		   /* folder */
char *installed_python(void);		   /* folder of the package's start-up hook */

#endif
