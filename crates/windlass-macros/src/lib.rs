//! `#[tool]`: a function becomes a tool. `#[tools]`: methods do. `#[derive(Signature)]`: a struct becomes the signature
//! of a module.
//!
//! Of a function, the doc comment becomes the description, the parameters the schema, the body the run; of a
//! struct, the fields become inputs and outputs. Everything is generated against the `windlass` crate; see
//! `windlass::tool` and `windlass::dspy::Signature` for how to use it.
//!
//! - `options`: what stands in the brackets of `#[tool(…)]`
//! - `signature`: the head of a function: what the model gives, what the program hands in
//! - `port`: the code of a tool
//! - `methods`: the methods of a struct as tools
//! - `derive`: the signature of a module, from a struct

mod derive;
mod methods;
mod options;
mod port;
mod signature;

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, ItemFn, ItemImpl, parse_macro_input};

use options::ToolOptions;
use port::ToolCode;
use signature::FunctionHead;

/// Makes a tool of a function. Documented at `windlass::tool`.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(attribute as ToolOptions);
    let function = parse_macro_input!(item as ItemFn);
    expand(&options, function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes tools of methods. Documented at `windlass::tools`.
#[proc_macro_attribute]
pub fn tools(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let _ = parse_macro_input!(attribute as syn::parse::Nothing);
    let block = parse_macro_input!(item as ItemImpl);
    methods::expand(block).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the signature of a module of a struct. Documented at `windlass::dspy::Signature`.
#[proc_macro_derive(Signature, attributes(signature, input, output))]
pub fn signature(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    derive::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(options: &ToolOptions, mut function: ItemFn) -> syn::Result<proc_macro2::TokenStream> {
    let head = FunctionHead::of(&function.attrs, &mut function.sig)?;
    if head.has_self {
        let message = "a tool is a free function; for methods, put #[tools] on their impl block";
        return Err(syn::Error::new_spanned(&function.sig.inputs, message));
    }
    let visibility = std::mem::replace(&mut function.vis, syn::Visibility::Inherited);
    let docs = head.docs.clone();
    function.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let ident = function.sig.ident.clone();
    function.sig.ident = format_ident!("__body");
    let code = ToolCode { options, head: &head, ident: &ident, body: quote!(__body), owner: None };
    let port =
        if head.states.is_empty() { code.write_port(&quote!(#ident))? } else { write_stateful(&code)? };
    Ok(quote! {
        #(#docs)*
        #[allow(non_camel_case_types)]
        #[derive(Debug, Clone, Copy, Default)]
        #visibility struct #ident;

        const _: () = {
            use ::windlass::__private as __windlass;

            #function

            #port
        };
    })
}

/// A tool that has no port before its state is known.
fn write_stateful(code: &ToolCode<'_>) -> syn::Result<proc_macro2::TokenStream> {
    let port = code.write_port(&quote!(__Bound))?;
    let (bound, pending) = code.write_bound();
    let ident = code.ident;
    Ok(quote! {
        #bound
        #port

        impl __windlass::IntoTool for #ident {
            fn into_tool(self) -> __windlass::PendingTool {
                #pending
            }
        }
    })
}
