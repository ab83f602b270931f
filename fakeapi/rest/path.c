/* path - what is no resource: health, version, the list of paths (WIRE.md D1 to D3). */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/text.h"
#include "fakeapi/rest/call.h"

static const char version_json[] =
    "{\"major\":\"1\",\"minor\":\"32\",\"gitVersion\":\"v1.32.4\",\"gitCommit\":"
    "\"59526cd4867447956156ae3a602fcbac10a2c335\",\"gitTreeState\":\"clean\",\"buildDate\":"
    "\"2025-04-22T16:03:58Z\",\"goVersion\":\"go1.23.6\",\"compiler\":\"gc\",\"platform\":"
    "\"linux/amd64\"}\n";

static const char paths_json[] =
    "{\"paths\":[\"/api\",\"/api/v1\",\"/apis\",\"/healthz\",\"/livez\",\"/openapi/v2\","
    "\"/openapi/v3\",\"/readyz\",\"/version\"]}\n";

static bool is_health(const char *word)
{
    return strcmp(word, "healthz") == 0 || strcmp(word, "livez") == 0 ||
           strcmp(word, "readyz") == 0;
}

/* Every check, and that all is well; one may be left out. */
static void append_checks(struct buffer *text, const char *word, const char *exclude)
{
    static const char *const checks[] = {"ping", "etcd"};

    for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
        buffer_append_format(text, "[+]%s %sok\n", checks[i],
                             text_equal(exclude, checks[i]) ? "excluded: " : "");
    buffer_append_format(text, "%s check passed\n", word);
}

static void answer_health(struct call *call, const char *word)
{
    static const char type[] = "text/plain; charset=utf-8";
    struct buffer text = BUFFER_INIT(256);
    char *verbose = route_query(&call->route, "verbose");
    char *exclude = route_query(&call->route, "exclude");

    if (verbose == NULL || call->route.segment_count > 1)
        buffer_append_text(&text, "ok");
    else
        append_checks(&text, word, exclude);
    call_answer_text(call, 200, type, buffer_text(&text));
    free(verbose);
    free(exclude);
    buffer_release(&text);
}

void call_path(struct call *call)
{
    const struct route *route = &call->route;
    struct accept accept = {.form = FORM_PLAIN, .version = ""};
    const char *first = route->segment_count > 0 ? route->segments[0] : "";
    bool get = strcmp(call->head->method, "GET") == 0 || strcmp(call->head->method, "HEAD") == 0;

    if (!get)
        call_answer_no_path(call);
    else if (route->segment_count == 0 || strcmp(route->path, "/index.html") == 0)
        call_answer_json(call, 200, &accept, NULL, paths_json, sizeof(paths_json) - 1);
    else if (strcmp(route->path, "/version") == 0 || strcmp(route->path, "/version/") == 0)
        call_answer_json(call, 200, &accept, NULL, version_json, sizeof(version_json) - 1);
    else if (is_health(first) &&
             (route->segment_count == 1 ||
              (route->segment_count == 2 && (strcmp(route->segments[1], "ping") == 0 ||
                                             strcmp(route->segments[1], "etcd") == 0))))
        answer_health(call, first);
    else if (!call_discovery(call) && !call_openapi(call))
        call_answer_no_path(call);
}
