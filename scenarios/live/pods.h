/* pods - what a scenario's pods do, told to a real fakeapi. */
#ifndef SCENARIOS_LIVE_PODS_H
#define SCENARIOS_LIVE_PODS_H

#include "scenarios/live/stage.h"

/** Hands all pod scripts to the server. */
bool pods_script(struct stage *stage, struct error *err) MUST_CHECK;

#endif
