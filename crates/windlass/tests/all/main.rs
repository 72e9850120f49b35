//! What the library promises, through its public interface alone.

mod agent;
mod attribute;
mod blocking;
mod examples;
mod host;
mod reading;
mod registry;
mod same_loop;
mod tool_error;
mod wrapper;
