"""Dialogues without end for the built-in model: phrasings times values times noise, from a seed.

Owns how a message is put together and what the right next step is; knows nothing of tokens or training.
`python3 generate.py [COUNT] [SEED]` prints samples to read.
"""

import os
import random
import re
import sys

from noise import COPIED, SLOT, Noise, expand, tidy
from tools import NAMES, STATUSES, TOOLS, call_text
from values import HERE, Values, load_lines

ANSWER_KINDS = ["greeting", "thanks", "farewell", "identity", "ability", "beyond", "unclear"]
ANSWER_WEIGHTS = [1.0, 0.9, 0.8, 1.0, 1.2, 5.0, 2.0]
SEQUENTIAL = re.compile(r"\b(then|after|afterwards|once|next|followed|before|first|when)\b")
ARGUMENT_OF = {"dir": "path", "place": "timezone", "expr": "expression", "clause": "hint", "asked": "query"}
FAILURES = ["failed: no such file or directory", "failed: not found", "failed: timed out after 30 s", "failed: permission denied",
            "failed: connection refused", "failed: invalid argument", "failed: exit code 1", "failed: the file does not exist",
            "failed: too large", "failed: no network", "failed: unknown task", "failed: status 404", "denied", "denied: the user said no",
            "denied by a rule", "failed: not a text file", "failed: cancelled"]
MISSING = re.compile("no such file|not found|does not exist")
AGAIN = ["again", "once more", "do that again", "repeat that", "same again", "try again", "retry", "again please", "one more time", "refresh",
         "run it again", "please repeat", "and again", "do it again", "try once more", "show me again", "redo that"]


def parse_pattern(text):
    """`[a|b {slot}|]` as a tree: a list of strings and of alternatives (lists of trees)."""
    def sequence(at, stop):
        items, start = [], at
        while at < len(text) and not (stop and text[at] in "|]"):
            if text[at] == "[":
                if at > start:
                    items.append(text[start:at])
                branches = []
                while True:
                    branch, at = sequence(at + 1, True)
                    branches.append(branch)
                    if text[at] == "]":
                        break
                items.append(branches)
                at += 1
                start = at
            else:
                at += 1
        if at > start:
            items.append(text[start:at])
        return items, at
    return sequence(0, False)[0]


def parse_calls(text):
    """`tool{arg={slot}, arg=word} ; tool{}` as [(tool, [(arg, template)])]."""
    calls = []
    for part in re.split(r"\s+;\s+", text.strip()):
        name, body = part.split("{", 1)
        name = name.strip()
        body = body.rsplit("}", 1)[0]
        pairs = [(key, value) for key, value in re.findall(r"(\w+)\s*=\s*((?:\{\w+\}|[^,{}])+)", body)]
        if "." in name:
            name, status = name.split(".")
            pairs.append(("status", status))
        if name not in TOOLS:
            raise ValueError(f"unknown tool in {text!r}")
        calls.append((name, [(key, value.strip()) for key, value in pairs]))
    return calls


class Library:
    """Everything hand-written, read once."""

    def __init__(self, folder=HERE):
        self.flat, self.patterns = {}, {}
        for kind, store in (("phrases", self.flat), ("patterns", self.patterns)):
            for name in sorted(os.listdir(os.path.join(folder, kind))):
                if name.endswith(".txt"):
                    lines = load_lines(os.path.join(folder, kind, name))
                    store[name[:-4]] = lines if kind == "phrases" else [self.pattern(line) for line in lines]
        self.steps = self.keyed(os.path.join(folder, "steps.txt"))
        self.followups = self.keyed(os.path.join(folder, "followups.txt"))
        self.before, self.after = [], []
        self.swaps = {}
        for line in load_lines(os.path.join(folder, "swaps.txt")):
            group = line.split(", ")
            for word in group:
                self.swaps.setdefault(word, group)
        for line in load_lines(os.path.join(folder, "contexts.txt")):
            side, text = line.split(": ", 1)
            (self.before if side == "before" else self.after).append(parse_pattern(text))

    @staticmethod
    def pattern(line):
        text, arrow, meaning = line.partition(" => ")
        return parse_pattern(text), (meaning if arrow else None)

    @staticmethod
    def keyed(path):
        table = {}
        for line in load_lines(path):
            key, text = line.split(": ", 1)
            table[key] = [parse_pattern(part) for part in text.split(" / ")]
        return table


class Generator(Noise):
    """Seeded; `dialogue()` gives one dialogue as [(role, text)]."""

    def __init__(self, seed, library=None):
        self.r = random.Random(seed)
        self.lib = library or Library()
        self.v = Values(self.r)
        self.tools = list(TOOLS)
        self.weights = {name: 1.0 for name in TOOLS}
        self.weights.update({"update_task": 1.5, "calculate": 2.0, "system_stats": 1.3, "write_file": 2.0, "search_text": 1.5, "request_code_context": 1.5,
                             "web_search": 1.6, "rag_search": 1.5, "add_task": 1.3, "execute_command": 1.3, "get_current_time": 2.4,
                             "generate_image": 1.3, "fetch_url": 0.8})
        self.tool_list = list(self.weights)
        self.tool_weights = [self.weights[name] for name in self.tool_list]

    def p(self, chance):
        return self.r.random() < chance

    def c(self, items):
        return items[int(self.r.random() * len(items))]

    # ---- from a phrasing to segments: (slot or "", text as typed, value as argument)
    def phrase(self, key):
        flat, patterns = self.lib.flat.get(key), self.lib.patterns.get(key)
        if flat and (not patterns or self.p(0.6)):
            line = self.c(flat)
            if key not in ("calculate", "two_step"):
                return line, None
            text, arrow, meaning = line.partition(" => ")
            return text, (meaning if arrow else None)
        tree, meaning = self.c(patterns)
        return tidy(expand(self.r, tree)), meaning

    def value(self, slot, tool, before):
        """(as typed, as argument)."""
        v = self.v
        base = slot.rstrip("0123456789")
        if base in ("path", "file"):
            text = v.path()
        elif base in ("dir", "folder"):
            text = v.dir()
        elif base == "place":
            place = v.c(v.places)
            zone = v.zones[place]
            if self.p(0.06) and "/" in zone:
                return zone, zone
            if before.endswith(" the ") and place.startswith("the "):
                place = place[4:]
            if self.p(0.05) and len(place) > 4:
                place = self.typo(place)
            return place, zone
        elif base == "expr":
            return v.expression()
        elif base in ("a", "b", "c", "d"):
            return v.number()
        elif base in ("n", "m", "limit", "max_results"):
            n = self.r.randint(1, 12) if self.p(0.85) else self.c([15, 20, 25, 30, 50])
            typed = self.word_number(n) if self.p(0.3) else str(n)
            return typed, n
        elif base in ("w", "h", "width", "height"):
            n = self.c([64, 128, 256, 320, 400, 480, 512, 600, 640, 720, 768, 800, 900, 1000, 1024, 1080, 1200, 1280, 1440, 1536, 1600, 1920, 2048, 2560, 3840])
            return str(n), n
        elif base == "task_id":
            return self.task_id(before)
        elif base == "pattern":
            text = v.pattern()
        elif base == "hint":
            text = v.hint()
        elif base == "query" and tool == "web_search_bare":
            text = v.bare_query()
        elif base == "query":
            text = v.query(tool if tool in ("rag_search", "web_search") else "web_search")
        elif base == "url":
            text = v.url()
        elif base == "prompt":
            text = v.prompt()
        elif base == "content":
            text = v.content() if tool == "write_file" else v.task()
        elif base == "command":
            text = v.command()
        elif base == "topic":
            text = v.topic()
        elif base == "country":
            text = v.c(v.countries)
        elif base == "word":
            text = v.word()
        elif base == "task":
            text = v.task()
        elif base == "person":
            text = v.c(v.PEOPLE)
        elif base == "clause":
            text = v.clause()
        elif base == "asked":
            text = v.asked()
        elif base == "newline":
            text = self.c(["\n", "\n", "\n\n", " "])
        else:
            raise ValueError(f"unknown slot {slot}")
        return text, text

    def word_number(self, n):
        from values import spell
        return spell(n) if n < 100 else str(n)

    def task_id(self, before):
        n = self.r.randint(1, 20) if self.p(0.75) else self.r.randint(1, 300)
        argument = f"task_{n}"
        digits = self.word_number(n) if self.p(0.07) and n < 30 else str(n)
        ahead = before.lower().rstrip()
        if ahead.endswith(("task", "number", "#", "no.", "item", "todo", "nr", "id", "task_", "entry", "ticket")):
            return digits, argument
        k = self.r.random()
        if k < 0.4:
            return f"task_{n}", argument
        if k < 0.82:
            return "task " + digits, argument
        return self.c([f"task #{n}", f"task number {digits}", f"task no. {n}", f"#{n}", f"number {digits}", f"todo {n}", f"task-{n}", f"item {n}", f"Task {n}", f"todo #{n}", f"task{n}", f"no. {n}", f"TASK_{n}", f"the task {n}", f"task nr {n}"]), argument

    def segments(self, text, tools_of):
        """Splits a phrasing at its slots and fills them; tools_of says for which tool a slot is."""
        out, at = [], 0
        for found in SLOT.finditer(text):
            literal = text[at:found.start()]
            slot = found.group(1)
            if literal:
                out.append(["", literal, None])
            before = out[-1][1] if out else ""
            quoted = bool(literal) and literal[-1] in "\"'`“" and found.end() < len(text) and text[found.end()] in "\"'`”"
            typed, argument = self.value(slot, tools_of.get(slot, ""), before)
            base = slot.rstrip("0123456789")
            if base == "path" and self.p(0.05 if not quoted else 0.3):
                typed = argument = self.v.spaced_path()
                if not quoted:
                    quote = self.c(['"', "'", "`"])
                    typed = quote + typed + quote
            if base == "content" and quoted and self.p(0.25) and typed[-1:].isalnum():
                typed = argument = typed[:1].upper() + typed[1:] + self.c([".", ".", "!", "?", "..."])
            if quoted and literal[-1] in typed:
                typed = argument = (self.v.some_words(1, 3) if base in COPIED else typed)
            out.append([slot, typed, argument])
            at = found.end()
        if at < len(text):
            out.append(["", text[at:], None])
        return out

    # ---- single requests
    def request(self, name=None):
        """(text, [(tool, arguments)], sequential) of one call."""
        name = name or self.r.choices(self.tool_list, self.tool_weights)[0]
        key, status = name, None
        if name == "update_task":
            status = self.r.choices(STATUSES, [1, 1, 1.2])[0]
            key = f"update_task.{status}"
        elif name == "web_search" and self.p(0.1):
            key = "web_search_bare"
        text, meaning = self.phrase(key)
        segments = self.segments(text, {slot: key if key == "web_search_bare" else name for slot in SLOT.findall(text)})
        self.extras(name, segments)
        self.dress(segments, name)
        arguments = self.arguments(name, segments, meaning)
        if status:
            arguments["status"] = status
        return self.joined(segments), [(name, arguments)]

    def extras(self, name, segments):
        """Optional arguments said in passing."""
        slots = {segment[0] for segment in segments}
        if name in ("rag_search", "web_search") and not slots & {"n", "limit", "max_results"} and self.p(0.13):
            n = self.r.randint(1, 12) if self.p(0.8) else self.c([15, 20, 25, 30, 50])
            typed = self.word_number(n) if self.p(0.3) else str(n)
            noun = self.c(["results", "hits", "matches", "passages", "sources", "links", "entries", "articles", "of them"])
            if name == "rag_search":
                noun = self.c(["results", "hits", "matches", "passages", "snippets", "entries", "notes", "of them"])
            lead, tail = self.c([(", ", " " + noun), (", only ", " " + noun), (" - top ", ""), (", give me ", " " + noun), (", max ", " " + noun), (" (", " " + noun + ")"), (", limit ", ""), (", at most ", " " + noun), (", first ", " " + noun), (". show ", " " + noun), (", just ", " " + noun), (", up to ", " " + noun), (". ", " " + noun + " are enough"), (", no more than ", " " + noun)])
            if self.p(0.25):
                lead, tail = self.c([("", " " + noun + ": "), ("top ", ": "), ("only ", " " + noun + ": "), ("give me ", " " + noun + ". "), ("max ", " " + noun + ": "), ("I want ", " " + noun + ". "), ("", " " + noun + " only: "), ("", " " + noun + " please: "), ("just ", " " + noun + ": "), ("not more than ", " " + noun + ". ")])
                segments[0:0] = [["", lead, None]] * bool(lead) + [["n", typed, n], ["", tail, None]]
            else:
                segments += [["", lead, None], ["n", typed, n]] + ([["", tail, None]] if tail else [])
        if name == "generate_image" and not slots & {"w", "width"} and self.p(0.12):
            w, h = self.value("w", name, "")[1], self.value("h", name, "")[1]
            lead, mid, tail = self.c([(", ", "x", ""), (", ", " x ", ""), (" ", "x", ""), (", size ", "x", ""), (", ", " by ", " pixels"), (" in ", "x", ""), (" (", "x", ")"), (", ", " by ", ""), (" at ", "x", ""), (", width ", " height ", ""), (", width ", " and height ", ""), (", ", "×", ""), (" - ", "x", " px"), (", ", " wide and ", " high"), (", ", " pixels wide, ", " tall"), (", make it ", "x", "")])
            segments += [["", lead, None], ["w", str(w), w], ["", mid, None], ["h", str(h), h]] + ([["", tail, None]] if tail else [])

    @staticmethod
    def joined(segments):
        return "".join(str(segment[1]) for segment in segments)

    def arguments(self, name, segments, meaning=None):
        arguments = {}
        values = {segment[0]: segment[2] for segment in segments if segment[0]}
        if meaning is not None:
            return {"expression": SLOT.sub(lambda m: values[m.group(1)], meaning).replace("^", "**")}
        for slot, value in values.items():
            base = slot.rstrip("0123456789")
            key = ARGUMENT_OF.get(base, base)
            if base == "n" and name == "update_task":
                key, value = "task_id", f"task_{value}"
            elif base in ("n", "limit", "max_results"):
                key = {"rag_search": "limit", "web_search": "max_results"}.get(name)
            elif base in ("w", "h"):
                key = {"w": "width", "h": "height"}[base]
            if key in TOOLS[name]:
                arguments[key] = value
        return arguments

    def answer(self):
        """(text, kind) of a message that needs no tool."""
        kind = self.r.choices(ANSWER_KINDS, ANSWER_WEIGHTS)[0]
        if kind == "unclear" and self.p(0.12):
            return "".join(self.c("asdfghjkl;qwertyuiopzxcvbnm ") for _ in range(self.r.randint(2, 14))).strip() or "?", kind
        text, _ = self.phrase("answer." + kind)
        segments = self.segments(text, {})
        self.dress(segments, "", plain=kind in ("unclear",) or kind != "beyond" and self.p(0.75))
        return self.joined(segments), kind

    # ---- two steps
    def two_steps(self):
        """(text, [(tool, arguments), …])."""
        if self.p(0.5) and (self.lib.flat.get("two_step") or self.lib.patterns.get("two_step")):
            text, meaning = self.phrase("two_step")
            plan = parse_calls(meaning)
            tools_of = {}
            for name, pairs in plan:
                for _, template in pairs:
                    for slot in SLOT.findall(template):
                        tools_of.setdefault(slot, name)
            segments = self.segments(text, tools_of)
            self.dress(segments, plan[-1][0])
            values = {segment[0]: segment[2] for segment in segments if segment[0]}
            calls = []
            for name, pairs in plan:
                arguments = {}
                for key, template in pairs:
                    whole = SLOT.fullmatch(template)
                    arguments[key] = values[whole.group(1)] if whole else SLOT.sub(lambda m: str(values[m.group(1)]), template)
                calls.append((name, arguments))
            return self.joined(segments), calls
        return self.composed()

    def composed(self):
        count = 2 if self.p(0.9) else 3
        keys = self.r.choices(list(self.lib.steps), k=count)
        segments, calls, parts = [], [], []
        for i, key in enumerate(keys):
            name = key.split(".")[0]
            text = tidy(expand(self.r, self.c(self.lib.steps[key])))
            part = self.segments(text, {slot: name for slot in SLOT.findall(text)})
            for at in range(len(part) - 1, -1, -1):
                if part[at][0] in COPIED:
                    self.quote(part, at, name)
            parts.append(part)
            calls.append((name, key))
        glue = [" and ", " and ", " and then ", " and then ", ", then ", ". Then ", ", and then ", " and after that ", "; ", ", and also ", " and also ", ". After that, ",
                " then ", ", next ", " & ", ", afterwards ", ". Also ", ", after that ", " plus ", ", and ", ". Next, ", "; then ", ", also ", ". And ", " followed by: ", "\nthen ", ". When that is done, ", " -> ", ". Afterwards ", "? then ", " and next ", " as well as "]
        if count == 2 and self.p(0.12):
            lead, middle = self.c([("first ", ", then "), ("First ", " and then "), ("after you ", ", "), ("once you have done this: ", " then "), ("first ", ", second "), ("start with this: ", ", then "), ("two things: ", " and "), ("two things: ", "; "), ("1. ", " 2. "), ("1) ", " 2) "), ("both please: ", " and "), ("I need you to ", " and ")])
            segments = [["", lead, None]] + parts[0] + [["", middle, None]] + parts[1]
        else:
            for i, part in enumerate(parts):
                if i:
                    segments.append(["", self.c(glue) if i == len(parts) - 1 else self.c([", ", ", then ", "; ", ", "]), None])
                segments += part
        done = []
        # case may change values, so arguments are read afterwards, part by part
        owner = {id(segment): i for i, part in enumerate(parts) for segment in part}
        self.dress(segments, calls[-1][0])
        for i, (name, key) in enumerate(calls):
            arguments = self.arguments(name, [segment for segment in segments if owner.get(id(segment)) == i])
            if "." in key:
                arguments["status"] = key.split(".")[1]
            done.append((name, arguments))
        return self.joined(segments), done

    # ---- outcomes
    def outcome(self, name):
        k = self.r.random()
        words = self.v.some_words(1, 12)
        if self.p(0.15):
            words = self.c([self.v.path(), self.v.command(), self.v.task(), self.v.url()]) + " " + words
        if k < 0.12:
            return "ok"
        if k < 0.5:
            return f"ok {self.r.randint(1, 400)} lines: {words}"[:135]
        if k < 0.6:
            return f"ok 1 line: {words}"[:130]
        if k < 0.8:
            return f"ok {self.r.randint(0, 40)} {self.c(['matches', 'results', 'entries', 'files', 'tasks', 'passages', 'hits'])}: {words}"[:135]
        return {"get_current_time": "ok 1 line: 2026-%02d-%02dT%02d:%02d" % (self.r.randint(1, 12), self.r.randint(1, 28), self.r.randint(0, 23), self.r.randint(0, 59)),
                "calculate": f"ok 1 line: {self.v.plain_number()}", "add_task": f"ok 1 line: task_{self.r.randint(1, 40)}",
                "system_stats": "ok 3 lines: cpu %d%% memory %d%%" % (self.r.randint(1, 99), self.r.randint(1, 99)),
                "write_file": f"ok 1 line: {self.r.randint(1, 900)} bytes written"}.get(name, f"ok 1 line: {words}"[:130])

    def play(self, text, calls, allowed):
        """Messages from the user's request to the last answer."""
        out = [("user", text)]
        sequential = bool(SEQUENTIAL.search(text.lower()))
        for at, (name, arguments) in enumerate(calls):
            if name not in allowed:
                out.append(("assistant", "<answer>" + ("beyond" if at == 0 else "done")))
                return out
            out.append(("assistant", call_text(name, arguments)))
            if self.p(0.09):
                failure = self.c(FAILURES)
                out.append(("tool", failure))
                if name == "read_file" and len(calls) == 1 and MISSING.search(failure) and "get_file_tree" in allowed:
                    out.append(("assistant", call_text("get_file_tree", {})))
                    out.append(("tool", self.outcome("get_file_tree")))
                    break
                if sequential:
                    break
            else:
                out.append(("tool", self.outcome(name)))
        out.append(("assistant", "<answer>done"))
        return out

    def exchange(self, allowed):
        """One request and everything up to its answer, with its calls (none when no tool is due)."""
        k = self.r.random()
        if k < 0.2:
            text, kind = self.answer()
            return [("user", text), ("assistant", "<answer>" + kind)], []
        text, calls = self.two_steps() if k < 0.42 else self.request()
        return self.play(text, calls, allowed), calls

    def followup(self, calls, allowed):
        """A short request that leans on the one before it."""
        name, arguments = calls[-1]
        if self.p(0.25):
            return self.play(self.c(AGAIN), [(name, arguments)], allowed)
        key = f"{name}.{arguments['status']}" if "status" in arguments else name
        trees = self.lib.followups.get(key)
        if not trees:
            return None
        text = tidy(expand(self.r, self.c(trees)))
        segments = self.segments(text, {slot: name for slot in SLOT.findall(text)})
        self.dress(segments, name, plain=self.p(0.7))
        fresh = self.arguments(name, segments)
        if "status" in arguments:
            fresh["status"] = arguments["status"]
        return self.play(self.joined(segments), [(name, fresh)], allowed)

    def allowed(self):
        if self.p(0.85):
            return NAMES
        return sorted(self.r.sample(NAMES, self.r.randint(1, 15)))

    def dialogue(self):
        allowed = self.allowed()
        out = [("system", "tools: " + " ".join(allowed))]
        messages, calls = self.exchange(allowed)
        out += messages
        while self.p(0.14):
            more = None
            if calls and calls[-1][0] in allowed and self.p(0.4):
                more = self.followup(calls, allowed)
            if more is None:
                more, calls = self.exchange(allowed)
            else:
                calls = []
            out += more
        return out


if __name__ == "__main__":
    generator = Generator(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 20):
        dialogue = generator.dialogue()
        if dialogue[0][1] != "tools: " + " ".join(NAMES):
            print("   ", dialogue[0][1])
        for role, text in dialogue[1:]:
            print({"user": "U", "assistant": "A", "tool": "T"}[role], text.replace("\n", "\\n"))
        print()
