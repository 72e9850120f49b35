//! The integration tests of the built-in tools: real files, real processes, loopback only.
