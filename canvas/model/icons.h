/* Our own vector icons, 24×24 units: canvas/model/icons.def has a row (name, path) for each; paths
 * use M L H V C Q A Z of SVG. */
#ifndef CANVAS_MODEL_ICONS_H
#define CANVAS_MODEL_ICONS_H

struct cv_icon {
    const char *name;  /* "accountCircle" */
    const char *path;  /* drawn as a stroke of 2 units with round ends, and… */
    const char *solid; /* …this part filled; NULL: none */
};

/* Also by snake_case ("arrow_upward"); an unknown name gives the generic dot, never NULL. */
const struct cv_icon *cv_icon_find(const char *name);

#endif
