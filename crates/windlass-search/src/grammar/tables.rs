//! The rows of each language.

use super::{COMMENTS, Grammar, Naming, Role, Shape, When, defines, local, named};

type Rows = &'static [(&'static [&'static str], Role)];

pub(crate) static RUST: Grammar = Grammar::new(
    || tree_sitter_rust::LANGUAGE.into(),
    "::",
    &[
        COMMENTS,
        (&["attribute_item"], Role::Leads),
        (&["function_item", "function_signature_item"], named("function", Shape::Function)),
        (&["struct_item", "union_item"], named("struct", Shape::Plain)),
        (&["enum_item"], named("enum", Shape::Named)),
        (&["trait_item"], named("trait", Shape::Holder)),
        (&["impl_item"], defines("impl", Naming::Type("type"), Shape::Holder, When::PathOnly)),
        (&["mod_item"], named("module", Shape::Holder)),
        (&["type_item", "associated_type"], named("type", Shape::Plain)),
        (&["const_item", "static_item"], named("constant", Shape::Plain)),
        (&["macro_definition"], named("macro", Shape::Plain)),
        (&["enum_variant"], named("variant", Shape::Plain)),
        (&["foreign_mod_item"], Role::Wraps),
        (&["call_expression"], Role::Calls("function")),
        (&["macro_invocation"], Role::Calls("macro")),
        (&["use_declaration", "extern_crate_declaration"], Role::Imports),
        (&["identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"], Role::Name),
    ],
);

pub(crate) static PYTHON: Grammar = Grammar::new(
    || tree_sitter_python::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["decorator"], Role::Leads),
        (&["class_definition"], named("class", Shape::Holder)),
        (&["function_definition"], named("function", Shape::Function)),
        (&["decorated_definition"], Role::Wraps),
        (&["assignment"], local("constant", "left")),
        (&["call"], Role::Calls("function")),
        (&["import_statement", "import_from_statement", "future_import_statement"], Role::Imports),
        (&["identifier"], Role::Name),
    ],
);

pub(crate) static JAVASCRIPT: Grammar = Grammar::new(|| tree_sitter_javascript::LANGUAGE.into(), ".", SCRIPT);
pub(crate) static TYPESCRIPT: Grammar =
    Grammar::new(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), ".", SCRIPT);
pub(crate) static TSX: Grammar = Grammar::new(|| tree_sitter_typescript::LANGUAGE_TSX.into(), ".", SCRIPT);

/// JavaScript, and what TypeScript adds to it.
const SCRIPT: Rows = &[
    COMMENTS,
    (&["decorator"], Role::Leads),
    (&["class_declaration", "abstract_class_declaration"], named("class", Shape::Holder)),
    (
        &["function_declaration", "generator_function_declaration", "function_signature"],
        named("function", Shape::Function),
    ),
    (&["method_definition"], named("method", Shape::Function)),
    (&["method_signature", "abstract_method_signature"], named("method", Shape::Plain)),
    (&["interface_declaration"], named("interface", Shape::Holder)),
    (&["type_alias_declaration"], named("type", Shape::Plain)),
    (&["enum_declaration"], named("enum", Shape::Plain)),
    (&["internal_module", "module"], named("module", Shape::Holder)),
    (&["variable_declarator"], local("constant", "name")),
    (&["field_definition"], local("field", "property")),
    (&["public_field_definition"], local("field", "name")),
    (&["arrow_function", "function_expression", "generator_function"], Role::Anonymous),
    (&["export_statement", "ambient_declaration"], Role::Wraps),
    (&["call_expression"], Role::Calls("function")),
    (&["new_expression"], Role::Calls("constructor")),
    (&["jsx_opening_element", "jsx_self_closing_element"], Role::Calls("name")),
    (&["import_statement"], Role::Imports),
    (
        &[
            "identifier",
            "type_identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
        ],
        Role::Name,
    ),
];

pub(crate) static GO: Grammar = Grammar::new(
    || tree_sitter_go::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["function_declaration"], named("function", Shape::Function)),
        (&["method_declaration"], defines("method", Naming::Receiver, Shape::Function, When::Always)),
        (&["type_spec", "type_alias"], named("type", Shape::Plain)),
        (&["method_elem"], named("method", Shape::Plain)),
        (&["const_spec"], local("constant", "name")),
        (&["var_spec"], local("variable", "name")),
        (&["func_literal"], Role::Anonymous),
        (&["call_expression"], Role::Calls("function")),
        (&["import_declaration"], Role::Imports),
        (&["identifier", "type_identifier", "field_identifier", "package_identifier"], Role::Name),
    ],
);

pub(crate) static JAVA: Grammar = Grammar::new(
    || tree_sitter_java::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["class_declaration", "record_declaration"], named("class", Shape::Holder)),
        (&["interface_declaration", "annotation_type_declaration"], named("interface", Shape::Holder)),
        (&["enum_declaration"], named("enum", Shape::Holder)),
        (&["enum_constant"], named("variant", Shape::Plain)),
        (&["method_declaration", "constructor_declaration"], named("method", Shape::Function)),
        (&["variable_declarator"], local("field", "name")),
        (&["lambda_expression"], Role::Anonymous),
        (&["method_invocation"], Role::Calls("name")),
        (&["object_creation_expression"], Role::Calls("type")),
        (&["import_declaration"], Role::Imports),
        (&["identifier", "type_identifier"], Role::Name),
    ],
);

pub(crate) static C: Grammar = Grammar::new(|| tree_sitter_c::LANGUAGE.into(), "::", C_FAMILY);
pub(crate) static CPP: Grammar = Grammar::new(|| tree_sitter_cpp::LANGUAGE.into(), "::", C_FAMILY);

/// C, and what C++ adds to it.
const C_FAMILY: Rows = &[
    COMMENTS,
    (&["function_definition"], defines("function", Naming::Declarator, Shape::Function, When::Always)),
    (
        &["struct_specifier", "union_specifier"],
        defines("struct", Naming::Field("name"), Shape::Holder, When::WithBody),
    ),
    (&["class_specifier"], defines("class", Naming::Field("name"), Shape::Holder, When::WithBody)),
    (&["enum_specifier"], defines("enum", Naming::Field("name"), Shape::Plain, When::WithBody)),
    (&["enumerator"], named("variant", Shape::Plain)),
    (&["type_definition"], defines("type", Naming::Declarator, Shape::Plain, When::Always)),
    (&["alias_declaration", "concept_definition"], named("type", Shape::Plain)),
    (&["namespace_definition"], named("namespace", Shape::Holder)),
    (&["preproc_def", "preproc_function_def"], named("macro", Shape::Plain)),
    (&["declaration"], defines("declaration", Naming::Declarator, Shape::Plain, When::Outside)),
    (
        &["preproc_ifdef", "preproc_if", "preproc_else", "linkage_specification", "template_declaration"],
        Role::Wraps,
    ),
    (&["lambda_expression"], Role::Anonymous),
    (&["call_expression"], Role::Calls("function")),
    (&["preproc_include", "using_declaration"], Role::Imports),
    (&["identifier", "type_identifier", "field_identifier", "namespace_identifier"], Role::Name),
];

pub(crate) static ZIG: Grammar = Grammar::new(
    || tree_sitter_zig::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["function_declaration"], named("function", Shape::Function)),
        (&["variable_declaration"], defines("constant", Naming::Child, Shape::Holder, When::Outside)),
        (&["struct_declaration", "enum_declaration", "union_declaration"], Role::Wraps),
        (&["call_expression"], Role::Calls("function")),
        (&["identifier"], Role::Name),
    ],
);
