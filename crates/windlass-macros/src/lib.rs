//! `#[tool]`: a function becomes a tool.
//!
//! The doc comment becomes the description, the parameters become the schema, the body becomes the run.
//! Everything is generated against the `windlass` crate; see `windlass::tool` for how to use it.

mod options;
mod signature;

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{ItemFn, parse_macro_input};

use options::Options;
use signature::{Returns, Signature};

/// Makes a tool of a function. Documented at `windlass::tool`.
#[proc_macro_attribute]
pub fn tool(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let options = parse_macro_input!(attribute as Options);
    let function = parse_macro_input!(item as ItemFn);
    expand(&options, function).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(options: &Options, mut function: ItemFn) -> syn::Result<proc_macro2::TokenStream> {
    let signature = Signature::of(&mut function)?;
    let visibility = std::mem::replace(&mut function.vis, syn::Visibility::Inherited);
    let docs = signature.docs.clone();
    function.attrs.retain(|attribute| !attribute.path().is_ident("doc"));
    let ident = function.sig.ident.clone();
    let body = format_ident!("__body");
    function.sig.ident = body.clone();

    let name = options.name.clone().unwrap_or_else(|| ident.to_string());
    let description = options.description.clone().unwrap_or_else(|| signature.description());
    if description.trim().is_empty() {
        let message = "a tool needs a description: write a doc comment, or description = \"…\"";
        return Err(syn::Error::new_spanned(&ident, message));
    }
    let settings = options.settings();
    let fields = &signature.fields;
    let arguments = &signature.arguments;
    let call = match (function.sig.asyncness.is_some(), signature.returns) {
        (true, Returns::Result) => quote!(#body(#(#arguments),*).await),
        (false, Returns::Result) => quote!(#body(#(#arguments),*)),
        (true, Returns::Plain) => quote!(::std::result::Result::Ok::<_, private::ToolFailure>(#body(#(#arguments),*).await)),
        (false, Returns::Plain) => quote!(::std::result::Result::Ok::<_, private::ToolFailure>(#body(#(#arguments),*))),
    };
    Ok(quote! {
        #(#docs)*
        #[allow(non_camel_case_types)]
        #[derive(Debug, Clone, Copy, Default)]
        #visibility struct #ident;

        const _: () = {
            use ::windlass::__private as private;

            #[derive(private::serde::Deserialize, private::schemars::JsonSchema)]
            #[serde(crate = "private::serde")]
            #[schemars(crate = "private::schemars")]
            struct Args { #(#fields),* }

            #function

            impl private::ToolPort for #ident {
                fn spec(&self) -> &private::ToolSpec {
                    static SPEC: ::std::sync::OnceLock<private::ToolSpec> = ::std::sync::OnceLock::new();
                    SPEC.get_or_init(|| {
                        let mut spec = private::spec_of::<Args>(#name, #description);
                        #settings
                        spec
                    })
                }

                fn run<'a>(
                    &'a self,
                    args: &'a private::Map<::std::string::String, private::Value>,
                    context: &'a private::ToolContext,
                ) -> private::BoxFuture<'a, ::std::result::Result<private::ToolOutput, private::ToolFailure>> {
                    ::std::boxed::Box::pin(async move {
                        let _ = context;
                        #[allow(unused_variables)]
                        let args: Args = private::read_args(args)?;
                        private::output_of(#call)
                    })
                }
            }
        };
    })
}
