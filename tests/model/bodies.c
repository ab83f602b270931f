#include "tests/model/bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"a", "b", "c", "d", "e", "a-b", "b.c"};
static const char *const values[] = {"one", "two", "three", "2", "5", "9", ""};
static const char *const keys[] = {"app", "tier", "num", "example.com/x"};

const char *draw_name(struct random *random, const struct kind *kind)
{
    static const char *const namespaces[] = {"red", "blue", "ending", "fresh"};
    static const char *const bad[] = {"Bad_Name", "-a", "a..b"};

    if (random_is(random, 25))
        return RANDOM_PICK(random, bad);
    return kind->is_namespace ? RANDOM_PICK(random, namespaces) : RANDOM_PICK(random, names);
}

/* --- metadata --- */

static struct json_object *draw_labels(struct random *random)
{
    struct json_object *labels = json_object_new_object();

    for (size_t i = random_below(random, 3); i > 0; i--)
        value_put_text(labels, RANDOM_PICK(random, keys), RANDOM_PICK(random, values));
    if (random_is(random, 15))
        value_put_text(labels, "app", "not good!");
    if (random_is(random, 10))
        value_put_text(labels, "not good", "one");
    return labels;
}

static struct json_object *draw_finalizers(struct random *random, const struct kind *kind)
{
    static const char *const finalizers[] = {"example.com/hold", "example.com/other",
                                             "example.com/third"};
    struct json_object *list = json_object_new_array();

    for (size_t i = random_below(random, 3); i > 0; i--) {
        const char *finalizer = RANDOM_PICK(random, finalizers);

        if (!value_lists(list, finalizer))
            value_add_text(list, finalizer);
    }
    if (kind->custom && random_is(random, 100))
        value_add_text(list, "hold");
    return list;
}

static void draw_metadata(struct random *random, const struct kind *kind,
                          struct json_object *metadata)
{
    if (random_is(random, 600))
        value_put(metadata, "labels", draw_labels(random));
    if (random_is(random, 100))
        value_put(metadata, "annotations", value_of("{'example.com/note':'seen'}"));
    if (random_is(random, 150))
        value_put(metadata, "finalizers", draw_finalizers(random, kind));
    if (random_is(random, 15))
        value_put(metadata, "finalizers", value_of("['not good/x y']"));
    if (random_is(random, 30))
        value_put_int(metadata, "generation", 7);
    if (random_is(random, 30))
        value_put_text(metadata, "creationTimestamp", "2001-01-01T00:00:00Z");
}

/* --- what each kind holds --- */

static void draw_data(struct random *random, struct json_object *object, bool coded)
{
    static const char *const coded_values[] = {"YQ==", "YWI=", "YWJj"};
    struct json_object *data = value_within(object, "data");
    static const char *const data_keys[] = {"k1", "k2", "k3"};

    for (size_t i = 1 + random_below(random, 2); i > 0; i--)
        value_put_text(data, RANDOM_PICK(random, data_keys),
                       coded ? RANDOM_PICK(random, coded_values) : RANDOM_PICK(random, values));
    if (random_is(random, 15))
        value_put_text(data, "not good", coded ? "YQ==" : "x");
    if (random_is(random, 30))
        value_put(object, "immutable", json_object_new_boolean(1));
}

static void draw_secret(struct random *random, struct json_object *object)
{
    static const char *const types[] = {"Opaque", "Opaque", "example.com/x"};

    draw_data(random, object, true);
    if (random_is(random, 400))
        value_put_text(object, "type", RANDOM_PICK(random, types));
    if (random_is(random, 200))
        value_put(object, "stringData", value_of("{'k4':'text'}"));
}

static void draw_lease(struct random *random, struct json_object *object)
{
    struct json_object *spec = value_within(object, "spec");
    static const char *const holders[] = {"me", "you"};

    value_put_text(spec, "holderIdentity", RANDOM_PICK(random, holders));
    value_put_int(spec, "leaseDurationSeconds", (int64_t)random_below(random, 30));
    if (random_is(random, 500))
        value_put_text(spec, "renewTime", "2024-06-01T00:00:00.123456Z");
    if (random_is(random, 300))
        value_put_int(spec, "leaseTransitions", (int64_t)random_below(random, 30) - 1);
}

/* Says all that would be filled in. */
static void draw_pod(struct random *random, struct json_object *object)
{
    struct json_object *spec = value_of(
        "{'automountServiceAccountToken':false,'containers':[{'image':'agent:1',"
        "'imagePullPolicy':'IfNotPresent','name':'agent','resources':{},"
        "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File'}],"
        "'dnsPolicy':'ClusterFirst','enableServiceLinks':true,'preemptionPolicy':"
        "'PreemptLowerPriority','priority':0,'restartPolicy':'Never','schedulerName':"
        "'default-scheduler','securityContext':{},'serviceAccount':'default',"
        "'serviceAccountName':'default','terminationGracePeriodSeconds':30,'tolerations':["
        "{'effect':'NoExecute','key':'node.kubernetes.io/not-ready','operator':'Exists',"
        "'tolerationSeconds':300},{'effect':'NoExecute','key':'node.kubernetes.io/unreachable',"
        "'operator':'Exists','tolerationSeconds':300}]}");

    if (random_is(random, 600))
        value_put_text(spec, "nodeName", "node-1");
    value_put(object, "spec", spec);
}

static struct json_object *draw_tags(struct random *random)
{
    static const char *const tags[] = {"x", "y", "z", "w", "v"};
    struct json_object *list = json_object_new_array();
    size_t count = random_below(random, 4);

    while (value_length(list) < count) {
        const char *tag = RANDOM_PICK(random, tags);

        if (!value_lists(list, tag))
            value_add_text(list, tag);
    }
    if (random_is(random, 40))
        value_add_text(list, "x");
    return list;
}

/* One thing in a gadget's spec that is not right. */
static void spoil(struct random *random, struct json_object *spec)
{
    switch (random_below(random, 9)) {
    case 0:
        value_put_text(spec, "color", "pink");
        break;
    case 1:
        value_drop(spec, "color");
        break;
    case 2:
        value_put_int(spec, "size", 11);
        break;
    case 3:
        value_put_int(spec, "size", -1);
        break;
    case 4:
        value_put_text(spec, "size", "big");
        break;
    case 5:
        value_put_text(spec, "note", "far too long");
        break;
    case 6:
        value_put(spec, "tags", value_of("['a','b','c','d','e']"));
        break;
    case 7:
        value_put(spec, "port", value_of("[80]"));
        break;
    default:
        value_put(spec, "inner", value_of("{'b':'yes'}"));
        break;
    }
}

static void draw_gadget(struct random *random, struct json_object *object)
{
    static const char *const colors[] = {"red", "green", "blue"};
    static const char *const inners[] = {"{}", "{'b':true}", "{'a':'y'}", "{'a':null,'more':1}"};
    struct json_object *spec = value_within(object, "spec");

    value_put_text(spec, "color", RANDOM_PICK(random, colors));
    if (random_is(random, 400))
        value_put_int(spec, "size", (int64_t)random_below(random, 11));
    if (random_is(random, 200))
        value_put_text(spec, "note", RANDOM_PICK(random, values));
    if (random_is(random, 300))
        value_put(spec, "tags", draw_tags(random));
    if (random_is(random, 100))
        value_put(spec, "port", value_of(random_is(random, 500) ? "80" : "'http'"));
    if (random_is(random, 200))
        value_put(spec, "inner", value_of(RANDOM_PICK(random, inners)));
    if (random_is(random, 100))
        value_put(spec, "free", value_of("{'any':{'thing':[1,'two',null]}}"));
    if (random_is(random, 100))
        value_put(spec, "maybe", random_is(random, 500) ? NULL : value_of("'x'"));
    if (random_is(random, 40))
        value_put_int(spec, "extra", 1);
    if (random_is(random, 60))
        spoil(random, spec);
    if (random_is(random, 200))
        value_put(object, "status", value_of("{'phase':'New'}"));
}

static void draw_plain(struct random *random, struct json_object *object)
{
    value_put_int(value_within(object, "spec"), "level", (int64_t)random_below(random, 3));
    if (random_is(random, 300))
        value_put(object, "status", value_of("{'phase':'New','deep':{'er':[]}}"));
    if (random_is(random, 300))
        value_put_int(object, "other", (int64_t)random_below(random, 3));
}

static void draw_content(struct random *random, const struct kind *kind, struct json_object *object)
{
    if (kind == &kinds[CONFIGMAP])
        draw_data(random, object, false);
    else if (kind == &kinds[SECRET])
        draw_secret(random, object);
    else if (kind == &kinds[LEASE])
        draw_lease(random, object);
    else if (kind == &kinds[POD])
        draw_pod(random, object);
    else if (kind == &kinds[GADGET])
        draw_gadget(random, object);
    else if (kind == &kinds[PLAIN])
        draw_plain(random, object);
}

struct json_object *draw_object(struct random *random, const struct kind *kind)
{
    struct json_object *object = json_object_new_object();
    char version[64];

    if (random_is(random, 700)) {
        value_put_text(object, "apiVersion", api_version(kind, false, version));
        value_put_text(object, "kind", kind->kind);
    }
    draw_metadata(random, kind, value_within(object, "metadata"));
    draw_content(random, kind, object);
    return object;
}

/* A status is nothing unknown to them. */
static bool has_status(const struct kind *kind)
{
    return kind->status || kind->custom;
}

void draw_change(struct random *random, const struct kind *kind, struct json_object *object)
{
    struct json_object *metadata = value_within(object, "metadata");

    switch (random_below(random, 6)) {
    case 0:
    case 1:
        if (kind != &kinds[POD])
            draw_content(random, kind, object);
        break;
    case 2:
        value_put(metadata, "labels", draw_labels(random));
        break;
    case 3:
        value_put(metadata, "finalizers", draw_finalizers(random, kind));
        break;
    case 4:
        if (has_status(kind))
            value_put(object, "status", value_of("{'phase':'Done'}"));
        break;
    default: /* none */
        break;
    }
}

/* --- patches --- */

static struct json_object *draw_status(struct random *random, const struct kind *kind)
{
    static const char *const phases[] = {"'Running'", "'Succeeded'", "'Failed'", "'Pending'"};
    static const char *const gadget_phases[] = {"'New'", "'Done'", "'Odd'", "null"};
    struct json_object *status = json_object_new_object();

    if (kind == &kinds[POD])
        value_put(status, "phase", value_of(RANDOM_PICK(random, phases)));
    else
        value_put(status, "phase", value_of(RANDOM_PICK(random, gadget_phases)));
    if (kind == &kinds[GADGET] && random_is(random, 300))
        value_put_int(status, "count", (int64_t)random_below(random, 3));
    if (kind == &kinds[GADGET] && random_is(random, 60))
        value_put_int(status, "extra", 1);
    return status;
}

static void merge_content(struct random *random, const struct kind *kind, struct json_object *patch)
{
    static const char *const specs[] = {"{'size':null}",
                                        "{'note':'hi','tags':['x']}",
                                        "{'color':'red','extra':2}",
                                        "{'inner':{'b':false}}",
                                        "{'inner':{'a':null}}",
                                        "{'free':{'any':{'thing':null}}}",
                                        "{'maybe':null}",
                                        "{'size':12}",
                                        "{'free':{'new':{'n':null,'m':1}}}"};

    if (kind == &kinds[CONFIGMAP] || kind == &kinds[SECRET])
        value_put(patch, "data",
                  value_of(random_is(random, 500) ? "{'k1':null}" : "{'k2':'YWI='}"));
    else if (kind == &kinds[LEASE])
        value_put(patch, "spec", value_of("{'holderIdentity':'them','renewTime':null}"));
    else if (kind == &kinds[GADGET])
        value_put(patch, "spec", value_of(RANDOM_PICK(random, specs)));
    else if (kind == &kinds[PLAIN])
        value_put(
            patch, "spec",
            value_of(random_is(random, 500) ? "{'level':5,'new':{'n':null}}" : "{'level':null}"));
}

struct json_object *draw_merge(struct random *random, const struct kind *kind, const char *sub)
{
    struct json_object *patch = json_object_new_object();

    if (sub != NULL || (has_status(kind) && random_is(random, 100)))
        value_put(patch, "status", draw_status(random, kind));
    if (sub != NULL && kind == &kinds[POD])
        return patch;
    switch (random_below(random, 5)) {
    case 0:
        value_put(value_within(patch, "metadata"), "labels",
                  value_of(random_is(random, 500) ? "{'app':null}" : "{'tier':'two','app':'one'}"));
        break;
    case 1:
        value_put(value_within(patch, "metadata"), "finalizers",
                  random_is(random, 600) ? NULL : draw_finalizers(random, kind));
        break;
    case 2:
        break;
    default:
        merge_content(random, kind, patch);
        break;
    }
    return patch;
}

struct json_object *draw_operations(struct random *random, const struct kind *kind, const char *sub,
                                    const char *revision)
{
    static const char *const all[] = {
        "{'op':'add','path':'/metadata/labels','value':{'app':'two'}}",
        "{'op':'add','path':'/metadata/labels/tier','value':'one'}",
        "{'op':'add','path':'/metadata/labels/example.com~1x','value':'two'}",
        "{'op':'remove','path':'/metadata/labels/app'}",
        "{'op':'replace','path':'/metadata/labels/app','value':'three'}",
        "{'op':'test','path':'/metadata/labels/app','value':'one'}",
        "{'op':'add','path':'/metadata/finalizers/-','value':'example.com/other'}",
        "{'op':'add','path':'/metadata/finalizers/0','value':'example.com/third'}",
        "{'op':'remove','path':'/metadata/finalizers/0'}",
        "{'op':'remove','path':'/metadata/finalizers'}",
        "{'op':'copy','from':'/metadata/labels/app','path':'/metadata/labels/tier'}",
        "{'op':'move','from':'/metadata/labels/tier','path':'/metadata/labels/num'}",
        "{'op':'odd','path':'/metadata/labels/app'}",
        "{'op':'test','path':'/metadata/labels','value':{'app':'one'}}",
    };
    static const char *const of_data[] = {"{'op':'add','path':'/data/k1','value':'YQ=='}",
                                          "{'op':'remove','path':'/data/k1'}",
                                          "{'op':'test','path':'/data/k2','value':'two'}",
                                          "{'op':'copy','from':'/data/k1','path':'/data/k3'}"};
    static const char *const of_gadget[] = {
        "{'op':'replace','path':'/spec/size','value':3}",
        "{'op':'remove','path':'/spec/size'}",
        "{'op':'add','path':'/spec/tags/1','value':'v'}",
        "{'op':'remove','path':'/spec/tags/0'}",
        "{'op':'add','path':'/spec/inner','value':{}}",
        "{'op':'test','path':'/spec/size','value':1}",
        "{'op':'add','path':'/status','value':{'phase':'Done'}}",
        "{'op':'replace','path':'/spec/color','value':'pink'}"};
    struct json_object *list = json_object_new_array();

    if (random_is(random, 150)) {
        struct json_object *test = value_of("{'op':'test','path':'/metadata/resourceVersion'}");

        value_put_text(test, "value", revision);
        value_add(list, test);
    }
    for (size_t i = 1 + random_below(random, 2); i > 0; i--) {
        if (kind == &kinds[CONFIGMAP] && random_is(random, 400))
            value_add(list, value_of(RANDOM_PICK(random, of_data)));
        else if (kind == &kinds[GADGET] && (sub != NULL || random_is(random, 400)))
            value_add(list, value_of(RANDOM_PICK(random, of_gadget)));
        else
            value_add(list, value_of(RANDOM_PICK(random, all)));
    }
    return list;
}
