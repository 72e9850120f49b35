//! What the function's head says: parameters, documentation, kind of result.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, FnArg, ItemFn, Lit, Meta, Pat, ReturnType, Type};

/// Whether a function can fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returns {
    Result,
    Plain,
}

/// The head of a function, ready to be written as a tool.
pub(crate) struct ToolSignature {
    pub(crate) docs: Vec<Attribute>,
    /// Fields of the argument struct.
    pub(crate) fields: Vec<TokenStream>,
    /// What the body is called with.
    pub(crate) arguments: Vec<TokenStream>,
    pub(crate) returns: Returns,
}

impl ToolSignature {
    /// Reads the head, and takes attributes off the parameters: they belong to the fields.
    pub(crate) fn of(function: &mut ItemFn) -> syn::Result<Self> {
        if !function.sig.generics.params.is_empty() {
            let message = "a tool has no generic parameters: a model cannot fill them in";
            return Err(syn::Error::new(function.sig.generics.span(), message));
        }
        let docs =
            function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect();
        let mut fields = Vec::new();
        let mut arguments = Vec::new();
        for input in &mut function.sig.inputs {
            let FnArg::Typed(parameter) = input else {
                return Err(syn::Error::new(input.span(), "a tool is a free function: no self"));
            };
            if is_context(&parameter.ty) {
                arguments.push(quote!(context));
                continue;
            }
            let Pat::Ident(pattern) = parameter.pat.as_ref() else {
                return Err(syn::Error::new(
                    parameter.pat.span(),
                    "a parameter of a tool needs a plain name",
                ));
            };
            let (name, kind) = (&pattern.ident, &parameter.ty);
            let attributes = std::mem::take(&mut parameter.attrs);
            fields.push(quote!(#(#attributes)* #name: #kind));
            arguments.push(quote!(args.#name));
        }
        Ok(Self { docs, fields, arguments, returns: returns(&function.sig.output) })
    }

    /// The doc comment as one text.
    pub(crate) fn description(&self) -> String {
        doc_text(&self.docs)
    }
}

/// The doc comment among attributes, as one text.
pub(crate) fn doc_text(attributes: &[Attribute]) -> String {
    let docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc"));
    let lines: Vec<String> = docs.filter_map(doc_line).collect();
    lines.join("\n").trim().to_owned()
}

fn doc_line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return None };
    Some(text.value().trim().to_owned())
}

/// `&ToolContext`, by whatever path.
fn is_context(kind: &Type) -> bool {
    let Type::Reference(reference) = kind else { return false };
    last_word(&reference.elem).is_some_and(|word| word == "ToolContext")
}

fn returns(output: &ReturnType) -> Returns {
    match output {
        ReturnType::Type(_, kind) if last_word(kind).is_some_and(|word| word == "Result") => Returns::Result,
        ReturnType::Type(..) | ReturnType::Default => Returns::Plain,
    }
}

fn last_word(kind: &Type) -> Option<String> {
    let Type::Path(path) = kind else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}
