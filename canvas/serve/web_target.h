/* Addresses of web content: which may be shown, and whose pages may speak to the agent.
 *
 * Canvas files have the address openclaw-canvas://local/<path>, whatever way an agent writes it: a
 * path, file:// below the folder, /__openclaw__/canvas/<path> of the gateway's host,
 * openclaw-canvas://<session>/<path>. */
#ifndef CANVAS_SERVE_WEB_TARGET_H
#define CANVAS_SERVE_WEB_TARGET_H

#include "lib/address/address_class.h"
#include "lib/base/error.h"
#include "lib/helper/canvas_path.h"

#include <stdbool.h>

#define CV_WEB_SCHEME OC_CANVAS_SCHEME
#define CV_WEB_LOCAL CV_WEB_SCHEME "://local/"

/* What to load. root: the folder of canvas files, NULL when there is none. Caller frees. */
enum oc_code cv_web_target(
        const char *url, const char *root, char **ret_uri, struct oc_error *err) OC_MUST_USE;

bool cv_web_is_local(const char *uri);
/* An http(s) address that nobody has a reason to show: link-local ones, where clouds keep the keys
 * of a machine, and reserved ones. */
bool cv_web_is_forbidden(const char *uri);
/* A literal for people; NULL: it may be shown. */
const char *cv_web_why_forbidden(enum oc_address_class class);
/* Whether a page there may send user actions. trusts_network: http(s) pages of this machine and its
 * private network, too. */
bool cv_web_is_trusted(const char *uri, bool trusts_network);

#endif
