#include "gateway/origin/client.h"

#include "lib/base/mem.h"
#include "lib/protocol/connect.h"

void gw_conn_client_init(struct gw_conn_client *c, const struct oc_connect *in) {
    *c = (struct gw_conn_client){
        .id = oc_strdup(in->client_id),
        .mode = oc_strdup(in->mode),
        .display_name = oc_strdup(in->display_name),
        .version = oc_strdup(in->version),
        .platform = oc_strdup(in->platform),
        .device_family = oc_strdup(in->device_family),
        .model_identifier = oc_strdup(in->model_identifier),
        .instance_id = oc_strdup(in->instance_id),
        .path_env = oc_strdup(in->path_env),
        .permissions = in->permissions ? cJSON_Duplicate(in->permissions, true) : NULL,
    };
}

void gw_conn_client_finish(struct gw_conn_client *c) {
    oc_free(c->id);
    oc_free(c->mode);
    oc_free(c->display_name);
    oc_free(c->version);
    oc_free(c->platform);
    oc_free(c->device_family);
    oc_free(c->model_identifier);
    oc_free(c->instance_id);
    oc_free(c->path_env);
    cJSON_Delete(c->permissions);
}
