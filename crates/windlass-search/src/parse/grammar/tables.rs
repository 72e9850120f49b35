//! The rows of each language.

use super::{COMMENTS, DefinitionShape, Grammar, Naming, NodeRole, When, defines, local, named};

type RoleRows = &'static [(&'static [&'static str], NodeRole)];

pub(crate) static RUST: Grammar = Grammar::new(
    || tree_sitter_rust::LANGUAGE.into(),
    "::",
    &[
        COMMENTS,
        (&["attribute_item"], NodeRole::Leads),
        (&["function_item", "function_signature_item"], named("function", DefinitionShape::Function)),
        (&["struct_item", "union_item"], named("struct", DefinitionShape::Plain)),
        (&["enum_item"], named("enum", DefinitionShape::Named)),
        (&["trait_item"], named("trait", DefinitionShape::Holder)),
        (&["impl_item"], defines("impl", Naming::Type("type"), DefinitionShape::Holder, When::PathOnly)),
        (&["mod_item"], named("module", DefinitionShape::Holder)),
        (&["type_item", "associated_type"], named("type", DefinitionShape::Plain)),
        (&["const_item", "static_item"], named("constant", DefinitionShape::Plain)),
        (&["macro_definition"], named("macro", DefinitionShape::Plain)),
        (&["enum_variant"], named("variant", DefinitionShape::Plain)),
        (&["foreign_mod_item"], NodeRole::Wraps),
        (&["call_expression"], NodeRole::Calls("function")),
        (&["macro_invocation"], NodeRole::Calls("macro")),
        (&["use_declaration", "extern_crate_declaration"], NodeRole::Imports),
        (
            &["identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"],
            NodeRole::Name,
        ),
    ],
);

pub(crate) static PYTHON: Grammar = Grammar::new(
    || tree_sitter_python::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["decorator"], NodeRole::Leads),
        (&["class_definition"], named("class", DefinitionShape::Holder)),
        (&["function_definition"], named("function", DefinitionShape::Function)),
        (&["decorated_definition"], NodeRole::Wraps),
        (&["assignment"], local("constant", "left")),
        (&["call"], NodeRole::Calls("function")),
        (&["import_statement", "import_from_statement", "future_import_statement"], NodeRole::Imports),
        (&["identifier"], NodeRole::Name),
    ],
);

pub(crate) static JAVASCRIPT: Grammar = Grammar::new(|| tree_sitter_javascript::LANGUAGE.into(), ".", SCRIPT);
pub(crate) static TYPESCRIPT: Grammar =
    Grammar::new(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), ".", SCRIPT);
pub(crate) static TSX: Grammar = Grammar::new(|| tree_sitter_typescript::LANGUAGE_TSX.into(), ".", SCRIPT);

/// JavaScript, and what TypeScript adds to it.
const SCRIPT: RoleRows = &[
    COMMENTS,
    (&["decorator"], NodeRole::Leads),
    (&["class_declaration", "abstract_class_declaration"], named("class", DefinitionShape::Holder)),
    (
        &["function_declaration", "generator_function_declaration", "function_signature"],
        named("function", DefinitionShape::Function),
    ),
    (&["method_definition"], named("method", DefinitionShape::Function)),
    (&["method_signature", "abstract_method_signature"], named("method", DefinitionShape::Plain)),
    (&["interface_declaration"], named("interface", DefinitionShape::Holder)),
    (&["type_alias_declaration"], named("type", DefinitionShape::Plain)),
    (&["enum_declaration"], named("enum", DefinitionShape::Plain)),
    (&["internal_module", "module"], named("module", DefinitionShape::Holder)),
    (&["variable_declarator"], local("constant", "name")),
    (&["field_definition"], local("field", "property")),
    (&["public_field_definition"], local("field", "name")),
    (&["arrow_function", "function_expression", "generator_function"], NodeRole::Anonymous),
    (&["export_statement", "ambient_declaration"], NodeRole::Wraps),
    (&["call_expression"], NodeRole::Calls("function")),
    (&["new_expression"], NodeRole::Calls("constructor")),
    (&["jsx_opening_element", "jsx_self_closing_element"], NodeRole::Calls("name")),
    (&["import_statement"], NodeRole::Imports),
    (
        &[
            "identifier",
            "type_identifier",
            "property_identifier",
            "private_property_identifier",
            "shorthand_property_identifier",
            "shorthand_property_identifier_pattern",
        ],
        NodeRole::Name,
    ),
];

pub(crate) static GO: Grammar = Grammar::new(
    || tree_sitter_go::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["function_declaration"], named("function", DefinitionShape::Function)),
        (
            &["method_declaration"],
            defines("method", Naming::Receiver, DefinitionShape::Function, When::Always),
        ),
        (&["type_spec", "type_alias"], named("type", DefinitionShape::Plain)),
        (&["method_elem"], named("method", DefinitionShape::Plain)),
        (&["const_spec"], local("constant", "name")),
        (&["var_spec"], local("variable", "name")),
        (&["func_literal"], NodeRole::Anonymous),
        (&["call_expression"], NodeRole::Calls("function")),
        (&["import_declaration"], NodeRole::Imports),
        (&["identifier", "type_identifier", "field_identifier", "package_identifier"], NodeRole::Name),
    ],
);

pub(crate) static JAVA: Grammar = Grammar::new(
    || tree_sitter_java::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["class_declaration", "record_declaration"], named("class", DefinitionShape::Holder)),
        (
            &["interface_declaration", "annotation_type_declaration"],
            named("interface", DefinitionShape::Holder),
        ),
        (&["enum_declaration"], named("enum", DefinitionShape::Holder)),
        (&["enum_constant"], named("variant", DefinitionShape::Plain)),
        (&["method_declaration", "constructor_declaration"], named("method", DefinitionShape::Function)),
        (&["variable_declarator"], local("field", "name")),
        (&["lambda_expression"], NodeRole::Anonymous),
        (&["method_invocation"], NodeRole::Calls("name")),
        (&["object_creation_expression"], NodeRole::Calls("type")),
        (&["import_declaration"], NodeRole::Imports),
        (&["identifier", "type_identifier"], NodeRole::Name),
    ],
);

pub(crate) static C: Grammar = Grammar::new(|| tree_sitter_c::LANGUAGE.into(), "::", C_FAMILY);
pub(crate) static CPP: Grammar = Grammar::new(|| tree_sitter_cpp::LANGUAGE.into(), "::", C_FAMILY);

/// C, and what C++ adds to it.
const C_FAMILY: RoleRows = &[
    COMMENTS,
    (
        &["function_definition"],
        defines("function", Naming::Declarator, DefinitionShape::Function, When::Always),
    ),
    (
        &["struct_specifier", "union_specifier"],
        defines("struct", Naming::Field("name"), DefinitionShape::Holder, When::WithBody),
    ),
    (&["class_specifier"], defines("class", Naming::Field("name"), DefinitionShape::Holder, When::WithBody)),
    (&["enum_specifier"], defines("enum", Naming::Field("name"), DefinitionShape::Plain, When::WithBody)),
    (&["enumerator"], named("variant", DefinitionShape::Plain)),
    (&["type_definition"], defines("type", Naming::Declarator, DefinitionShape::Plain, When::Always)),
    (&["alias_declaration", "concept_definition"], named("type", DefinitionShape::Plain)),
    (&["namespace_definition"], named("namespace", DefinitionShape::Holder)),
    (&["preproc_def", "preproc_function_def"], named("macro", DefinitionShape::Plain)),
    (&["declaration"], defines("declaration", Naming::Declarator, DefinitionShape::Plain, When::Outside)),
    (
        &["preproc_ifdef", "preproc_if", "preproc_else", "linkage_specification", "template_declaration"],
        NodeRole::Wraps,
    ),
    (&["lambda_expression"], NodeRole::Anonymous),
    (&["call_expression"], NodeRole::Calls("function")),
    (&["preproc_include", "using_declaration"], NodeRole::Imports),
    (&["identifier", "type_identifier", "field_identifier", "namespace_identifier"], NodeRole::Name),
];

pub(crate) static ZIG: Grammar = Grammar::new(
    || tree_sitter_zig::LANGUAGE.into(),
    ".",
    &[
        COMMENTS,
        (&["function_declaration"], named("function", DefinitionShape::Function)),
        (
            &["variable_declaration"],
            defines("constant", Naming::Child, DefinitionShape::Holder, When::Outside),
        ),
        (&["struct_declaration", "enum_declaration", "union_declaration"], NodeRole::Wraps),
        (&["call_expression"], NodeRole::Calls("function")),
        (&["identifier"], NodeRole::Name),
    ],
);
