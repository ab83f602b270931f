/* names - what names, labels and keys may look like, and the server's words for those that do not
 * (WIRE.md C13, C14). */
#ifndef TESTS_MODEL_NAMES_H
#define TESTS_MODEL_NAMES_H

#include <stdbool.h>

extern const char subdomain_words[];
extern const char label_words[];
extern const char label_value_words[];
extern const char label_name_words[];
extern const char config_key_words[];

bool is_subdomain(const char *text);   /* names of most kinds */
bool is_dns_label(const char *text);   /* names of namespaces */
bool is_label_value(const char *text); /* may be empty */
bool is_label_key(const char *text);   /* prefix/name; also finalizers */
bool is_config_key(const char *text);  /* keys of ConfigMaps and Secrets */

#endif
