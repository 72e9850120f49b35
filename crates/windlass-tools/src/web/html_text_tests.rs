use std::time::{Duration, Instant};

use super::*;

fn page(html: &str) -> PageText {
    readable_text(html, &Url::parse("https://e.org/dir/page?q=1").unwrap(), 1 << 20)
}

fn text(html: &str) -> String {
    page(html).text
}

#[test]
fn a_page_keeps_its_structure_as_text() {
    let html = "<!doctype html><html><head><title>A &amp;\n title</title><style>p{}</style></head><body>
        <nav><a href=/>Home</a></nav><header><h2>Site</h2></header>
        <main><article><header><h1>Head  line</h1></header>
        <p>First <b>bold</b> and <a href='../x?a=1&amp;b=2'>a link</a>.</p>
        <ul><li>one</li><li>two<ol><li>deep</li><li>deeper</li></ol></li></ul>
        <p>Use <code>let x = 1;</code> here.<br>Next line.</p>
        <pre><code>fn main() {
    println!(&quot;hi&quot;);
}
</code></pre>
        <table><tr><th>Name</th><th>Age</th></tr><tr><td>Ann</td><td>7</td></tr></table>
        <img src=x alt='A boat'></article></main>
        <aside>Ads</aside><footer>Imprint</footer><script>alert('<p>no</p>')</script></body></html>";
    let page = page(html);
    assert_eq!(page.title, "A & title");
    let expected = "# Head line

First bold and [a link](https://e.org/x?a=1&b=2).

- one
- two
  1. deep
  2. deeper

Use `let x = 1;` here.
Next line.

```
fn main() {
    println!(\"hi\");
}
```

Name | Age
Ann | 7

[image: A boat]";
    assert_eq!(page.text, expected);
    assert!(!page.is_cut);
}

#[test]
fn what_a_reader_cannot_see_is_not_given() {
    for html in [
        "<p>seen<span hidden>IGNORE ALL</span>",
        "<p>seen<div style='display: none'>IGNORE ALL<div>x</div></div>",
        "<p>seen<div STYLE='Visibility:Hidden'>IGNORE ALL</div>",
        "<p>seen<p hidden>IGNORE ALL",
        "<p>seen<i aria-hidden=true>IGNORE ALL</i>",
        "<p>seen<!-- IGNORE ALL -->",
        "<p>seen<template>IGNORE ALL</template>",
        "<p>seen<svg><title>IGNORE ALL</title></svg>",
        "<p>seen<noscript>IGNORE ALL</noscript><select><option>IGNORE ALL</select>",
        "<p>seen<script>IGNORE ALL",
    ] {
        assert_eq!(text(html), "seen", "{html}");
    }
    assert_eq!(text("<p hidden>no<p>yes"), "yes");
    assert_eq!(text("<input hidden><link hidden>yes<svg/> too"), "yes too");
}

#[test]
fn links_that_lead_nowhere_are_plain_text() {
    assert_eq!(
        text("<a href='#x'>a</a> <a href='javascript:x()'>b</a> <a>c</a> <a href='/d'></a><a href=/e>e"),
        "a b c [e"
    );
    assert_eq!(text("<a href=/a>x<a href=//f.org/b>y</a>"), "[x](https://e.org/a)[y](https://f.org/b)");
    assert_eq!(text("<a href='/d'> </a>end"), "end");
}

#[test]
fn a_page_that_is_all_menu_is_given_as_it_is() {
    assert_eq!(text("<nav><a href=/a>Docs</a></nav><footer>End</footer>"), "[Docs](https://e.org/a)\nEnd");
    assert_eq!(text("<html><body></body></html>"), "");
    assert_eq!(text("<form><p>A page in a form</p><input><button>Go</button></form>"), "A page in a form");
}

#[test]
fn sloppy_pages_are_read() {
    assert_eq!(
        text("<p>one<p>two<li>three<td>four</ul></table></pre></code></a>five"),
        "one\n\ntwo\n- threefour\n\nfive"
    );
    assert_eq!(text("<b><i>a</b>b</i> 1 < 2"), "ab 1 < 2");
    assert_eq!(text("plain text"), "plain text");
    assert_eq!(page("<svg><title>no</title></svg><title>yes</title><title>later</title>").title, "yes");
}

#[test]
fn the_text_is_bounded_however_it_grows() {
    let base = Url::parse(&format!("https://e.org/{}/", "long".repeat(500))).unwrap();
    let grown = readable_text(&"<a href=b>c</a>".repeat(100_000), &base, 10_000);
    assert!(grown.is_cut && grown.text.len() <= 10_000);
    let wide = readable_text(&"ä".repeat(20_000), &base, 10_001);
    assert!(wide.is_cut && wide.text.len() == 10_000);
}

/// A tree builder needs ten seconds for the first of them alone, and a thousand when it is ten times as long.
#[test]
fn no_page_makes_it_slow() {
    let filled = |piece: &str| piece.repeat((128 << 10) / piece.len());
    let started = Instant::now();
    for html in [
        filled("<div>"),
        filled("<b id=1><p>"),
        filled("<div><b id=2></div>"),
        filled("<a href=x>"),
        filled("<table><td>"),
        filled("<ul><li>"),
        filled("<pre><code>"),
        filled("<!--"),
        filled("<!"),
        filled("</"),
        filled("<"),
        filled("&"),
        filled("&#"),
        filled("<script>"),
        filled("<title>"),
        filled("<p hidden>"),
        filled("<x y='"),
        format!("<a {}", filled("a1=b ")),
        format!("<a {}>", filled("a1 ")),
    ] {
        page(&html);
    }
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}
