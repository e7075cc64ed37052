/* What GStreamer's errors mean. Where it and what it is built on have no code for something, they
 * say it in words: this is the one file of media that looks into texts of libraries
 * (tests/check_errors.py). */
#ifndef PLATFORM_LINUX_MEDIA_GST_ERRORS_H
#define PLATFORM_LINUX_MEDIA_GST_ERRORS_H

#include <stdbool.h>

/* The package that has an element, as Debian calls it. */
const char *os_gst_package(const char *element);
/* Whether the text of a source's error says that another program has the device. PipeWire's source
 * says so in no other way: "stream error: Device or resource busy". */
bool os_gst_says_busy(const char *message);

#endif
