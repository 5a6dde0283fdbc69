# SPDX-License-Identifier: Apache-2.0
"""Drives a headless Chromium over its debugging pipe (the DevTools protocol) with the standard library only.

The functions below the class are the checks that the tests of all pages share.
"""
import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from page_measures import CONTRAST, WIDTHS

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_browser():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """Browser with one page. Messages end in a zero byte. The browser reads descriptor 3 and writes descriptor 4."""

    def __init__(self, program, size=(1280, 900)):
        self.profile = tempfile.mkdtemp()
        to_read, self.to = os.pipe()
        self.answers, to_write = os.pipe()
        for descriptor in (to_read, to_write):
            os.set_inheritable(descriptor, True)
        # The shell moves the pipes to the descriptors that the browser uses.
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
                   f"--user-data-dir={self.profile}", f"--window-size={size[0]},{size[1]}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "bash", *command],
            close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.numbers = itertools.count(1)
        self.buffer = b""
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            read = os.read(self.answers, 1 << 16)
            if not read:
                raise EOFError("the browser has ended")
            self.buffer += read
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        number = next(self.numbers)
        request = {"id": number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message(60)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def open(self, url):
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message(60))

    def complaints(self):
        """Returns the distinct messages of the page's console: errors, warnings, exceptions, blocked scripts."""
        self.evaluate("0")  # earlier events have arrived when this returns
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["text"])
            elif event.get("method") == "Log.entryAdded":
                found.append(event["params"]["entry"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled":
                found.append(str(event["params"]["args"]))
        return sorted(set(found))

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key, code, text=""):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, text=text,
                  windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def picture(self, path, scale=1, whole=False):
        """Writes the first screen, or the whole page, as PNG. `scale` reduces it."""
        metrics = self.call("Page.getLayoutMetrics")
        content, screen = metrics["cssContentSize"], metrics["cssLayoutViewport"]
        height = content["height"] if whole else screen["clientHeight"]
        clip = {"x": 0, "y": 0, "width": screen["clientWidth"], "height": height, "scale": scale}
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, TimeoutError, OSError):
            pass
        os.close(self.to)
        os.close(self.answers)
        self.process.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)


FAULTS = []  # texts of the failed checks


def check(truth, fault):
    """Adds the text `fault` to FAULTS if `truth` is false."""
    if not truth:
        FAULTS.append(fault)


def check_names(page):
    """Checks that a page shows markup and scripts in names as text, and that the page loads no other files."""
    check(page.evaluate("document.title") != "taken", "a script of an axis value was run")
    check(page.evaluate("document.querySelectorAll('td b, th b, li b').length") == 0, "a value became markup")
    loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    check(not loaded, f"the page loads {loaded}")


def check_width(page, url, width, height):
    """Checks that a page fits into a window of this size. Returns the measures of WIDTHS."""
    page.resize(width, height)
    page.open(url)
    found = page.evaluate(WIDTHS)
    check(not found["page"], f"{width} pixels: the page is wider than its window")
    check(not found["cut"], f"{width} pixels: tables are cut off at the page's edge: {found['cut']}")
    return found


def check_themes(page, url):
    """Checks the contrasts of both themes, and leaves the page in the dark theme. Returns the colours of the page."""
    colours = {}
    for scheme in ("light", "dark"):
        page.prefer(scheme)
        page.open(url)
        colours[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
        contrast = page.evaluate(CONTRAST)
        check(contrast["text"] >= 4.5, f"{scheme}: text has a contrast of {contrast['text']:.2f}")
        check(contrast["drawn"] >= 3, f"{scheme}: lines have a contrast of {contrast['drawn']:.2f}")
    check(colours["light"] != colours["dark"], f"both themes are {colours['light']}")
    return colours


def check_console(page):
    """Checks that the console of the page has been empty since the page was opened."""
    complaints = page.complaints()
    check(not complaints, f"messages in the console: {complaints}")


def run_checks(label, look_at):
    """Calls look_at() with a new browser, and prints FAULTS after `label`. Returns the exit code of the test."""
    program = find_browser()
    if not program:
        print("SKIPPED: chromium is not installed (tools/setup --lint brings it)")
        return 77
    page = Browser(program)
    try:
        look_at(page)
    finally:
        page.close()
    for fault in FAULTS:
        print(f"{label}: {fault}")
    return 1 if FAULTS else 0
