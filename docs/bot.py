"""Greets players who join. It needs FARMGATE_URL, FARMGATE_KEY and no package, and continues after an outage."""

import http.client, json, os, sys, time, urllib.error, urllib.request

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

known = None
while True:
    # Python's integers hold every digit of an id.
    players = {one["id"]: one["name"] for one in wait_until_it_works("GET", "/players")["players"]}
    for joined in players.keys() - (known if known is not None else players).keys():
        wait_until_it_works("POST", "/announce", {"message": f"Welcome, {players[joined]}!"})
    known = players
    print(", ".join(players.values()) or "no one", flush=True)
    time.sleep(float(os.environ.get("PAUSE", "5")))
