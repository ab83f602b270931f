"""runner: cases one beside the other, each a function that raises when something is wrong."""
import argparse
import concurrent.futures
import fnmatch
import pathlib
import traceback

import fakeapi


def place_of(wrong, files):
    """The innermost line that stands in one of these files, else the innermost at all."""
    lines = traceback.extract_tb(wrong.__traceback__)
    line = next((one for one in lines[::-1] if one.filename in files), lines[-1])
    return f"{pathlib.Path(line.filename).name}:{line.lineno}"


def attempt(case, run):
    """None, or what went wrong."""
    try:
        run(case)
    except Exception as wrong:  # every kind of failure is this case's failure
        return f"{place_of(wrong, {case.__code__.co_filename})}: {type(wrong).__name__}: {wrong}"
    return None


def parse_arguments(doc, jobs):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--server", type=fakeapi.program, default=str(fakeapi.PROGRAM))
    parser.add_argument("--filter", metavar="GLOB", default="*")
    parser.add_argument("--jobs", type=fakeapi.positive, default=jobs, metavar="N")
    return parser.parse_args()


def main(doc, cases, run, jobs):
    """The exit code. cases: name -> function; run(case, program) plays one."""
    arguments = parse_arguments(doc, jobs)
    chosen = [name for name in cases if fnmatch.fnmatch(name, arguments.filter)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        every = pool.map(lambda name: attempt(cases[name], lambda case: run(case, arguments.server)),
                         chosen)
        for name, wrong in zip(chosen, every):
            print(f"{'ok    ' if wrong is None else 'FAILED'} {name}")
            if wrong is not None:
                failed += 1
                print("    " + wrong.replace("\n", "\n    "))
    print(f"{len(chosen)} cases: {len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0
