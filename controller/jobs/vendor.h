/* vendor - which agent CLI a model belongs to (RULES.md 2.7). */
#ifndef CONTROLLER_JOBS_VENDOR_H
#define CONTROLLER_JOBS_VENDOR_H

enum vendor { VENDOR_EXEC, VENDOR_OPENCODE, VENDOR_CODEX, VENDOR_GEMINI, VENDOR_CLAUDE };

/** What runs when neither the Agent nor its recipe names a model. */
#define VENDOR_DEFAULT_MODEL "claude-opus-5-5"

/** The vendor of a model; "" and what nobody knows is claude. Ignores case. */
enum vendor vendor_of_model(const char *model);

#endif
