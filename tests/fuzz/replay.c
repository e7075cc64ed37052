/* Feeds every file of a corpus directory to the target, once. */
#include "lib/base/mem.h"
#include "lib/files/file.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>

int main(int argc, char **argv) {
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    if (!dir) {
        (void)fprintf(stderr, "usage: %s <corpus directory>\n", argv[0]);
        return 2;
    }
    int count = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') {
            continue;
        }
        OC_AUTO_FREE char *path = oc_path_join(argv[1], e->d_name);
        OC_AUTO_BUF struct oc_buf text = { 0 };
        struct oc_error err;
        if (oc_file_read(path, 16u << 20, &text, &err) != OC_OK) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        /* An exact copy, so that a sanitizer sees the first byte read too far. */
        uint8_t *copy = oc_realloc(NULL, text.len);
        if (text.len > 0) {
            memcpy(copy, text.data, text.len);
        }
        (void)LLVMFuzzerTestOneInput(copy, text.len);
        oc_free(copy);
        count++;
    }
    closedir(dir);
    (void)printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
