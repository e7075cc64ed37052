#include "lib/net/server/peer_user.h"

#include "platform/platform.h"

#include <unistd.h>

bool oc_peer_is_this_user(const struct oc_peer *peer) {
    uid_t uid;
    if (!peer->is_loopback) {
        return false;
    }
    if (peer->memo && *peer->memo != OC_PEER_NOT_ASKED) {
        return *peer->memo == OC_PEER_IS_THIS_USER;
    }
    bool is_ours = os_peer_uid(peer->fd, &uid) && (uid == geteuid() || uid == 0);
    if (peer->memo) {
        *peer->memo = is_ours ? OC_PEER_IS_THIS_USER : OC_PEER_IS_NOT;
    }
    return is_ours;
}
