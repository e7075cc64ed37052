/* What openclaw-desktop can do. Each answers exactly once. */
#ifndef PLATFORM_LINUX_DESKTOP_TASKS_H
#define PLATFORM_LINUX_DESKTOP_TASKS_H

#include "platform/linux/helper/serve.h"

void oc_task_check(const struct oc_serve_request *request);
void oc_task_notify(const struct oc_serve_request *request);
void oc_task_notify_close(const struct oc_serve_request *request);
void oc_task_locate(const struct oc_serve_request *request);
void oc_task_power(const struct oc_serve_request *request);

#endif
