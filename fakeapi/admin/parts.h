/* parts - what the files of admin share: the door itself, and a request to it. */
#ifndef FAKEAPI_ADMIN_PARTS_H
#define FAKEAPI_ADMIN_PARTS_H

#include "controller/base/json.h"
#include "fakeapi/admin/admin.h"
#include "fakeapi/admin/journal.h"

struct admin_call {
    struct admin *admin;
    struct request *request;
    const struct request_head *head;
    const struct admin_path *path; /* NULL: there is no such path, or not with that method */
    char *target;                  /* without the query */
    char *query;                   /* NULL: none */
    const char *rest;              /* of the target, behind the path's '*' */
    struct buffer body;
    bool answered;
    struct admin_call *prev;
    struct admin_call *next;
};

struct admin {
    struct runtime *rt;
    struct clock *clock;
    struct faults *faults;
    char *token;
    const struct admin_host *host;
    void *host_arg;
    struct store *store;
    struct rest *rest_api;
    struct journal *journal;
    struct admin_call *calls;
};

/** A method on a path ("/faults", or one that ends in a star for all below). */
struct admin_path {
    const char *method;
    const char *path;
    size_t body_bytes_max;
    void (*serve)(struct admin_call *call);
    const char *what; /* for people */
};

extern const struct admin_path admin_paths[];
extern const size_t admin_path_count;

/** Answers once. Takes tree over. */
void admin_answer(struct admin_call *call, unsigned status, struct json_object *tree);
void admin_answer_text(struct admin_call *call, const char *content_type, const char *text,
                       size_t size);
/** {"error": err's text}, with the status that its kind has. */
void admin_answer_error(struct admin_call *call, const struct error *err);

/** For each pattern that names no served resource: what the rule is called, and what is wrong. */
typedef void admin_warning_fn(void *arg, const char *rule, const char *what);
void admin_each_unknown_resource(const struct faults *faults, const struct store *store,
                                 admin_warning_fn *fn, void *arg);

#endif
