//! `#[tools]`: the methods of a struct that say `#[tool]` become its group of tools.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, ImplItem, ImplItemFn, ItemImpl, Meta, Type};

use crate::options::ToolOptions;
use crate::port::ToolCode;
use crate::signature::FunctionHead;

pub(crate) fn expand(mut block: ItemImpl) -> syn::Result<TokenStream> {
    if !block.generics.params.is_empty() {
        let message = "the struct of tools has no generic parameters: nobody could fill them in";
        return Err(syn::Error::new(block.generics.span(), message));
    }
    if let Some((_, path, _)) = &block.trait_ {
        return Err(syn::Error::new(
            path.span(),
            "#[tools] stands on the struct's own impl block, not on a trait's",
        ));
    }
    let owner = block.self_ty.as_ref().clone();
    let mut tools = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        if let Some(at) = method.attrs.iter().position(is_tool) {
            let attribute = method.attrs.remove(at);
            tools.push(write_tool(&owner, &attribute, method)?);
        }
    }
    if tools.is_empty() {
        return Err(syn::Error::new(owner.span(), "no method says #[tool]: there would be no tools"));
    }
    Ok(quote! {
        #block

        const _: () = {
            use ::windlass::__private as __windlass;

            impl __windlass::ToolMethods for #owner {
                fn tool_group(self: ::std::sync::Arc<Self>) -> __windlass::ToolGroup {
                    let __group = __windlass::ToolGroup::new();
                    #(let __group = #tools;)*
                    __group
                }
            }
        };
    })
}

/// An expression: the group with one tool more.
fn write_tool(owner: &Type, attribute: &Attribute, method: &mut ImplItemFn) -> syn::Result<TokenStream> {
    let options = match &attribute.meta {
        Meta::Path(_) => ToolOptions::default(),
        Meta::List(_) | Meta::NameValue(_) => attribute.parse_args()?,
    };
    let head = FunctionHead::of(&method.attrs, &mut method.sig)?;
    let ident = &method.sig.ident;
    let body = quote!(<#owner>::#ident);
    let code = ToolCode { options: &options, head: &head, ident, body, owner: Some(owner) };
    let port = code.write_port(&quote!(__Bound))?;
    let (bound, pending) = code.write_bound();
    Ok(quote! {{
        #bound
        #port
        let __owner = ::std::sync::Arc::clone(&self);
        let _ = &__owner;
        __group.with(#pending)
    }})
}

/// `#[tool]`, by whatever path.
fn is_tool(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|segment| segment.ident == "tool")
}
