//! The English that the built-in model's requests are held to: which words ask, which only speak of something.
//!
//! Lists alone. What follows from them is decided in `asked`.

/// Words before a request that say nothing.
#[rustfmt::skip]
pub(super) const FILLERS: &[&str] = &[
    "please", "pls", "plz", "kindly", "ok", "okay", "hi", "hello", "hey", "heya", "well", "so", "now", "then",
    "also", "just", "and", "but", "right", "cool", "great", "thanks", "thank", "thx", "sorry", "actually", "quick",
    "quickly", "simply", "only", "first", "next", "finally", "afterwards", "again", "oh", "hm", "hmm", "um",
    "alright", "sure", "yes", "yeah", "yep", "no", "nope", "dear", "there", "assistant", "lastly", "instead",
    "maybe", "perhaps", "fine", "good", "perfect", "nice", "super", "still", "once", "more", "too", "btw", "anyway",
    "today",
];

/// Words after which a verb asks.
#[rustfmt::skip]
pub(super) const BEFORE_VERB: &[&str] = &[
    "you", "u", "ya", "can", "could", "would", "will", "must", "should", "gotta", "let's", "lets", "let", "or",
    "always", "immediately", "that's", "directly", "carefully", "terminal", "shell", "bash", "console", "go",
    "ahead", "try", "better", "i'll", "we'll", "shall", "mind", "folder", "directory", "project", "test", "yo",
    "not",
];

/// Verbs and nouns before `to` that make a wish of it.
#[rustfmt::skip]
pub(super) const WISHES: &[&str] = &[
    "want", "wants", "wanna", "need", "needs", "like", "love", "have", "has", "got", "you", "u", "time", "going",
    "help", "me", "us", "use", "ask", "asked", "wish", "shell", "terminal", "bash", "file", "order", "try",
    "please", "it", "everything", "them",
];

/// Words that begin a question about something.
#[rustfmt::skip]
pub(super) const QUESTIONS: &[&str] = &[
    "who", "whose", "whom", "why", "when", "where", "which", "what", "what's", "whats", "who's", "whos", "where's",
    "wheres", "why's", "how", "how's", "hows", "is", "are", "was", "were", "am", "does", "did", "has", "had",
    "isn't", "isnt", "aren't", "wasn't", "weren't", "doesn't", "didn't", "hasn't", "should", "shall", "might",
    "any", "anyone", "anybody", "wher", "whcih", "wich", "wat", "wht", "hwo", "hwat", "waht", "whch", "dose",
];

/// Verbs that want words about something.
#[rustfmt::skip]
pub(super) const ABOUT: &[&str] = &[
    "explain", "describe", "define", "summarise", "summarize", "clarify", "discuss", "compare", "contrast", "teach",
    "translate", "elaborate", "analyse", "analyze", "interpret", "expalin", "explian", "desribe", "descirbe",
];

/// Words inside a sentence by which it speaks about something.
#[rustfmt::skip]
pub(super) const WONDERS: &[&str] = &[
    "wonder", "wondering", "wondered", "curious", "know", "understand", "learn", "possible", "possibility",
    "difference", "suppose", "hypothetically", "theoretically", "explain", "explains", "explanation", "describe",
    "meaning",
];

/// Beginnings of a part of a sentence that only sets the scene.
#[rustfmt::skip]
pub(super) const SCENES: &[&str] = &[
    "if", "when", "whenever", "once", "before", "after", "because", "since", "although", "though", "while",
    "unless", "until", "suppose", "assuming",
];

#[rustfmt::skip]
pub(super) const FORBIDS: &[&str] = &[
    "don't", "dont", "don´t", "never", "without", "avoid", "mustn't", "mustnt", "shouldn't", "shouldnt", "refrain",
    "neither", "nor", "dnt", "dotn", "donot",
];

/// Words that forbid what follows them closely.
#[rustfmt::skip]
pub(super) const DENIES: &[&str] = &[
    "not", "no", "cannot", "can't", "cant", "won't", "wont", "nto", "nothing",
];

/// What is forbidden by them.
#[rustfmt::skip]
pub(super) const CHANGES: &[&str] = &[
    "change", "changes", "changing", "changed", "write", "writing", "written", "edit", "edits", "editing", "modify",
    "modifying", "modification", "modifications", "touch", "touching", "run", "running", "execute", "executing",
    "delete", "deleting", "remove", "removing", "create", "creating", "save", "saving", "overwrite", "overwriting",
    "alter", "update", "updating", "anything", "nothing", "command", "commands", "chnage", "wriet", "wirte", "edti",
    "modfiy", "append", "replace", "add", "put", "store", "launch", "start", "do",
];

/// Verbs by which a file is written.
#[rustfmt::skip]
pub(super) const WRITES: &[&str] = &[
    "write", "save", "put", "store", "dump", "create", "make", "overwrite", "let", "replace", "fill", "generate",
    "produce", "jot", "insert", "enter", "set", "change", "rewrite", "record", "persist", "throw", "chuck", "slap",
    "stick", "paste", "place", "drop", "empty", "clear", "scribble", "add", "update", "build", "export", "note",
    "type", "pop", "shove", "populate", "prepare", "keep",
];

/// The same, said of the file.
#[rustfmt::skip]
pub(super) const WRITTEN: &[&str] = &[
    "written", "saved", "stored", "created", "made", "filled", "contain", "containing", "say", "saying", "hold",
    "contains", "with", "says", "be", "holding", "go",
];

/// Wishes for something that is not there.
#[rustfmt::skip]
pub(super) const NEEDS: &[&str] = &[
    "want", "wants", "need", "needs", "should", "must", "i'd", "missing", "shall", "supposed", "expect", "get",
    "has", "ought", "goes", "belongs",
];

/// Verbs by which a command is run.
#[rustfmt::skip]
pub(super) const RUNS: &[&str] = &[
    "run", "execute", "exec", "invoke", "launch", "rerun", "re-run", "runs", "issue", "runn", "rnu", "excute",
    "excecute", "exrcute", "lanch",
];

/// Verbs by which a command is run where more speaks for it.
#[rustfmt::skip]
pub(super) const STARTS: &[&str] = &[
    "start", "call", "do", "try", "type", "enter", "use", "fire", "kick", "give", "test", "check", "open", "put",
    "send", "feed", "let", "have", "chuck", "pipe", "retry", "show", "tell", "print", "get", "go", "need", "see",
    "want", "perform", "trigger", "submit", "throw", "pass", "paste", "repeat",
];

/// Words of the place where commands are run.
#[rustfmt::skip]
pub(super) const SHELLS: &[&str] = &[
    "shell", "terminal", "bash", "console", "cmd", "command", "cli", "sh", "zsh", "prompt", "command-line",
    "one-liner", "commands", "powershell", "commandline", "comand", "termnial", "shel",
];

/// Verbs and words that want a command's output.
#[rustfmt::skip]
pub(super) const OUTPUTS: &[&str] = &[
    "output", "outputs", "print", "prints", "says", "say", "return", "returns", "gives", "give", "show", "shows",
    "result", "results",
];

/// Programs that are no words of English: who names one means it.
#[rustfmt::skip]
pub(super) const PROGRAMS: &[&str] = &[
    "git", "npm", "npx", "cargo", "docker", "kubectl", "ls", "pwd", "python", "pip", "pytest", "eslint", "tsc", "gradle", "mvn",
    "terraform", "uname", "whoami", "df", "du", "uptime", "rustc", "ps", "yarn", "pnpm", "cmake", "ctest", "systemctl",
];

/// Programs that only look; a question for their output asks for them to be run.
#[rustfmt::skip]
pub(super) const LOOKERS: &[&str] = &[
    "ls", "pwd", "cat", "date", "whoami", "uname", "df", "du", "wc", "head", "tail", "which", "ps", "uptime",
    "hostname", "id", "env", "printenv", "free", "git", "file", "stat", "nproc", "lscpu", "lsblk", "arch", "groups",
    "w", "who", "echo", "grep", "rg", "find", "tree", "man", "cargo", "rustc", "node", "npm", "python", "python3",
    "go", "docker", "kubectl", "java", "make", "ip", "ping", "dig", "nslookup", "curl", "top", "jq", "sort", "uniq",
    "diff",
];

/// Objects of `run` that name no command.
#[rustfmt::skip]
pub(super) const NO_COMMANDS: &[&str] = &[
    "it", "them", "that", "this", "these", "those", "everything", "anything", "something", "nothing", "all", "some",
    "tests", "test", "program", "programs", "code", "script", "scripts", "project", "app", "build", "server",
    "commands", "command", "stuff", "things", "away", "out", "into", "late", "low", "over", "along", "for", "on",
    "in", "at", "with", "from", "by", "a", "an", "the", "my", "our", "your", "his", "her", "their", "another",
    "more", "one", "two", "and", "or", "if", "when", "while", "as", "but", "later", "tomorrow", "fast", "slow",
    "slowly", "smoothly", "off", "around", "through", "up", "down", "well", "errands", "of", "to", "me", "us",
    "you", "benchmarks", "linter", "suite", "unit", "each", "every", "other", "any", "no", "now", "again",
];

#[rustfmt::skip]
pub(super) const TASKS: &[&str] = &[
    "task", "tasks", "todo", "todos", "to-do", "to-dos", "reminder", "reminders", "tasklist", "agenda", "list",
    "backlog", "tsak", "taks", "tassk", "taak", "item", "remind", "remember", "forget", "checklist", "self", "tak",
    "tasc", "lists", "tdoo", "remidner", "chore", "chores", "tracker", "board", "tast", "taskk", "memo", "reimnd",
    "lsit", "remmind", "remmber", "rember", "todolist", "tso", "ltodo", "pile",
];

/// Verbs by which one is added.
#[rustfmt::skip]
pub(super) const ADDS: &[&str] = &[
    "add", "put", "create", "make", "write", "note", "save", "new", "place", "throw", "stick", "remind", "remember",
    "forget", "track", "log", "record", "register", "schedule", "plan", "queue", "append", "jot", "keep", "insert",
    "enter", "include", "pop", "drop", "added", "becomes", "todo", "to-do", "reminder", "additional", "adding",
    "tracked", "noted", "memo", "addd", "chuck", "slap",
];

/// States of a task and verbs of them.
#[rustfmt::skip]
pub(super) const STATES: &[&str] = &[
    "done", "finished", "finish", "complete", "completed", "close", "closed", "tick", "ticked", "check", "checked",
    "cross", "crossed", "mark", "set", "move", "switch", "change", "update", "flag", "resolve", "resolved", "start",
    "started", "starting", "begin", "began", "begun", "beginning", "working", "progress", "in-progress", "pending",
    "reopen", "open", "uncheck", "untick", "unmark", "reset", "restart", "postpone", "park", "shelve", "pause",
    "paused", "busy", "underway", "ongoing", "active", "doing", "tackle", "tackling", "pick", "picked", "picking",
    "take", "taking", "took", "put", "ready", "sorted", "solved", "handled", "un-complete", "undo", "waiting",
    "wait", "hold", "backlog", "queue", "strike", "did", "wrapped", "wrap", "unfinished", "halfway", "half", "kick",
    "kicked", "accomplished", "fixed", "success", "successful", "finalised", "settled", "todo", "complet",
    "finishd", "finsihed", "compelted", "doen", "dnoe", "pendin", "pogress", "stuck", "blocked", "delayed",
    "begins", "isn't", "isnt", "still", "completing", "finishing", "closing", "struck", "shipped", "stopped",
    "stop", "clear", "cleared", "ended",
];

#[rustfmt::skip]
pub(super) const IMAGES: &[&str] = &[
    "draw", "paint", "sketch", "illustrate", "render", "picture", "image", "img", "drawing", "painting",
    "illustration", "pic", "photo", "wallpaper", "artwork", "art", "logo", "icon", "poster", "portrait", "cartoon",
    "banner", "visualise", "visualize", "graphic", "rendering", "watercolor", "watercolour", "design", "depict",
    "pictures", "images", "drawn", "painted", "illustrated", "imagine", "sketching", "drawings", "comic", "mural",
    "doodle", "avatar", "visual", "photograph", "depiction", "pixel", "pics", "photorealistic", "pciture", "iamge",
    "darw", "piant", "imge", "picutre", "visualisation", "visualization", "portray", "animate", "thumbnail",
    "sticker", "snapshot", "sketched", "rendered", "pictur", "tattoo", "postcard", "flyer", "mockup",
];

/// Words that want something from the web.
#[rustfmt::skip]
pub(super) const WEB: &[&str] = &[
    "web", "online", "internet", "google", "googel", "news", "weather", "forecast", "price", "prices", "rate",
    "rates", "score", "scores", "results", "result", "stock", "stocks", "latest", "current", "currently", "today",
    "tonight", "tomorrow", "rain", "sunny", "snow", "temperature", "websites", "website", "site", "sites", "bing",
    "duckduckgo", "browse", "wikipedia", "articles", "article", "cost", "costs", "exchange", "won", "election",
    "standings", "schedule", "opening", "hours", "release", "released", "worth", "market", "bitcoin", "headlines",
    "happening", "trending", "traffic", "flights", "tickets", "updates", "week", "weekend", "year", "month",
    "morning", "evening", "hot", "cold", "warm", "saying", "sources", "links", "pages", "net", "query", "duck",
    "goolge", "wether", "weahter", "storm", "wind", "windy", "degrees", "dollar", "euro", "game", "match",
    "winning", "winner", "live", "sunset", "sunrise", "umbrella", "snowing", "raining", "humid", "humidity",
    "reviews", "review", "gas", "fuel", "shares", "share", "trading", "gold", "crypto", "ethereum", "freezing",
    "frost", "hits", "hit", "reddit", "youtube", "twitter", "worldwide", "globally", "surf", "headline", "reports",
    "report", "announced", "announcement", "outage", "lottery", "league", "cup", "championship", "final", "recent",
    "recently", "breaking", "politics", "index", "nasdaq", "inflation", "interest", "mortgage", "jacket", "coat",
    "sun", "cloudy", "clouds", "fog", "foggy",
];

/// Words that want something from anywhere: the web, where nothing of this machine is named.
#[rustfmt::skip]
pub(super) const SEARCHES: &[&str] = &[
    "search", "serach", "find", "look", "lookup", "seach", "searhc", "looking", "seek", "hunt", "dig", "fetch", "research",
    "investigate",
];

/// What is on this machine.
#[rustfmt::skip]
pub(super) const HERE: &[&str] = &[
    "file", "files", "code", "codebase", "project", "folder", "folders", "directory", "repo", "repository", "notes", "documents",
    "docs", "sources", "source", "here", "tests", "test", "function",
];

/// Words of other languages that English does not have, or hardly.
#[rustfmt::skip]
pub(super) const FOREIGN: &[&str] = &[
    "der", "das", "und", "ist", "nicht", "ein", "eine", "einen", "mir", "dir", "bitte", "welche", "welcher",
    "welches", "wie", "wer", "wo", "warum", "wann", "zeig", "zeige", "lies", "datei", "dateien", "ordner", "den",
    "dem", "mit", "auf", "für", "von", "zu", "ich", "du", "sind", "kannst", "hallo", "danke", "gibt", "suche",
    "nach", "inhalt", "wieviel", "uhr", "heute", "erkläre", "schreibe", "schreib", "le", "la", "les", "un", "une",
    "des", "est", "et", "que", "qui", "quoi", "quel", "quelle", "quels", "quelles", "dans", "pour", "avec", "sur",
    "moi", "toi", "bonjour", "merci", "fichier", "fichiers", "dossier", "lis", "lire", "montre", "cherche", "heure",
    "il", "elle", "je", "tu", "nous", "vous", "peux", "ce", "cette", "comment", "pourquoi", "ouvre", "affiche",
    "s'il", "plaît", "plait", "el", "los", "las", "una", "qué", "quién", "cuál", "cómo", "dónde", "por", "favor",
    "para", "con", "del", "archivo", "archivos", "carpeta", "muestra", "muéstrame", "lee", "busca", "hora", "hola",
    "gracias", "mi", "lo", "gli", "che", "chi", "cosa", "dove", "quando", "perché", "nel", "nella", "della", "dei",
    "delle", "leggi", "mostra", "mostrami", "cerca", "ciao", "grazie", "ore", "sono", "favore", "cartella", "quali",
    "uma", "não", "nao", "em", "dos", "arquivo", "arquivos", "pasta", "leia", "mostre", "procure", "olá", "ola",
    "obrigado", "obrigada", "quem", "onde", "como", "qual", "quais", "horas", "het", "een", "van", "niet", "wat",
    "hoe", "waarom", "waar", "bestand", "bestanden", "lees", "toon", "laat", "zien", "zoek", "naar", "dank",
    "alsjeblieft", "och", "är", "det", "på", "jest", "nie", "plik", "pliki", "jak", "gdzie", "pokaż", "czytaj",
    "przeczytaj", "proszę",
];

/// Words of English that the other languages do not have.
#[rustfmt::skip]
pub(super) const ENGLISH: &[&str] = &[
    "the", "of", "and", "is", "are", "what", "which", "who", "how", "where", "when", "why", "this", "that",
    "please", "my", "your", "with", "for", "from", "into", "file", "files", "read", "show", "write", "run",
    "search", "find", "list", "open", "it", "you", "can", "could", "would", "do", "does", "did", "not", "any",
    "there", "have", "has", "about", "all", "some", "to", "be", "by", "or", "on", "task", "add", "tell", "give",
    "make", "create", "draw",
];

/// Verbs of reading: with those of effects, what a second request begins with.
#[rustfmt::skip]
pub(super) const READS: &[&str] = &[
    "read", "show", "open", "list", "print", "display", "view", "cat", "find", "search", "grep", "look", "check",
    "tell", "get", "fetch", "load", "see", "calculate", "compute", "google", "give", "what", "what's", "whats",
    "how", "where", "which", "who", "when", "work", "bring", "locate", "scan", "pull",
];

/// What somebody would have to compose.
#[rustfmt::skip]
pub(super) const MADE_UP: &[&str] = &[
    "summary", "overview", "list", "report", "explanation", "poem", "story", "analysis", "translation", "copy",
    "table", "description", "documentation", "function", "program", "script", "test", "tests", "review",
    "outline", "index", "lot", "version", "essay", "letter", "article",
];

/// Ends of addresses that are written without `https://`; most other ends are those of files.
#[rustfmt::skip]
pub(super) const DOMAINS: &[&str] = &[
    "com", "org", "net", "io", "dev", "edu", "gov", "co", "uk", "de", "fr", "ch", "at", "eu", "info", "app", "ai",
    "us", "nl", "it", "es", "se", "no", "be", "tv", "ly", "biz", "example", "local", "cloud", "tech", "site",
    "online", "jp", "cn", "in", "au", "ca", "nz", "br", "xyz", "news", "gg", "int",
];

/// Words between a verb and the file that it writes.
#[rustfmt::skip]
pub(super) const ABOUT_FILE: &[&str] = &[
    "the", "a", "an", "new", "file", "called", "named", "text", "content", "contents", "of", "my", "our", "this",
    "following", "please", "just", "only", "out", "small", "short", "name",
];

/// Words between two things that are asked.
#[rustfmt::skip]
pub(super) const JOINTS: &[&str] = &[
    "then", "afterwards", "followed", "after", "next", "also", "finally", "plus", "additionally", "later",
    "secondly", "lastly", "before", "once", "first",
];

/// Words that take up the request before this one.
#[rustfmt::skip]
pub(super) const FOLLOW: &[&str] = &[
    "and", "also", "now", "then", "too", "same", "again", "next", "another", "plus", "one", "once", "repeat",
    "redo", "retry", "what", "how", "refresh",
];

/// Words that want the same once more.
#[rustfmt::skip]
pub(super) const AGAIN: &[&str] = &[
    "again", "repeat", "redo", "retry", "once", "rerun", "re-run", "refresh", "same",
];

/// Verbs of a file that is not there yet.
#[rustfmt::skip]
pub(super) const MAKES: &[&str] = &[
    "create", "make", "new", "add", "generate", "produce", "build",
];
