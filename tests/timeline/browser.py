"""A headless Chromium, spoken to over its DevTools protocol."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import websocket

PATIENCE_S = 60  # a bound for hangs, never a measure


class Browser:
    """One page of one browser; a context manager."""

    def __init__(self, width=1400, height=860):
        self.folder = tempfile.mkdtemp(prefix="timeline-browser-")
        words = ["chromium", "--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                 "--remote-debugging-port=0", "--remote-allow-origins=*", f"--window-size={width},{height}",
                 f"--user-data-dir={self.folder}", "--disable-dev-shm-usage", "about:blank"]
        if os.geteuid() == 0:
            words.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number = 0
        self.events = []
        self.socket = None

    def __enter__(self):
        try:
            self.connect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.socket is not None:
            self.socket.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def connect(self):
        place = pathlib.Path(self.folder, "DevToolsActivePort")
        end = time.monotonic() + PATIENCE_S
        while not place.exists() or len(place.read_text().split()) < 2:
            if time.monotonic() > end or self.process.poll() is not None:
                raise TimeoutError("chromium does not start")
            time.sleep(0.05)
        port, path = place.read_text().split()
        root = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", timeout=PATIENCE_S)
        self.socket = root
        self.session = None
        target = [info for info in self.call("Target.getTargets")["targetInfos"] if info["type"] == "page"][0]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Accessibility", "DOM"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def seen(self, method):
        """What came of one kind since the page was opened."""
        return [event["params"] for event in self.events if event.get("method") == method]

    def open(self, path):
        """Opens a file and waits until it is drawn."""
        self.events = []
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait("document.readyState === 'complete' && performance.getEntriesByName('first paint').length > 0")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, expression):
        end = time.monotonic() + PATIENCE_S
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {expression}")
            time.sleep(0.02)

    def settle(self):
        """Two frames later all that was asked for is drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def key(self, key, shift=False):
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9,
                 "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34}
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        parameters = {"key": key, "modifiers": 8 if shift else 0, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **parameters)
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)
        self.settle()

    def type(self, text):
        for letter in text:
            self.key(letter)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)
        self.settle()

    def theme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])
        self.settle()

    def picture(self):
        import base64
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])
