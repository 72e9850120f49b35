//! What stands in the brackets of `#[tool(…)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::{Ident, LitInt, LitStr, Token};

/// The options of one tool.
#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    effects: Option<TokenStream>,
    risk: Option<TokenStream>,
    timeout_ms: Option<u64>,
    aliases: Vec<String>,
    is_idempotent: bool,
    is_repeatable: bool,
    is_untrusted: bool,
    is_own_output: bool,
}

const KNOWN: &str =
    "name, description, effects, risk, timeout_ms, alias, idempotent, repeatable, untrusted, own_output";

impl Parse for ToolOptions {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut options = Self::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            options.take(&key, input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(options)
    }
}

impl ToolOptions {
    fn take(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        match key.to_string().as_str() {
            "name" => self.name = Some(text(input)?.value()),
            "description" => self.description = Some(text(input)?.value()),
            "alias" => self.aliases.push(text(input)?.value()),
            "effects" => {
                let words =
                    [("pure", "Pure"), ("read", "Read"), ("write", "Write"), ("external", "External")];
                let variant = choice(&text(input)?, &words)?;
                self.effects = Some(quote!(__windlass::Effects::#variant));
            }
            "risk" => {
                let words = [
                    ("safe", "Safe"),
                    ("low", "Low"),
                    ("medium", "Medium"),
                    ("high", "High"),
                    ("critical", "Critical"),
                ];
                let variant = choice(&text(input)?, &words)?;
                self.risk = Some(quote!(__windlass::Risk::#variant));
            }
            "timeout_ms" => {
                input.parse::<Token![=]>()?;
                self.timeout_ms = Some(input.parse::<LitInt>()?.base10_parse()?);
            }
            "idempotent" => self.is_idempotent = true,
            "repeatable" => self.is_repeatable = true,
            "untrusted" => self.is_untrusted = true,
            "own_output" => self.is_own_output = true,
            other => {
                return Err(syn::Error::new(
                    key.span(),
                    format!("unknown option '{other}'; there are {KNOWN}"),
                ));
            }
        }
        Ok(())
    }

    /// Statements that set what was given. A tool that may change something and says no risk is asked about.
    pub(crate) fn settings(&self) -> TokenStream {
        let effects = self.effects.clone().map(|effects| quote!(spec.effects = #effects;));
        let risk = match &self.risk {
            Some(risk) => quote!(spec.risk = #risk;),
            None => quote!(spec.risk = __windlass::usual_risk(spec.effects);),
        };
        let timeout = self.timeout_ms.map(|ms| quote!(spec.timeout_ms = ::std::option::Option::Some(#ms);));
        let aliases = self.aliases.iter().map(|alias| quote!(spec.aliases.push(#alias.into());));
        let idempotent = self.is_idempotent.then(|| quote!(spec.idempotent = true;));
        let repeatable = self.is_repeatable.then(|| quote!(spec.repeatable = true;));
        let untrusted = self.is_untrusted.then(|| quote!(spec.untrusted_output = true;));
        let own = self.is_own_output.then(|| quote!(spec.own_output = true;));
        quote!(#effects #risk #timeout #(#aliases)* #idempotent #repeatable #untrusted #own)
    }
}

fn text(input: ParseStream<'_>) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    input.parse()
}

fn choice(text: &LitStr, words: &[(&str, &str)]) -> syn::Result<Ident> {
    let value = text.value();
    match words.iter().find(|(word, _)| *word == value) {
        Some((_, variant)) => Ok(Ident::new(variant, text.span())),
        None => {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            Err(syn::Error::new(text.span(), format!("'{value}' is none of {}", known.join(", "))))
        }
    }
}
