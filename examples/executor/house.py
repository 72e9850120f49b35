"""An executor: a house whose thermometer and sprinkler a model may use. python3 house.py SERVER [TOKEN]"""
import http.client, json, sys, threading, time, urllib.request

SERVER, TOKEN = sys.argv[1].rstrip("/"), "".join(sys.argv[2:])

def read_sensor(room):
    return {"room": room, "celsius": {"hall": 21, "attic": 9}[room]}

def water_plants(seconds):
    print("watering for", seconds, flush=True)
    time.sleep(seconds)
    return f"watered for {seconds} s"

def offer(tool, description, args, **more):
    schema = {"type": "object", "properties": args, "required": list(args), "additionalProperties": False}
    return {"name": tool.__name__, "description": description, "schema": schema, **more}

TOOLS = [offer(read_sensor, "Reads the thermometer of a room: hall or attic.", {"room": {"type": "string"}},
               effects="read", risk="low"),
         offer(water_plants, "Waters the plants for some seconds.", {"seconds": {"type": "integer", "minimum": 1}},
               effects="external", risk="medium", timeout_s=300)]

def ask(path, body, secret=""):
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + TOKEN, "X-Executor-Secret": secret}
    request = urllib.request.Request(SERVER + "/api/executors" + path, json.dumps(body).encode(), headers)
    return json.loads(urllib.request.urlopen(request, timeout=60).read() or "null")

def run(me, call):
    try: answer = {"output": globals()[call["tool"]](**call["arguments"])}
    except Exception as error: answer = {"error": f"{type(error).__name__}: {error}"}
    try: ask(f"/{me['executor_id']}/calls/{call['call']}", answer, me["secret"])
    except OSError as error: print("nobody waits for this answer any more:", error, flush=True)

while True:  # begins anew when the server was restarted or the lease was lost
    try:
        me, news = ask("", {"name": "house", "lease_s": 5, "tools": TOOLS}), {"after": 0}
        while news := ask(f"/{me['executor_id']}/poll", {"after": news["after"], "wait_s": 20}, me["secret"]):
            for call in news["calls"]: threading.Thread(target=run, args=(me, call), daemon=True).start()
    except (OSError, http.client.HTTPException) as error: print("again:", error, flush=True); time.sleep(1)
