"""Values for the slots of phrasings: paths, commands, numbers, places and words, hand-written and made up.

Owns how a value is drawn and what it means as an argument; knows nothing of phrasings or dialogues.
"""

import os
import re
import string

HERE = os.path.dirname(os.path.abspath(__file__))
EXTENSIONS = ("rs py md toml json txt js ts tsx go c h cpp java yaml yml html css sh lock cfg ini csv sql xml log rb php "
              "kt swift hs scala lua zig vue scss tex org bib ipynb env conf proto svg bat ps1 s asm r jl ex erl dart cs "
              "gradle properties tsv rst adoc mk cmake tf docx pdf").split()
FOLDERS = ("src lib tests test docs app config scripts crates core web server client utils data examples assets bin pkg "
           "internal api models services components backend frontend .github public static templates include vendor "
           "build dist tools notebooks migrations images img media chapters letters lessons notes drafts recipes "
           "invoices reports slides photos music archive backup packages modules plugins themes styles pages routes "
           "controllers views hooks store fixtures benches firmware drivers kernel shaders levels maps sounds fonts i18n "
           "locales db schema proto cmd deploy infra terraform ansible docker ci").split()
KNOWN_FILES = ("README.md Cargo.toml Cargo.lock src/main.rs src/lib.rs package.json Makefile LICENSE Dockerfile pyproject.toml "
               "setup.py requirements.txt build.zig index.html app.py CHANGELOG.md CONTRIBUTING.md .gitignore .env go.mod "
               "tsconfig.json docker-compose.yml config.yaml notes.txt todo.txt main.py pom.xml CMakeLists.txt Gemfile "
               "Procfile Jenkinsfile .editorconfig .prettierrc setup.cfg tox.ini webpack.config.js vite.config.ts "
               "CODEOWNERS AUTHORS NOTICE VERSION Vagrantfile Rakefile composer.json yarn.lock .bashrc .zshrc .eslintrc "
               "build.gradle settings.gradle Podfile mix.exs stack.yaml shell.nix flake.nix justfile").split()
TLDS = "com org io net dev rs ai co.uk de edu fr example info app gov eu ch me blog wiki news tech it nl se".split()
ONES = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen").split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
PROGRAMS = ("git cargo npm python3 python make docker go node pip ls cat grep find curl tar ssh kubectl pytest yarn pnpm "
            "ruff mypy gcc clang cmake zig dotnet mvn gradle bundle rails flutter terraform ansible-playbook helm psql "
            "sqlite3 redis-cli wc du df head tail sort echo mkdir touch cp mv chmod ps jq sed awk rsync ffmpeg convert "
            "latexmk pandoc systemctl journalctl uname whoami date env which brew apt deno bun mix stack cabal julia "
            "Rscript ruby php composer swift xcodebuild adb ninja meson bazel buck just task black isort flake8 tsc eslint "
            "prettier jest vitest tox nox hatch poetry uv conda nvidia-smi htop ping dig nslookup openssl gpg zip unzip").split()
SUBCOMMANDS = ("build test run check status log diff fetch pull push install update clean fmt lint start stop list show "
               "add commit init config version up down ps logs exec apply plan migrate serve watch deploy doc bench info "
               "branch checkout merge rebase stash tag clippy publish audit outdated prune restart get describe").split()
SYLLABLES = ("ba be bi bo bu ca co da de di do fa fe fi ga go ha he ja jo ka ki ko la le li lo lu ma me mi mo mu na ne ni no "
             "pa pe pi po ra re ri ro ru sa se si so ta te ti to tu va ve vi vo wa we wi ya yo za ze zo bra cre dri flo gra "
             "ple sto tri qua shi cha tho whe ster ing ton ley berg ard el an or en ix um is os ish mont wick ford dale").split()


def load_lines(path):
    """The lines of a file that hold something."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines if line.strip()]


def load_places():
    """place as written -> zone."""
    zones = {}
    for line in load_lines(os.path.join(HERE, "values", "places.txt")):
        zone, places = line.split(": ", 1)
        for place in places.split(", "):
            zones[place.strip()] = zone
    for line in load_lines(os.path.join(HERE, "values", "place.get_current_time.txt")):
        place, _, zone = line.partition("\t")
        if zone:
            zones.setdefault(place.strip(), zone.strip())
    return zones


def spell(number):
    """A whole number in words, up to 9999."""
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + ("" if number % 10 == 0 else "-" + ONES[number % 10])
    if number < 1000:
        rest = number % 100
        return ONES[number // 100] + " hundred" + ("" if rest == 0 else " and " + spell(rest) if number % 2 else " " + spell(rest))
    rest = number % 1000
    return spell(number // 1000) + " thousand" + ("" if rest == 0 else " " + spell(rest))


class Values:
    """Draws values; one per generator, seeded by it."""

    def __init__(self, rng):
        self.r = rng
        self.zones = load_places()
        self.places = list(self.zones)
        self.lower_zones = {place.lower(): zone for place, zone in self.zones.items()}
        self.known = {}
        folder = os.path.join(HERE, "values")
        words = set()
        for name in sorted(os.listdir(folder)):
            if name in ("places.txt", "timezones.txt", "place.get_current_time.txt", "task_id.update_task.txt") or not name.endswith(".txt"):
                continue
            lines = load_lines(os.path.join(folder, name))
            self.known[name[:-4]] = lines
            for line in lines:
                words.update(word for word in re.findall(r"[A-Za-z]{3,}", line) if word.islower())
        self.words = sorted(words) or ["word"]
        self.countries = [p for p in self.places if p[0].isupper() and len(p) > 3]

    def p(self, chance):
        return self.r.random() < chance

    def c(self, items):
        return items[int(self.r.random() * len(items))]

    def hand(self, key):
        return self.known.get(key) or [""]

    # ---- words and junk
    def pseudo(self):
        return "".join(self.c(SYLLABLES) for _ in range(self.r.randint(2, 4)))

    def word(self):
        return self.pseudo() if self.p(0.12) else self.c(self.words)

    def some_words(self, low, high):
        return " ".join(self.word() for _ in range(self.r.randint(low, high)))

    def junk(self):
        k = self.r.random()
        if k < 0.3:
            return "".join(self.c(string.ascii_letters + string.digits) for _ in range(self.r.randint(3, 10)))
        if k < 0.5:
            return self.c(["0x", "#", ""]) + "".join(self.c("0123456789abcdef") for _ in range(self.r.randint(3, 8)))
        if k < 0.7:
            return f"{self.r.randint(0, 30)}.{self.r.randint(0, 99)}.{self.r.randint(0, 20)}"
        return self.word() + self.c(["::", "->", "/", "=", "@", "#", ".", "-", ":", "+"]) + self.word()

    # ---- paths
    def stem(self):
        text = self.word() if self.p(0.6) else self.word() + self.c(["_", "-", ""]) + self.word()
        if self.p(0.12):
            text = "".join(part.capitalize() for part in re.split("[-_]", text))
        if self.p(0.08):
            text += self.c(["", "_", "-"]) + str(self.r.randint(0, 2030))
        if self.p(0.03):
            text = f"{self.r.randint(2019, 2027)}-{self.r.randint(1, 12):02}-{self.r.randint(1, 28):02}"
        if self.p(0.03):
            text = f"{self.r.randint(0, 30):02}" + self.c(["", "-", "_"]) + (text if self.p(0.7) else "")
        return text

    def path(self):
        k = self.r.random()
        if k < 0.16:
            return self.c(KNOWN_FILES)
        if k < 0.3:
            return self.c(self.hand(self.c(["path.write_file", "path.read_file", "path.read_file"]))) or self.c(KNOWN_FILES)
        name = self.c(KNOWN_FILES).split("/")[-1] if self.p(0.08) else self.stem() + "." + self.c(EXTENSIONS)
        if self.p(0.02):
            name = self.stem()
        parts = [self.c(FOLDERS) if self.p(0.55) else self.stem() for _ in range(self.c([0, 0, 1, 1, 1, 2, 3]))]
        path = "/".join(parts + [name])
        if self.p(0.04):
            path = self.c(["./", "../", "/", "~/", "/etc/", "/var/log/", "/srv/anna/"]) + path
        return path

    def spaced_path(self):
        return self.word() + " " + self.stem() + "." + self.c(EXTENSIONS)

    def dir(self):
        if self.p(0.2):
            return self.c(self.hand("dir.get_file_tree")) or "src"
        parts = [self.c(FOLDERS) if self.p(0.65) else self.stem() for _ in range(self.c([1, 1, 1, 1, 2, 2, 3]))]
        path = "/".join(parts)
        if self.p(0.12):
            path += "/"
        if self.p(0.05):
            path = self.c(["./", "../", "/", "~/"]) + path
        return path

    def url(self):
        if self.p(0.25):
            return self.c(self.hand("url.fetch_url"))
        host = self.c(["", "", "www.", "docs.", "blog.", "api.", "news.", "en.", "status.", "my."]) + re.sub(r"[^a-z0-9-]", "", self.word().lower())
        host += self.c(["", "", "-" + self.pseudo()]) + "." + self.c(TLDS)
        if self.p(0.08):
            host = self.c(["localhost", "127.0.0.1", f"192.168.{self.r.randint(0, 9)}.{self.r.randint(1, 254)}", f"10.0.0.{self.r.randint(1, 254)}"])
            host += f":{self.r.randint(80, 9999)}"
        text = self.c(["https://", "https://", "https://", "https://", "http://", "http://", ""]) + host
        for _ in range(self.c([0, 0, 1, 1, 2, 3])):
            text += "/" + self.c([self.word(), self.word() + "-" + self.word(), str(self.r.randint(1, 99999)), self.word() + "_" + self.word(), self.word().capitalize()])
        if self.p(0.32):
            text += self.c(["?view=" + self.word(), "?" + self.word() + "=" + str(self.r.randint(1, 99)), ".html", ".txt", ".json", ".xml", "/", "/", ".pdf", f"?id={self.r.randint(1, 999)}", "?q=" + self.word(), "#" + self.word(), f"?page={self.r.randint(1, 9)}&lang=en"])
        return text

    # ---- code
    def identifier(self):
        a, b, c = self.word(), self.word(), self.word()
        k = self.r.random()
        if k < 0.25:
            text = "_".join([a, b, c][: self.r.randint(1, 3)])
        elif k < 0.45:
            text = a + b.capitalize() + (c.capitalize() if self.p(0.3) else "")
        elif k < 0.6:
            text = a.capitalize() + b.capitalize()
        elif k < 0.75:
            text = "_".join([a, b, c][: self.r.randint(1, 3)]).upper()
        elif k < 0.82:
            text = a + "." + b + self.c(["", "()", "(", "." + c.upper(), "." + c.upper() + "_" + self.word().upper(), "." + c, "." + c + "()"])
        elif k < 0.88:
            text = a.capitalize() + "::" + b + self.c(["", "()", "("])
        elif k < 0.92:
            text = self.c(["--", "-", "@", "#", "$", "%", "&"]) + a
        elif k < 0.96:
            text = self.c(["fn ", "def ", "class ", "struct ", "import ", "use ", "#include <", "SELECT * FROM ", "return ", "impl ", "let ", "async fn "]) + a
        else:
            text = a + self.c(["(", "()", "[0]", "<T>", ";", "!", "!(", " =", " == null", "->" + b, ": true"])
        if self.p(0.05):
            text += str(self.r.randint(0, 99))
        return text

    def pattern(self):
        k = self.r.random()
        if k < 0.35:
            return self.c(self.hand("pattern.search_text"))
        if k < 0.75:
            return self.identifier()
        if k < 0.82:
            return self.c(["TODO", "FIXME", "HACK", "XXX", "unwrap()", "console.log", "localhost", "password", "println!", "deprecated", "import os", "null", "NaN", "0.0.0.0", "127.0.0.1", "http://", "sudo", "malloc", "panic!", "eval("])
        if k < 0.9:
            return self.c(["[a-z]+_" + self.word(), self.word() + ".*" + self.word(), "^" + self.word(), self.word() + "$", "\\b" + self.word() + "\\b", "\\d+\\." + self.word(), "(" + self.word() + "|" + self.word() + ")", self.word() + "\\s*=", "v[0-9]+\\.[0-9]+", "[A-Z]{" + str(self.r.randint(2, 9)) + "}"])
        if k < 0.95:
            return self.some_words(2, 4)
        return self.junk()

    def command(self):
        k = self.r.random()
        if k < 0.45:
            return self.c(self.hand("command.execute_command"))
        text = self.c(PROGRAMS) if self.p(0.93) else "./" + self.stem() + self.c([".sh", ".py", "", ".out"])
        for _ in range(self.c([0, 1, 1, 2, 2, 3])):
            j = self.r.random()
            if j < 0.4:
                text += " " + self.c(SUBCOMMANDS)
            elif j < 0.6:
                text += " " + self.c(["-v", "-a", "-la", "--all", "--release", "-p " + self.word(), "--fix", "-n " + str(self.r.randint(1, 50)), "--" + self.word(), "--" + self.word() + "=" + self.word(), "-f", "-r", "--dry-run", "-j" + str(self.r.randint(1, 16)), "--no-" + self.word(), "-m " + self.word()])
            elif j < 0.8:
                text += " " + self.c([self.path(), self.dir(), ".", "*." + self.c(EXTENSIONS)])
            else:
                text += " " + self.c([self.word(), str(self.r.randint(0, 9999)), "HEAD~" + str(self.r.randint(1, 5)), "origin/" + self.word(), self.word() + ":" + self.word()])
        if self.p(0.07):
            text += self.c([" | ", " && ", " > ", " ; "]) + self.c(["head -5", "wc -l", "sort", "echo ok", self.path(), "grep " + self.word(), "tail -n 20"])
        return text

    # ---- numbers
    def number(self):
        """(as typed, digits)."""
        k = self.r.random()
        if k < 0.32:
            n = self.r.randint(1, 20)
            return (spell(n), str(n)) if self.p(0.22) else (str(n), str(n))
        if k < 0.66:
            n = self.r.randint(10, 999)
            return (spell(n), str(n)) if self.p(0.1) else (str(n), str(n))
        if k < 0.82:
            n = self.r.randint(1000, 99999)
            if self.p(0.18):
                return f"{n:,}", str(n)
            if self.p(0.1):
                n = self.c([1000, 1500, 2000, 2500, 3000, 5000, 10 * self.r.randint(100, 900), 100 * self.r.randint(10, 90)])
                return (spell(n), str(n)) if n < 10000 else (str(n), str(n))
            return str(n), str(n)
        if k < 0.86:
            n = 100 * self.r.randint(1, 99)
            return (spell(n), str(n)) if self.p(0.3) else (str(n), str(n))
        text = f"{self.r.uniform(0, self.c([1, 10, 100, 1000])):.{self.c([1, 2, 2, 2, 3])}f}"
        if self.p(0.08) and "." in text:
            return self.c(["$", "€", "£"]) + text, text
        return text, text

    def plain_number(self):
        while True:
            typed, digits = self.number()
            if typed == digits:
                return digits

    def expression(self):
        """(as typed, as argument)."""
        op = lambda: self.c(["+", "-", "*", "/", "*", "+", "-"])
        gap = self.c([" ", " ", ""])
        n = self.plain_number
        k = self.r.random()
        if k < 0.42:
            text = n() + gap + op() + gap + n()
        elif k < 0.6:
            text = n() + gap + op() + gap + n() + gap + op() + gap + n()
        elif k < 0.7:
            text = "(" + n() + gap + op() + gap + n() + ")" + gap + op() + gap + n()
        elif k < 0.76:
            text = n() + gap + op() + gap + "(" + n() + gap + op() + gap + n() + ")"
        elif k < 0.8:
            text = "((" + n() + gap + op() + gap + n() + ")" + gap + op() + gap + n() + ")" + gap + op() + gap + n()
        elif k < 0.85:
            text = n() + gap + op() + gap + n() + gap + op() + gap + n() + gap + op() + gap + n()
        elif k < 0.9:
            text = self.c(["2", "3", "5", "7", "10", "12", n()]) + gap + self.c(["^", "**"]) + gap + str(self.r.randint(2, 16))
        elif k < 0.94:
            text = self.c(["sqrt(" + n() + ")", "abs(-" + n() + ")", "round(" + n() + "/" + n() + ", 2)", "max(" + n() + ", " + n() + ")", "min(" + n() + ", " + n() + ")", "floor(" + n() + "/" + n() + ")"])
            if self.p(0.4):
                text += gap + op() + gap + n()
        elif k < 0.96:
            text = "-" + n() + gap + op() + gap + n()
        elif k < 0.975:
            text = n() + gap + "%" + gap + n()
        else:
            typed = n() + gap + self.c(["x", "×", "X"]) + gap + n()
            return typed, re.sub("[x×X]", "*", typed)
        typed = text
        if self.p(0.04):
            typed = typed.replace("/", "÷").replace("*", "×")
        return typed, text.replace("^", "**")

    # ---- free words
    def joined(self, key, made, chance=0.6):
        """A hand-written value, or a made-up one, sometimes two joined."""
        lines = self.known.get(key)
        text = self.c(lines) if lines and self.p(chance) else made()
        if self.p(0.04) and len(text) < 40:
            text += self.c([" and ", " or ", " with ", " for "]) + (self.c(lines) if lines and self.p(0.4) else self.some_words(1, 2))
        return text

    def swapped(self, text):
        """Another word in place of one, so that phrases are not learnt by heart."""
        parts = text.split(" ")
        at = self.r.randrange(len(parts))
        if parts[at].isalpha() and len(parts[at]) > 2:
            parts[at] = self.word()
        return " ".join(parts)

    def free(self, key, heads):
        def made():
            k = self.r.random()
            if k < 0.45 and self.known.get(key):
                return self.swapped(self.c(self.known[key]))
            if k < 0.75:
                return self.c(heads) + " " + self.some_words(1, 4)
            if k < 0.95:
                return self.some_words(1, 5)
            return self.junk() + self.c(["", " " + self.word()])
        return self.joined(key, made).strip().rstrip(".?!")

    def query(self, tool):
        heads = ["latest news about", "best", "price of", "how to", "who invented", "weather in", "history of", "population of", "reviews of", "opening hours of", "recipe for", "the", "my", "new", "cheap", "what is", "when is", "where to buy", "meaning of", "schedule for", "rules for", "cost of", "list of", "notes on"]
        text = self.free("query." + tool, heads)
        if self.p(0.05) and tool == "web_search":
            text = self.c(["weather in ", "weather ", "hotels in ", "flights to ", "news from ", "restaurants in ", "train to ", "concerts in "]) + self.c(self.places)
        return text

    def bare_query(self):
        """A query that is meant for the web without saying so: weather, prices, news."""
        if self.p(0.5):
            return self.c(self.hand("query_bare.web_search"))
        place = self.c(self.places)
        thing = self.word()
        money = "euro dollar yen pound franc peso rupee krona zloty bitcoin".split()
        return self.c([self.c(money) + " " + self.c(money) + " rate", "value of the " + self.c(money), "weather in " + place, "weather " + place, "weather forecast " + place, "temperature in " + place, "will it rain in " + place + " tomorrow",
                       "news from " + place, "latest news about " + thing, "price of " + thing, "stock price of " + thing, "what's the weather in " + place,
                       "how much does a " + thing + " cost", "flights to " + place, "hotels in " + place, "exchange rate " + self.c(["euro dollar", "usd to eur", "pound yen", "swiss franc"]),
                       "weather tomorrow in " + place, "football results " + place, "who won the " + thing + " final yesterday", "traffic in " + place, "concerts in " + place + " this weekend",
                       "is it snowing in " + place, "price of " + thing + " today", "news about " + thing, "what's new with " + thing])

    def hint(self):
        return self.free("hint.request_code_context", ["the", "handling of", "how we", "parsing of", "validation of", "loading", "storing", "sending", "rendering", "the module for", "computing", "caching of", "logging of", "retrying", "configuration of"])

    def prompt(self):
        return self.free("prompt.generate_image", ["a", "an old", "a small", "a watercolor of", "a portrait of", "the", "two", "a group of", "an oil painting of", "a minimalist", "a futuristic", "a cartoon", "a photo of", "a red", "pixel art of", "three"])

    def task(self):
        return self.free("content.add_task", ["buy", "call", "fix the", "write the", "review", "send the", "clean the", "pay the", "book", "update", "refactor", "check", "order", "email", "prepare", "water the", "return the", "test", "ask about", "renew the", "finish the", "pick up"])

    def content(self):
        k = self.r.random()
        if k < 0.06:
            return str(self.r.randint(0, 9999))
        if k < 0.12:
            return self.word()
        if k < 0.16:
            return self.c(['{"%s": "%s"}' % (self.word(), self.word()), '{"%s": %d}' % (self.word(), self.r.randint(0, 99)), "%s = %d" % (self.word(), self.r.randint(0, 99)), "%s=%s" % (self.word().upper(), self.junk()), "print('%s')" % self.word(), "# %s" % self.word().capitalize(), "* @%s" % self.word(), "<p>%s</p>" % self.word(), "%s: %s" % (self.word(), self.word()), "console.log(%d)" % self.r.randint(0, 99), "[%s]" % self.word(), "export %s=%d" % (self.word().upper(), self.r.randint(0, 99))])
        if k < 0.42:
            return self.sentence()
        return self.free("content.write_file", ["hello", "dear", "todo:", "the", "version", "note:", "buy", "meeting at"])

    VERBS = ("parse load store send render compute check validate retry cache log encrypt merge sort filter rank sign queue "
             "schedule compress split count track resolve refresh close open create delete index embed stream").split()
    PEOPLE = ("boss colleague teacher client friend sister brother nephew aunt wife husband cousin neighbour daughter son uncle "
              "professor doctor landlord coworker intern roommate pupils students lawyer grandson nurse coach editor").split()

    @staticmethod
    def past(verb):
        return verb + "d" if verb.endswith("e") else verb[:-1] + "ied" if verb.endswith("y") else verb + "ed"

    def clause(self):
        """A question about code in words: how the tests load the fixtures."""
        a, b, verb = self.word(), self.word(), self.c(self.VERBS)
        hint = self.c(self.hand("hint.request_code_context"))
        return self.c([f"how the {a} {verb}s the {b}", f"how {a}s are {self.past(verb)}", f"how are {a}s {self.past(verb)}", f"how does the {a} {verb} {b}s", f"where the {a} is {self.past(verb)}",
                       f"where are {a}s {self.past(verb)}", f"how we {verb} {b}s", f"how do we {verb} the {b} {a}", f"when {a}s get {self.past(verb)}", f"why the {a} {verb}s {b}s", f"how the {a} and the {b} are {self.past(verb)}",
                       f"how {hint} works", f"how {hint} is done", f"where {hint} happens", f"how does {hint} work"])

    def asked(self):
        """A question in words: how much the ticket was."""
        a, b = self.word(), self.word()
        place = self.c(self.places)
        return self.c([f"how much was the {a}", f"when the {a} is due", f"what {self.c(self.PEOPLE)} said about the {b}", f"who the {a} of {place} is", f"where I left the {a}", f"which {a} is best for {b}",
                       f"who is the {a} of {place}", f"how long the {a} takes", f"how many {a}s we have", f"what the {a} of the {b} is", f"why the {a} was {b}", f"when does the {a} in {place} open", f"who won the {a} {b}", f"how to {a} a {b}", f"what is the {a} of {b}",
                       f"how old the {a} is", f"when is the next {a}", f"what I paid for the {a}", f"where to find {a} {b}"])

    def sentence(self):
        """Words of a text to be saved: clauses, commas, colons."""
        tasks = self.hand("content.add_task")
        return self.c([
            f"{self.some_words(2, 6)}, {self.some_words(2, 5)}", f"{self.word()}: {self.some_words(1, 4)}", f"the {self.c(self.PEOPLE)} {self.word()} the {self.word()}, {self.some_words(1, 4)}",
            f"{self.some_words(3, 9)}", f"the {self.word()} of the {self.word()} is {self.word()}", f"{self.word()} {self.r.randint(1, 99)} {self.some_words(1, 5)}", f"{self.c(tasks)} and {self.c(tasks)}",
            f"{self.word()}, {self.word()}, {self.word()} and {self.word()}", f"{self.word()}: {self.word()} {self.word()}:{self.word()}", f"{self.some_words(2, 4)} because the {self.word()} {self.word()}",
            f"{self.r.randint(1, 12)}:{self.r.randint(10, 59)} {self.some_words(1, 4)}", f"{self.word()} = {self.some_words(1, 3)}"])

    def topic(self):
        return self.c(self.hand(self.c(["topic", "topic.answer"]))) if self.p(0.75) else self.some_words(1, 3)
