//! This machine and this session: the tools `get_current_time`, `system_stats`, `repeat_text` and `read_result`.

pub(crate) mod get_current_time;
pub(crate) mod read_result;
pub(crate) mod repeat_text;
pub(crate) mod system_stats;
