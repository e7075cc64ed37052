/* What bound values are made of; resolving them is in model.h. */
#ifndef CANVAS_MODEL_BOUND_H
#define CANVAS_MODEL_BOUND_H

#include "canvas/model/model.h"

/* The first literal member that is there, or NULL. */
const struct cv_value *cv_bound_literal(const struct cv_value *bv);

#endif
