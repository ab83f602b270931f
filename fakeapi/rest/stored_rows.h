/* stored_rows - built-in kinds that are stored, defaulted and checked, with nobody behind them. */
#ifndef FAKEAPI_REST_STORED_ROWS_H
#define FAKEAPI_REST_STORED_ROWS_H

#include "fakeapi/rest/kinds.h"

extern const struct kind_row endpoints_row;
extern const struct kind_row persistent_volume_claims_row;
extern const struct kind_row daemon_sets_row;
extern const struct kind_row deployments_row;
extern const struct kind_row replica_sets_row;
extern const struct kind_row stateful_sets_row;
extern const struct kind_row ingresses_row;
extern const struct kind_row network_policies_row;
extern const struct kind_row disruption_budgets_row;

#endif
