/* live - the runtime on a real machine: libuv (loop), libcurl (client), libmicrohttpd (server).
 *
 * The client is a library of its own, runtime_client, as libcurl brings two dozen others along: a
 * program that sends nothing starts in half the time without them. */
#ifndef CONTROLLER_RUNTIME_LIVE_H
#define CONTROLLER_RUNTIME_LIVE_H

#include "controller/runtime/runtime.h"

struct live_runtime;
struct live_client;

/** What carries out runtime_request(). */
const struct live_client *live_client(void);

/** A runtime with its own loop. One per process (signals); tests may hold several in turn. client
 * is live_client(), or NULL for programs that only serve: none of theirs may send a request. */
struct live_runtime *live_new(const struct live_client *client) MUST_CHECK;
/** Frees it and all that it still holds, calling nobody. Takes NULL. */
void live_free(struct live_runtime *live);
struct runtime *live_runtime(struct live_runtime *live);

/** Runs until runtime_stop(); returns its exit status. */
int live_run(struct live_runtime *live);
/** One turn of the loop, for tests and tools that look in between: waits until something happens
 * and delivers what is due. False once stopped. */
bool live_step(struct live_runtime *live);

/** main() of a program: starts it, runs it, frees it. Returns the exit status, which is 2 instead
 * of 0 when something that was printed could not be written. Standard streams that are closed are
 * opened as /dev/null first. client as for live_new(). */
int live_main(const struct program *program, const struct live_client *client, int argc,
              char **argv);

#endif
