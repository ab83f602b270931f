/* Objects through their types: texts and results are those of k8s.io/api 1.32 and of
 * sigs.k8s.io/json. */
#include "fakeapi/types/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"

#define BYTES_MAX 100000

struct row {
    const char *name;
    const char *api_version;
    const char *kind;
    const char *body;
    const char *want;    /* what is left of it; NULL: it is refused */
    const char *unknown; /* paths, parted by spaces; or why it is refused */
};

static struct json_object *parse(const char *text)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    if (!json_parse(text, strlen(text), BYTES_MAX, &tree, &err))
        fail_msg("%s: %s", text, err.text);
    return tree;
}

static void join(struct buffer *text, const struct schema_unknown *unknown)
{
    for (size_t i = 0; i < unknown->count; i++)
        buffer_append_format(text, "%s%s", i == 0 ? "" : " ", unknown->paths[i]);
}

/* What comes of a second time must be what came of the first. */
static void check_again(const struct row *row, const struct type_message *type,
                        struct json_object *tree)
{
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct buffer why = BUFFER_INIT(BYTES_MAX);
    struct json_object *once = json_copy(tree);

    if (!types_decode(type, tree, &unknown, &why) || unknown.count > 0 || !json_equal(once, tree))
        fail_msg("%s: another time, another result", row->name);
    json_object_put(once);
    schema_unknown_release(&unknown);
    buffer_release(&why);
}

static void check_row(const struct row *row)
{
    const struct type_message *type = types_find(row->api_version, row->kind);
    struct json_object *tree = parse(row->body);
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct buffer why = BUFFER_INIT(BYTES_MAX);
    struct buffer told = BUFFER_INIT(BYTES_MAX);
    bool ok;

    if (type == NULL)
        fail_msg("%s: no type", row->name);
    ok = types_decode(type, tree, &unknown, &why);
    join(&told, &unknown);
    if (ok != (row->want != NULL))
        fail_msg("%s: %s", row->name, ok ? "taken" : buffer_text(&why));
    if (!text_equal(ok ? buffer_text(&told) : buffer_text(&why), text_or(row->unknown, "")))
        fail_msg("%s: '%s'", row->name, ok ? buffer_text(&told) : buffer_text(&why));
    if (ok) {
        struct json_object *want = parse(row->want);
        size_t size;
        char *got = json_to_text(tree, &size);

        if (!json_equal(tree, want))
            fail_msg("%s: %s", row->name, got);
        check_again(row, type, tree);
        json_object_put(want);
        free(got);
    }
    json_object_put(tree);
    schema_unknown_release(&unknown);
    buffer_release(&told);
    buffer_release(&why);
}

#define UNMARSHAL "json: cannot unmarshal "
#define FORMAT_WRONG                                                                               \
    "quantities must match the regular expression "                                                \
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

/* clang-format off */
static const struct row taken[] = {
    {"all is known", "v1", "ConfigMap",
     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"a\":\"b\"},\"immutable\":false}",
     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"a\":\"b\"},\"immutable\":false}",
     NULL},
    {"names are case-sensitive", "v1", "ConfigMap", "{\"Data\":{}}", "{}", "Data"},
    {"unknown fields at every depth", "v1", "Pod",
     "{\"spec\":{\"x\":1,\"containers\":[{\"name\":\"a\",\"y\":{},\"env\":[{\"name\":\"e\","
     "\"z\":null}]}]},\"more\":[]}",
     "{\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"e\"}]}]}}",
     "spec.x spec.containers[0].y spec.containers[0].env[0].z more"},
    {"apiVersion and kind are of the top alone", "v1", "Pod", "{\"spec\":{\"kind\":\"x\"}}",
     "{\"spec\":{}}", "spec.kind"},
    {"nulls are as good as absent", "v1", "Pod",
     "{\"spec\":{\"nodeName\":null,\"containers\":null,\"priority\":null},\"status\":null}",
     "{\"spec\":{}}", NULL},
    {"but not in lists and maps", "v1", "Pod",
     "{\"metadata\":{\"labels\":{\"a\":null},\"finalizers\":[null],\"ownerReferences\":[null]}}",
     "{\"metadata\":{\"labels\":{\"a\":\"\"},\"finalizers\":[\"\"],\"ownerReferences\":[{}]}}",
     NULL},
    {"zeroes go unless they are of pointers, or always shown", "v1", "Pod",
     "{\"spec\":{\"nodeName\":\"\",\"hostNetwork\":false,\"priority\":0,\"hostUsers\":false,"
     "\"containers\":[{\"name\":\"\",\"command\":[],\"env\":[],\"stdin\":false}],\"volumes\":[]},"
     "\"metadata\":{\"labels\":{}}}",
     "{\"spec\":{\"priority\":0,\"hostUsers\":false,\"containers\":[{\"name\":\"\"}]},"
     "\"metadata\":{}}",
     NULL},
    {"empty structs stay", "v1", "Pod",
     "{\"spec\":{\"volumes\":[{\"name\":\"a\",\"emptyDir\":{}}]},\"status\":{}}",
     "{\"spec\":{\"volumes\":[{\"name\":\"a\",\"emptyDir\":{}}]},\"status\":{}}", NULL},
    {"inlined fields", "v1", "Pod",
     "{\"spec\":{\"containers\":[{\"livenessProbe\":{\"httpGet\":{\"port\":\"http\"},"
     "\"periodSeconds\":3,\"handler\":{}},\"env\":[{\"valueFrom\":{\"secretKeyRef\":{\"name\":"
     "\"s\",\"key\":\"k\"}}}]}]}}",
     "{\"spec\":{\"containers\":[{\"livenessProbe\":{\"httpGet\":{\"port\":\"http\"},"
     "\"periodSeconds\":3},\"env\":[{\"valueFrom\":{\"secretKeyRef\":{\"name\":\"s\",\"key\":"
     "\"k\"}}}]}]}}",
     "spec.containers[0].livenessProbe.handler"},
    {"times in UTC, whole", "v1", "Pod",
     "{\"metadata\":{\"creationTimestamp\":\"2024-02-29T23:59:59.9+01:00\"}}",
     "{\"metadata\":{\"creationTimestamp\":\"2024-02-29T22:59:59Z\"}}", NULL},
    {"times with six digits", "coordination.k8s.io/v1", "Lease",
     "{\"spec\":{\"renewTime\":\"2024-01-01T00:00:00.123456-02:00\",\"leaseDurationSeconds\":0}}",
     "{\"spec\":{\"renewTime\":\"2024-01-01T02:00:00.123456Z\",\"leaseDurationSeconds\":0}}", NULL},
    {"quantities", "v1", "ResourceQuota",
     "{\"spec\":{\"hard\":{\"a\":\"0.5\",\"b\":\"1024Mi\",\"c\":2,\"d\":1.50,\"e\":null}}}",
     "{\"spec\":{\"hard\":{\"a\":\"500m\",\"b\":\"1Gi\",\"c\":\"2\",\"d\":\"1500m\",\"e\":\"0\"}}}",
     NULL},
    {"the limits of numbers", "batch/v1", "Job",
     "{\"spec\":{\"parallelism\":2147483647,\"completions\":-2147483648,"
     "\"activeDeadlineSeconds\":9223372036854775807}}",
     "{\"spec\":{\"parallelism\":2147483647,\"completions\":-2147483648,"
     "\"activeDeadlineSeconds\":9223372036854775807}}",
     NULL},
    {"either a number or a text", "v1", "Service",
     "{\"spec\":{\"ports\":[{\"port\":1,\"targetPort\":0},{\"port\":2,\"targetPort\":\"x\"}]}}",
     "{\"spec\":{\"ports\":[{\"port\":1,\"targetPort\":0},{\"port\":2,\"targetPort\":\"x\"}]}}",
     NULL},
    {"whatever there is", "v1", "Pod",
     "{\"metadata\":{\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:a\":{\"x\":null}}}]}}",
     "{\"metadata\":{\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:a\":{\"x\":null}}}]}}",
     NULL},
    {"schemas", "apiextensions.k8s.io/v1", "CustomResourceDefinition",
     "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{\"x-kubernetes-list-type\":\"set\","
     "\"properties\":{\"a\":{\"foo\":1}},\"items\":{\"foo\":1},\"additionalProperties\":false,"
     "\"enum\":[null,1],\"default\":null,\"dependencies\":{\"a\":[\"b\"]},\"maximum\":0}}}]}}",
     "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{\"x-kubernetes-list-type\":\"set\","
     "\"properties\":{\"a\":{}},\"items\":{},\"additionalProperties\":false,\"enum\":[null,1],"
     "\"dependencies\":{\"a\":[\"b\"]},\"maximum\":0}}}]}}",
     "spec.versions[0].schema.openAPIV3Schema.properties.a.foo"},
    {"texts of extras", "authorization.k8s.io/v1", "SubjectAccessReview",
     "{\"spec\":{\"extra\":{\"a\":[\"b\",null],\"c\":null}}}",
     "{\"spec\":{\"extra\":{\"a\":[\"b\",\"\"],\"c\":[]}}}", NULL},
};

static const struct row refused[] = {
    {"in a map", "v1", "ConfigMap", "{\"data\":{\"a\":5}}", NULL,
     UNMARSHAL "number into Go struct field ConfigMap.data of type string"},
    {"instead of a map", "v1", "ConfigMap", "{\"data\":5}", NULL,
     UNMARSHAL "number into Go struct field ConfigMap.data of type map[string]string"},
    {"metadata", "v1", "Pod", "{\"metadata\":5}", NULL,
     UNMARSHAL "number into Go struct field Pod.metadata of type v1.ObjectMeta"},
    {"deep in it", "v1", "Pod", "{\"spec\":{\"containers\":[{\"image\":true}]}}", NULL,
     UNMARSHAL "bool into Go struct field Container.spec.containers.image of type string"},
    {"instead of an item", "v1", "Pod", "{\"spec\":{\"containers\":[[]]}}", NULL,
     UNMARSHAL "array into Go struct field PodSpec.spec.containers of type v1.Container"},
    {"instead of a list", "v1", "Pod", "{\"spec\":{\"containers\":{}}}", NULL,
     UNMARSHAL "object into Go struct field PodSpec.spec.containers of type []v1.Container"},
    {"a type with a name", "v1", "Pod", "{\"spec\":{\"restartPolicy\":5}}", NULL,
     UNMARSHAL "number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy"},
    {"a map with a name", "v1", "Pod",
     "{\"spec\":{\"containers\":[{\"resources\":{\"limits\":\"x\"}}]}}", NULL,
     UNMARSHAL "string into Go struct field ResourceRequirements.spec.containers.resources.limits "
               "of type v1.ResourceList"},
    {"a struct that is inlined goes by the one around it", "v1", "Pod",
     "{\"spec\":{\"volumes\":[{\"emptyDir\":\"x\"}]}}", NULL,
     UNMARSHAL "string into Go struct field Volume.spec.volumes.emptyDir of type "
               "v1.EmptyDirVolumeSource"},
    {"of another version", "autoscaling/v2", "HorizontalPodAutoscaler", "{\"spec\":5}", NULL,
     UNMARSHAL "number into Go struct field HorizontalPodAutoscaler.spec of type "
               "v2.HorizontalPodAutoscalerSpec"},
    {"beyond 32 bits", "batch/v1", "Job", "{\"spec\":{\"parallelism\":2147483648}}", NULL,
     UNMARSHAL "number 2147483648 into Go struct field JobSpec.spec.parallelism of type int32"},
    {"below 32 bits", "batch/v1", "Job", "{\"spec\":{\"parallelism\":-2147483649}}", NULL,
     UNMARSHAL "number -2147483649 into Go struct field JobSpec.spec.parallelism of type int32"},
    {"beyond 64 bits", "batch/v1", "Job",
     "{\"spec\":{\"activeDeadlineSeconds\":9223372036854775808}}", NULL,
     UNMARSHAL "number 9223372036854775808 into Go struct field "
               "JobSpec.spec.activeDeadlineSeconds of type int64"},
    {"no whole number", "batch/v1", "Job", "{\"spec\":{\"parallelism\":1.0}}", NULL,
     UNMARSHAL "number 1.0 into Go struct field JobSpec.spec.parallelism of type int32"},
    {"a number as a text", "batch/v1", "Job", "{\"spec\":{\"parallelism\":\"1\"}}", NULL,
     UNMARSHAL "string into Go struct field JobSpec.spec.parallelism of type int32"},
    {"neither number nor text", "v1", "Service", "{\"spec\":{\"ports\":[{\"targetPort\":true}]}}",
     NULL, UNMARSHAL "bool into Go struct field ServicePort.spec.ports.targetPort of type int32"},
    {"a time that is a number", "v1", "Pod", "{\"metadata\":{\"creationTimestamp\":5}}", NULL,
     UNMARSHAL "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"},
    {"a time that is none", "v1", "Pod", "{\"metadata\":{\"creationTimestamp\":\"x\"}}", NULL,
     "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\""},
    {"a quantity that is none", "v1", "ResourceQuota", "{\"spec\":{\"hard\":{\"a\":true}}}", NULL,
     FORMAT_WRONG},
    {"bytes that are none", "v1", "Secret", "{\"data\":{\"a\":\"YWI=!\"}}", NULL,
     "illegal base64 data at input byte 4"},
    {"a schema that is none", "apiextensions.k8s.io/v1", "CustomResourceDefinition",
     "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{\"additionalProperties\":5}}}]}}",
     NULL, "boolean or JSON schema expected"},
    {"the first of two", "v1", "Pod", "{\"spec\":{\"nodeName\":1,\"hostname\":true}}", NULL,
     UNMARSHAL "number into Go struct field PodSpec.spec.nodeName of type string"},
    {"but types that decode themselves before all", "v1", "Event",
     "{\"reason\":5,\"lastTimestamp\":\"abc\"}", NULL,
     "parsing time \"abc\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"abc\" as \"2006\""},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(taken); i++)
        check_row(&taken[i]);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        check_row(&refused[i]);
}

/* Of custom resources the metadata alone has a type, and is told as if it were all (R10). */
static void test_metadata(void **state)
{
    struct json_object *tree =
        parse("{\"metadata\":{\"x\":1,\"labels\":{}},\"spec\":{\"y\":null}}");
    struct json_object *want = parse("{\"metadata\":{},\"spec\":{\"y\":null}}");
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct buffer why = BUFFER_INIT(BYTES_MAX);

    (void)state;
    assert_true(types_decode_metadata(tree, &unknown, &why));
    assert_true(json_equal(tree, want));
    assert_int_equal(unknown.count, 1);
    assert_string_equal(unknown.paths[0], "metadata.x");
    json_object_put(tree);
    tree = parse("{\"metadata\":{\"labels\":{\"a\":1}}}");
    assert_false(types_decode_metadata(tree, NULL, &why));
    assert_string_equal(buffer_text(&why),
                        UNMARSHAL "number into Go struct field ObjectMeta.labels of type string");
    json_object_put(tree);
    buffer_clear(&why);
    tree = parse("{\"metadata\":[]}");
    assert_false(types_decode_metadata(tree, NULL, &why));
    assert_string_equal(buffer_text(&why), UNMARSHAL "array into Go value of type v1.ObjectMeta");
    json_object_put(tree);
    json_object_put(want);
    schema_unknown_release(&unknown);
    buffer_release(&why);
}

/* So many are named; the others go as well. */
static void test_many_unknown(void **state)
{
    struct json_object *tree = json_object_new_object();
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct buffer why = BUFFER_INIT(BYTES_MAX);
    char name[16];

    (void)state;
    for (int i = 0; i <= TYPES_UNKNOWN_MAX; i++) {
        snprintf(name, sizeof(name), "x%d", i);
        json_set_bool(tree, name, true);
    }
    assert_true(types_decode(types_find("v1", "Pod"), tree, &unknown, &why));
    assert_int_equal(unknown.count, TYPES_UNKNOWN_MAX);
    assert_int_equal(json_object_object_length(tree), 0);
    json_object_put(tree);
    schema_unknown_release(&unknown);
    buffer_release(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_many_unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
