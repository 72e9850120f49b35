"""Texts that tell tokenizers apart: what people write, what programs print, and what nobody would."""

import pathlib
import random
import unicodedata

# Names of tokens that a template writes, and one that only looks so.
RESERVED = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|begin_of_text|>", "<s>", "</s>", "[INST]", "[/INST]"]

WRITTEN = [
    "Hello world", " Hello", "Hello  world", "Hello   world  ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\t\n\t", " \n ", "  \n\n  x",
    "I'm sure they're here, we've won; she'd say it's John's, don't you? I'll go.",
    "I'M SURE THEY'RE HERE, WE'VE WON; SHE'D SAY IT'S JOHN'S, DON'T YOU? I'LL GO.",
    "'s 't 're 've 'm 'll 'd 'S 'Re 'VE 'lL ''s '1 'x rock'n'roll o'clock 'twas",
    "1 12 123 1234 12345 123456 1234567 3.14159 1,000,000 0xFF 1e-10 2026-11-16T04:18:00Z v1.2.3 ½ ² ³ Ⅷ ① ٣٤٥ १२३ 一二三",
    "x=1;y=2;z=x+y;if(z>=3){return z**2;}//done", "fn main() {\n    println!(\"{}\", 1 + 1);\n}\n",
    "def f(x):\n\treturn x\n\n\nclass A:\n    pass\n", "<div class=\"a\">&nbsp;</div>\r\n<br/>\r\n",
    "{\"name\": \"read_file\", \"arguments\": {\"path\": \"/etc/hosts\", \"limit\": 10}}",
    "camelCase PascalCase snake_case SCREAMING_CASE kebab-case HTTPServer iPhone XMLHttpRequest aB Ab AB ab",
    "Grüße aus Köln, Ärger über Öl. Straße STRASSE ẞ", "L'été déjà à Noël; cœur naïf, garçon où?", "¿Dónde está el niño? ¡Mañana!",
    "Привет, мир! Как дела?", "Γειά σου κόσμε, τι κάνεις;", "שלום עולם, מה שלומך?", "مرحبا بالعالم، كيف حالك؟", "नमस्ते दुनिया, कैसे हैं आप?",
    "สวัสดีชาวโลก สบายดีไหม", "こんにちは世界。元気ですか？カタカナ、ﾊﾝｶｸ", "你好，世界！你好吗？", "안녕하세요 세계, 잘 지내세요?", "Xin chào thế giới, bạn khỏe không?",
    "გამარჯობა მსოფლიო", "Բարեւ աշխարհ", "ሰላም ልዑል", "வணக்கம் உலகம்", "สํ ນໍ້າ မြန်မာ ខ្មែរ", "ǅ ǈ ǋ ʰ ˈ ª º ﬁ ﬂ",
    "🎉🎊 👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 ❤️ ☺︎ 1️⃣", "e\u0301 a\u0308 n\u0303 \u0301x \u0308\u0301 é ä ñ", "Z\u0351\u036b\u0343a\u0363\u0328l\u034d\u0321g\u0321o",
    "\u0000\u0001\u0002\u001b[31mred\u001b[0m\u007f\u0080\u0085\u009f", "a\u00a0b\u2003c\u3000d\u2028e\u2029f\u200bg\u200dh\ufeffi\u00adj\u180ek",
    "…—–“”‘’«»‹›„‚•·¡¿§¶†‡°±×÷≠≤≥∞∑√€£¥©®™", "a...b!!!c???d---e===f###", "!!!\n???\r\n...\n\n;;;/\n//\n", "-/\\|_~^`'\"@#$%&*()[]{}<>+=.,:;?!",
    "a  b   c    d     e      f       g        h", "\t\ta\t\tb \t c\t \td", "   leading", "trailing   ", "   ", "x\n   y\n\n    z\n \n",
    "https://example.org/path?x=1&y=2#frag user@example.org C:\\Users\\x", "$x$ \\frac{1}{2} \\alpha_1^2", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟘𝟙𝟚 ＡＢＣ１２３ ⓐⓑ",
    "no_space.between,anything:at;all!really?yes", "A", "a", "1", " ", "'", "é", "世", "🎉", "<|not_a_token|> <|im_sta rt|> [INS T]",
]

ATOMS = [
    *"abcxyzABCXYZ0123456789", *"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", "'s", "'S", "'t", "'re", "'RE", "'Ve", "'m", "'ll", "'LL", "'d", "'D", "’s",
    " ", " ", " ", "  ", "   ", "    ", "\t", "\n", "\n", "\r", "\r\n", "\n\n", "\u00a0", "\u2003", "\u3000", "\u0085", "\u2028", "\u200b", "\u000b", "\u000c",
    "word", "Word", "WORD", " word", " the", "ing", "camelCase", "HTTPServer", "éa", "Éa", "ß", "ñ", "ÀÉ", "ж", "Жук", "ЖУК", "λ", "Σ", "ς", "ש", "ع", "ـ", "क", "ि",
    "्", "ก", "ำ", "่", "日本", "語", "カ", "ｶ", "ー", "한", "글", "ǅ", "ʰ", "ª", "12", "345", "6789", "²", "½", "Ⅷ", "①", "٣", "१", "〇", "一", "🎉", "👍🏽", "\u200d", "\ufe0f",
    "\u0301", "\u0308", "\u20dd", "🇩", "€", "©", "…", "—", "“", "。", "，", "！", "、", "\u0000", "\u0007", "\u001b", "\u007f", "\u00ad", "\ufeff", "𝔘", "𝟘", "\U0001e900",
]


def of_checkout(checkout: pathlib.Path, count: int, dice: random.Random) -> list[str]:
    """Pieces of this project's own files."""
    kinds = ["docs/**/*.md", "crates/*/src/**/*.rs", "web/src/**/*.ts*", "models/**/*.py", "schema/*.json", "crates/**/*.txt", "*.md"]
    files = sorted({file for kind in kinds for file in checkout.glob(kind) if file.is_file()})
    whole = [text for text in (file.read_text(errors="ignore") for file in files) if len(text) > 300]
    pieces = []
    for _ in range(count):
        text = dice.choice(whole)
        begin = dice.randrange(len(text) - 250)
        pieces.append(text[begin : begin + dice.randrange(40, 250)])
    return pieces


def of_chance(count: int, dice: random.Random) -> list[str]:
    return ["".join(dice.choices(ATOMS, k=dice.randrange(1, 16))) for _ in range(count)]


def every_letter(step: int = 1) -> list[str]:
    """Every letter that Unicode 14 has, ideographs and syllables thinned out, among neighbours of several kinds."""
    points = [point for point in range(0x110000) if is_known(point)]
    texts = []
    for begin in range(0, len(points), 8 * step):
        some = [chr(point) for point in points[begin : begin + 8]]
        texts.append("".join(f"a{letter}b {letter} 1{letter}2" for letter in some) + "".join(some))
    return texts


def is_known(point: int) -> bool:
    kind = unicodedata.category(chr(point))
    if kind in ("Cs", "Cn", "Co"):
        return False
    is_many = 0x3400 <= point < 0xA000 or 0xAC00 <= point < 0xD7A4 or 0x17000 <= point < 0x19000 or point >= 0x20000
    return not is_many or point % 97 == 0


def with_reserved(dice: random.Random, names: list[str], count: int) -> list[str]:
    """Texts in which names of reserved tokens stand."""
    written = [f"{name}user\nhello {name}\n{name}{name} x" for name in names]
    for _ in range(count):
        parts = [dice.choice(names) if dice.random() < 0.4 else dice.choice(ATOMS) for _ in range(dice.randrange(2, 10))]
        written.append("".join(parts))
    return written


def all_texts(checkout: pathlib.Path) -> list[str]:
    dice = random.Random(7)
    return [*WRITTEN, *of_checkout(checkout, 1500, dice), *of_chance(3000, dice), *every_letter()]
