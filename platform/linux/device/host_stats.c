#include "platform/linux/device/host_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* MemAvailable, not MemFree: what is only cached can be had. */
static bool read_memory(struct os_host_stats *s) {
    FILE *f = fopen("/proc/meminfo", "re");
    if (!f) {
        return false;
    }
    uint64_t total_kb = 0, free_kb = 0;
    char line[160];
    while (fgets(line, sizeof(line), f)) {
        if (strncmp(line, "MemTotal:", 9) == 0) {
            total_kb = strtoull(line + 9, NULL, 10);
        } else if (strncmp(line, "MemAvailable:", 13) == 0) {
            free_kb = strtoull(line + 13, NULL, 10);
        }
    }
    (void)fclose(f);
    s->memory_total_bytes = total_kb * 1024;
    s->memory_free_bytes = (free_kb < total_kb ? free_kb : total_kb) * 1024;
    return total_kb > 0;
}

static void read_disk(const char *path, struct os_host_stats *s) {
    struct statvfs fs;
    if (statvfs(path, &fs) != 0) {
        return;
    }
    s->disk_total_bytes = (uint64_t)fs.f_blocks * fs.f_frsize;
    uint64_t available = (uint64_t)fs.f_bavail * fs.f_frsize;
    s->disk_free_bytes = available < s->disk_total_bytes ? available : s->disk_total_bytes;
}

bool os_linux_host_stats(const char *disk_path, struct os_host_stats *ret) {
    struct os_host_stats s = { 0 };
    if (!read_memory(&s)) {
        return false;
    }
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    s.cpu_count = cpus > 0 ? (unsigned)cpus : 1;
    s.has_load = getloadavg(s.load, 3) == 3;
    read_disk(disk_path, &s);
    *ret = s;
    return true;
}
