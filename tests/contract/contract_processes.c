/* contract_processes - settings, log, standard input, signals. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "tests/contract/contract.h"

static void a_setting_is_there_or_not(struct contract_world *world)
{
    assert_null(runtime_setting(world->server, "CONTRACT_THAT_NOBODY_SETS"));
    if (world->setting != NULL)
        assert_string_equal(runtime_setting(world->server, world->setting), "contract");
}

static void a_process_knows_what_it_takes(struct contract_world *world)
{
    struct process_usage usage;
    struct process_usage later;
    int64_t now_us;

    runtime_usage(world->server, &usage);
    now_us = runtime_wall_us(world->server);
    assert_true(usage.started_at_us > 0);
    assert_true(usage.started_at_us <= now_us);
    assert_true(usage.cpu_us >= 0);
    assert_true(usage.resident_bytes > 0);
    assert_true(usage.virtual_bytes >= usage.resident_bytes);
    assert_true(usage.open_files >= 3);
    assert_true(usage.open_files_max == -1 || usage.open_files_max > usage.open_files);
    contract_pass(world, CONTRACT_SHORT_US);
    runtime_usage(world->server, &later);
    assert_int_equal(later.started_at_us, usage.started_at_us);
    assert_true(later.cpu_us >= usage.cpu_us);
}

static void a_listener_is_an_open_file(struct contract_world *world)
{
    struct contract_server server;
    struct process_usage before;
    struct process_usage during;
    struct process_usage after;

    contract_server_init(&server, world);
    runtime_usage(world->server, &before);
    contract_serve(&server);
    runtime_usage(world->server, &during);
    contract_server_release(&server);
    contract_pass(world, 0);
    runtime_usage(world->server, &after);
    assert_true(during.open_files > before.open_files);
    assert_int_equal(after.open_files, before.open_files);
}

static void any_record_can_be_logged(struct contract_world *world)
{
    char *text = contract_pattern(10000);
    struct log_field fields[] = {
        LOG_TEXT("text", text),
        LOG_TEXT("odd", "a\nb\"c\\\x01\xff"),
        LOG_TEXT("empty", ""),
        LOG_NUMBER("number", INT64_MIN),
    };
    struct log_record record = {
        .message = "a record of the contract", .fields = fields, .field_count = ARRAY_SIZE(fields)};

    for (unsigned json = 0; json < 2; json++) {
        runtime_log_configure(world->server, LOG_ERROR, json == 1);
        for (unsigned level = LOG_DEBUG; level <= LOG_ERROR; level++) {
            record.level = (enum log_level)level;
            runtime_log(world->server, &record);
        }
        record.field_count = 0;
        record.fields = NULL;
    }
    free(text);
}

/* --- standard input --- */

struct lines {
    struct buffer text;
    bool ended;
};

static void on_line(void *arg, const char *line)
{
    struct lines *lines = arg;

    assert_false(lines->ended);
    lines->ended = line == NULL;
    buffer_append_text(&lines->text, line == NULL ? "END" : line);
    buffer_append_char(&lines->text, '|');
}

static void input_comes_in_lines(struct contract_world *world)
{
    struct lines lines = {.text = BUFFER_INIT(1000)};

    if (world->give_input == NULL)
        skip();
    world->give_input(world, "one\n\nthree\r\nlast without an end");
    runtime_read_lines(world->server, on_line, &lines);
    assert_int_equal(lines.text.size, 0);
    contract_until(world, &lines.ended, "the end of the input");
    assert_string_equal(buffer_text(&lines.text), "one||three\r|last without an end|END|");
    buffer_release(&lines.text);
}

static void empty_input_ends_at_once(struct contract_world *world)
{
    struct lines lines = {.text = BUFFER_INIT(1000)};

    if (world->give_input == NULL)
        skip();
    world->give_input(world, "");
    runtime_read_lines(world->server, on_line, &lines);
    contract_until(world, &lines.ended, "the end of the input");
    assert_string_equal(buffer_text(&lines.text), "END|");
    buffer_release(&lines.text);
}

/* --- signals --- */

static void on_signal(void *arg)
{
    *(bool *)arg = true;
}

static void a_signal_calls_its_handler(struct contract_world *world)
{
    bool called = false;
    int status;

    if (world->terminate == NULL)
        skip();
    runtime_on_signal(world->server, on_signal, &called);
    world->terminate(world);
    assert_false(called);
    contract_until(world, &called, "the handler");
    contract_pass(world, CONTRACT_SHORT_US);
    assert_false(world->stopped(world, world->server, &status));
}

static void a_signal_without_a_handler_stops(struct contract_world *world)
{
    bool never = false;
    int status = -1;

    if (world->terminate == NULL)
        skip();
    world->terminate(world);
    world->run(world, &never);
    assert_true(world->stopped(world, world->server, &status));
    assert_int_equal(status, 0);
}

const struct contract_case contract_processes[] = {
    {"process/a_setting_is_there_or_not",        a_setting_is_there_or_not       },
    {"process/a_process_knows_what_it_takes",    a_process_knows_what_it_takes   },
    {"process/a_listener_is_an_open_file",       a_listener_is_an_open_file      },
    {"process/any_record_can_be_logged",         any_record_can_be_logged        },
    {"process/input_comes_in_lines",             input_comes_in_lines            },
    {"process/empty_input_ends_at_once",         empty_input_ends_at_once        },
    {"process/a_signal_calls_its_handler",       a_signal_calls_its_handler      },
    {"process/a_signal_without_a_handler_stops", a_signal_without_a_handler_stops},
    {NULL,                                       NULL                            },
};
