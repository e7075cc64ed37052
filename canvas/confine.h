/* What code that decodes strangers' pictures cannot do, even when it is talked into it. There is no way back; what this kernel
 * cannot do is left out. */
#ifndef CANVAS_CONFINE_H
#define CANVAS_CONFINE_H

/* Memory and the files that are open, which are best few; no other file, process, socket or program. */
void oc_confine_to_memory(void);
/* The same, and fonts and libraries can be read: what a drawing with text in it needs. */
void oc_confine_to_fonts(void);
/* For the web program: no other process's memory, no keys, no corners of the kernel. */
void oc_confine_web(void);

#endif
