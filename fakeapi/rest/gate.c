/* gate - see gate.h. */
#include "fakeapi/rest/gate.h"

#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/parts.h"

/** How long a webhook is waited for where its configuration says nothing. */
#define WEBHOOK_TIMEOUT "10s"

void rest_set_gate(struct rest *rest, const struct rest_gate *gate, void *arg)
{
    rest->gate = gate;
    rest->gate_arg = arg;
}

static void deny_access(const struct call *call, const struct fault_call *request,
                        const struct rest_refused *refused, struct rest_status *status)
{
    const struct route *route = &call->route;
    struct access_user user =
        access_user_named(refused->user == NULL ? request->user : refused->user, NULL);
    const struct attributes attributes = {.user = &user,
                                          .verb = request->verb,
                                          .resource_request = true,
                                          .group = route->group,
                                          .resource = route->plural,
                                          .subresource = route->subresource,
                                          .namespace = route->namespace,
                                          .name = route->name};

    (void)call_deny(status, &attributes, NULL);
    access_user_release(&user);
}

static const char *reason_of(unsigned code)
{
    switch (code) {
    case 400:
        return "BadRequest";
    case 403:
        return "Forbidden";
    case 409:
        return "Conflict";
    case 422:
        return "Invalid";
    default:
        return "";
    }
}

static void deny_admission(const struct rest_refused *refused, struct rest_status *status)
{
    bool says = !text_is_empty(refused->message);

    rest_status_set(status, refused->code, reason_of(refused->code),
                    "admission webhook \"%s\" denied the request%s%s", refused->webhook,
                    says ? ": " : " without explanation", says ? refused->message : "");
}

static void fail_admission(const struct rest_refused *refused, struct rest_status *status)
{
    rest_status_set(status, 500, "InternalError",
                    "Internal error occurred: failed calling webhook \"%s\": failed to call "
                    "webhook: Post \"https://%s.svc:443/?timeout=" WEBHOOK_TIMEOUT
                    "\": context deadline exceeded",
                    refused->webhook, refused->webhook);
}

static bool is_write(const char *verb)
{
    return strcmp(verb, "get") != 0 && strcmp(verb, "list") != 0 && strcmp(verb, "watch") != 0;
}

bool call_is_gated(struct call *call)
{
    const struct rest *rest = call->rest;
    struct rest_refused refused = {.code = 403};
    struct rest_status status = {0};
    enum rest_refusal refusal;
    struct fault_call request;
    char resource[512];

    if (rest->gate == NULL || !call->route.resource)
        return false;
    request = call_fault_view(call, resource, sizeof(resource));
    refusal = rest->gate->ask(rest->gate_arg, &request, &refused);
    if (refusal == REST_REFUSAL_NONE || (refusal != REST_REFUSAL_ACCESS && !is_write(request.verb)))
        return false;
    if (refusal == REST_REFUSAL_ACCESS)
        deny_access(call, &request, &refused, &status);
    else if (refusal == REST_REFUSAL_WEBHOOK)
        deny_admission(&refused, &status);
    else
        fail_admission(&refused, &status);
    call_fail(call, &status);
    return true;
}
