# What the gateway decides, without connections; gateway/CMakeLists.txt puts these into oc_gateway.
set(OC_GATEWAY_DECISION_SOURCES
    device_label.c
    device_record.c
    device_tokens.c
    enrol.c
    join_codes.c
    node_requests.c
    pairing.c
    pairing_requests.c
    policy.c
    setup_codes.c
    setup_status.c
    store.c
    store_import.c
    store_open.c
    store_peek.c
    surface.c)
