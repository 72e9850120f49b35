//! What the function's head says: parameters, documentation, kind of result.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, FnArg, Ident, Lit, Meta, Pat, Receiver, ReturnType, Type};

/// Types of parameters that are bound when an agent is built, and filled for each call.
const FILLED: [&str; 2] = ["State", "AskUser"];

/// Whether a function can fail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returns {
    Result,
    Plain,
}

/// The head of a function, ready to be written as a tool.
pub(crate) struct FunctionHead {
    pub(crate) docs: Vec<Attribute>,
    /// Fields of the argument struct.
    pub(crate) fields: Vec<TokenStream>,
    /// What the body is called with.
    pub(crate) arguments: Vec<TokenStream>,
    /// What is filled in when the tool gets its state: the name of a field, and its type.
    pub(crate) states: Vec<(Ident, Type)>,
    /// Whether the body is asked of a struct.
    pub(crate) has_self: bool,
    pub(crate) is_async: bool,
    pub(crate) returns: Returns,
}

impl FunctionHead {
    /// Reads the head, and takes attributes off the parameters: they belong to the fields.
    pub(crate) fn of(attributes: &[Attribute], head: &mut syn::Signature) -> syn::Result<Self> {
        if !head.generics.params.is_empty() {
            let message = "a tool has no generic parameters: a model cannot fill them in";
            return Err(syn::Error::new(head.generics.span(), message));
        }
        let docs = attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).cloned().collect();
        let is_async = head.asyncness.is_some();
        let (mut fields, mut arguments, mut states) = (Vec::new(), Vec::new(), Vec::new());
        let mut has_self = false;
        for input in &mut head.inputs {
            let parameter = match input {
                FnArg::Receiver(receiver) => {
                    check_receiver(receiver)?;
                    has_self = true;
                    continue;
                }
                FnArg::Typed(parameter) => parameter,
            };
            if is_context(&parameter.ty) {
                arguments.push(quote!(context));
                continue;
            }
            let word = last_word(&parameter.ty).unwrap_or_default();
            if word == "CurrentRun" {
                let kind = &parameter.ty;
                arguments.push(quote!(<#kind>::of(context)));
                continue;
            }
            if FILLED.contains(&word.as_str()) {
                let name = format_ident!("__state_{}", states.len());
                arguments.push(quote!(#name));
                states.push((name, parameter.ty.as_ref().clone()));
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
        let returns = returns(&head.output);
        Ok(Self { docs, fields, arguments, states, has_self, is_async, returns })
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

/// A tool may run several times at once, so it only looks at its struct.
fn check_receiver(receiver: &Receiver) -> syn::Result<()> {
    let is_plain = receiver.reference.is_some() && receiver.mutability.is_none();
    let message = "a tool takes &self: its calls may run side by side; keep what changes behind a lock";
    if is_plain { Ok(()) } else { Err(syn::Error::new(receiver.span(), message)) }
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
