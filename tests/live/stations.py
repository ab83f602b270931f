"""stations: what storms and kills run on, made from the Rules that they are judged by."""
import dataclasses

import history
import live
from history import Rules


@dataclasses.dataclass(frozen=True)
class Station:
    """A Station, and its pods."""
    rules: Rules
    seconds: float | None  # that a pod runs; None: it is not made
    log: str = ""
    log_times: int = 1     # how often that is repeated

    def judged_by(self):
        """Its Rules, with the digest of what its Agents must show."""
        output = history.digest_of(history.capped(self.log * self.log_times))
        return dataclasses.replace(self.rules, output=output)

    def made(self, name):
        rules = self.rules
        extra = {} if rules.policy == "Allow" else {"concurrencyPolicy": rules.policy}
        if rules.limit:
            extra["maxConcurrentRuns"] = rules.limit
        annotations = {"fakeapi/run-seconds": str(self.seconds), "fakeapi/log": self.log,
                       "fakeapi/log-times": str(self.log_times),
                       "fakeapi/exit-code": str(rules.exit_code)}
        return live.station(name, annotations, "nothing" if rules.missing else "recipe",
                            successfulRunsHistoryLimit=rules.succeeded_kept,
                            failedRunsHistoryLimit=rules.failed_kept, **extra)


def judged_by(stations):
    return {name: station.judged_by() for name, station in stations.items()}


def objects(stations):
    """To be there from the beginning."""
    return [live.recipe(), *(station.made(name) for name, station in stations.items()
                             if station.seconds is not None)]
