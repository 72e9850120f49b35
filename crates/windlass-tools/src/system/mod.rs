//! This machine and this session: the tools `get_current_time`, `system_stats` and `read_result`.

pub(crate) mod get_current_time;
pub(crate) mod read_result;
pub(crate) mod system_stats;
