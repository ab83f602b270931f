/* accept - content negotiation over the Accept header. */
#include "fakeapi/rest/accept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"

/* One clause taken apart; texts point into a copy of the header. */
struct clause {
    char *media;
    char *as;
    char *group;
    char *version;
    bool pretty;
    int quality; /* in thousandths */
};

static char *trim(char *text)
{
    size_t size;

    text += strspn(text, " \t");
    size = strlen(text);
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        text[--size] = '\0';
    return text;
}

/* "0.8" in thousandths; anything else counts as 1. */
static int read_quality(const char *text)
{
    int quality = 0;
    int place = 100;

    if (text[0] != '0')
        return 1000;
    if (text[1] != '.')
        return 0;
    for (text += 2; *text >= '0' && *text <= '9' && place > 0; text++, place /= 10)
        quality += (*text - '0') * place;
    return quality;
}

static void read_parameter(char *text, struct clause *clause)
{
    char *value = strchr(text, '=');

    if (value == NULL)
        return;
    *value++ = '\0';
    text = trim(text);
    value = trim(value);
    if (strcmp(text, "as") == 0)
        clause->as = value;
    else if (strcmp(text, "g") == 0)
        clause->group = value;
    else if (strcmp(text, "v") == 0)
        clause->version = value;
    else if (strcmp(text, "q") == 0)
        clause->quality = read_quality(value);
    else if (strcmp(text, "pretty") == 0)
        clause->pretty = strcmp(value, "1") == 0;
}

/* Cuts text at the separator; the part behind it, or NULL. */
static char *cut(char *text, char separator)
{
    char *at = strchr(text, separator);

    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + 1;
}

static void read_clause(char *text, struct clause *clause)
{
    char *parameter = cut(text, ';');

    *clause = (struct clause){.media = trim(text), .quality = 1000};
    while (parameter != NULL) {
        char *next = cut(parameter, ';');

        read_parameter(parameter, clause);
        parameter = next;
    }
}

/* Best quality first; in order of writing among equals. */
static void sort_clauses(struct clause *clauses, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct clause clause = clauses[i];
        size_t k = i;

        for (; k > 0 && clauses[k - 1].quality < clause.quality; k--)
            clauses[k] = clauses[k - 1];
        clauses[k] = clause;
    }
}

static bool choose_form(const struct clause *clause, const struct accept_offer *offer,
                        struct accept *accept)
{
    static const struct {
        const char *as;
        const char *group;
        const char *version;
        enum accept_form form;
    } forms[] = {
        {"Table",                     "meta.k8s.io",         "v1",      FORM_TABLE       },
        {"Table",                     "meta.k8s.io",         "v1beta1", FORM_TABLE       },
        {"PartialObjectMetadata",     "meta.k8s.io",         "v1",      FORM_PARTIAL     },
        {"PartialObjectMetadata",     "meta.k8s.io",         "v1beta1", FORM_PARTIAL     },
        {"PartialObjectMetadataList", "meta.k8s.io",         "v1",      FORM_PARTIAL_LIST},
        {"PartialObjectMetadataList", "meta.k8s.io",         "v1beta1", FORM_PARTIAL_LIST},
        {"APIGroupDiscoveryList",     "apidiscovery.k8s.io", "v2",      FORM_DISCOVERY   },
        {"APIGroupDiscoveryList",     "apidiscovery.k8s.io", "v2beta1", FORM_DISCOVERY   },
    };

    accept->form = FORM_PLAIN;
    accept->version = "";
    if (clause->as == NULL)
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        if (!text_equal(clause->as, forms[i].as) || !text_equal(clause->group, forms[i].group) ||
            !text_equal(clause->version, forms[i].version))
            continue;
        accept->form = forms[i].form;
        accept->version = forms[i].version;
        return (offer->table && accept->form == FORM_TABLE) ||
               (offer->partial &&
                (accept->form == FORM_PARTIAL || accept->form == FORM_PARTIAL_LIST)) ||
               (offer->discovery && accept->form == FORM_DISCOVERY);
    }
    return false;
}

static bool serve_clause(const struct clause *clause, const struct accept_offer *offer,
                         struct accept *accept)
{
    bool json = strcmp(clause->media, "application/json") == 0 ||
                strcmp(clause->media, "application/*") == 0 || strcmp(clause->media, "*/*") == 0;
    bool yaml = strcmp(clause->media, "application/yaml") == 0;

    if (clause->quality == 0 || (!json && !yaml) || !choose_form(clause, offer, accept))
        return false;
    accept->yaml = yaml;
    accept->pretty = clause->pretty;
    return true;
}

bool accept_choose(const char *header, const struct accept_offer *offer, struct accept *ret_accept)
{
    struct clause clauses[ACCEPT_CLAUSES_MAX];
    char text[ACCEPT_BYTES_MAX];
    char *at = text;
    size_t count = 0;

    if (text_is_empty(header)) {
        *ret_accept = (struct accept){.form = FORM_PLAIN, .version = ""};
        return true;
    }
    if (strlen(header) >= sizeof(text))
        return false;
    strcpy(text, header);
    while (at != NULL && count < ARRAY_SIZE(clauses)) {
        char *next = cut(at, ',');

        read_clause(at, &clauses[count++]);
        at = next;
    }
    sort_clauses(clauses, count);
    for (size_t i = 0; i < count; i++)
        if (serve_clause(&clauses[i], offer, ret_accept))
            return true;
    return false;
}

bool accept_is_produced(const char *header)
{
    static const char *const types[] = {"*/*", "application/json", "application/yaml",
                                        "application/vnd.kubernetes.protobuf"};
    const char *at = text_is_empty(header) ? "*/*" : header;

    while (at != NULL) {
        const char *comma = strchr(at, ',');
        size_t size;

        at += strspn(at, " ");
        size = strcspn(at, ",; ");
        for (size_t i = 0; i < ARRAY_SIZE(types); i++)
            if (strlen(types[i]) == size && strncmp(at, types[i], size) == 0)
                return true;
        at = comma == NULL ? NULL : comma + 1;
    }
    return false;
}
