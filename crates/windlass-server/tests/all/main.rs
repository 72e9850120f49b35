//! The server's tests, through real HTTP on loopback.

mod edison;
mod openai;
mod stage;
mod studio;
