//! `model = "module/ID"`: a module is a model to whoever names one, but stands before another. Here the two are told
//! apart: the module becomes a setting of its own, and the model below it is what the weaker layers say.

use super::layer::SettingLayer;
use super::value::{Setting, SettingValue};
use windlass_core::ports::host::MODULE_PREFIX;

/// The setting of the module.
pub(crate) const MODULE: &str = "module";

/// The setting of the model.
const MODEL: &str = "model";

/// Makes `model = "module/ID"` of a layer into `module = "ID"`.
pub(crate) fn split(layer: &mut SettingLayer) {
    let Some(id) = layer.get(MODEL).and_then(|setting| setting.value.text()?.strip_prefix(MODULE_PREFIX))
    else {
        return;
    };
    let value = SettingValue::Text(id.to_owned());
    if let Some(Setting { source, .. }) = layer.remove(MODEL) {
        // One that is named as a module beats one that is named as a model.
        layer.entry(MODULE.to_owned()).or_insert_with(|| Setting::new(value, source));
    }
}

/// Whether a stronger layer names a model alone, and so means no module of a weaker one.
pub(crate) fn names_model_alone(layer: &SettingLayer) -> bool {
    layer.contains_key(MODEL) && !layer.contains_key(MODULE)
}
