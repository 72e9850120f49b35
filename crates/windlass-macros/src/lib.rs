//! `#[tool]`: a function becomes a tool. `#[derive(Signature)]`: a struct becomes the signature of a module.
//!
//! Of a function, the doc comment becomes the description, the parameters the schema, the body the run; of a
//! struct, the fields become inputs and outputs. Everything is generated against the `windlass` crate; see
//! `windlass::tool` and `windlass::dspy::Signature` for how to use it.

mod derive;
mod options;
mod signature;

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{DeriveInput, ItemFn, parse_macro_input};

use options::ToolOptions;
use signature::{FunctionHead, Returns};

/// Makes a tool of a function. Documented at `windlass::tool`.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(attribute as ToolOptions);
    let function = parse_macro_input!(item as ItemFn);
    expand(&options, function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the signature of a module of a struct. Documented at `windlass::dspy::Signature`.
#[proc_macro_derive(Signature, attributes(signature, input, output))]
pub fn signature(item: TokenStream) -> TokenStream {
    let input = parse_macro_input!(item as DeriveInput);
    derive::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(options: &ToolOptions, mut function: ItemFn) -> syn::Result<proc_macro2::TokenStream> {
    let signature = FunctionHead::of(&mut function)?;
    let visibility = std::mem::replace(&mut function.vis, syn::Visibility::Inherited);
    let docs = signature.docs.clone();
    function.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let ident = function.sig.ident.clone();
    function.sig.ident = format_ident!("__body");

    let name = options.name.clone().unwrap_or_else(|| ident.to_string());
    let description = options.description.clone().unwrap_or_else(|| signature.description());
    if description.trim().is_empty() {
        let message = "a tool needs a description: write a doc comment, or description = \"…\"";
        return Err(syn::Error::new_spanned(&ident, message));
    }
    let settings = options.settings();
    let fields = &signature.fields;
    let run = write_run(&function, &signature);
    Ok(quote! {
        #(#docs)*
        #[allow(non_camel_case_types)]
        #[derive(Debug, Clone, Copy, Default)]
        #visibility struct #ident;

        const _: () = {
            use ::windlass::__private as __windlass;

            #[derive(__windlass::serde::Deserialize, __windlass::schemars::JsonSchema)]
            #[serde(crate = "::windlass::__private::serde")]
            #[schemars(crate = "::windlass::__private::schemars")]
            struct __ToolArgs { #(#fields),* }

            #function

            #[__windlass::async_trait]
            impl __windlass::ToolPort for #ident {
                fn spec(&self) -> &__windlass::ToolSpec {
                    static SPEC: ::std::sync::OnceLock<__windlass::ToolSpec> = ::std::sync::OnceLock::new();
                    SPEC.get_or_init(|| {
                        let mut spec = __windlass::spec_of::<__ToolArgs>(#name, #description);
                        #settings
                        spec
                    })
                }

                async fn run(
                    &self,
                    args: &__windlass::Map<::std::string::String, __windlass::Value>,
                    context: &__windlass::ToolContext,
                ) -> ::std::result::Result<__windlass::ToolOutput, __windlass::ToolFailure> {
                    let _ = context;
                    #[allow(unused_variables)]
                    let args: __ToolArgs = __windlass::ToolPort::spec(self).read_args(args)?;
                    #run
                }
            }
        };
    })
}

/// The body of `ToolPort::run`, with `args` and `context` at hand.
fn write_run(function: &ItemFn, signature: &FunctionHead) -> proc_macro2::TokenStream {
    let is_async = function.sig.asyncness.is_some();
    let (body, arguments) = (&function.sig.ident, &signature.arguments);
    let wait = is_async.then(|| quote!(.await));
    let answer = quote!(#body(#(#arguments),*) #wait);
    let result = match signature.returns {
        Returns::Result => answer,
        Returns::Plain => quote!(::std::result::Result::Ok::<_, __windlass::ToolFailure>(#answer)),
    };
    if is_async {
        return quote!(__windlass::output_of(#result));
    }
    // A function that is not async may take its time: it gets a thread of the pool, so that the runs of
    // others go on (E-18).
    quote! {
        let context = context.clone();
        __windlass::run_blocking(move || {
            let context = &context;
            let _ = context;
            __windlass::output_of(#result)
        })
        .await
    }
}
