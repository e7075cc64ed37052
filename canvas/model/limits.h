/* What one canvas may grow to; every row is a diagnostic or a refused push when it is reached,
 * never a crash. */
#ifndef CANVAS_MODEL_LIMITS_H
#define CANVAS_MODEL_LIMITS_H

#define CV_MAX_PUSH ((size_t)16 * 1024 * 1024)
#define CV_MAX_LINE ((size_t)8 * 1024 * 1024)
#define CV_MAX_STRING ((size_t)1024 * 1024)
#define CV_MAX_SURFACES 64
#define CV_MAX_COMPONENTS 20000                        /* a surface */
#define CV_MAX_ITEMS 20000                             /* drawn instances of a surface */
#define CV_MAX_SCENE_ITEMS 50000                       /* of all surfaces together */
#define CV_MAX_SCENE_IDS ((size_t)8 * 1024 * 1024)     /* bytes of their ids and paths */
#define CV_MAX_DEPTH 256                               /* of the tree that is drawn */
#define CV_MAX_PATH 64                                 /* segments */
#define CV_MAX_VALUES 500000                           /* in the data of a surface */
#define CV_MAX_MODEL_BYTES ((size_t)192 * 1024 * 1024) /* all surfaces together, about */
#define CV_MAX_ID 1024 /* bytes of a component's or surface's id, and of what a template adds */
#define CV_MAX_CHILDREN 200000 /* children named while one scene is made */
/* In one scene, however often the same. */
#define CV_MAX_SCENE_TEXT ((size_t)8 * 1024 * 1024)
#define CV_MAX_SCENE_URLS ((size_t)64 * 1024 * 1024) /* a picture can be in its address */
#define CV_MAX_PARTS 50000                           /* tabs, options and selections */
#define CV_MAX_BLOCKS 100000 /* of markdown, cells of tables too, in one scene */
#define CV_MAX_PARSING ((size_t)40 * 1000 * 1000) /* of markdown: a second, about */
#define CV_MAX_DIAGNOSTICS 200
#define CV_MAX_ACTION_BYTES ((size_t)96 * 1024) /* of an action as JSON */
#define CV_MAX_IMAGE_BYTES ((size_t)20 * 1024 * 1024)
#define CV_MAX_IMAGE_PIXELS ((size_t)25 * 1000 * 1000)
/* Of formats whose decoders make a picture smaller while they read it. */
#define CV_MAX_SCALED_IMAGE_PIXELS ((size_t)100 * 1000 * 1000)
#define CV_MAX_IMAGES 256
#define CV_MAX_DECODE_MS 20000 /* of processors, for the pictures of a push */
#define CV_MAX_SIDE 16384      /* pixels of a picture we make */

#endif
