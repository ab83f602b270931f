/* generate_parts - a scenario while it is drawn, as the files of the generator share it. */
#ifndef SCENARIOS_SEARCH_GENERATE_PARTS_H
#define SCENARIOS_SEARCH_GENERATE_PARTS_H

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "scenarios/search/draw.h"
#include "scenarios/search/generate.h"

/** Stations, s-0 and so on; what they are is drawn. */
#define STORY_STATIONS_MAX 4
/** Room for "a-07", "ctl-1", "1500ms". */
#define STORY_NAME_SIZE 32

struct story_step {
    int64_t at_ms;
    struct json_object *tree;
};

struct story {
    struct draw draw;
    struct json_object *settings; /* of the replicas */
    struct json_object *clocks;
    struct json_object *objects;
    struct json_object *pods;
    struct json_object *faults;
    struct json_object *links;
    struct story_step *steps; /* in the order of their drawing */
    size_t step_count;
    int64_t replicas;
    int64_t stations;
    int64_t agents;                /* a-01 and so on */
    int64_t end_ms;                /* when the last step is taken */
    struct json_object *suspended; /* Agents whose Jobs somebody suspends: names */
    uint64_t lease_minutes;        /* in which the Lease is taken away: a bit for each */
};

/** A tree from JSON with ' for ", as in printf. json_object_put() it. */
struct json_object *story_tree(const char *format, ...) PRINTF_LIKE(1, 2);
/** Likewise, from a text that is no format: each $ in it stands for name. */
struct json_object *story_tree_of(const char *text, const char *name);
/** Adds such a tree to a list. */
void story_add(struct json_object *list, const char *format, ...) PRINTF_LIKE(2, 3);
/** A step at a time, which is not behind end_ms. Takes ownership of tree. */
void story_step(struct story *story, int64_t at_ms, struct json_object *tree);

/** Names; the same array may be filled again and again. */
const char *story_agent(int64_t number, char name[STORY_NAME_SIZE]);
const char *story_some_agent(struct story *story, char name[STORY_NAME_SIZE]);
const char *story_some_station(struct story *story, char name[STORY_NAME_SIZE]);
const char *story_some_replica(struct story *story, char name[STORY_NAME_SIZE]);
/** A time at which much is still to come. */
int64_t story_some_time(struct story *story);

/* --- the parts, in the order in which they are drawn --- */

void generate_cluster(struct story *story);
void generate_faults(struct story *story);
void generate_steps(struct story *story);
/** Situations that chance alone would bring about too rarely. */
void generate_themes(struct story *story);

/** A Station as it is at the start, or as a person makes it again. json_object_put() it. */
struct json_object *generate_station(struct story *story, int64_t number);

#endif
