//! Where arithmetic is done: on a graphics card where the build has a feature for it and there is one, or else on the
//! processor.

use candle_core::Device;

/// The best device of this machine. One that cannot be had is no reason not to compute on the processor.
#[cfg(feature = "cuda")]
pub(crate) fn best() -> Device {
    Device::cuda_if_available(0).unwrap_or(Device::Cpu)
}

/// The best device of this machine. One that cannot be had is no reason not to compute on the processor.
#[cfg(all(feature = "metal", not(feature = "cuda")))]
pub(crate) fn best() -> Device {
    Device::metal_if_available(0).unwrap_or(Device::Cpu)
}

/// The processor: this build knows no other device.
#[cfg(not(any(feature = "cuda", feature = "metal")))]
pub(crate) fn best() -> Device {
    Device::Cpu
}
