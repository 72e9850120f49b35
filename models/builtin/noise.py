"""What people do to a sentence: politeness, context, case, punctuation, quotes, typing errors.

Owns everything that happens to a message around its values; knows nothing of tools' meaning.  A message is a list of
segments [slot or "", text as typed, value as argument]; only segments without a slot change their words.
"""

import re

SLOT = re.compile(r"\{([a-z_]+\d*)\}")
COPIED = {"clause", "asked", "path", "dir", "pattern", "hint", "query", "url", "prompt", "content", "command"}
LOWERABLE = {"clause", "asked", "hint", "query", "prompt", "content", "place", "topic", "country"}
OPENERS = ["hey, ", "hi, ", "hi! ", "hello, ", "ok ", "ok so ", "okay, ", "um ", "quick question: ", "so ", "well, ", "yo ", "right, ",
           "now ", "also ", "and ", "alright, ", "sorry, ", "hm, ", "listen, ", "good morning, ", "dear assistant, ", "windlass, ",
           "please ", "pls ", "plz ", "hey windlass ", "hello again, ", "excuse me, ", "next: ", "btw ", "actually ", "hey you, ", "hi there, "]
VERB_OPENERS = ["can you ", "could you ", "could you please ", "would you ", "can you please ", "please ", "pls ", "I want you to ",
                "I need you to ", "I'd like you to ", "would you mind to ", "you should ", "go ahead and ", "let's ", "just ", "cud u ",
                "can u ", "kindly ", "would you be so kind to ", "may I ask you to ", "try to ", "be so good and ", "help me ", "quickly "]
VERBS = set("""show read open list find search tell give get check look run execute draw paint make create write save put add mark set
 close calculate compute fetch load display print grep google view generate render sketch remind note start update move change finish
 complete reopen dump visit scan evaluate work solve browse download cat bring pull store tick cross see inspect locate illustrate
 summarize summarise explain describe multiply divide subtract sum pause kick try launch""".split())
LITTLE = set("the a an my is are to of for me i it do does please that this in on".split())
CLOSERS = [" please", " pls", " plz", ", please", " thanks", " thx", ", thanks", ", thank you", " thank you", " asap", " :)", " if you can",
           " real quick", ", cheers", " when you get a chance", " now", " for me", ", ok?", " would you", ", will you", " if possible", " quickly", " mate", " lol",
           ", that would be great", " - thanks!", ", many thanks", " ty", " right away", " for me please", ", if you don't mind", " kindly"]
NEIGHBOURS = {"a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk", "k": "jl", "l": "k",
              "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "w", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x"}


def expand(rng, tree):
    """One sentence of a pattern."""
    out = []
    for item in tree:
        out.append(item if isinstance(item, str) else expand(rng, item[int(rng.random() * len(item))]))
    return "".join(out)


def tidy(text):
    text = re.sub(r"  +", " ", text).strip()
    return re.sub(r" ([,?!:;.])(?=\s|$)", r"\1", text)


class Noise:
    """Needs `r` (random), `lib` (the hand-written), `c`, `p` and `value` from the generator."""

    def typo(self, text):
        at = self.r.randrange(1, len(text)) if len(text) > 1 else 0
        k = self.r.random()
        if not text[at].isalpha():
            return text
        if k < 0.3 and at + 1 < len(text):
            return text[:at] + text[at + 1] + text[at] + text[at + 2:]
        if k < 0.55:
            return text[:at] + text[at + 1:]
        if k < 0.75:
            return text[:at] + text[at] + text[at:]
        return text[:at] + self.c(NEIGHBOURS.get(text[at].lower(), "e")) + text[at + 1:]

    def vary(self, segments):
        """Near-synonyms and dropped little words in what is not a value."""
        swaps = self.lib.swaps
        drop = self.p(0.06)

        def other(found):
            word = found.group(0)
            group = swaps.get(word)
            if group and self.p(0.22):
                return self.c(group)
            if drop and word in LITTLE and self.p(0.5):
                return ""
            return word
        for segment in segments:
            if not segment[0]:
                text = re.sub(r"[a-z'-]+", other, segment[1])
                segment[1] = re.sub(r"(?<=\S)  +", " ", text) if drop else text

    def misspell(self, segments, count):
        spots = [(i, m.start(), m.end()) for i, s in enumerate(segments) if not s[0] for m in re.finditer(r"[A-Za-z]{4,}", s[1])]
        self.r.shuffle(spots)
        for i, start, end in sorted(spots[:count], reverse=True):
            text = segments[i][1]
            segments[i][1] = text[:start] + self.typo(text[start:end]) + text[end:]

    def quote(self, segments, at, tool):
        slot, typed, _ = segments[at]
        base = slot.rstrip("0123456789")
        chance = {"pattern": 0.25, "command": 0.14, "content": 0.12, "query": 0.06, "prompt": 0.06, "path": 0.08, "hint": 0.04, "url": 0.03, "dir": 0.07}.get(base, 0)
        if not self.p(chance):
            return
        ahead = segments[at - 1][1] if at else ""
        behind = segments[at + 1][1] if at + 1 < len(segments) else ""
        if ahead[-1:] in tuple("\"'`“(<$>") and ahead or behind[:1] in tuple("\"'`”)>_-/") and behind:
            return
        pair = self.c(['""', '""', "''", "``", "“”", "<>" if base == "url" else '""', "()" if base == "url" else "``"])
        if pair[0] in typed or pair[1] in typed:
            return
        segments[at][1] = pair[0] + typed + pair[1]

    def fit_copied(self, segments, lower):
        """Lower-cases values of words where the writer does, argument and text alike."""
        for segment in segments:
            base = segment[0].rstrip("0123456789")
            if lower and base in LOWERABLE:
                segment[1] = segment[1].lower()
                if base not in ("place",):
                    segment[2] = segment[2].lower()

    def prepend(self, segments, text):
        segments.insert(0, ["", text, None])

    def dress(self, segments, tool, plain=False):
        """Politeness, context, case, punctuation, typos; values keep their words."""
        for at in range(len(segments) - 1, -1, -1):
            if segments[at][0].rstrip("0123456789") in COPIED and isinstance(segments[at][2], str):
                self.quote(segments, at, tool)
        if self.p(0.6):
            self.vary(segments)
        first = segments[0][1].split(" ", 1)[0].lower() if not segments[0][0] else ""
        wild = tool in ("execute_command", "search_text", "calculate", "fetch_url")
        last = segments[-1]
        shell = first[:1] in ("$", ">")
        if not plain and not shell:
            if first in VERBS and self.p(0.22):
                self.prepend(segments, self.c(VERB_OPENERS))
            elif self.p(0.08):
                self.prepend(segments, self.c(OPENERS))
            # a command or a pattern at the end swallows what follows: there a closer is left out more often
            if not last[1].endswith(("?", ".", "!")) and self.p(0.03 if wild and last[0] else 0.11):
                segments.append(["", self.c(CLOSERS), None])
        last = segments[-1]
        if last[1][-1:] not in ".?!:;,…":
            k = self.r.random()
            loose = last[0].rstrip("0123456789") in ("pattern", "command", "url", "expr")
            if loose:
                k = k * 0.12 if self.p(0.2) else 0.9
            if k < 0.14:
                segments.append(["", self.c(["?", "?", "?", "??", " ?"]), None])
            elif k < 0.3 and not loose:
                segments.append(["", self.c([".", ".", ".", "!", "...", "!!"]), None])
            elif k < 0.06 and loose:
                segments.append(["", ".", None])
        if not plain and self.p(0.2):
            self.context(segments, self.lib.before, True)
        if not plain and self.p(0.1) and not (wild and segments[-1][0]):
            self.context(segments, self.lib.after, False)
        k = self.r.random()
        if k < 0.3:
            for segment in segments:
                if not segment[0]:
                    segment[1] = segment[1].lower()
            self.fit_copied(segments, self.p(0.45))
        elif k < 0.65:
            head = segments[0]
            if not head[0]:
                head[1] = head[1][:1].upper() + head[1][1:]
            elif head[0].rstrip("0123456789") in ("content", "prompt", "query", "hint") and head[1][:1].isalpha() and self.p(0.6):
                head[1] = head[1][:1].upper() + head[1][1:]
                head[2] = head[2][:1].upper() + head[2][1:]
        elif k < 0.66:
            for segment in segments:
                if not segment[0]:
                    segment[1] = segment[1].upper()
        if self.p(0.15):
            for segment in segments:
                if not segment[0]:
                    segment[1] = re.sub(r"(?<=[a-z])['’](?=[a-z])", "", segment[1])
        elif self.p(0.05):
            for segment in segments:
                if not segment[0]:
                    segment[1] = re.sub(r"(?<=[a-z])'(?=[a-z])", "’", segment[1])
        if self.p(0.15):
            self.misspell(segments, self.c([1, 1, 1, 2, 3]))
        if self.p(0.01):
            segments.append(["", self.c(["\n", " ", "\n\n", "  "]), None])
        return segments

    def context(self, segments, trees, ahead):
        text = tidy(expand(self.r, self.c(trees)))
        while (found := SLOT.search(text)):
            text = text[:found.start()] + str(self.value(found.group(1), "", "")[0]) + text[found.end():]
        if ahead:
            gap = " " if self.p(0.85) else "\n"
            head = segments[0]
            if text.endswith((".", "!", "?")) and not head[0] and self.p(0.6):
                head[1] = head[1][:1].upper() + head[1][1:]
            self.prepend(segments, text + gap)
        else:
            last = segments[-1][1]
            glue = " " if last.endswith((".", "!", "?")) else self.c([". ", ", ", " - ", ". ", "; ", "\n", "? "])
            segments.append(["", glue + text, None])
