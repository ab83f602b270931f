"""drive: the requests of a row, in order, each against the answer it must get."""
import time

import http1
import match

POLL_S = 0.02
SERVER = "<address:server>"


def encode(step, captures):
    if step.raw is not None:
        return match.fill(step.raw, captures).encode("latin-1")
    return http1.encode(captures[SERVER], step.method, match.fill(step.target, captures),
                       match.fill(step.headers, captures), match.fill(step.body, captures))


def ends_by_itself(step):
    return step.target is None or "timeoutSeconds=" in step.target


def compare(step, answer, captures):
    """A step without an answer of its own must be answered 2xx."""
    if step.answer is not None:
        match.answer(step.answer, answer, captures, ends_by_itself(step))
    elif not 200 <= answer.status < 300:
        raise match.Differs(f"status {answer.status}\n{answer.read().decode(errors='replace')}")
    else:
        answer.read()


def nothing(_):
    """What happens while most requests are answered."""


def ask(step, api, captures, behind_the_request, behind_the_head):
    """Its answer must be the wanted one; known marks are added to captures."""
    learned = dict(captures)
    with http1.Connection(api.address, api.tls) as connection:
        connection.send(encode(step, captures))
        behind_the_request(learned)
        answer = connection.answer(step.method)
        behind_the_head(learned)
        compare(step, answer, learned)
    captures.update(learned)


def one(step, api, captures, behind_the_request=nothing, behind_the_head=nothing):
    deadline = time.monotonic() + http1.PATIENCE_S
    while True:
        try:
            ask(step, api, captures, behind_the_request, behind_the_head)
            return
        except match.Differs as differs:
            if not step.eventually or time.monotonic() > deadline:
                raise match.Differs(f"{step.where.split(': ', 1)[1]}: {differs}") from differs
        time.sleep(POLL_S)


def row(row_, api):
    """Raises match.Differs. What happens concurrently starts once the request is sent, what happens
    meanwhile once the head of its answer is there."""
    captures = {SERVER: f"{api.address[0]}:{api.address[1]}"}
    for step in row_.given:
        one(step, api, captures)

    def doing(steps):
        def run(learned):
            for step in steps:
                one(step, api, learned)
        return run

    one(row_.request, api, captures, doing(row_.concurrently), doing(row_.meanwhile))
