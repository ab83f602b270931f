/* agents - requests about Agents, for benches of the API server.
 *
 * Distinct objects of 2 KiB with 27 maps, managedFields among them, validated by the shipped
 * definition. */
#ifndef TESTS_BENCH_AGENTS_H
#define TESTS_BENCH_AGENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"

#define AGENTS_SERVER "build/bin/fakeapi"
#define AGENTS_DEFINITIONS "controller/deploy/crds"
#define AGENT_BYTES 2048

/** Which Agents requests are about: number first + index * stride % count. */
struct agents {
    const char *namespace;
    size_t first;
    size_t count;
    size_t stride;      /* prime to count */
    uint64_t *versions; /* by number: what the server last said */
};

/** Appends an Agent; without a resourceVersion when it is to be new. */
void agents_append(struct buffer *out, const struct agents *agents, size_t number, bool is_new);
/** The path of the collection, with a query ("" or "?limit=1"). */
void agents_path(const struct agents *agents, const char *query, char path[256]);

/* For struct load; arg is a struct agents. */
void agents_make_create(void *arg, size_t index, struct buffer *out);
void agents_make_update(void *arg, size_t index, struct buffer *out);
void agents_make_get(void *arg, size_t index, struct buffer *out);
void agents_make_delete(void *arg, size_t index, struct buffer *out);
void agents_make_patch(void *arg, size_t index, struct buffer *out); /* of the status */
void agents_make_page(void *arg, size_t index, struct buffer *out);  /* 100 of the list */
void agents_make_list(void *arg, size_t index, struct buffer *out);  /* all */
void agents_make_table(void *arg, size_t index, struct buffer *out); /* all as a Table */
/** Keeps the version of the object that an answer shows. */
void agents_note(void *arg, size_t index, const char *bytes);

/** Creates a namespace. */
void agents_make_namespace(uint16_t port, const char *name);
/** Sends one request and checks the answer's status. */
void agents_ask(uint16_t port, unsigned status, const char *method, const char *path,
                const char *body);
/** The resource version of the list as it is now. */
uint64_t agents_revision(uint16_t port, const struct agents *agents);

#endif
