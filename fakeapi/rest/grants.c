/* grants - writes asked about once more, when it is known what they come to. */
#include "fakeapi/rest/grants.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/access/escalation.h"
#include "fakeapi/rest/parts.h"

bool write_may_create(struct write *write)
{
    const struct rest_subject subject = write_subject(write, write->name);
    const struct attributes attributes = {.user = write->user,
                                          .verb = "create",
                                          .resource_request = true,
                                          .group = write->kind->group,
                                          .resource = write->kind->plural,
                                          .subresource = "",
                                          .namespace = write->namespace,
                                          .name = write->name,
                                          .path = ""};
    char *reason = NULL;
    bool may;

    if (write->user == NULL)
        return true;
    may = access_allows(write->rest->access, &attributes, &reason);
    if (!may)
        rest_status_forbidden(&write->status, &subject, "%s", text_or(reason, ""));
    free(reason);
    return may;
}

/* 404 for the role that a binding names; its rules cannot be compared. */
static bool refuse_unknown_role(struct write *write, const struct json_object *ref)
{
    bool cluster = text_equal(json_get_text(ref, "kind"), "ClusterRole");
    const struct rest_subject subject = {.group = RBAC_GROUP,
                                         .plural = cluster ? "clusterrole" : "role",
                                         .kind = "",
                                         .name = text_or(json_get_text(ref, "name"), "")};

    return rest_status_not_found(&write->status, &subject);
}

bool write_may_grant(struct write *write, const struct json_object *tree,
                     const struct json_object *old)
{
    const char *name = text_or(json_get_text(json_get(tree, "metadata"), "name"), "");
    const struct rest_subject subject = write_subject(write, name);
    const struct escalation escalation = {.user = write->user,
                                          .plural = write->kind->plural,
                                          .namespace = write->namespace,
                                          .name = write->name,
                                          .tree = tree,
                                          .old = old};
    char *why = NULL;

    if (write->user == NULL || strcmp(write->kind->group, RBAC_GROUP) != 0)
        return true;
    switch (escalation_check(write->rest->access, &escalation, &why)) {
    case ESCALATION_NONE:
        return true;
    case ESCALATION_REFUSED:
        rest_status_forbidden(&write->status, &subject, "%s", why);
        free(why);
        return false;
    case ESCALATION_NO_ROLE:
        break;
    }
    return refuse_unknown_role(write, json_get(tree, "roleRef"));
}
