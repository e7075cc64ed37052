/* What a helper that decodes what cameras and compositors send cannot do, even when it is talked into it. */
#ifndef PLATFORM_LINUX_MEDIA_CONFINE_H
#define PLATFORM_LINUX_MEDIA_CONFINE_H

/* Nothing on disk can be changed, except GStreamer's own cache of its plugins; devices can be used; no rights can be gained. As
 * far as this kernel can do it. */
void oc_media_confine(void);

#endif
