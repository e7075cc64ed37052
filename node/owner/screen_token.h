/* What a Wayland desktop gave us when the person in front of it shared a screen: with it they are
 * not asked again. A secret: whoever has it sees the screen. Kept beside the owner's switches, and
 * forgotten when the owner switches the screen off. */
#ifndef NODE_OWNER_SCREEN_TOKEN_H
#define NODE_OWNER_SCREEN_TOKEN_H

#include "lib/base/error.h"

#define ND_SCREEN_TOKEN_FILE "screen-token.json" /* in the state directory, 0600 */

/* NULL when there is none. Caller frees. */
char *nd_screen_token_load(const char *switches_path);
/* The newest counts: a desktop may take each only once. */
enum oc_code nd_screen_token_save(
        const char *switches_path, const char *token, struct oc_error *err) OC_MUST_USE;
void nd_screen_token_forget(const char *switches_path);

#endif
