/* csv - fields out of lines. */
#include "fakeapi/access/csv.h"

#include <string.h>

static bool is_newline(char character)
{
    return character == '\n' || character == '\r';
}

static void skip_line(struct csv *csv)
{
    while (csv->at < csv->end && *csv->at != '\n')
        csv->at++;
    csv->at += csv->at < csv->end;
}

/* Behind lines that say nothing. */
static void skip_empty(struct csv *csv)
{
    while (csv->at < csv->end && (is_newline(*csv->at) || *csv->at == '#')) {
        if (*csv->at == '\r') {
            csv->at++;
            continue;
        }
        skip_line(csv);
        csv->line++;
    }
}

static bool read_quoted(struct csv *csv, struct buffer *field, struct error *err)
{
    unsigned began = csv->line;

    for (csv->at++; csv->at < csv->end; csv->at++) {
        if (*csv->at == '"' && (csv->at + 1 == csv->end || csv->at[1] != '"')) {
            csv->at++;
            if (csv->at < csv->end && *csv->at != ',' && !is_newline(*csv->at))
                return error_set(err, ERROR_MALFORMED, "line %u: text behind a closing quote",
                                 csv->line);
            return true;
        }
        csv->at += *csv->at == '"';
        csv->line += *csv->at == '\n';
        buffer_append_char(field, *csv->at);
    }
    return error_set(err, ERROR_MALFORMED, "line %u: a quote is not closed", began);
}

static bool read_plain(struct csv *csv, struct buffer *field, struct error *err)
{
    for (; csv->at < csv->end && *csv->at != ',' && !is_newline(*csv->at); csv->at++) {
        if (*csv->at == '"')
            return error_set(err, ERROR_MALFORMED, "line %u: a quote in the middle of a field",
                             csv->line);
        buffer_append_char(field, *csv->at);
    }
    return true;
}

static bool read_field(struct csv *csv, struct words *fields, struct error *err)
{
    struct buffer field = BUFFER_INIT((size_t)(csv->end - csv->at));
    bool ok;

    while (csv->at < csv->end && (*csv->at == ' ' || *csv->at == '\t'))
        csv->at++;
    if (csv->at < csv->end && *csv->at == '"')
        ok = read_quoted(csv, &field, err);
    else
        ok = read_plain(csv, &field, err);
    if (ok && strlen(buffer_text(&field)) != field.size)
        ok = error_set(err, ERROR_MALFORMED, "line %u: a NUL in a field", csv->line);
    if (ok && fields->count == CSV_FIELDS_MAX)
        ok = error_set(err, ERROR_TOO_LARGE, "line %u: more than %d fields", csv->line,
                       CSV_FIELDS_MAX);
    if (ok)
        words_add(fields, buffer_text(&field));
    buffer_release(&field);
    return ok;
}

bool csv_next(struct csv *csv, struct words *fields, bool *ret_end, struct error *err)
{
    bool more = true;

    skip_empty(csv);
    csv->line++;
    *ret_end = csv->at == csv->end;
    while (!*ret_end && more) {
        if (!read_field(csv, fields, err))
            return false;
        more = csv->at < csv->end && *csv->at == ',';
        csv->at += more;
    }
    if (!*ret_end)
        skip_line(csv);
    return true;
}
