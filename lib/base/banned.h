/* Functions that cannot be used safely become compile errors. Force-included into every source
 * file. */
#ifndef LIB_BASE_BANNED_H
#define LIB_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef alloca /* a macro in glibc, and a macro cannot be poisoned */
#pragma GCC poison strcpy strcat sprintf vsprintf strtok gets atoi atol atoll alloca

#endif
