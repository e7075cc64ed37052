/* Every ceiling and timer of the protocol in one place, one a line with what it is of:
 * scripts/protocol-tables makes the table of docs/PROTOCOL.md from them. */
#ifndef LIB_PROTOCOL_LIMITS_H
#define LIB_PROTOCOL_LIMITS_H

/* clang-format off */
#define OC_PROTOCOL_MIN 3     /* oldest version of the protocol that we speak */
#define OC_PROTOCOL_MAX 4     /* newest version of the protocol that we speak */
#define OC_DEFAULT_PORT 18789 /* port of the gateway, unless its config says another */

#define OC_MAX_MESSAGE_BYTES 26214400u               /* one WebSocket message, either way */
#define OC_MAX_PREAUTH_BYTES 65536u                  /* one message before hello-ok, and of who was given no scope */
#define OC_MAX_QUEUED_BYTES 52428800u                /* what waits for one receiver; beyond it is a slow consumer */
#define OC_MAX_HELD_BYTES ((size_t)96 * 1024 * 1024) /* what is kept for all connections together (gateway/fairness/hold.h) */
/* Of invokes that nodes have not taken yet (gateway/fairness/freight.h): of one caller, of all, and what each may have beyond. */
#define OC_MAX_FREIGHT_OF_PARTY ((size_t)32 * 1024 * 1024) /* params of one caller that nodes have not taken yet */
#define OC_MAX_FREIGHT ((size_t)64 * 1024 * 1024)          /* params of all callers that nodes have not taken yet */
#define OC_MAX_FREIGHT_BEYOND ((size_t)1024 * 1024)        /* and what each caller may have beyond that */

#define OC_MAX_REQUEST_BYTES 2097152u    /* params of any method that is parsed into a tree */
#define OC_MAX_REQUEST_VALUES 32768      /* values in the params of such a method */
#define OC_MAX_READER_BYTES 262144u      /* one message of an operator who may not call nodes (no operator.write) */
#define OC_MAX_ID_BYTES 256              /* ids, method names, idempotency keys */
#define OC_MAX_NAME_BYTES 256            /* display names and other shown strings */
#define OC_MAX_NODE_COMMANDS 256         /* commands that one node declares */
#define OC_MAX_NODE_CAPS 64              /* capabilities, and permissions, of one node */
#define OC_MAX_SCOPES 32                 /* scopes in one request */
#define OC_MAX_FRAME_DEPTH 128           /* objects and lists within each other in one message */
#define OC_MAX_FRAME_VALUES 262144       /* values of one message that become a tree: each takes 80 bytes */
#define OC_MAX_FRAME_STEPS 2097152u      /* bytes of one that are not plain text in strings (oc_json_valid_within) */
#define OC_MAX_STATE_FILE_BYTES 1048576u /* one JSON file of the state directory */

#define OC_TICK_INTERVAL_MS 30000     /* between two tick events */
#define OC_HANDSHAKE_TIMEOUT_MS 10000 /* from the upgrade to hello-ok, at the gateway; gateway.handshakeTimeoutMs */
#define OC_CHALLENGE_TIMEOUT_MS 5000  /* until the challenge must have come, at the client */
#define OC_SIGNATURE_SKEW_MS 120000   /* how far signedAt may be from the gateway's clock, either way */
#define OC_PENDING_TTL_MS 300000      /* a device request that nobody repeats is kept */
#define OC_DEFAULT_INVOKE_MS 30000    /* an invoke that comes without timeoutMs waits */
#define OC_MAX_INVOKE_MS 86400000     /* the longest timeoutMs of an invoke */
#define OC_PING_INTERVAL_MS 25000     /* between two WebSocket pings; two and a half without a sign of life end a connection */

/* Connections, by acting party (gateway/fairness/party.h). */
#define OC_MAX_CONNS_PER_DEVICE 32  /* connections of one device */
#define OC_MAX_CONNS_OF_SECRET 1024 /* connections of operators without a device */
#define OC_MAX_PREAUTH_PER_IP 32    /* connections that have proven nothing, of one address */
#define OC_MAX_PREAUTH_REMOTE 512   /* … of all addresses elsewhere */
#define OC_MAX_PREAUTH_LOCAL 1024   /* … of programs on this machine */
#define OC_MAX_PREAUTH_OWNER 64     /* … of which so many are kept for those of the gateway's own user */
#define OC_MAX_IDLE_PARTIES 1024    /* parties of each kind that are remembered, though nobody is connected */

#define OC_MAX_PENDING_DEVICES 256     /* device requests that wait for a decision */
#define OC_MAX_PENDING_PER_IP 16       /* device requests of one address */
#define OC_PAIR_ASK_WINDOW_MS 60000    /* in which new device requests are counted */
#define OC_MAX_PAIR_ASKS_OF_DEVICE 6   /* new requests of one device that people hear of, within the window */
#define OC_MAX_PAIR_ASKS_OF_ADDRESS 32 /* … of all devices at one address */
#define OC_MAX_PAIR_ASKS_OF_HERE 300   /* … of all devices at this machine */
#define OC_MAX_MADE_NODE_REQUESTS 64   /* requests made by node.pair.request */
#define OC_MAX_LABEL_CHARS 64          /* name given by device.pair.rename */
#define OC_MAX_SETUP_CODES 32          /* unused setup codes at a time */
#define OC_SETUP_CODE_TTL_MS 600000    /* a setup code is good for */
#define OC_MAX_SETUP_URL_BYTES 512     /* address in a setup code */
#define OC_MAX_SETUP_TOKEN_BYTES 512   /* token in a setup code */
#define OC_MAX_SECRET_BYTES 4096       /* token or password; what is longer no gateway takes back */
#define OC_MAX_SETUP_CODE_BYTES 4096   /* a setup code as text */
/* Shared by callers, of whom one alone gets half (gateway/fairness/shares.h); so are the keys below. */
#define OC_MAX_INVOKES_PER_NODE 256     /* invokes that one node has not answered */
#define OC_MAX_INVOKES 4096             /* invokes that all nodes have not answered */
#define OC_MAX_REQUESTS_PER_CONN 64     /* unanswered invokes one connection may have */
#define OC_IDEMPOTENCY_TTL_MS 600000    /* an idempotency key, and the answer to it, is remembered */
#define OC_IDEMPOTENCY_MAX 65536        /* keys remembered; beyond it new ones are refused, never old ones forgotten */
#define OC_INPUT_KEY_TTL_MS 60000       /* the key of a piece of input for a run is remembered */
#define OC_MAX_PRESENCE 200             /* entries of system-presence */
#define OC_MAX_BEACON_BYTES 1024        /* text of one system-event */
#define OC_MAX_CONFIG_WRITES 3          /* writes of the config by one client within the window */
#define OC_CONFIG_WRITE_WINDOW_MS 60000 /* in which writes of the config are counted */
#define OC_DEFAULT_APPROVAL_MS 120000   /* an approval waits for a decision */
#define OC_APPROVAL_GRACE_MS 15000      /* how long a decided approval can be used or asked about */
#define OC_MAX_WAKE_WORDS 32            /* wake words */
#define OC_MAX_WAKE_WORD_BYTES 64       /* one wake word */
#define OC_MAX_LOG_LINES 1000           /* lines kept for logs.tail */
/* Lines in a minute because of one address, of programs here, of one device; then they are only counted. */
#define OC_MAX_LOG_OF_STRANGER 8            /* lines in a minute because of one address */
#define OC_MAX_LOG_OF_HERE 60               /* … because of programs on this machine */
#define OC_MAX_LOG_OF_DEVICE 120            /* … because of one device */
#define OC_MAX_LOG_OF_NODE 300              /* … in a node's own log */
#define OC_MAX_LOG_TAIL_BYTES 1000000       /* one answer of logs.tail */
#define OC_MAX_NODE_WORK 64                 /* requests queued for one sleeping node */
#define OC_MAX_NODE_WORK_QUEUES 1024        /* sleeping nodes with something queued */
#define OC_MAX_PROGRESS_BYTES 16384         /* one chunk of progress */
#define OC_HOST_STATS_EVENT_MS 5000         /* between two node.hostStats of one node; what comes faster is only kept */
#define OC_MAX_PROGRESS_QUEUED 262144       /* progress that waits for one caller; beyond it the node has to wait */
#define OC_MAX_PROGRESS_HELD 64             /* chunks of one invoke that are not answered meanwhile */
#define OC_MAX_APPROVALS 256                /* approvals that wait */
#define OC_MAX_APPROVALS_PER_ACTOR 64       /* approvals of one asker that wait */
#define OC_MAX_APPROVALS_KEPT_PER_ACTOR 256 /* … with those that were decided a moment ago */

#define OC_MAX_APPROVAL_TREES_EACH ((size_t)4 * 1024 * 1024) /* approvals of one asker in memory, decided ones too */
#define OC_MAX_APPROVAL_TREES ((size_t)16 * 1024 * 1024)     /* approvals of all devices in memory */
#define OC_MAX_APPROVAL_LIST_EACH ((size_t)512 * 1024)       /* one asker's part of the list of those that wait, which is one message */
#define OC_MAX_APPROVAL_LIST ((size_t)2048 * 1024)           /* … of all devices */
#define OC_MAX_APPROVAL_FACTS 16384u                         /* what a node says about one approval */

#define OC_MAX_APPROVAL_IDS_USED 8192      /* ids of approvals that are not given again, of devices and of the owner each */
#define OC_APPROVAL_ID_KEEP_MS 600000      /* at least; a screen that still shows the old one is stale by then */
#define OC_MAX_AUDIT_RUNS 20000            /* rows of the audit: runs, their ends, decisions */
#define OC_MAX_AUDIT_REFUSALS 2000         /* rows of the audit about refusals */
#define OC_RUN_HANDLE_LEN 8                /* characters of a run's handle that we make */
#define OC_MAX_AUDIT_ARGV 4096u            /* a run's arguments in the audit */
#define OC_MAX_RUN_WRITERS 8               /* who gave a run input; the rest is counted together */
#define OC_MAX_AUDIT_TEXT 1024             /* characters of a command there, or of anything else that a peer wrote */
#define OC_MAX_RUN_LOG_BYTES 4194304u     /* a node's own log of runs; one older file is kept */
#define OC_MAX_RUN_REFUSED_BYTES 1048576u /* its log of refusals; likewise */
#define OC_MAX_AUDIT_LIST 1000             /* items of one answer of exec.audit.list */
#define OC_MAX_APPROVAL_WAITERS 16         /* requests that wait for one decision */
#define OC_MAX_APPROVAL_BYTES 65536u       /* one request for an approval, which goes to every approver */
/* One party's turn of a round of the loop (lib/net/loop/turns.h). */
#define OC_TURN_NS 3000000           /* time that one party has in a round of the loop */
#define OC_TURN_UNITS 256u           /* units of work in such a turn, of about ten microseconds */
#define OC_TURN_UNITS_PER_MESSAGE 4u /* units to read and answer the smallest message */
#define OC_TURN_BYTES_IN 4096u       /* bytes received that are one unit */
#define OC_TURN_BYTES_OUT 4096u      /* bytes sent that are one unit */
#define OC_TURN_STEPS 1000           /* steps of SQLite that are one unit */
#define OC_MAX_UNREAD_BYTES 1048576u /* unread answers; an operator that has more is not read from */
#define OC_MAX_AGENT_MESSAGE 20000   /* characters of an agent.request; the reference drops longer ones silently */
#define OC_MAX_AGENT_FIELD 4096      /* anything else in such a request */
#define OC_MAX_AGENT_CONTEXT 81920   /* bytes of the context of an action on a canvas in it */
#define OC_MIN_VIEW_PX 160           /* least width and height of a canvas that is laid out for somebody elsewhere */
#define OC_MAX_VIEW_PX 4096          /* … and most */
#define OC_MAX_VIEW_SCALE 3          /* pixels of its picture for each of it, in each direction */
#define OC_UNAUTHORIZED_LIMIT 10     /* calls that are not for a client's role, in a row; the next closes the connection */

/* clang-format on */

#endif
