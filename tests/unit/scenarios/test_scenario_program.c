/* The runner as people and scripts call it: what it prints, and how it exits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"

#define OUTPUT_BYTES_MAX (1024 * 1024)

static const char good[] = "description: good\nexpect: [{kind: Station, name: station}]\n";
static const char bad[] = "description: bad\nexpect: [{kind: Station, name: other}]\n";
static const char wrong[] = "description: wrong\nexpct: []\n";
static const char skipped[] = "description: s\n"
                              "tags: [first, second]\nskip: later\nexpect: [{kind: Job}]\n";

static const char large[] =
    "description: large\n"
    "controllers: {replicas: 1}\n"
    "pods: [{agent: a, exit: 3, runs: 20s}, {agent: b}]\n"
    "faults: [{match: {peer: ctl-0, verb: create, resource: jobs}, do: {status: 500}, when: {nth: "
    "1}}]\n"
    "steps:\n"
    "- {at: 20s, apply: [{kind: Agent, name: a}, {kind: Agent, name: b}]}\n"
    "- {at: 30s, apply: {kind: Agent, name: \"c-{index}\", count: 9}}\n"
    "expect: [{kind: Agent, name: a, status: {phase: Succeeded}}, {kind: Agent, name: b}]\n";

static const char warned[] = "description: w\ntemplates: {t: {a: b}}\n"
                             "expect: [{kind: Station, name: station}]\n";
static const char matrix[] = "description: m\nmatrix: {n: [1, 2]}\ndefaults: false\n"
                             "objects:\n- {kind: ConfigMap, name: \"c-${n}\"}\n"
                             "expect: [{kind: ConfigMap, name: \"c-${n}\", count: \"${2 - n}\"}]\n";

/* a century: no machine plays it in a second */
static const char endless[] = "description: e\nduration: 876000h\nsteps: [{advance: 875000h}]\n"
                              "expect: [{kind: Station, name: station}]\n";

static const struct {
    const char *name;
    const char *text;
} files[] = {
    {"endless/a.yaml", endless}, {"warned/a.yaml", warned}, {"matrix/m.yaml", matrix},
    {"good/one.yaml", good},     {"good/two.yaml", good},   {"bad/one.yaml", bad},
    {"wrong/a.yaml", wrong},     {"wrong/b.yaml", wrong},   {"more/s.yaml", skipped},
    {"large/a.yaml", large},
};

/** Runs a command line in the folder of the files; $S is the runner. */
static int shell(const char *folder, const char *line, struct buffer *output)
{
    char *command = xprintf("cd %s && S=%s; %s", folder, getenv("SCENARIO"), line);
    FILE *pipe = popen(command, "r");
    char piece[4096];
    size_t size;
    int status;

    while ((size = fread(piece, 1, sizeof(piece), pipe)) > 0)
        buffer_append(output, piece, size);
    status = pclose(pipe);
    free(command);
    return WEXITSTATUS(status);
}

static int set_up(void **state)
{
    char *folder = xstrdup("/tmp/scenario-program-XXXXXX");
    struct buffer output = BUFFER_INIT(OUTPUT_BYTES_MAX);

    *state = folder;
    if (mkdtemp(folder) == NULL)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char *line = xprintf("mkdir -p $(dirname %s) && cat > %s <<'EOF'\n%sEOF\n", files[i].name,
                             files[i].name, files[i].text);

        if (shell(folder, line, &output) != 0)
            return -1;
        free(line);
    }
    buffer_release(&output);
    return 0;
}

static int tear_down(void **state)
{
    char *line = xprintf("rm -rf %s", (char *)*state);
    int status = system(line);

    free(line);
    free(*state);
    return status;
}

/* Runs the line, and then the command which that prints; whether both have the same trace. */
#define REPEATS(line)                                                                              \
    line " > first; grep -o 'trace hash [0-9a-f]*' first | head -1 > hash; "                       \
         "sh -c \"$(sed -n '/to repeat it/{n;p;q}' first)\" > second; "                            \
         "grep -o 'trace hash [0-9a-f]*' second | cmp - hash && echo same"

static const struct row {
    const char *line;
    int status;
    const char *output; /* a part of it */
} rows[] = {
    {"$S --help", 0, "usage: scenario run PATH... [FLAG...]"},
    {"$S --version", 0, "scenario "},
    {"$S 2>&1", 2, "scenario: what to do? name a command first (see --help)\n"},
    {"$S rnu x 2>&1", 2, "scenario: unknown command 'rnu'; did you mean 'run'? (see --help)\n"},
    {"$S run 2>&1", 2, "scenario: which files? name at least one (see --help)\n"},
    {"$S run --jbos 2 good 2>&1", 2, "scenario: unknown flag '--jbos'; did you mean '--jobs'?"},
    {"$S run good --jobs 2>&1", 2, "scenario: --jobs needs a value"},
    {"$S run good --jobs many 2>&1", 2,
     "scenario: --jobs takes a number from 1 to 256, not 'many'\n"},
    {"$S run good --jobs 257 2>&1", 2,
     "scenario: --jobs takes a number from 1 to 256, not '257'\n"},
    {"$S faults", 0, "{cut: [\"ctl-0\", api], for: 10s}; also both, for, moment\n"},
    {"$S faults --json 'status-40[39]' | grep -c '\"final\":true'", 0, "1\n"},
    {"$S faults 'x*' 2>&1", 2, "scenario: no kind of fault is like 'x*'\n"},
    {"$S run nowhere 2>&1", 2, "scenario: nowhere: No such file or directory\n"},
    {"$S run good --filter 'x*' 2>&1", 2, "scenario: no scenario there is like x*\n"},
    {"$S list good", 0, "good/one                                     good\ngood/two"},
    {"$S check good", 0, "2 scenarios, no mistakes\n"},
    {"$S check good wrong 2>&1", 2,
     "wrong/a.yaml:2:1: unknown key 'expct' in a scenario; did you mean 'expect'?\n"
     "wrong/b.yaml:2:1: "},
    {"$S run wrong 2>&1", 2, "wrong/a.yaml:2:1: unknown key"},
    {"$S run good", 0, "2 scenarios: 2 passed; "},
    {"$S run good --filter tag:none 2>&1", 2, "scenario: no scenario there is like tag:none\n"},
    {"$S list good more --filter 'tag:se*' | wc -l", 0, "1\n"},
    {"$S run good --filter '*/two'", 0, "1 scenario: 1 passed; "},
    {"$S run bad/one.yaml", 1, "$S run bad/one.yaml --seed 1\n1 scenario: 0 passed, 1 FAILED; "},
    {"$S run bad --seed 77", 1, "  seed 77, trace hash "},
    {"$S run more", 0, "skipped more/s "},
    {"$S run good --twice --jobs 2", 0, "2 scenarios: 2 passed; "},
    {"$S run good bad more --tap", 1,
     "TAP version 14\n1..4\n# Subtest: good/one\n    1..3\n    ok 1 - expect: Station station\n"},
    {"$S run good bad more --tap | grep '^[no].*ok\\|^ok'", 0,
     "ok 2 - good/two\nnot ok 3 - bad/one\nok 4 - more/s # SKIP later\n"},
    {"$S run good --hashes > a; $S run good --hashes --jobs 3 > b; cmp a b && wc -l < a", 0, "2\n"},
    {"$S run good bad --junit r.xml > /dev/null; grep -c '<testsuite ' r.xml", 0, "3\n"},
    {"$S run good --trace t.json > /dev/null && head -1 t.json", 0,
     "{\"scenario\":\"good/one\",\"seed\":1}\n"},
    {"$S run good --seeds 3", 0, "ok      good/two                                     3 seeds "},
    {"$S run good --seeds 3 --jobs 2 --seed 7 --tap | grep -c '^ok . - good/[a-z]*.#[789]$'", 0,
     "6\n"},
    {"$S run bad --seeds 3", 1, "$S run bad/one.yaml --seed 1\nFAILED  bad/one#2: "},
    {"$S run bad --seeds 3 | tail -2", 0, ", 3 FAILED"},
    {"$S run good --seeds 2 --junit s.xml > /dev/null; grep -c '<testsuite name=.good/one#2' s.xml",
     0, "1\n"},
    {"$S run good --seeds 1 --tap | grep -c 'line: 0'", 1, "0\n"},
    /* a run that does not end */
    {"for j in 1 2; do timeout 60 $S run endless good --run-seconds 2 --jobs $j; echo $?; done | "
     "grep -c '^1$\\|: the process that ran it ended: it took longer than 2s of real "
     "time$\\|scenarios: 2 passed, 1 FAILED'",
     0, "6\n"},
    {"timeout 60 $S run endless good --run-seconds 2 --junit j --json r --tap > t; "
     "cat j r t | grep -c 'it took longer than 2s of real time'",
     0, "3\n"},
    {"$S run good --run-seconds 86401 2>&1", 2,
     "scenario: --run-seconds takes a number from 0 to 86400, not '86401'\n"},
    {"$S run good --run-seconds 0", 0, "2 scenarios: 2 passed; "},
    {"$S run good --seeds 0 2>&1", 2,
     "scenario: --seeds takes a number from 1 to 100000, not '0'\n"},
    {"$S run good --jobs 0 2>&1", 2, "scenario: --jobs takes a number from 1 to 256, not '0'\n"},
    {"$S run good --jobs=2 --filter=*/two", 0, "1 scenario: 1 passed; "},
    {"$S run good --twice=no 2>&1", 2, "scenario: --twice takes no value"},
    {"mkfifo p; timeout 5 $S check p 2>&1", 2, "scenario: p: not a regular file\n"},
    {"mkfifo q; echo 'templates: {include: q}' > r.yaml; timeout 5 $S check r.yaml 2>&1", 2,
     "r.yaml:1:22: q: not a regular file\n"},
    {"$S check warned 2>&1", 0,
     "warned/a.yaml:2:13: warning: nothing uses the template 't'\n1 scenario, no mistakes, 1 "
     "warning\n"},
    {"$S check warned --strict 2>&1", 2, "1 scenario, no mistakes, 1 warning\n"},
    {"$S check good --strict", 0, "2 scenarios, no mistakes\n"},
    {"$S run matrix --filter 'matrix/m[n=1]'", 0, "1 scenario: 1 passed; "},
    {"$S run matrix --seed 3", 1, "--seed 3 --filter 'matrix/m[n=2]'\n"},
    {"$S list matrix | wc -l", 0, "2\n"},
    {"$S explain settle", 0, "settle: a duration such as 30s or 1h30m\n"},
    {"$S explain wiat 2>&1", 2,
     "scenario: there is no key 'wiat'; did you mean 'wait'? (all of them: scenario explain)\n"},
    {"$S explain | grep -c '^steps.wait '", 0, "1\n"},
    /* shrinking */
    {"$S shrink good/one.yaml 2>&1", 2,
     "good/one.yaml passes under seed 1, so there is nothing to shrink: "},
    {"$S shrink wrong/a.yaml 2>&1", 2, "wrong/a.yaml:2:1: unknown key 'expct'"},
    {"$S shrink good bad 2>&1", 2, "scenario: shrink takes one file, not 2\n"},
    {"$S shrink nowhere 2>&1", 2, "scenario: nowhere: No such file or directory\n"},
    {"$S shrink bad/one.yaml --out bad/one.yaml/x 2>&1", 2,
     "scenario: bad/one.yaml/: Not a directory\n"},
    {"$S shrink large/a.yaml --out s.yaml 2> e | tail -4 | head -1; grep -v '^#' s.yaml", 0,
     ": nothing more can be taken away\n"
     "description: \"What fails as 'expect: Agent a' does not fail.\"\n"
     "pods:\n"
     "- exit: 1\n"
     "steps:\n"
     "- apply: {kind: Agent, name: a}\n"
     "expect:\n"
     "- {kind: Agent, name: a, status: {phase: Succeeded}}\n"},
    {"$S shrink matrix/m.yaml 2>&1", 2,
     "scenario: matrix/m.yaml is 2 scenarios; --filter says which, such as 'matrix/m[n=1]'\n"},
    {"$S shrink matrix/m.yaml --filter 'matrix/m[n=3]' 2>&1", 2,
     "scenario: no scenario of matrix/m.yaml is called so\n"},
    {"$S shrink matrix/m.yaml --filter 'matrix/m[n=2]' --out m.yaml 2> e > e; grep -v '^#' m.yaml",
     0, "description: \"What fails as 'expect: ConfigMap c-2' does not fail.\"\n"},
    {"$S shrink large/a.yaml --out s.yaml > e 2>&1; $S run s.yaml --hashes 2> e | cut -d' ' -f2 > "
     "h; grep -c \"^# trace hash $(cat h)\" s.yaml",
     0, "1\n"},
    {"for j in 1 3; do $S shrink large/a.yaml --out s.yaml --trials 40 --jobs $j > out 2> e; "
     "mv s.yaml s$j.yaml; done; cmp s1.yaml s3.yaml && echo same",
     0, "same\n"},
    {"$S shrink large/a.yaml --out t.yaml --trials 3 2> e", 0,
     "lines after 3 runs: as small as it got; --trials allows more\n"},
    {"$S shrink large/a.yaml --seed 7 --trials 5 > out 2> e; ls expect-agent-a-*.yaml | wc -l; "
     "grep -c 'found in large/a.yaml, seed 7, and shrunk' expect-agent-a-*",
     0, "1\n1\n"},
    {"rm -f k.yaml; $S shrink large/a.yaml --out k.yaml > out 2> e & until test -e k.yaml; do :; "
     "done; "
     "kill -9 $!; wait; $S check k.yaml",
     0, "1 scenario, no mistakes\n"},
    /* a file that may grow no more: an error, and nothing that looks whole */
    {"rm -f f*; for r in --trace --timeline --json --junit --keep; do "
     "(ulimit -f 1; $S run large $r f > /dev/null 2> e); echo $?; cat e; done | sort | uniq -c; "
     "ls f*",
     2, "      5 2\n      5 scenario: f: File too large\n"},
    {"rm -f f*; (ulimit -f 1; $S explore --seeds 3 --show > f 2> e); echo $?; cat e", 0,
     "2\nscenario: standard output: File too large\n"},
    {"for c in 'list good' 'check good' explain faults 'faults --json' 'explore --seeds 3 --show' "
     "--help 'run --help' --version; do $S $c > /dev/full 2> e; echo $?; cat e; done | sort | "
     "uniq -c",
     0, "      9 2\n      9 scenario: standard output: No space left on device\n"},
    {"$S shrink bad/one.yaml --out /dev/full --trials 3 2>&1 > /dev/null", 2,
     "scenario: /dev/full: No space left on device\n"},
    /* reports when standard output is lost, at once or on the way */
    {"rm -f j t; $S run good --junit j --trace t >&- 2> e; echo $?; cat e j; head -1 t", 0,
     "2\nscenario: standard output: Bad file descriptor\n<?xml"},
    {"rm -f j t; $S run good --junit j --trace t > /dev/full 2> e; echo $?; grep -c '<testsuite ' "
     "j; "
     "head -1 t",
     0, "2\n2\n{\"scenario\":\"good/one\",\"seed\":1}\n"},
    {"rm -f j; $S run good --jobs 2 --junit j > /dev/full 2> e; echo $?; grep -c '<testsuite ' j",
     0, "2\n2\n"},
    {"$S run good --junit /dev/stdout > out; grep -c '<testsuite ' out; grep -c passed out", 0,
     "2\n1\n"},
    /* what failed is done again by the command that is printed: under the same seed, the same run
     */
    {REPEATS("$S run bad/one.yaml"), 0, "same\n"},
    {REPEATS("$S run bad --seed 77"), 0, "same\n"},
    {REPEATS("$S run bad --seeds 3 --seed 9 --jobs 2"), 0, "same\n"},
    {REPEATS("$S run bad --twice"), 0, "same\n"},
    {"mkdir -p 'a b'; cp bad/one.yaml \"a b/it's \\$(touch no).yaml\"; " REPEATS(
         "$S run 'a b'") "; test ! -e no && echo quoted",
     0, "same\nquoted\n"},
    {"$S run bad --junit j > /dev/null; grep -o 'name=.repeat. value=.*one.yaml --seed 1' j | wc "
     "-l",
     0, "1\n"},
    /* parts, and one report of them */
    {"for i in 0 1 2; do $S run good bad more --shard $i/3 --json p$i > /dev/null; done; "
     "$S run good bad more --json all > /dev/null; $S merge p2 p0 p1 --json merged > m; echo $?; "
     "sed 's/\"real_us\":[0-9]*//g' all > a; sed 's/\"real_us\":[0-9]*//g' merged > b; sort a > c; "
     "sort b | cmp - c && echo one; "
     "grep -c 'passed, 1 FAILED, 1 skipped' m",
     0, "1\none\n1\n"},
    {"$S run good --shard 3/3 2>&1", 2,
     "scenario: '3/3' is no shard I/N: I counts from 0, so 0/8 to 7/8 are eight\n"},
    {"$S explore --seeds 1..3 --shard 3/3 2>&1", 2,
     "scenario: '3/3' is no shard I/N: I counts from 0, so 0/8 to 7/8 are eight\n"},
    {"$S run good --shard 2/3 | tail -1", 0, "0 scenarios: 0 passed"},
    {"$S run good --json g > /dev/null; $S merge g g 2>&1", 2,
     "scenario: good/one is there twice, under seed 1\n"},
    {"echo '{}' > n; $S merge n 2>&1", 2,
     "scenario: n:1: a result without its scenario, path or verdict\n"},
    {": > n; $S merge n 2>&1", 2, "scenario: n: no result in it\n"},
    {"rm -f m; printf '\\n' > n; $S merge n --junit m 2>&1; test ! -e m && echo none", 0,
     "scenario: n:1: "},
    {"$S run good --json g > /dev/null; sed '2s/\"virtual_us\":[0-9]*/\"virtual_us\":\"1\"/' g > "
     "n; "
     "$S merge n 2>&1",
     2, "scenario: n:2: virtual_us is no whole number\n"},
    {"$S run good --json g > /dev/null; sed '2s/\"virtual_us\":/&-/' g > n; $S merge n 2>&1", 2,
     "scenario: n:2: virtual_us is less than 0\n"},
    {"$S run good --json g > /dev/null; sed '1s/\"checks\"/\"chekcs\"/' g > n; $S merge n 2>&1", 2,
     "scenario: n:1: a result without its list of checks\n"},
    {"$S run good --shard 2/3 --json p3 > /dev/null; $S merge p3 | tail -1", 0,
     "0 scenarios: 0 passed"},
    {"$S merge nowhere 2>&1", 2, "scenario: nowhere: No such file or directory\n"},
    {"$S run good --json g > /dev/null; $S merge g --junit m.xml --tap | head -1; grep -c "
     "'<testsuite ' m.xml",
     0, "TAP version 14\n2\n"},
    /* annotations */
    {"GITHUB_ACTIONS=true $S run bad", 1,
     "::error file=bad/one.yaml,line=2,title=bad/one::expect: Station other%0A"},
    {"GITHUB_ACTIONS=true $S run bad --tap 2> e | grep -c '::error'; grep -c '^::error' e", 0,
     "0\n1\n"},
    {"$S run bad --github", 1, "::error file=bad/one.yaml"},
    {"$S run bad | grep -c '::error'; $S run good --github | grep -c '::error'", 1, "0\n0\n"},
    /* what is kept at the end */
    {"$S run good/one.yaml --keep k.yaml > /dev/null; head -1 k.yaml | cut -c1-11; grep -c '^kind: "
     "Station' k.yaml",
     0, "# revision \n1\n"},
    {"mkdir -p kept; $S run good bad --keep kept > /dev/null; ls kept", 0,
     "bad-one.yaml\ngood-one.yaml\ngood-two.yaml\n"},
    {"$S run good --keep k2 2>&1", 2,
     "scenario: --keep k2: of 2 runs, which takes a folder that is there\n"},
    {"$S run good/one.yaml --keep /dev/full 2>&1 >/dev/null", 2,
     "scenario: /dev/full: No space left on device\n"},
    /* pages */
    {"$S run good bad --timeline t.html > /dev/null; grep -c '^{\"run\":' t.html; grep -o "
     "'run\":{\"scenario\":\"[a-z/]*' t.html | head -1",
     0, "3\nrun\":{\"scenario\":\"bad/one"},
    {"$S run good --timeline /dev/full 2>&1 > /dev/null", 2,
     "scenario: /dev/full: No space left on device\n"},
    {"$S run good --json /dev/full 2>&1 > /dev/null", 2,
     "scenario: /dev/full: No space left on device\n"},
    /* where reports go */
    {"$S run good --junit a --trace a 2>&1", 2,
     "scenario: --junit and --trace are the same file, 'a'\n"},
    {"rm -f new; $S run good --junit new --trace ./new 2>&1", 2,
     "--junit and --trace are the same file"},
    {"$S run good --junit /nowhere/j", 2, ""},
    {"$S run good --junit good 2>&1 | tail -1", 0, "scenario: good: Is a directory\n"},
    {"$S run good --trace /nowhere/t 2>&1 | wc -l", 0, "1\n"},
    {"echo mine > j.part; $S run good --junit j > /dev/null; cat j.part; ls j*", 0,
     "mine\nj\nj.part\n"},
    {"echo old > real; ln -sf real link; $S run good --junit link > /dev/null;"
     " test -L link && grep -c '<testsuite ' real",
     0, "2\n"},
    {"ln -sf void dangling; $S run good --junit dangling 2>&1; test -L dangling && test ! -e void "
     "&& echo kept",
     0, "scenario: dangling: a symbolic link to what is not there\nkept\n"},
    {"$S run good --junit /dev/full 2>&1 > /dev/null", 2,
     "scenario: /dev/full: No space left on device\n"},
    {"$S run good --trace /nowhere/t 2>&1 > /dev/null", 2,
     "scenario: /nowhere/t: No such file or directory\n"},
    {"$S run good 2>&1 > /dev/full", 2, "scenario: standard output: No space left on device\n"},
    {"$S run good --jobs 2 2>&1 > /dev/full", 2,
     "scenario: standard output: No space left on device\n"},
};

static void check(const char *folder, const struct row *row)
{
    struct buffer output = BUFFER_INIT(OUTPUT_BYTES_MAX);
    int status = shell(folder, row->line, &output);
    const char *wanted = row->output;
    char *filled = NULL;

    if (strncmp(wanted, "$S", 2) == 0) {
        filled = xprintf("%s%s", getenv("SCENARIO"), wanted + 2);
        wanted = filled;
    }
    if (status != row->status)
        fail_msg("%s: exit status %d\n%s", row->line, status, buffer_text(&output));
    if (strstr(buffer_text(&output), wanted) == NULL)
        fail_msg("%s\nprinted: %s\nwanted:  %s", row->line, buffer_text(&output), wanted);
    free(filled);
    buffer_release(&output);
}

static void test_command_lines(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(*state, &rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_command_lines)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
