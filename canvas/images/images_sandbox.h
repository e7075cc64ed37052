/* What code that decodes strangers' pictures cannot do, even when it is talked into it. There is no
 * way back; what this kernel cannot do is left out. */
#ifndef CANVAS_IMAGES_IMAGES_SANDBOX_H
#define CANVAS_IMAGES_IMAGES_SANDBOX_H

/* Whose shadow memory counts as memory; a limit on that would be none on what the code uses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CV_IS_SANITIZED 1
#elif defined(__has_feature)
#define CV_IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define CV_IS_SANITIZED 0
#endif

/* Memory and the files that are open, which are best few; no other file, process, socket or
 * program. */
void cv_sandbox_to_memory(void);
/* The same, and fonts and libraries can be read: what a drawing with text in it needs. */
void cv_sandbox_to_fonts(void);
/* For the web program: no other process's memory, no keys, no corners of the kernel. */
void cv_sandbox_web(void);

#endif
