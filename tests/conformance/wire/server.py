"""server: a fakeapi for one row: started, watched, ended."""
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

PATIENCE_S = 60  # a bound for hangs, never a measure
REPORT = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|==[0-9]+==")
VALGRIND = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--error-exitcode=99"]


class Failed(Exception):
    """The server did not start, did not stop, or had something to report."""


class Server:
    def __init__(self, program, flags, files, valgrind):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="wire-"))
        for name, content in files.items():
            (self.directory / name).write_text(content)
        words = [word.replace("$TMP", str(self.directory)) for word in flags]
        self.log = open(self.directory / "stderr", "w+b")
        self.process = subprocess.Popen(
            (VALGRIND if valgrind else []) + [program, "--listen", "127.0.0.1:0"] + words,
            stdout=subprocess.PIPE, stderr=self.log, cwd=self.directory)
        self.address, self.tls = None, False

    def __enter__(self):
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"fakeapi: listening on (https?)://([0-9.]+):([0-9]+)\n", line)
        if not found:
            self.end()
            raise Failed(f"did not start: {line}{self.said()}")
        self.tls = found[1] == "https"
        self.address = (found[2], int(found[3]))
        return self

    def __exit__(self, kind, *_):
        code = self.end()
        said = self.said()
        shutil.rmtree(self.directory)
        if code != 0:
            raise Failed(f"ended with {code}\n{said}")
        if REPORT.search(said):
            raise Failed(f"has a report\n{said}")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "a kill: it did not stop"
        finally:
            self.process.stdout.close()

    def said(self):
        self.log.close()
        text = (self.directory / "stderr").read_text(errors="replace")
        return "\n".join(text.splitlines()[-60:])
