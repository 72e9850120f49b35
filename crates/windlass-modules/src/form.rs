//! What the answer of a module must be, for the machine that asks before it believes.

use std::sync::Arc;

use windlass_core::ports::AnswerForm;

use crate::error::ModuleError;
use crate::module::Module;
use crate::outputs::read_answer;

/// All outputs of a module, each of its type.
#[derive(Debug, Clone)]
pub struct ModuleForm(pub Arc<Module>);

impl AnswerForm for ModuleForm {
    fn check(&self, answer: &str) -> Result<(), String> {
        match read_answer(&self.0, answer) {
            Ok(_) => Ok(()),
            // The model needs what is wrong, not what kind of error that is to us.
            Err(ModuleError::Parse(wrong)) => Err(wrong),
            Err(other) => Err(other.to_string()),
        }
    }
}
