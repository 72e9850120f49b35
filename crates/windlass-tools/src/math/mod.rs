//! Exact arithmetic: the tool `calculate`, the grammar of `expression` and the arithmetic of `number`.

pub(crate) mod calculate;
pub(crate) mod expression;
pub(crate) mod number;
