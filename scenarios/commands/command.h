/* command - what the runner can be asked to do: one file of this folder each, and a row in
 * scenario.c. */
#ifndef SCENARIOS_COMMANDS_COMMAND_H
#define SCENARIOS_COMMANDS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/workers/suite.h"

enum flag_kind {
    FLAG_SWITCH, /* bool */
    FLAG_TEXT,   /* const char *, borrowed from the command line */
    FLAG_NUMBER, /* uint64_t, from minimum to maximum */
};

/** Offset where there is no such member. */
#define FLAG_NOWHERE SIZE_MAX

/** A flag of a command, and where its value goes in the command's options. */
struct flag {
    const char *name;  /* "--jobs" */
    const char *value; /* "N", for --help; NULL of a switch */
    const char *what;  /* what it does, for --help: short lines, '\n' between them */
    enum flag_kind kind;
    size_t offset;
    uint64_t minimum;
    uint64_t maximum;
    size_t given; /* of a bool that becomes true when the flag is there, or FLAG_NOWHERE */
};

#define FLAG_IS_SWITCH(name, options, member, what)                                                \
    {                                                                                              \
        (name), NULL, (what), FLAG_SWITCH, offsetof(options, member), 0, 0, FLAG_NOWHERE           \
    }
#define FLAG_TAKES_TEXT(name, value, options, member, what)                                        \
    {                                                                                              \
        (name), (value), (what), FLAG_TEXT, offsetof(options, member), 0, 0, FLAG_NOWHERE          \
    }
#define FLAG_TAKES_NUMBER(name, value, options, member, minimum, maximum, what)                    \
    {                                                                                              \
        (name), (value), (what), FLAG_NUMBER, offsetof(options, member), (minimum), (maximum),     \
            FLAG_NOWHERE                                                                           \
    }

/** A command line, understood. */
struct command_line {
    const char *program;      /* how the runner was called */
    const char *const *words; /* what is no flag, behind the command's name */
    size_t word_count;
    void *options; /* of the command's own type */
};

struct command {
    const char *name;
    const char *words; /* "PATH...", for --help; NULL: it takes none */
    const char *what;  /* one line */
    const struct flag *flags;
    size_t flag_count;
    size_t options_size;
    void (*prepare)(void *options); /* what holds unless a flag says otherwise; NULL: zeroes */
    /** Its exit status. Words are there if it takes any and needs_words. */
    int (*run)(const struct command_line *line);
    bool needs_words;
};

/** Prints to standard output; false, and a word on standard error, when that takes no more. */
bool command_print(const char *text);

/** "scenario: what it is" on standard error. */
void command_complain(const char *format, ...) PRINTF_LIKE(1, 2);

/** Reads the files that the words name; false after a complaint, also when there are none. Release
 * the suite in any case. */
bool command_read(const struct command_line *line, const char *filter, struct suite *suite);

/** Reads the words behind the program's name: --help and --version are done with here. The exit
 * status. */
int command_main(const struct command *const *commands, size_t count, int word_count, char **words);

#endif
