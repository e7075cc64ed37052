#include "canvas/scene/flex.h"

#include <math.h>
#include <stdbool.h>

/* Every round settles at least one item, and all but contrived input needs two or three. What is
 * left after this many takes its share of the last round. */
#define MAX_ROUNDS 64

const char *const cv_distribution_names[] = { "start", "center", "end", "spaceBetween",
    "spaceAround", "spaceEvenly", NULL };
const char *const cv_alignment_names[] = { "start", "center", "end", "stretch", NULL };

double cv_px(double px) {
    if (!(px > 0)) {
        return 0;
    }
    return px < CV_MAX_PX ? px : CV_MAX_PX;
}

static double flex_clamp(const struct cv_flex *f, double size) {
    if (f->max >= 0 && size > f->max) {
        size = f->max;
    }
    return cv_px(size > f->min ? size : f->min);
}

static double flex_gaps(size_t count, double gap) {
    return count > 1 ? (double)(count - 1) * gap : 0;
}

/* How much of the free space an item takes, relative to the others. */
static double flex_factor(const struct cv_flex *f, bool is_growing) {
    return is_growing ? f->grow : f->shrink * f->basis;
}

/* Items that cannot move in this direction are settled at their clamped basis: at >= 0 marks a
 * settled one until cv_flex_place. */
static void settle_stiff(struct cv_flex *items, size_t count, bool is_growing) {
    for (size_t i = 0; i < count; i++) {
        struct cv_flex *f = &items[i];
        double size = flex_clamp(f, f->basis);
        bool is_stiff = is_growing ? f->grow <= 0 || f->basis > size
                                   : f->shrink * f->basis <= 0 || f->basis < size;
        f->size = size;
        f->at = is_stiff ? 0 : -1;
    }
}

/* What is left for the unsettled, and the sum of their factors. */
static double free_space(const struct cv_flex *items, size_t count, double room, bool is_growing,
        double *ret_factors, double *ret_weights) {
    double factors = 0, weights = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cv_flex *f = &items[i];
        room -= f->at >= 0 ? f->size : f->basis;
        if (f->at < 0) {
            factors += flex_factor(f, is_growing);
            weights += is_growing ? f->grow : f->shrink;
        }
    }
    *ret_factors = factors;
    *ret_weights = weights;
    return room;
}

void cv_flex_share(struct cv_flex *items, size_t count, double gap, double room) {
    room -= flex_gaps(count, gap);
    double wanted = 0;
    for (size_t i = 0; i < count; i++) {
        items[i].basis = cv_px(items[i].basis);
        wanted += flex_clamp(&items[i], items[i].basis);
    }
    bool is_growing = wanted < room;
    settle_stiff(items, count, is_growing);
    double factors, weights;
    double first = free_space(items, count, room, is_growing, &factors, &weights);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        double space = free_space(items, count, room, is_growing, &factors, &weights);
        if (!(factors > 0)) {
            return;
        }
        /* weights of less than 1 in sum leave some of the space unused */
        if (weights < 1 && fabs(first * weights) < fabs(space)) {
            space = first * weights;
        }
        double broken = 0; /* > 0: minima were hit, < 0: maxima */
        for (size_t i = 0; i < count; i++) {
            struct cv_flex *f = &items[i];
            if (f->at >= 0) {
                continue;
            }
            double size = f->basis + space * (flex_factor(f, is_growing) / factors);
            f->size = flex_clamp(f, size);
            broken += f->size - size;
        }
        if (fabs(broken) < 1e-9) {
            return;
        }
        for (size_t i = 0; i < count; i++) {
            struct cv_flex *f = &items[i];
            if (f->at >= 0) {
                continue;
            }
            double size = f->basis + space * (flex_factor(f, is_growing) / factors);
            if (broken > 0 ? f->size > size : f->size < size) {
                f->at = 0;
            }
        }
    }
}

void cv_flex_place(
        struct cv_flex *items, size_t count, double gap, double room, enum cv_distribution how) {
    double left = room - flex_gaps(count, gap);
    for (size_t i = 0; i < count; i++) {
        left -= items[i].size;
    }
    double at = 0, between = gap;
    double n = (double)count;
    if (how == CV_DISTRIBUTE_CENTER) {
        at = left / 2;
    } else if (how == CV_DISTRIBUTE_END) {
        at = left;
    } else if (left > 0 && how == CV_DISTRIBUTE_BETWEEN && count > 1) {
        between += left / (n - 1);
    } else if (left > 0 && how == CV_DISTRIBUTE_AROUND) {
        at = left / n / 2;
        between += left / n;
    } else if (left > 0 && how == CV_DISTRIBUTE_EVENLY) {
        at = left / (n + 1);
        between += left / (n + 1);
    }
    for (size_t i = 0; i < count; i++) {
        items[i].at = at;
        at += items[i].size + between;
    }
}

double cv_flex_align(double size, double room, enum cv_alignment how) {
    if (how == CV_ALIGNED_CENTER) {
        return (room - size) / 2;
    }
    return how == CV_ALIGNED_END ? room - size : 0;
}
