"""Which bytes the model may write next: the language of its answers for one conversation.

Owns the constraints that the product applies with grammars: names from the allowed list, string arguments as spans of
the user's words, zones from the list, arithmetic only, task ids from the numbers in the text.  Knows nothing of weights.

A span is any run of whole chunks of one user message; chunks are runs of word characters (letters, digits, underscore),
runs of white space, and single other characters.  White space around the chosen span is trimmed afterwards.
"""

import json
import re

from tools import ANSWERS, FUNCTIONS, STATUSES, TOOLS
from values import HERE, ONES, TENS, load_lines

CHUNK = re.compile(r"\w+|\s+|[^\w\s]", re.UNICODE)
ZONES = load_lines(HERE + "/values/timezones.txt")
EXPRESSION_MAX = 80
CALLS = [name.encode() + b"(" for name in FUNCTIONS]
NUMBER_WORDS = {word: n for n, word in enumerate(ONES)}
NUMBER_WORDS.update({word: 10 * n for n, word in enumerate(TENS) if word != "_"})


def escape(text):
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()


class Spans:
    """The spans of some texts, JSON-escaped."""

    def __init__(self, texts):
        self.texts = []
        for text in texts:
            chunks = [escape(chunk) for chunk in CHUNK.findall(text)]
            starts, at = [], 0
            for chunk in chunks:
                starts.append(at)
                at += len(chunk)
            self.texts.append((b"".join(chunks), starts, set(starts[1:]) | {at}))

    def begins(self, part):
        return any(whole.startswith(part, start) for whole, starts, _ in self.texts for start in starts)

    def holds(self, part):
        if not part.strip():
            return False
        return any(whole.startswith(part, start) and start + len(part) in ends for whole, starts, ends in self.texts for start in starts)


def task_ids(texts):
    """`task_N` for every number the user wrote; any number when there is none."""
    found = [f"task_{digits}" for text in texts for digits in re.findall(r"\d+", text)]
    found += [f"task_{NUMBER_WORDS[word]}" for text in texts for word in re.findall(r"[a-z]+", text.lower()) if word in NUMBER_WORDS]
    for text in texts:
        for tens, ones in re.findall(r"([a-z]+ty)[- ]([a-z]+)", text.lower()):
            if tens in NUMBER_WORDS and ones in NUMBER_WORDS:
                found.append(f"task_{NUMBER_WORDS[tens] + NUMBER_WORDS[ones]}")
    return [item.encode() for item in found]


def closing(text):
    """Where the string ends: the first quote that is not escaped, or -1."""
    at = 0
    while at < len(text):
        if text[at] == 0x5C:
            at += 2
            continue
        if text[at] == 0x22:
            return at
        at += 1
    return -1


def expression_state(text):
    """(may go on, may end) for the beginning of an expression.

    expression := operand (operator operand)*, spaces anywhere between; operand := "-"? (number | "(" expression ")" |
    function "(" expression ("," expression)* ")"); operator := + - * / // % **; number := digits, or digits "." digits.
    """
    at, stack, due = 0, [], "operand"
    while at < len(text):
        rest = text[at:]
        if rest[:1] == b" ":
            at += 1
        elif due == "operator":
            sign = re.match(rb"\*\*|//|[-+*/%]", rest)
            if sign:
                at, due = at + sign.end(), "operand"
            elif rest[:1] == b")" and stack:
                at += 1
                stack.pop()
            elif rest[:1] == b"," and stack and stack[-1]:
                at, due = at + 1, "operand"
            else:
                return False, False
        elif rest[:1] == b"(":
            stack.append(False)
            at += 1
        elif rest[:1] == b"-" and text[max(0, at - 1):at] != b"-":
            at += 1
        else:
            number = re.match(rb"[0-9]+(\.[0-9]*)?", rest)
            name = next((word for word in CALLS if rest.startswith(word)), None)
            if number:
                if number.group().endswith(b"."):
                    return number.end() == len(rest), False
                at, due = at + number.end(), "operator"
            elif name:
                stack.append(True)
                at += len(name)
            else:
                return any(word.startswith(rest) for word in CALLS), False
    return True, due == "operator" and not stack


class Language:
    """The calls allowed now, as a test of prefixes."""

    def __init__(self, allowed, user_texts):
        self.spans = Spans(user_texts)
        self.ids = task_ids(user_texts)
        self.forms = []
        for name in allowed:
            for arguments in self.variants(list(TOOLS[name].items())):
                form = [("literal", b'{"name":"' + name.encode() + b'","arguments":{')]
                for at, (key, kind) in enumerate(arguments):
                    quoted = kind != "integer"
                    form.append(("literal", (b"," if at else b"") + b'"' + key.encode() + b'":' + (b'"' if quoted else b"")))
                    form.append((kind, None))
                    if quoted:
                        form.append(("literal", b'"'))
                form.append(("literal", b"}}"))
                self.forms.append(form)

    def variants(self, arguments):
        if not arguments:
            return [[]]
        (key, kind), rest = arguments[0], self.variants(arguments[1:])
        with_it = [[(key, kind.rstrip("?"))] + tail for tail in rest]
        return with_it + (rest if kind.endswith("?") else [])

    def viable(self, text):
        """Whether `text` begins a call of the language; `whole` says the same of a complete one."""
        return any(self.walk(form, 0, text, False) for form in self.forms)

    def whole(self, text):
        return any(self.walk(form, 0, text, True) for form in self.forms)

    def walk(self, form, at, text, whole):
        if at == len(form):
            return not text
        if not text:
            return not whole
        kind, literal = form[at]
        if kind == "literal":
            if text.startswith(literal):
                return self.walk(form, at + 1, text[len(literal):], whole)
            return not whole and literal.startswith(text)
        if kind == "integer":
            digits = re.match(rb"[1-9][0-9]{0,4}", text)
            if not digits:
                return False
            rest = text[digits.end():]
            return not whole if not rest else self.walk(form, at + 1, rest, whole)
        end = closing(text)
        part, rest = (text, None) if end < 0 else (text[:end], text[end:])
        if not self.fits(kind, part, rest is not None):
            return False
        return not whole if rest is None else self.walk(form, at + 1, rest, whole)

    def fits(self, kind, part, ended):
        if kind == "span":
            return self.spans.holds(part) if ended else self.spans.begins(part)
        if kind == "expression":
            goes_on, may_end = expression_state(part)
            return len(part) <= EXPRESSION_MAX and (may_end if ended else goes_on)
        if kind == "task" and not self.ids:
            return bool(re.fullmatch(rb"task_[0-9]{1,6}", part)) if ended else bool(re.fullmatch(rb"task_[0-9]{0,6}", part)) or b"task_".startswith(part)
        choices = {"task": self.ids, "status": [s.encode() for s in STATUSES], "zone": ZONE_BYTES}[kind]
        return part in choices if ended else any(choice.startswith(part) for choice in choices)


ZONE_BYTES = [zone.encode() for zone in ZONES]


def answers(after_outcome):
    """The kinds of answer allowed: `done` only when something was done."""
    return [kind.encode() for kind in ANSWERS if after_outcome or kind != "done"]
