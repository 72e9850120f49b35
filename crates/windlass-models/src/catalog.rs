//! The catalogue: providers and the wires they speak, models and what is known of them.
