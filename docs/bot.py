"""Greets players who join, prints the chat and answers "hi bot". It needs FARMGATE_URL, FARMGATE_KEY and no package, and
continues after an outage."""

import base64, http.client, json, os, socket, ssl, struct, sys, threading, time
import urllib.error, urllib.parse, urllib.request

URL, KEY = os.environ["FARMGATE_URL"], os.environ["FARMGATE_KEY"]

def call(method, path, body=None):
    request = urllib.request.Request(URL + path, method=method)
    request.add_header("Authorization", "Bearer " + KEY)
    if body is not None:
        request.add_header("Content-Type", "application/json")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(request, data, timeout=40) as answer:
        return json.load(answer)

def wait_until_it_works(method, path, body=None):
    pause, has_warned = 1, False
    while True:
        try:
            return call(method, path, body)
        except urllib.error.HTTPError as error:
            problem = problem_of(error, method)
            # A change without "retry" may have been made, or is wrong: do not send it again.
            if not problem.get("retry"):
                raise SystemExit(problem["error"])
            retry_after = error.headers.get("Retry-After", "")
            pause = int(retry_after) if retry_after.isdigit() else pause
        except ValueError:
            raise SystemExit(f"{URL} is not the address of a farm: {path} is not JSON")
        except (OSError, http.client.HTTPException) as error:
            if method != "GET":
                raise SystemExit(f"No answer: {error}. The change may have been made.")
            problem = {"error": f"No answer from {URL}: {error}"}
        if not has_warned:
            print(f"{problem['error']}. Trying again.", file=sys.stderr, flush=True)
            has_warned = True
        time.sleep(pause)
        pause = min(pause * 2, 30)

def problem_of(error, method):
    try:
        problem = json.load(error)
        problem["error"]
        return problem
    except (ValueError, KeyError, TypeError):  # Not farmgate: a proxy whose server restarts, or a wrong address.
        passes = method == "GET" and (error.code == 429 or error.code >= 500)
        return {"error": f"{URL} answers with {error}", "retry": passes}

class Chat:
    """The live connection: a WebSocket (RFC 6455), here without a package."""

    def __init__(self):
        at = urllib.parse.urlsplit(URL)
        connected = socket.create_connection((at.hostname, at.port or (443 if at.scheme == "https" else 80)), 40)
        if at.scheme == "https":
            connected = ssl.create_default_context().wrap_socket(connected, server_hostname=at.hostname)
        self.socket, self.stream, self.lock = connected, connected.makefile("rb"), threading.Lock()
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {at.path.rstrip('/')}/ws HTTP/1.1\r\nHost: {at.netloc}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        if b" 101 " not in self.stream.readline():
            raise OSError("no WebSocket")
        while self.stream.readline().strip():
            pass

    def send(self, type, payload=None):
        self.frame(1, json.dumps({"type": type, "payload": payload}).encode())

    def frame(self, opcode, data):
        mask = os.urandom(4)
        size = bytes([128 | len(data)]) if len(data) < 126 else struct.pack(">BH", 254, len(data))
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        with self.lock:
            self.socket.sendall(bytes([128 | opcode]) + size + mask + masked)

    def read(self, length):
        data = self.stream.read(length)
        if len(data) < length:
            raise OSError("the connection ended")
        return data

    def messages(self):
        text = b""
        while True:
            head, size = self.read(2)
            if size > 125:
                size = struct.unpack(">H" if size == 126 else ">Q", self.read(2 if size == 126 else 8))[0]
            data = self.read(size)
            if head & 15 == 8:
                raise OSError("the connection was closed")
            if head & 15 == 9:
                self.frame(10, data)
            elif head & 15 < 2:
                text += data
                if head & 128:
                    yield json.loads(text)
                    text = b""

    def keep_alive(self):
        try:
            while True:
                time.sleep(30)
                self.send("ping")
        except OSError:
            pass  # The reader notices it too.

def listen():
    pause = 1
    while True:
        try:
            chat = Chat()
            # A bot that answers begins with the next line: it does not answer old ones again.
            chat.send("auth", {"token": KEY, "since": "now"})
            threading.Thread(target=chat.keep_alive, daemon=True).start()
            for message in chat.messages():
                pause = 1
                said = message.get("payload") or {}
                if message["type"] == "chat":
                    print(f"{said['playerName']}: {said['message']}", flush=True)
                    if said["message"].strip().lower() == "hi bot":
                        chat.send("chat_send", {"author": "Bot", "message": f"Hello, {said['playerName']}!"})
                elif message["type"] in ("auth_failed", "error", "missed"):
                    print(f"{message['type']}: {said}", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            pass  # The loop below says why farmgate is unreachable.
        time.sleep(pause)
        pause = min(pause * 2, 30)

threading.Thread(target=listen, daemon=True).start()
known = None
while True:
    # Python's integers hold every digit of an id.
    players = {one["id"]: one["name"] for one in wait_until_it_works("GET", "/players")["players"]}
    for joined in players.keys() - (known if known is not None else players).keys():
        wait_until_it_works("POST", "/announce", {"message": f"Welcome, {players[joined]}!"})
    known = players
    print(", ".join(players.values()) or "no one", flush=True)
    time.sleep(float(os.environ.get("PAUSE", "5")))
