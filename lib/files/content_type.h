/* What kind of file it is, by the ending of its name. */
#ifndef LIB_FILES_CONTENT_TYPE_H
#define LIB_FILES_CONTENT_TYPE_H

/* For a Content-Type header, with the character set of text; "application/octet-stream" when it is
 * not known. */
const char *oc_content_type(const char *name);

#endif
