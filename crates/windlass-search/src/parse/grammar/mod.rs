//! What the nodes of each parsed language mean, as tables: one row a node kind.
//!
//! A new language is one [`Grammar`] here and one row in `language`. Knows how rows are looked up and how the name of
//! a definition is read; what is done with them is `symbols`' and `cut`'s.

use std::sync::OnceLock;

use tree_sitter::{Language, Node};

/// The meaning of a language's nodes.
#[derive(Debug)]
pub(crate) struct Grammar {
    parser: fn() -> Language,
    /// Between the names of a symbol path.
    pub(crate) separator: &'static str,
    rows: &'static [(&'static [&'static str], NodeRole)],
    /// The rows by node number, made when the language is first met.
    table: OnceLock<NodeRoles>,
}

#[derive(Debug)]
struct NodeRoles {
    language: Language,
    roles: Vec<NodeRole>,
}

/// What a node is for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NodeRole {
    /// Nothing of its own.
    Other,
    Defines(Definition),
    /// Calls what stands in this field.
    Calls(&'static str),
    /// Names in it are imported.
    Imports,
    Name,
    /// Belongs to what follows it: comments, attributes, decorators.
    Leads,
    /// Only holds other items.
    Wraps,
    /// Is a function without a name: what is in it is local.
    Anonymous,
}

/// How a node defines a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) kind: &'static str,
    pub(crate) naming: Naming,
    pub(crate) shape: DefinitionShape,
    pub(crate) when: When,
}

/// Where the name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    Field(&'static str),
    /// The first type named in this field.
    Type(&'static str),
    /// At the end of a chain of declarators, as in C.
    Declarator,
    /// The first child that is a name.
    Child,
    /// In the field `name`, inside the type of the field `receiver`.
    Receiver,
}

/// What a definition is like inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefinitionShape {
    /// Nothing in it is looked for on its own.
    Plain,
    /// Its parts carry its name, but it is one thing.
    Named,
    /// Its members are definitions, and it is cut at them.
    Holder,
    /// Its inside is a body of statements.
    Function,
}

/// Which nodes of the kind define something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    /// Those with a body; the others only mention the name.
    WithBody,
    /// Those outside of functions; the others are local.
    Outside,
    /// None: the name is only part of the paths of what is inside.
    PathOnly,
}

const fn defines(kind: &'static str, naming: Naming, shape: DefinitionShape, when: When) -> NodeRole {
    NodeRole::Defines(Definition { kind, naming, shape, when })
}

const fn named(kind: &'static str, shape: DefinitionShape) -> NodeRole {
    defines(kind, Naming::Field("name"), shape, When::Always)
}

const fn local(kind: &'static str, field: &'static str) -> NodeRole {
    defines(kind, Naming::Field(field), DefinitionShape::Plain, When::Outside)
}

impl Grammar {
    const fn new(
        parser: fn() -> Language,
        separator: &'static str,
        rows: &'static [(&'static [&'static str], NodeRole)],
    ) -> Self {
        Self { parser, separator, rows, table: OnceLock::new() }
    }

    fn table(&self) -> &NodeRoles {
        self.table.get_or_init(|| {
            let language = (self.parser)();
            let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
            let roles = (0..count)
                .map(|id| match language.node_kind_for_id(id) {
                    Some(kind) if language.node_kind_is_named(id) => self.row(kind),
                    Some(_) | None => NodeRole::Other,
                })
                .collect();
            NodeRoles { language, roles }
        })
    }

    fn row(&self, kind: &str) -> NodeRole {
        self.rows.iter().find(|(kinds, _)| kinds.contains(&kind)).map_or(NodeRole::Other, |(_, role)| *role)
    }

    pub(crate) fn language(&self) -> &Language {
        &self.table().language
    }

    /// What a node is for us.
    pub(crate) fn role(&self, node: Node<'_>) -> NodeRole {
        self.table().roles.get(usize::from(node.kind_id())).copied().unwrap_or(NodeRole::Other)
    }

    /// The node with the name of a definition, and the name it is inside of although it is written elsewhere.
    pub(crate) fn name_of<'tree>(
        &self,
        node: Node<'tree>,
        naming: Naming,
    ) -> Option<(Node<'tree>, Option<Node<'tree>>)> {
        match naming {
            Naming::Field(field) => Some((node.child_by_field_name(field)?, None)),
            Naming::Type(field) => Some((self.first_name(node.child_by_field_name(field)?)?, None)),
            Naming::Declarator => {
                let mut name = node.child_by_field_name("declarator")?;
                for _ in 0..DECLARATORS_MAX {
                    match name.child_by_field_name("declarator").or_else(|| self.inside_reference(name)) {
                        Some(inner) => name = inner,
                        None => return Some((name, None)),
                    }
                }
                None
            }
            Naming::Child => {
                let mut cursor = node.walk();
                let found = node.children(&mut cursor).find(|child| self.role(*child) == NodeRole::Name);
                Some((found?, None))
            }
            Naming::Receiver => {
                let receiver = node.child_by_field_name("receiver").and_then(|it| self.first_type(it));
                Some((node.child_by_field_name("name")?, receiver))
            }
        }
    }

    /// A reference's declarator has no field of its own.
    fn inside_reference<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        if node.kind() == "reference_declarator" { node.named_child(0) } else { None }
    }

    /// The first type name at or below a node, else its first name of any kind.
    fn first_name<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        self.first_type(node).or_else(|| self.first(node, &|it| self.role(it) == NodeRole::Name))
    }

    fn first_type<'tree>(&self, node: Node<'tree>) -> Option<Node<'tree>> {
        self.first(node, &|it| it.kind() == "type_identifier")
    }

    /// The first node in order that fits; gives up in types that are too large to be a name.
    fn first<'tree>(&self, node: Node<'tree>, fits: &dyn Fn(Node<'tree>) -> bool) -> Option<Node<'tree>> {
        let mut waiting = vec![node];
        for _ in 0..TYPE_NODES_MAX {
            let next = waiting.pop()?;
            if fits(next) {
                return Some(next);
            }
            let mut cursor = next.walk();
            let at = waiting.len();
            waiting.extend(next.children(&mut cursor).take(TYPE_NODES_MAX));
            if let Some(added) = waiting.get_mut(at..) {
                added.reverse();
            }
        }
        None
    }

    /// The name at the end of what is called: `haul` of `windlass.deck().haul`.
    pub(crate) fn callee<'tree>(&self, node: Node<'tree>, field: &str) -> Option<Node<'tree>> {
        let mut callee = node.child_by_field_name(field)?;
        for _ in 0..CALLEE_PARTS_MAX {
            if self.role(callee) == NodeRole::Name {
                return Some(callee);
            }
            callee = CALLEE_FIELDS.iter().find_map(|field| callee.child_by_field_name(field))?;
        }
        None
    }
}

/// Pointers to pointers to functions: deeper ones are not written.
const DECLARATORS_MAX: usize = 16;
/// Nodes of a type that are looked at for its name.
const TYPE_NODES_MAX: usize = 64;
/// Parts of a callee that are looked at.
const CALLEE_PARTS_MAX: usize = 8;
/// Fields that hold the last part of a qualified name.
const CALLEE_FIELDS: [&str; 7] = ["field", "property", "attribute", "member", "name", "function", "type"];

const COMMENTS: (&[&str], NodeRole) = (&["comment", "line_comment", "block_comment"], NodeRole::Leads);

mod tables;
pub(crate) use tables::{C, CPP, GO, JAVA, JAVASCRIPT, PYTHON, RUST, TSX, TYPESCRIPT, ZIG};
