/* What openclaw-desktop can do. Each answers exactly once. */
#ifndef PLATFORM_LINUX_DESKTOP_TASKS_H
#define PLATFORM_LINUX_DESKTOP_TASKS_H

#include "platform/linux/helper/serve.h"

void os_task_check(const struct os_serve_request *request);
void os_task_notify(const struct os_serve_request *request);
void os_task_notify_close(const struct os_serve_request *request);
void os_task_locate(const struct os_serve_request *request);
void os_task_power(const struct os_serve_request *request);

#endif
