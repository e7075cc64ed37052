/* The openclaw program. */
#include "cli/dispatch.h"
#include "lib/base/mem.h"

#include <signal.h>

int main(int argc, char **argv) {
    /* A peer or a reader that goes away is an error to handle, not a reason to die. */
    signal(SIGPIPE, SIG_IGN);
    oc_mem_map_large();
    return cli_main(argc, argv);
}
