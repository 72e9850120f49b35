//! `#[derive(Signature)]`: the fields of a struct become the inputs and outputs of a module.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Ident, LitStr, Type};

use crate::signature::doc_text;

/// What a field of a signature can hold: the words of module files, and the variants of `FieldType`.
const KINDS: [(&str, &str); 7] = [
    ("string", "String"),
    ("integer", "Integer"),
    ("number", "Number"),
    ("boolean", "Boolean"),
    ("array", "Array"),
    ("object", "Object"),
    ("json", "Json"),
];

/// One input or output.
struct Part<'a> {
    field: &'a Field,
    ident: &'a Ident,
    name: String,
    description: String,
    kind: Ident,
    is_input: bool,
}

/// What stands in the brackets of `#[input(…)]` and `#[output(…)]`.
#[derive(Default)]
struct PartOptions {
    name: Option<String>,
    description: Option<String>,
    kind: Option<Ident>,
}

pub(crate) fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    if !input.generics.params.is_empty() {
        let message = "a signature has no generic parameters: a module cannot fill them in";
        return Err(syn::Error::new(input.generics.span(), message));
    }
    let Data::Struct(data) = &input.data else {
        return Err(syn::Error::new_spanned(&input.ident, "a signature is a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(syn::Error::new_spanned(&input.ident, "a signature is a struct with named fields"));
    };
    let parts: Vec<Part<'_>> = fields.named.iter().map(read_part).collect::<syn::Result<_>>()?;
    if !parts.iter().any(|part| !part.is_input) {
        return Err(syn::Error::new_spanned(&input.ident, "a signature needs at least one #[output]"));
    }
    let ident = &input.ident;
    let (inputs, outputs) = (declare(&parts, true), declare(&parts, false));
    let typed = is_typed(&input.attrs)?.then(|| write_typed(input, &parts));
    let idents = parts.iter().map(|part| part.ident);
    Ok(quote! {
        const _: () = {
            // The fields are declarations; nobody else need read them.
            #[allow(dead_code)]
            fn declared(signature: &#ident) {
                let _ = (#(&signature.#idents),*);
            }
        };

        impl ::windlass::__private::SignatureType for #ident {
            fn signature() -> ::windlass::__private::Signature {
                ::windlass::__private::Signature {
                    inputs: ::std::vec![#(#inputs),*],
                    outputs: ::std::vec![#(#outputs),*],
                }
            }
        }
        #typed
    })
}

/// The fields of one side, as `Field` values.
fn declare(parts: &[Part<'_>], is_input: bool) -> Vec<TokenStream> {
    let one = |part: &Part<'_>| {
        let (name, kind) = (&part.name, &part.kind);
        let described = match part.description.as_str() {
            "" => None,
            text => Some(quote!(.described(#text))),
        };
        quote!(::windlass::__private::Field::new(#name, ::windlass::__private::FieldType::#kind) #described)
    };
    parts.iter().filter(|part| part.is_input == is_input).map(one).collect()
}

/// Structs of the inputs and of the outputs, and the trait that joins them.
fn write_typed(input: &DeriveInput, parts: &[Part<'_>]) -> TokenStream {
    let (ident, visibility) = (&input.ident, &input.vis);
    let (taken, given) = (format_ident!("{ident}Inputs"), format_ident!("{ident}Outputs"));
    let inputs = write_fields(parts, true);
    let outputs = write_fields(parts, false);
    let (about_taken, about_given) = (format!("What [`{ident}`] takes."), format!("What [`{ident}`] gives."));
    quote! {
        #[doc = #about_taken]
        #[derive(Debug, Clone, ::windlass::__private::serde::Serialize)]
        #[serde(crate = "::windlass::__private::serde")]
        #visibility struct #taken { #(#inputs),* }

        #[doc = #about_given]
        #[derive(Debug, Clone, ::windlass::__private::serde::Deserialize)]
        #[serde(crate = "::windlass::__private::serde")]
        #visibility struct #given { #(#outputs),* }

        impl ::windlass::dspy::TypedSignature for #ident {
            type Inputs = #taken;
            type Outputs = #given;
        }
    }
}

fn write_fields(parts: &[Part<'_>], is_input: bool) -> Vec<TokenStream> {
    let one = |part: &Part<'_>| {
        let Field { vis, ty, attrs, .. } = part.field;
        let docs = attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
        let (ident, name) = (part.ident, &part.name);
        // What may be null may be absent too.
        let default = (!is_input && part.kind == "Json").then(|| quote!(, default));
        quote!(#(#docs)* #[serde(rename = #name #default)] #vis #ident: #ty)
    };
    parts.iter().filter(|part| part.is_input == is_input).map(one).collect()
}

/// Whether the struct says `#[signature(typed)]`.
fn is_typed(attributes: &[Attribute]) -> syn::Result<bool> {
    let mut is_typed = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("signature")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("typed") {
                is_typed = true;
                return Ok(());
            }
            Err(meta.error("unknown option; there is typed"))
        })?;
    }
    Ok(is_typed)
}

fn read_part(field: &Field) -> syn::Result<Part<'_>> {
    let ident = field.ident.as_ref().ok_or_else(|| syn::Error::new_spanned(field, "a field needs a name"))?;
    let mut sides = field
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("input") || attribute.path().is_ident("output"));
    let (Some(side), None) = (sides.next(), sides.next()) else {
        let message = format!("say what '{ident}' is: either #[input] or #[output]");
        return Err(syn::Error::new_spanned(ident, message));
    };
    let options = read_options(side)?;
    let kind = match options.kind {
        Some(kind) => kind,
        None => kind_of(&field.ty)?,
    };
    let name = ident.to_string();
    Ok(Part {
        field,
        ident,
        name: options.name.unwrap_or_else(|| name.strip_prefix("r#").unwrap_or(&name).to_owned()),
        description: options.description.unwrap_or_else(|| doc_text(&field.attrs)),
        kind,
        is_input: side.path().is_ident("input"),
    })
}

fn read_options(attribute: &Attribute) -> syn::Result<PartOptions> {
    let mut options = PartOptions::default();
    if matches!(attribute.meta, syn::Meta::Path(_)) {
        return Ok(options);
    }
    attribute.parse_nested_meta(|meta| {
        let place = if meta.path.is_ident("name") {
            &mut options.name
        } else if meta.path.is_ident("description") {
            &mut options.description
        } else if meta.path.is_ident("kind") {
            let word: LitStr = meta.value()?.parse()?;
            let value = word.value();
            let Some((_, variant)) = KINDS.iter().find(|(known, _)| *known == value) else {
                let known = KINDS.map(|(known, _)| known).join(", ");
                return Err(syn::Error::new(word.span(), format!("'{value}' is none of {known}")));
            };
            options.kind = Some(Ident::new(variant, word.span()));
            return Ok(());
        } else {
            return Err(meta.error("unknown option; there are name, description, kind"));
        };
        *place = Some(meta.value()?.parse::<LitStr>()?.value());
        Ok(())
    })?;
    Ok(options)
}

/// What a Rust type is to a model.
fn kind_of(kind: &Type) -> syn::Result<Ident> {
    let variant = match kind {
        Type::Reference(reference) => return kind_of(&reference.elem),
        Type::Array(_) | Type::Slice(_) => "Array",
        Type::Path(path) => {
            let word = path.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
            match word.as_str() {
                "String" | "str" | "char" => "String",
                "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => "Integer",
                "f32" | "f64" => "Number",
                "bool" => "Boolean",
                "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => "Array",
                "HashMap" | "BTreeMap" | "Map" => "Object",
                "Value" | "Option" => "Json",
                _ => return Err(unknown(kind)),
            }
        }
        _ => return Err(unknown(kind)),
    };
    Ok(Ident::new(variant, kind.span()))
}

fn unknown(kind: &Type) -> syn::Error {
    let known = KINDS.map(|(known, _)| known).join(", ");
    let message = format!("say what this holds: kind = \"…\", one of {known}");
    syn::Error::new_spanned(kind, message)
}
