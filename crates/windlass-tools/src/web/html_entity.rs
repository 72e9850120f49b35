//! Character references of HTML: `&amp;`, `&#8212;`, `&#x2014;`.
//!
//! Owns the names that pages use; a name that is not known stays as it is written.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// Longest name that is looked up.
const NAME_BYTES_MAX: usize = 24;

/// Names that pages write without their semicolon.
const BARE: [&str; 7] = ["amp", "lt", "gt", "quot", "nbsp", "copy", "reg"];

/// Name and code point, in hexadecimal.
const NAMES: &str = "\
    Tab=9 NewLine=a excl=21 quot=22 num=23 dollar=24 percnt=25 amp=26 apos=27 lpar=28 rpar=29 ast=2a \
    plus=2b comma=2c period=2e sol=2f colon=3a semi=3b lt=3c equals=3d gt=3e quest=3f commat=40 \
    lbrack=5b bsol=5c rbrack=5d lowbar=5f grave=60 lbrace=7b vert=7c rbrace=7d nbsp=a0 iexcl=a1 \
    cent=a2 pound=a3 curren=a4 yen=a5 brvbar=a6 sect=a7 uml=a8 copy=a9 ordf=aa laquo=ab not=ac \
    shy=ad reg=ae macr=af deg=b0 plusmn=b1 sup2=b2 sup3=b3 acute=b4 micro=b5 para=b6 middot=b7 \
    cedil=b8 sup1=b9 ordm=ba raquo=bb frac14=bc frac12=bd frac34=be iquest=bf Agrave=c0 Aacute=c1 \
    Acirc=c2 Atilde=c3 Auml=c4 Aring=c5 AElig=c6 Ccedil=c7 Egrave=c8 Eacute=c9 Ecirc=ca Euml=cb \
    Igrave=cc Iacute=cd Icirc=ce Iuml=cf ETH=d0 Ntilde=d1 Ograve=d2 Oacute=d3 Ocirc=d4 Otilde=d5 \
    Ouml=d6 times=d7 Oslash=d8 Ugrave=d9 Uacute=da Ucirc=db Uuml=dc Yacute=dd THORN=de szlig=df \
    agrave=e0 aacute=e1 acirc=e2 atilde=e3 auml=e4 aring=e5 aelig=e6 ccedil=e7 egrave=e8 eacute=e9 \
    ecirc=ea euml=eb igrave=ec iacute=ed icirc=ee iuml=ef eth=f0 ntilde=f1 ograve=f2 oacute=f3 \
    ocirc=f4 otilde=f5 ouml=f6 divide=f7 oslash=f8 ugrave=f9 uacute=fa ucirc=fb uuml=fc yacute=fd \
    thorn=fe yuml=ff Abreve=102 abreve=103 aogon=105 Cacute=106 cacute=107 Ccaron=10c ccaron=10d \
    eogon=119 ecaron=11b gbreve=11f Idot=130 inodot=131 Lstrok=141 lstrok=142 nacute=144 OElig=152 \
    oelig=153 rcaron=159 sacute=15b scedil=15f Scaron=160 scaron=161 uring=16f Yuml=178 zacute=17a \
    zdot=17c Zcaron=17d zcaron=17e fnof=192 circ=2c6 tilde=2dc Alpha=391 Beta=392 Gamma=393 \
    Delta=394 Epsilon=395 Zeta=396 Eta=397 Theta=398 Iota=399 Kappa=39a Lambda=39b Mu=39c Nu=39d \
    Xi=39e Omicron=39f Pi=3a0 Rho=3a1 Sigma=3a3 Tau=3a4 Upsilon=3a5 Phi=3a6 Chi=3a7 Psi=3a8 \
    Omega=3a9 alpha=3b1 beta=3b2 gamma=3b3 delta=3b4 epsilon=3b5 zeta=3b6 eta=3b7 theta=3b8 iota=3b9 \
    kappa=3ba lambda=3bb mu=3bc nu=3bd xi=3be omicron=3bf pi=3c0 rho=3c1 sigmaf=3c2 sigma=3c3 \
    tau=3c4 upsilon=3c5 phi=3c6 chi=3c7 psi=3c8 omega=3c9 thetasym=3d1 upsih=3d2 piv=3d6 ensp=2002 \
    emsp=2003 thinsp=2009 ZeroWidthSpace=200b zwnj=200c zwj=200d lrm=200e rlm=200f dash=2010 \
    hyphen=2010 ndash=2013 mdash=2014 lsquo=2018 rsquo=2019 sbquo=201a ldquo=201c rdquo=201d \
    bdquo=201e dagger=2020 Dagger=2021 bull=2022 hellip=2026 permil=2030 prime=2032 Prime=2033 \
    lsaquo=2039 rsaquo=203a oline=203e frasl=2044 euro=20ac image=2111 copysr=2117 weierp=2118 \
    real=211c trade=2122 alefsym=2135 larr=2190 uarr=2191 rarr=2192 darr=2193 harr=2194 rarrw=219d \
    crarr=21b5 lArr=21d0 uArr=21d1 rArr=21d2 dArr=21d3 hArr=21d4 forall=2200 part=2202 exist=2203 \
    empty=2205 nabla=2207 isin=2208 notin=2209 ni=220b prod=220f sum=2211 minus=2212 lowast=2217 \
    radic=221a prop=221d infin=221e ang=2220 and=2227 or=2228 cap=2229 cup=222a int=222b there4=2234 \
    sim=223c cong=2245 asymp=2248 ne=2260 equiv=2261 le=2264 ge=2265 sub=2282 sup=2283 nsub=2284 \
    sube=2286 supe=2287 oplus=2295 otimes=2297 perp=22a5 sdot=22c5 lceil=2308 rceil=2309 lfloor=230a \
    rfloor=230b lang=2329 rang=232a loz=25ca star=2606 phone=260e spades=2660 clubs=2663 hearts=2665 \
    diams=2666 check=2713 cross=2717";

/// What pages mean by the code points 80 to 9F, which are control characters.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text with its character references replaced.
pub(crate) fn decode_entities(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return text.into();
    }
    let mut decoded = String::with_capacity(text.len());
    let mut pieces = text.split('&');
    decoded.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        match read_reference(piece) {
            Some((letter, rest)) => {
                decoded.push(letter);
                decoded.push_str(rest);
            }
            None => {
                decoded.push('&');
                decoded.push_str(piece);
            }
        }
    }
    decoded.into()
}

/// The character that a text begins with, written as a reference, and what follows it.
fn read_reference(text: &str) -> Option<(char, &str)> {
    if let Some(number) = text.strip_prefix('#') {
        return read_number(number);
    }
    let length = text.bytes().take(NAME_BYTES_MAX).take_while(u8::is_ascii_alphanumeric).count();
    let (name, rest) = text.split_at_checked(length)?;
    let letter = *names().get(name)?;
    match rest.strip_prefix(';') {
        Some(rest) => Some((letter, rest)),
        // `&copy=2` is a parameter of an address.
        None if BARE.contains(&name) && !rest.starts_with('=') => Some((letter, rest)),
        None => None,
    }
}

fn read_number(text: &str) -> Option<(char, &str)> {
    let (digits, radix) = match text.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let length = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let (number, rest) = digits.split_at_checked(length)?;
    if number.is_empty() {
        return None;
    }
    let code = u32::from_str_radix(number, radix).unwrap_or(u32::MAX);
    let letter = match code {
        0 => None,
        0x80..=0x9f => WINDOWS.get(code as usize - 0x80).copied(),
        _ => char::from_u32(code),
    };
    Some((letter.unwrap_or(char::REPLACEMENT_CHARACTER), rest.strip_prefix(';').unwrap_or(rest)))
}

fn names() -> &'static HashMap<&'static str, char> {
    static TABLE: OnceLock<HashMap<&'static str, char>> = OnceLock::new();
    TABLE.get_or_init(|| NAMES.split_whitespace().filter_map(read_entry).collect())
}

fn read_entry(entry: &'static str) -> Option<(&'static str, char)> {
    let (name, code) = entry.split_once('=')?;
    Some((name, char::from_u32(u32::from_str_radix(code, 16).ok()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_their_characters() {
        for (text, expected) in [
            ("a &amp; b &lt;c&gt;", "a & b <c>"),
            ("&quot;&apos;&nbsp;&hellip;&mdash;", "\"'\u{a0}…—"),
            ("&auml;&Ouml;&szlig;&euro;", "äÖß€"),
            ("&#65;&#x42;&#X43;&#68", "ABCD"),
            ("&#150;&#x80;", "–€"),
            ("&#0;&#xD800;&#x110000;&#99999999999999999999;", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
            ("R&D &unknown; &; & &# &#x; &é", "R&D &unknown; &; & &# &#x; &é"),
            ("?a=1&copy=2&lt=3", "?a=1&copy=2&lt=3"),
            ("&copy 2026&nbsp", "© 2026\u{a0}"),
            ("&amp;lt;", "&lt;"),
        ] {
            assert_eq!(decode_entities(text), expected, "{text}");
        }
    }

    #[test]
    fn every_entry_of_the_table_can_be_read() {
        assert_eq!(names().len(), NAMES.split_whitespace().count());
        assert!(names().len() > 300);
    }
}
