/* Every ceiling and timer of the protocol in one place. */
#ifndef LIB_PROTOCOL_LIMITS_H
#define LIB_PROTOCOL_LIMITS_H

#define OC_PROTOCOL_MIN 3
#define OC_PROTOCOL_MAX 4
#define OC_DEFAULT_PORT 18789

#define OC_MAX_MESSAGE_BYTES 26214400u /* 25 MiB: one WebSocket message, either way */
#define OC_MAX_PREAUTH_BYTES 65536u    /* before hello-ok, and of who was given no scope */
#define OC_MAX_QUEUED_BYTES 52428800u  /* 50 MiB for one receiver; beyond it is a slow consumer */
#define OC_MAX_HELD_BYTES \
    ((size_t)96 * 1024 * 1024) /* for all connections together (gateway/fairness/hold.h) */
/* Of invokes that nodes have not taken yet (gateway/fairness/freight.h): of one caller, of all, and what each may have beyond. */
#define OC_MAX_FREIGHT_OF_PARTY ((size_t)32 * 1024 * 1024)
#define OC_MAX_FREIGHT ((size_t)64 * 1024 * 1024)
#define OC_MAX_FREIGHT_BEYOND ((size_t)1024 * 1024)
#define OC_MAX_REQUEST_BYTES 2097152u /* params of any method that is parsed into a tree */
#define OC_MAX_REQUEST_VALUES 32768   /* … and values in them */
#define OC_MAX_READER_BYTES \
    262144u /* one message of an operator who may not call nodes (no operator.write) */
#define OC_MAX_ID_BYTES 256   /* ids, method names, idempotency keys */
#define OC_MAX_NAME_BYTES 256 /* display names and other shown strings */
#define OC_MAX_NODE_COMMANDS 256
#define OC_MAX_NODE_CAPS 64
#define OC_MAX_SCOPES 32
#define OC_MAX_FRAME_DEPTH 128
#define OC_MAX_FRAME_VALUES 262144 /* that become a tree: each takes 80 bytes */
#define OC_MAX_FRAME_STEPS \
    2097152u /* bytes of one that are not plain text in strings (oc_json_valid_within) */
#define OC_MAX_STATE_FILE_BYTES 1048576u

#define OC_TICK_INTERVAL_MS 30000
#define OC_HANDSHAKE_TIMEOUT_MS 10000
#define OC_CHALLENGE_TIMEOUT_MS 5000
#define OC_SIGNATURE_SKEW_MS 120000
#define OC_PENDING_TTL_MS 300000
#define OC_DEFAULT_INVOKE_MS 30000
#define OC_MAX_INVOKE_MS 86400000 /* a day */
#define OC_PING_INTERVAL_MS 25000

/* Connections, by acting party (gateway/fairness/party.h). */
#define OC_MAX_CONNS_PER_DEVICE 32
#define OC_MAX_CONNS_OF_SECRET 1024 /* of operators without a device */
#define OC_MAX_PREAUTH_PER_IP 32    /* that have proven nothing: of one address, */
#define OC_MAX_PREAUTH_REMOTE 512   /* of all addresses, */
#define OC_MAX_PREAUTH_LOCAL 1024   /* and of programs on this machine, */
#define OC_MAX_PREAUTH_OWNER 64  /* of which so many are kept for those of the gateway's own user */
#define OC_MAX_IDLE_PARTIES 1024 /* remembered of each kind, though nobody is connected */

#define OC_MAX_PENDING_DEVICES 256
#define OC_MAX_PENDING_PER_IP 16
#define OC_PAIR_ASK_WINDOW_MS 60000
#define OC_MAX_PAIR_ASKS_OF_DEVICE 6   /* that people hear of, within the window */
#define OC_MAX_PAIR_ASKS_OF_ADDRESS 32 /* … of all devices at one address */
#define OC_MAX_PAIR_ASKS_OF_HERE 300   /* … at this machine */
#define OC_MAX_MADE_NODE_REQUESTS 64   /* by node.pair.request */
#define OC_MAX_LABEL_CHARS 64          /* device.pair.rename */
#define OC_MAX_SETUP_CODES 32          /* unused ones at a time */
#define OC_SETUP_CODE_TTL_MS 600000
#define OC_MAX_SETUP_URL_BYTES 512
#define OC_MAX_SETUP_TOKEN_BYTES 512
#define OC_MAX_SECRET_BYTES 4096 /* of a token or password; what is longer no gateway takes back */
#define OC_MAX_SETUP_CODE_BYTES 4096
/* Shared by callers, of whom one alone gets half (gateway/fairness/shares.h); so are the keys below. */
#define OC_MAX_INVOKES_PER_NODE 256
#define OC_MAX_INVOKES 4096
#define OC_MAX_REQUESTS_PER_CONN 64 /* unanswered invokes one connection may have */
#define OC_IDEMPOTENCY_TTL_MS 600000
#define OC_IDEMPOTENCY_MAX \
    65536 /* keys remembered; beyond it new ones are refused, never old ones forgotten */
#define OC_INPUT_KEY_TTL_MS 60000 /* of the key of a piece of input for a run */
#define OC_MAX_PRESENCE 200
#define OC_MAX_BEACON_BYTES 1024 /* text of one system-event */
#define OC_MAX_CONFIG_WRITES 3   /* of one client within the window */
#define OC_CONFIG_WRITE_WINDOW_MS 60000
#define OC_DEFAULT_APPROVAL_MS 120000
#define OC_APPROVAL_GRACE_MS 15000 /* how long a decided approval can be used or asked about */
#define OC_MAX_WAKE_WORDS 32
#define OC_MAX_WAKE_WORD_BYTES 64
#define OC_MAX_LOG_LINES 1000 /* kept for logs.tail */
/* Lines in a minute because of one address, of programs here, of one device; then they are only counted. */
#define OC_MAX_LOG_OF_STRANGER 8
#define OC_MAX_LOG_OF_HERE 60
#define OC_MAX_LOG_OF_DEVICE 120
#define OC_MAX_LOG_OF_NODE 300        /* a node's own */
#define OC_MAX_LOG_TAIL_BYTES 1000000 /* of one answer */
#define OC_MAX_NODE_WORK 64           /* queued for one sleeping node */
#define OC_MAX_NODE_WORK_QUEUES 1024
#define OC_MAX_PROGRESS_BYTES 16384
#define OC_HOST_STATS_EVENT_MS 5000   /* between two of one node; what comes faster is only kept */
#define OC_MAX_PROGRESS_QUEUED 262144 /* for one caller; beyond it the node has to wait */
#define OC_MAX_PROGRESS_HELD 64       /* chunks of one invoke that are not answered meanwhile */
#define OC_SEEN_INTERVAL_MS 60000     /* how often a node's sign of life is written down */
#define OC_MAX_APPROVALS 256
#define OC_MAX_APPROVALS_PER_ACTOR 64
#define OC_MAX_APPROVALS_KEPT_PER_ACTOR 256 /* with those that were decided a moment ago */
#define OC_MAX_APPROVAL_TREES_EACH ((size_t)4 * 1024 * 1024) /* bytes in memory, decided ones too */
#define OC_MAX_APPROVAL_TREES ((size_t)16 * 1024 * 1024)     /* of all devices together */
#define OC_MAX_APPROVAL_IDS_USED 8192 /* of devices, and as many of the owner: no id twice */
#define OC_APPROVAL_ID_KEEP_MS \
    600000 /* at least; a screen that still shows the old one is stale by then */
#define OC_MAX_AUDIT_RUNS 20000    /* rows: runs, their ends, decisions */
#define OC_MAX_AUDIT_REFUSALS 2000 /* rows */
#define OC_RUN_HANDLE_LEN 8        /* of a run's handle that we make */
#define OC_MAX_AUDIT_ARGV 4096u    /* bytes of a run's arguments */
#define OC_MAX_RUN_WRITERS 8       /* who gave a run input; the rest is counted together */
#define OC_MAX_AUDIT_TEXT 1024 /* characters of a command, or of anything else that a peer wrote */
#define OC_MAX_EXEC_LOG_BYTES 4194304u     /* of a node's own log; one older file is kept */
#define OC_MAX_EXEC_REFUSED_BYTES 1048576u /* of its log of refusals; likewise */
#define OC_MAX_AUDIT_LIST 1000             /* items of one answer */
#define OC_MAX_APPROVAL_WAITERS 16
#define OC_MAX_APPROVAL_BYTES 65536u /* of one request, which goes to every approver */
/* One party's turn of a round of the loop (gateway/fairness/turns.h). */
#define OC_TURN_NS 3000000
#define OC_TURN_UNITS 256u           /* of about ten microseconds */
#define OC_TURN_UNITS_PER_MESSAGE 4u /* to read and answer the smallest one */
#define OC_TURN_BYTES_IN 4096u       /* received: one unit */
#define OC_TURN_BYTES_OUT 4096u      /* sent: one unit */
#define OC_TURN_STEPS 1000           /* of SQLite: one unit */
#define OC_MAX_UNREAD_BYTES 1048576u /* of answers; an operator that has more is not read from */
#define OC_MAX_AGENT_MESSAGE 20000 /* characters; the reference drops longer ones without a word */
#define OC_MAX_AGENT_FIELD 4096    /* bytes of anything else in such a request */
#define OC_UNAUTHORIZED_LIMIT 10   /* the next refusal in a row closes the connection */

#endif
