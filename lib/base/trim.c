/* Giving back memory that was only needed for a while: to start up, or in a rush. */
#include "lib/base/mem.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
        __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(__linux__) && defined(__GLIBC__) && !defined(SANITIZED)

#include <link.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_BYTES (256 * 1024)

static bool is_droppable(const char *name) {
    static const char *const libraries[] = { "libcrypto", "libssl", "libsqlite3" };
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    for (size_t i = 0; i < OC_COUNT(libraries); i++) {
        if (strncmp(base, libraries[i], strlen(libraries[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Code and constants of a library are clean private file pages: dropped ones refault from the page
 * cache. What the loader relocated (RELRO) lives in a segment that is writable here and must stay.
 */
static int drop_object(struct dl_phdr_info *info, size_t size OC_UNUSED, void *user) {
    uintptr_t page = *(uintptr_t *)user;
    if (!info->dlpi_name || !is_droppable(info->dlpi_name)) {
        return 0;
    }
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_LOAD || (ph->p_flags & PF_W)) {
            continue;
        }
        uintptr_t start = (info->dlpi_addr + ph->p_vaddr) & ~(page - 1);
        uintptr_t end = (info->dlpi_addr + ph->p_vaddr + ph->p_filesz + page - 1) & ~(page - 1);
        (void)madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

/* Left alone, malloc takes blocks as large as the largest that was freed from the heap, where one
 * small block above them keeps all of it. */
void oc_mem_map_large(void) {
    (void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
}

void oc_mem_trim(void) {
    long page = sysconf(_SC_PAGESIZE);
    uintptr_t size = page > 0 ? (uintptr_t)page : 4096;
    malloc_trim(0);
    dl_iterate_phdr(drop_object, &size);
}

#else

void oc_mem_map_large(void) {
}

void oc_mem_trim(void) {
}

#endif
