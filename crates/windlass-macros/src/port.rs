//! The code of one tool: its arguments as a struct and its port, whatever the body is a function or a method of.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Ident, Type};

use crate::options::ToolOptions;
use crate::signature::{FunctionHead, Returns};

/// What a tool is written of.
pub(crate) struct ToolCode<'a> {
    pub(crate) options: &'a ToolOptions,
    pub(crate) head: &'a FunctionHead,
    /// The name of the function, and of the tool unless another was given.
    pub(crate) ident: &'a Ident,
    /// What is called.
    pub(crate) body: TokenStream,
    /// The struct whose method the body is.
    pub(crate) owner: Option<&'a Type>,
}

impl ToolCode<'_> {
    /// The name by which a model calls it.
    pub(crate) fn name(&self) -> String {
        let name = self.ident.to_string();
        self.options.name.clone().unwrap_or_else(|| name.strip_prefix("r#").unwrap_or(&name).to_owned())
    }

    fn description(&self) -> syn::Result<String> {
        let description = self.options.description.clone().unwrap_or_else(|| self.head.description());
        if description.trim().is_empty() {
            let message = "a tool needs a description: write a doc comment, or description = \"…\"";
            return Err(syn::Error::new_spanned(self.ident, message));
        }
        Ok(description)
    }

    /// The struct of the arguments, and the port of `port`: a type that has what `bound_fields` says.
    pub(crate) fn write_port(&self, port: &TokenStream) -> syn::Result<TokenStream> {
        let (name, description) = (self.name(), self.description()?);
        let settings = self.options.settings();
        let fields = &self.head.fields;
        let run = self.write_run();
        Ok(quote! {
            #[derive(__windlass::serde::Deserialize, __windlass::schemars::JsonSchema)]
            #[serde(crate = "::windlass::__private::serde")]
            #[schemars(crate = "::windlass::__private::schemars")]
            struct __ToolArgs { #(#fields),* }

            #[__windlass::async_trait]
            impl __windlass::ToolPort for #port {
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
        })
    }

    /// A type that holds the struct and the states, and an expression that makes a pending tool of it. The expression
    /// finds the struct, in an `Arc`, under the name `__owner`.
    pub(crate) fn write_bound(&self) -> (TokenStream, TokenStream) {
        let (names, kinds): (Vec<_>, Vec<_>) = self.head.states.iter().cloned().unzip();
        let owner = self.owner_used();
        let declared = owner.map(|owner| quote!(__owner: ::std::sync::Arc<#owner>,));
        let given = owner.map(|_| quote!(__owner,));
        let name = self.name();
        let bound = quote! {
            struct __Bound { #declared #(#names: <#kinds as __windlass::ToolParameter>::Bound),* }
        };
        let pending = quote! {
            __windlass::PendingTool::new(move |__states| {
                let _ = __states;
                ::std::result::Result::Ok(::std::sync::Arc::new(__Bound {
                    #given
                    #(#names: <#kinds as __windlass::ToolParameter>::bind(__states, #name)?),*
                }) as ::std::sync::Arc<dyn __windlass::ToolPort>)
            })
        };
        (bound, pending)
    }

    /// The struct, where the body needs it.
    fn owner_used(&self) -> Option<&Type> {
        self.owner.filter(|_| self.head.has_self)
    }

    /// The body of `ToolPort::run`, with `args` and `context` at hand.
    fn write_run(&self) -> TokenStream {
        let (body, arguments) = (&self.body, &self.head.arguments);
        let (states, kinds): (Vec<_>, Vec<_>) = self.head.states.iter().cloned().unzip();
        let owner = self.owner_used().map(|_| quote!(&*__owner,));
        let held = self.owner_used().map(|_| quote!(let __owner = ::std::sync::Arc::clone(&self.__owner);));
        let held = quote! {
            #held
            #(let #states = <#kinds as __windlass::ToolParameter>::fill(&self.#states, context);)*
        };
        let wait = self.head.is_async.then(|| quote!(.await));
        let answer = quote!(#body(#owner #(#arguments),*) #wait);
        let result = match self.head.returns {
            Returns::Result => answer,
            Returns::Plain => quote!(::std::result::Result::Ok::<_, __windlass::ToolFailure>(#answer)),
        };
        if self.head.is_async {
            return quote!(#held __windlass::output_of(#result));
        }
        // A function that is not async may take its time: it gets a thread of the pool, so that the runs of
        // others go on (E-18).
        quote! {
            #held
            let context = context.clone();
            __windlass::run_blocking(move || {
                let context = &context;
                let _ = context;
                __windlass::output_of(#result)
            })
            .await
        }
    }
}
