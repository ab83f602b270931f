/* stage - see stage.h. */
#define _DEFAULT_SOURCE

#include "scenarios/live/stage.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/base/yaml.h"
#include "scenarios/live/pods.h"
#include "scenarios/workers/files.h"

#define TEXT_BYTES_MAX ((size_t)256 * 1024 * 1024)
/** How long a server may take to listen, and a controller to be there. */
#define START_US (20 * US_PER_SECOND)
#define LOOK_AGAIN_US (US_PER_SECOND / 50)
/** Lines of each log that a failure shows. */
#define LOG_LINES 12
/** Where the directory of a run is. */
#define PARENT "/tmp"
#define PREFIX "scenario-live-"
/** Another run may take a new directory for one that was left, before it is held. */
#define DIRECTORIES_TRIED_MAX 10

extern const char *const crd_manifests[]; /* controller/deploy/crds, see cmake/embed_files.cmake */

static char *path_in(const struct stage *stage, const char *name)
{
    return xprintf("%s/%s", stage->directory, name);
}

static bool write_text(const struct stage *stage, const char *name, const char *text,
                       char **ret_path, struct error *err)
{
    *ret_path = path_in(stage, name);
    return file_write(*ret_path, text, strlen(text), err);
}

/* --- what the server begins with --- */

static void append_tree(struct buffer *text, const struct json_object *tree)
{
    buffer_append_text(text, "---\n");
    json_append(text, tree);
    buffer_append_text(text, "\n");
}

/** One file: our kinds, the namespace, and the scenario's objects. */
static bool write_objects(const struct stage *stage, char **ret_path, struct error *err)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    bool ok;

    for (size_t i = 0; crd_manifests[i] != NULL; i++)
        buffer_append_format(&text, "---\n%s\n", crd_manifests[i]);
    buffer_append_text(&text, "---\n{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":"
                              "{\"name\":\"" SCENARIO_NAMESPACE "\"}}\n");
    for (size_t i = 0; i < stage->scenario->objects.count; i++)
        append_tree(&text, stage->scenario->objects.items[i].tree);
    ok = buffer_check(&text, err) &&
         write_text(stage, "objects.yaml", buffer_text(&text), ret_path, err);
    buffer_release(&text);
    return ok;
}

static char *token_of(const struct stage *stage, size_t index)
{
    return xprintf("ctl-%zu-%s", index, stage->secret);
}

/** The machine is shared: nobody else on it knows the tokens of a run. */
static void draw_secret(struct stage *stage)
{
    uint64_t high = caller_random(stage->caller);
    uint64_t low = caller_random(stage->caller);

    stage->secret = xprintf("%016" PRIx64 "%016" PRIx64, high, low);
    stage->user_token = xprintf("user-%s", stage->secret);
}

/** Each process asks in a name of its own, so that faults can tell them apart. */
static bool write_tokens(const struct stage *stage, char **ret_path, struct error *err)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    bool ok;

    buffer_append_format(&text, "%s,user,1,system:masters\n", stage->user_token);
    for (size_t i = 0; i < stage->replica_count; i++) {
        char *token = token_of(stage, i);

        buffer_append_format(&text, "%s,ctl-%zu,%zu,system:masters\n", token, i, i + 2);
        free(token);
    }
    ok = write_text(stage, "tokens.csv", buffer_text(&text), ret_path, err);
    buffer_release(&text);
    return ok;
}

/* --- the server --- */

/** "http://127.0.0.1:40000" of a kubeconfig; NULL until it is there. */
static char *read_url(const char *kubeconfig)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct error err = ERROR_INIT;
    const char *at = NULL;
    char *url = NULL;

    if (file_read(kubeconfig, &text, &err))
        at = strstr(buffer_text(&text), "http://");
    if (at != NULL)
        url = xmemdup(at, strcspn(at, "\"' \n"));
    buffer_release(&text);
    return url;
}

static bool wait_for_url(struct stage *stage, const char *kubeconfig, struct error *err)
{
    int64_t until_us = caller_now_us(stage->caller) + START_US;

    while (stage->url == NULL) {
        if (!child_is_alive(&stage->api))
            return error_set(err, ERROR_IO, "fakeapi ended with status %d", stage->api.status);
        if (caller_now_us(stage->caller) > until_us)
            return error_set(err, ERROR_IO, "fakeapi does not listen after 20s");
        caller_sleep(stage->caller, LOOK_AGAIN_US);
        stage->url = read_url(kubeconfig);
    }
    return true;
}

static bool start_api(struct stage *stage, struct error *err)
{
    char *program = xprintf("%s/fakeapi", stage->programs);
    char *kubeconfig = path_in(stage, "kubeconfig");
    char *log = path_in(stage, "api.log");
    char *admin = xprintf("unix:%s", stage->admin_socket);
    char *objects = NULL;
    char *tokens = NULL;
    char *token = xprintf("FAKEAPI_TOKEN=admin-%s", stage->secret);
    const char *const settings[] = {token, NULL};
    bool ok = write_objects(stage, &objects, err) && write_tokens(stage, &tokens, err);

    if (ok) {
        const char *const words[] = {program,     "--listen",  "127.0.0.1:0", "--token-auth-file",
                                     tokens,      "--admin",   admin,         "--kubeconfig-out",
                                     kubeconfig,  "--load",    objects,       "--exit-with-parent",
                                     "--without", "heartbeat", NULL};

        ok = child_start(&stage->api, words, settings, log, err) &&
             wait_for_url(stage, kubeconfig, err);
        (void)unlink(tokens); /* it has read them, and we this one */
        (void)unlink(kubeconfig);
    }
    free(token);
    free(tokens);
    free(objects);
    free(admin);
    free(log);
    free(kubeconfig);
    free(program);
    return ok;
}

/* --- the directory --- */

/** -1: it is no directory of ours, or one whose runner lives. */
static int hold(const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat there;

    if (file < 0)
        return -1;
    if (fstat(file, &there) == 0 && there.st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0)
        return file;
    (void)close(file);
    return -1;
}

static void remove_directory(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char *inside = xprintf("%s/%s", path, entry->d_name);

        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlink(inside);
        free(inside);
    }
    if (directory != NULL)
        (void)closedir(directory);
    (void)rmdir(path);
}

/** What runners that were killed have left: the lock went with them. */
static void remove_left(void)
{
    DIR *parent = opendir(PARENT);
    const struct dirent *entry;

    while (parent != NULL && (entry = readdir(parent)) != NULL) {
        char *path = xprintf(PARENT "/%s", entry->d_name);
        int file = text_starts_with(entry->d_name, PREFIX) ? hold(path) : -1;

        if (file >= 0) {
            remove_directory(path);
            (void)close(file);
        }
        free(path);
    }
    if (parent != NULL)
        (void)closedir(parent);
}

static bool make_directory(struct stage *stage)
{
    for (int i = 0; i < DIRECTORIES_TRIED_MAX; i++) {
        char *path = xstrdup(PARENT "/" PREFIX "XXXXXX");
        struct stat held;
        struct stat there;

        if (mkdtemp(path) != NULL) /* for nobody else: mode 0700 */
            stage->hold = hold(path);
        if (stage->hold >= 0 && fstat(stage->hold, &held) == 0 && stat(path, &there) == 0 &&
            held.st_ino == there.st_ino && held.st_dev == there.st_dev) {
            stage->directory = path;
            return true;
        }
        if (stage->hold >= 0)
            (void)close(stage->hold);
        stage->hold = -1;
        free(path);
    }
    return false;
}

bool stage_begin(struct stage *stage, const struct scenario *scenario, const char *programs,
                 struct error *err)
{
    *stage = (struct stage){.scenario = scenario,
                            .replica_count = (size_t)scenario->controllers->replicas};
    stage->programs = xstrdup(programs);
    stage->caller = caller_new();
    stage->api.name = xstrdup("api");
    for (size_t i = 0; i < stage->replica_count; i++)
        stage->replicas[i].name = xprintf("ctl-%zu", i);
    stage->hold = -1;
    draw_secret(stage);
    remove_left();
    if (!make_directory(stage))
        return error_set(err, ERROR_IO, "no directory in " PARENT " can be made");
    stage->admin_socket = path_in(stage, "admin");
    if (!start_api(stage, err))
        return false;
    stage->server = (struct caller_server){.url = stage->url, .token = stage->user_token};
    stage->admin =
        (struct caller_server){.url = "http://localhost", .unix_socket = stage->admin_socket};
    if (!pods_script(stage, err))
        return false;
    for (size_t i = 0; i < scenario->faults.count; i++) {
        if (!stage_add_fault(stage, &scenario->faults.items[i], err))
            return false;
    }
    return true;
}

/* --- replicas --- */

bool stage_start_replica(struct stage *stage, size_t index, struct error *err)
{
    const struct settings *own = &stage->scenario->controllers->settings;
    struct child *child = &stage->replicas[index];
    char *program = xprintf("%s/agent-controller", stage->programs);
    char *log_name = xprintf("%s.log", child->name);
    char *log = path_in(stage, log_name);
    char *token = token_of(stage, index);
    char **settings = xcalloc(own->count + 7, sizeof(*settings));
    const char *const words[] = {program, NULL};
    size_t count = 0;
    bool ok;

    settings[count++] = xprintf("POD_NAME=%s", child->name);
    settings[count++] = xstrdup("NAMESPACE=" SCENARIO_NAMESPACE);
    settings[count++] = xprintf("KUBE_API_URL=%s", stage->url);
    settings[count++] = xprintf("KUBE_API_TOKEN=%s", token);
    settings[count++] = xstrdup("HEALTH_PORT=0");
    settings[count++] = xstrdup("WEBHOOK_PORT=0");
    for (size_t i = 0; i < own->count; i++)
        settings[count++] = xprintf("%s=%s", own->items[i].name, own->items[i].value);
    ok = child_start(child, words, (const char *const *)settings, log, err);
    while (count > 0)
        free(settings[--count]);
    free(settings);
    free(token);
    free(log);
    free(log_name);
    free(program);
    return ok;
}

struct child *stage_find(struct stage *stage, const char *name)
{
    if (strcmp(name, stage->api.name) == 0)
        return &stage->api;
    for (size_t i = 0; i < stage->replica_count; i++) {
        if (strcmp(name, stage->replicas[i].name) == 0)
            return &stage->replicas[i];
    }
    return NULL;
}

/* --- the admin door --- */

bool stage_admin(struct stage *stage, const char *method, const char *path, const char *body,
                 struct buffer *ret_body, struct error *err)
{
    struct caller_answer answer;
    bool ok = caller_ask(stage->caller, &stage->admin, method, path,
                         body == NULL ? NULL : "application/json", body, &answer, err);

    if (ok && (answer.status < 200 || answer.status > 299))
        ok = error_set(err, ERROR_INVALID, "the API server answers %u to %s %s: %.300s",
                       answer.status, method, path, buffer_text(&answer.body));
    if (ok && ret_body != NULL) {
        buffer_append(ret_body, answer.body.bytes, answer.body.size);
        ok = buffer_check(ret_body, err);
    }
    buffer_release(&answer.body);
    return ok;
}

bool stage_add_fault(struct stage *stage, const struct fault *fault, struct error *err)
{
    struct fault_rule rule = fault->rule;
    struct json_object *list = json_object_new_array();
    char *body;
    bool ok;

    rule.user = rule.peer; /* all have one address here */
    rule.peer = (struct fault_patterns){0};
    json_add(list, fault_rule_to_json(&rule));
    body = json_to_text(list, NULL);
    ok = stage_admin(stage, "POST", "/faults", body, NULL, err);
    free(body);
    (void)json_object_put(list);
    return ok;
}

/* --- the end --- */

static void append_log(const struct stage *stage, const char *name, struct buffer *buffer)
{
    char *file = xprintf("%s.log", name);
    char *path = path_in(stage, file);
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct error err = ERROR_INIT;

    if (file_read(path, &text, &err)) {
        const char *begin = buffer_text(&text);
        const char *at = begin + text.size;

        for (unsigned lines = 0; at > begin; at--) {
            if (at[-1] == '\n' && lines++ == LOG_LINES)
                break;
        }
        while (*at != '\0') {
            size_t size = strcspn(at, "\n");

            buffer_append_format(buffer, "%-6s | %.*s\n", name, (int)size, at);
            at += size + (at[size] == '\n' ? 1 : 0);
        }
    }
    buffer_release(&text);
    free(path);
    free(file);
}

void stage_append_logs(const struct stage *stage, struct buffer *buffer)
{
    append_log(stage, stage->api.name, buffer);
    for (size_t i = 0; i < stage->replica_count; i++)
        append_log(stage, stage->replicas[i].name, buffer);
}

void stage_end(struct stage *stage)
{
    for (size_t i = 0; i < stage->replica_count; i++) {
        child_end(&stage->replicas[i]);
        free(stage->replicas[i].name);
    }
    child_end(&stage->api);
    free(stage->api.name);
    if (stage->directory != NULL)
        remove_directory(stage->directory);
    if (stage->hold >= 0)
        (void)close(stage->hold);
    caller_free(stage->caller);
    free(stage->admin_socket);
    free(stage->user_token);
    free(stage->secret);
    free(stage->url);
    free(stage->directory);
    free(stage->programs);
    *stage = (struct stage){0};
}
