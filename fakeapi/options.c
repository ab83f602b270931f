/* options - flags into a struct. */
#include "fakeapi/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

#define DEFAULT_LISTEN "127.0.0.1:8080"

const char fakeapi_options_help[] =
    "usage: fakeapi [flags]\n"
    "A Kubernetes API server to test against: all state in memory, with the controllers that a\n"
    "cluster has for Jobs, pods and garbage.\n"
    "\n"
    "  --listen ADDR:PORT     where to listen (127.0.0.1:8080): an IP address ([::1] with "
    "brackets)\n"
    "                         or localhost, which is 127.0.0.1; port 0 takes a free one\n"
    "  --tls                  with certificates made for this run: the server's, and the "
    "authority\n"
    "                         that client certificates must be of\n"
    "  --access               check who may do what, by the Roles and bindings in the server "
    "(RBAC).\n"
    "                         Without it everybody may do everything. Wants --tls for kubectl "
    "and\n"
    "                         Go clients: they send no credentials over plain HTTP\n"
    "  --token TOKEN          the administrator's bearer token (of system:masters); with --tls or\n"
    "                         --access a random one. With a token, requests must carry one.\n"
    "                         Others can see it in the list of processes; rather use\n"
    "  --token-file FILE      a file that holds the token alone\n"
    "  --token-auth-file FILE more users and their tokens, CSV: token,user,uid,\"group1,group2\"\n"
    "  --kubeconfig-out FILE  write a kubeconfig for kubectl there: the administrator's\n"
    "  --user NAME[,GROUP...]=FILE\n"
    "                         write a kubeconfig for another user, with a client certificate "
    "(over\n"
    "                         plain HTTP a token, which kubectl and Go clients do not send);\n"
    "                         system:serviceaccount:NAMESPACE:NAME gets a token of that\n"
    "                         ServiceAccount, which --load must bring. May be given more than "
    "once\n"
    "  --open                 let everybody do everything, though others than this machine can\n"
    "                         reach it; else --listen beyond the loopback needs a token or\n"
    "                         --access\n"
    "  --load PATH            start with the objects of a YAML or JSON file, or of all in a\n"
    "                         directory (*.yaml, *.yml, *.json; exit 2 when it has none of\n"
    "                         them); may be given more than once. Fields that the kind does not\n"
    "                         know are dropped, with a warning on standard error\n"
    "  --dump FILE            write all objects there when stopped, Secrets too: the file is for\n"
    "                         its owner alone (0600)\n"
    "  --state FILE           go on from one run to the next, as after a restart: all objects and\n"
    "                         their resource versions are written there when stopped; when the\n"
    "                         file is there they are read from it, and nothing of --load. Keys\n"
    "                         and the administrator's token are kept in FILE.keys\n"
    "  --faults FILE          fault rules; may be given more than once\n"
    "  --history N            events that watches can resume from (10000)\n"
    "  --first-version N      where the counter of resource versions starts (1): at 8, 98 or\n"
    "                         9007199254740990 they soon have another digit, or more than a\n"
    "                         floating point number holds\n"
    "  --max-inflight N       answer 429 to requests beyond N at a time; watches do not count\n"
    "  --admin ADDR:PORT | unix:PATH\n"
    "                         where those who run a test find faults, clock, state and the log of\n"
    "                         requests; a loopback address, unless there is a token for it\n"
    "  --admin-token-file FILE\n"
    "                         a file that holds the token alone that requests there must carry;\n"
    "                         needs --tls when others than this machine can reach it\n"
    "  --exit-with-parent     end when the process that started this one has ended\n"
    "  --no-cluster           serve the API alone: no Jobs run, no garbage is collected\n"
    "  --without PART         a cluster without one of its parts: jobs, kubelet, collector, ttl,\n"
    "                         namespaces, events, quota, disruption (budgets), basics (what new\n"
    "                         clusters and namespaces hold), heartbeat (of the node); may be "
    "given\n"
    "                         more than once\n"
    "  --help, --version\n"
    "\n"
    "Environment: FAKEAPI_TOKEN is the token where neither --token nor --token-file is given.\n";

/* [::1]:8080 or 127.0.0.1:8080; the address takes the place of *address. */
static bool parse_endpoint(const char *flag, const char *text, char **address, uint16_t *ret_port,
                           struct error *err)
{
    const char *colon = strrchr(text, ':');
    uint64_t port;
    size_t size;

    if (colon == NULL || colon == text || !text_to_uint64(colon + 1, &port) || port > UINT16_MAX)
        return error_set(err, ERROR_USAGE, "%s %s: want ADDR:PORT", flag, text);
    size = (size_t)(colon - text);
    if (text[0] == '[' && text[size - 1] == ']') {
        text++;
        size -= 2;
    }
    free(*address);
    *address = xmemdup(text, size);
    if (text_equal_ignoring_case(*address, "localhost")) {
        free(*address);
        *address = xstrdup("127.0.0.1");
    }
    *ret_port = (uint16_t)port;
    return true;
}

static bool parse_listen(const char *text, struct fakeapi_options *options, struct error *err)
{
    return parse_endpoint("--listen", text, &options->address, &options->port, err);
}

static bool parse_admin(const char *text, struct fakeapi_options *options, struct error *err)
{
    free(options->admin_address);
    options->admin_address = NULL;
    options->admin_unix = NULL;
    if (!text_starts_with(text, "unix:"))
        return parse_endpoint("--admin", text, &options->admin_address, &options->admin_port, err);
    options->admin_unix = text + strlen("unix:");
    return options->admin_unix[0] != '\0' ||
           error_set(err, ERROR_USAGE, "--admin %s: want unix:PATH", text);
}

static bool parse_admin_token_file(const char *text, struct fakeapi_options *options,
                                   struct error *err)
{
    (void)err;
    options->admin_token_file = text;
    return true;
}

static bool parse_max_inflight(const char *text, struct fakeapi_options *options, struct error *err)
{
    if (text_to_uint64(text, &options->inflight) && options->inflight >= 1 &&
        options->inflight <= OPTIONS_INFLIGHT_MAX)
        return true;
    return error_set(err, ERROR_USAGE, "--max-inflight %s: want a number from 1 to %d", text,
                     OPTIONS_INFLIGHT_MAX);
}

static bool parse_history(const char *text, struct fakeapi_options *options, struct error *err)
{
    if (text_to_uint64(text, &options->history) && options->history >= 1 &&
        options->history <= OPTIONS_HISTORY_MAX)
        return true;
    return error_set(err, ERROR_USAGE, "--history %s: want a number from 1 to %d", text,
                     OPTIONS_HISTORY_MAX);
}

static bool parse_first_version(const char *text, struct fakeapi_options *options,
                                struct error *err)
{
    if (text_to_uint64(text, &options->first_version) && options->first_version >= 1 &&
        options->first_version <= OPTIONS_FIRST_VERSION_MAX)
        return true;
    return error_set(err, ERROR_USAGE, "--first-version %s: want a number from 1 to %" PRId64, text,
                     OPTIONS_FIRST_VERSION_MAX);
}

static bool parse_load(const char *text, struct fakeapi_options *options, struct error *err)
{
    if (options->load_count == OPTIONS_LOADS_MAX)
        return error_set(err, ERROR_USAGE, "--load: at most %d times", OPTIONS_LOADS_MAX);
    options->loads[options->load_count++] = text;
    return true;
}

bool fakeapi_token_check(const char *token, const char *from, struct error *err)
{
    if (token[0] == '\0' || strpbrk(token, " \t\r\n\"\\") != NULL)
        return error_set(err, ERROR_USAGE, "%s: must be a word without spaces or quotes", from);
    return true;
}

static bool check_one_token(const struct fakeapi_options *options, struct error *err)
{
    if (options->token != NULL && options->token_file != NULL)
        return error_set(err, ERROR_USAGE, "--token and --token-file exclude each other");
    return true;
}

static bool parse_token(const char *text, struct fakeapi_options *options, struct error *err)
{
    options->token = text;
    return fakeapi_token_check(text, "--token", err) && check_one_token(options, err);
}

static bool parse_token_file(const char *text, struct fakeapi_options *options, struct error *err)
{
    options->token_file = text;
    return check_one_token(options, err);
}

static bool parse_token_auth_file(const char *text, struct fakeapi_options *options,
                                  struct error *err)
{
    (void)err;
    options->token_auth_file = text;
    return true;
}

static bool parse_user(const char *text, struct fakeapi_options *options, struct error *err)
{
    const char *equals = strrchr(text, '=');

    if (equals == NULL || equals == text || equals[1] == '\0' || text[0] == ',')
        return error_set(err, ERROR_USAGE, "--user %s: want NAME[,GROUP...]=FILE", text);
    if (options->user_count == OPTIONS_USERS_MAX)
        return error_set(err, ERROR_USAGE, "--user: at most %d times", OPTIONS_USERS_MAX);
    options->users[options->user_count++] = text;
    return true;
}

static bool parse_kubeconfig(const char *text, struct fakeapi_options *options, struct error *err)
{
    (void)err;
    options->kubeconfig = text;
    return true;
}

static bool parse_dump(const char *text, struct fakeapi_options *options, struct error *err)
{
    (void)err;
    options->dump = text;
    return true;
}

static bool parse_state(const char *text, struct fakeapi_options *options, struct error *err)
{
    (void)err;
    options->state = text;
    return true;
}

static bool parse_faults(const char *text, struct fakeapi_options *options, struct error *err)
{
    if (options->fault_count == OPTIONS_FAULTS_MAX)
        return error_set(err, ERROR_USAGE, "--faults: at most %d times", OPTIONS_FAULTS_MAX);
    options->faults[options->fault_count++] = text;
    return true;
}

static bool parse_without(const char *text, struct fakeapi_options *options, struct error *err)
{
    enum cluster_actor actor;

    if (!cluster_actor_find(text, &actor))
        return error_set(err, ERROR_USAGE, "--without %s: no such part of the cluster; see --help",
                         text);
    options->without[actor] = true;
    return true;
}

static const struct {
    const char *name;
    bool (*parse)(const char *text, struct fakeapi_options *options, struct error *err);
} valued[] = {
    {"--listen",           parse_listen          },
    {"--token",            parse_token           },
    {"--token-file",       parse_token_file      },
    {"--token-auth-file",  parse_token_auth_file },
    {"--user",             parse_user            },
    {"--kubeconfig-out",   parse_kubeconfig      },
    {"--load",             parse_load            },
    {"--dump",             parse_dump            },
    {"--state",            parse_state           },
    {"--faults",           parse_faults          },
    {"--history",          parse_history         },
    {"--first-version",    parse_first_version   },
    {"--max-inflight",     parse_max_inflight    },
    {"--admin",            parse_admin           },
    {"--admin-token-file", parse_admin_token_file},
    {"--without",          parse_without         },
};

static const char *const switches[] = {
    "--tls", "--access", "--open", "--no-cluster", "--exit-with-parent", "--help", "--version"};

static bool *find_switch(struct fakeapi_options *options, const char *name)
{
    if (strcmp(name, "--tls") == 0)
        return &options->tls;
    if (strcmp(name, "--access") == 0)
        return &options->access;
    if (strcmp(name, "--open") == 0)
        return &options->open;
    if (strcmp(name, "--no-cluster") == 0)
        return &options->no_cluster;
    if (strcmp(name, "--exit-with-parent") == 0)
        return &options->exit_with_parent;
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return &options->help;
    if (strcmp(name, "--version") == 0)
        return &options->version;
    return NULL;
}

/* Whether argument is --name or --name=value; *ret_value is NULL without one. */
static bool matches(const char *argument, const char *name, const char **ret_value)
{
    size_t size = strlen(name);

    if (strncmp(argument, name, size) != 0 || (argument[size] != '\0' && argument[size] != '='))
        return false;
    *ret_value = argument[size] == '=' ? argument + size + 1 : NULL;
    return true;
}

static bool refuse_unknown(const char *argument, struct error *err)
{
    const char *known[ARRAY_SIZE(valued) + ARRAY_SIZE(switches)];
    size_t count = 0;
    const char *closest;

    for (size_t i = 0; i < ARRAY_SIZE(valued); i++)
        known[count++] = valued[i].name;
    for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
        known[count++] = switches[i];
    closest = text_closest(argument, known, count);
    if (closest != NULL)
        return error_set(err, ERROR_USAGE, "%s: no such flag; did you mean %s?", argument, closest);
    return error_set(err, ERROR_USAGE, "%s: no such flag; see --help", argument);
}

/* One argument, and its value at *index + 1 where it takes one. */
static bool parse_argument(int argc, const char *const *argv, int *index,
                           struct fakeapi_options *options, struct error *err)
{
    const char *argument = argv[*index];
    bool *set = find_switch(options, argument);
    const char *value;

    if (set != NULL) {
        *set = true;
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(valued); i++) {
        if (!matches(argument, valued[i].name, &value))
            continue;
        if (value == NULL && ++*index == argc)
            return error_set(err, ERROR_USAGE, "%s: a value is missing", argument);
        return valued[i].parse(value == NULL ? argv[*index] : value, options, err);
    }
    return refuse_unknown(argument, err);
}

static bool is_loopback(const char *address)
{
    return text_starts_with(address, "127.") || strcmp(address, "::1") == 0;
}

/* What others than this machine can reach is not for everybody. */
static bool check_admin(const struct fakeapi_options *options, struct error *err)
{
    if (options->admin_address == NULL && options->admin_unix == NULL)
        return options->admin_token_file == NULL ||
               error_set(err, ERROR_USAGE, "--admin-token-file goes with --admin");
    if (options->admin_unix != NULL || is_loopback(options->admin_address))
        return true;
    return (options->admin_token_file != NULL && options->tls) ||
           error_set(err, ERROR_USAGE,
                     "--admin %s: others can reach it: want --tls and --admin-token-file",
                     options->admin_address);
}

/* --- files of two flags --- */

/* Every --faults and --user, and the flags that come once. */
#define PLACES_MAX (OPTIONS_FAULTS_MAX + OPTIONS_USERS_MAX + 7)

struct place {
    const char *flag;
    const char *path;
};

struct places {
    struct place array[PLACES_MAX];
    size_t count;
};

static void add_place(struct places *places, const char *flag, const char *path)
{
    if (path != NULL)
        places->array[places->count++] = (struct place){flag, path};
}

/* The first written of them are written, the others read. */
static bool check_apart(const struct places *places, size_t written, struct error *err)
{
    for (size_t i = 0; i < written; i++) {
        const struct place *one = &places->array[i];

        for (size_t j = i + 1; j < places->count; j++)
            if (strcmp(one->path, places->array[j].path) == 0)
                return error_set(err, ERROR_USAGE, "%s and %s: both are %s", one->flag,
                                 places->array[j].flag, one->path);
    }
    return true;
}

static bool check_files(const struct fakeapi_options *options, struct error *err)
{
    struct places places = {.count = 0};
    size_t written;

    add_place(&places, "--kubeconfig-out", options->kubeconfig);
    for (size_t i = 0; i < options->user_count; i++)
        add_place(&places, "--user", strrchr(options->users[i], '=') + 1);
    add_place(&places, "--dump", options->dump);
    add_place(&places, "--state", options->state);
    add_place(&places, "--admin", options->admin_unix);
    written = places.count;
    for (size_t i = 0; i < options->fault_count; i++)
        add_place(&places, "--faults", options->faults[i]);
    add_place(&places, "--token-file", options->token_file);
    add_place(&places, "--token-auth-file", options->token_auth_file);
    add_place(&places, "--admin-token-file", options->admin_token_file);
    return check_apart(&places, written, err);
}

bool fakeapi_options_parse(int argc, const char *const *argv, struct fakeapi_options *ret_options,
                           struct error *err)
{
    struct fakeapi_options options = {.port = 0};

    if (!parse_listen(DEFAULT_LISTEN, &options, err))
        return false;
    for (int i = 1; i < argc; i++) {
        if (!parse_argument(argc, argv, &i, &options, err)) {
            fakeapi_options_release(&options);
            return false;
        }
    }
    if (!check_admin(&options, err) || !check_files(&options, err)) {
        fakeapi_options_release(&options);
        return false;
    }
    *ret_options = options;
    return true;
}

void fakeapi_options_release(struct fakeapi_options *options)
{
    free(options->address);
    options->address = NULL;
    free(options->admin_address);
    options->admin_address = NULL;
}
