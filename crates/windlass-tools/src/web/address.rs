//! Which internet addresses are public.
//!
//! Owns the table of address ranges that a page on the web has no business with; knows no names, no
//! sockets. What is not known to be public is not public.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressClass {
    Loopback,
    /// A network at home or in an office.
    Private,
    LinkLocal,
    /// Where clouds keep the credentials of a machine.
    Metadata,
    /// Shared by the customers of a carrier (RFC 6598).
    CarrierNat,
    /// Many machines at once.
    Multicast,
    /// No address at all; many systems take it for this machine.
    Unspecified,
    /// For documents (RFC 5737, RFC 3849, RFC 9637).
    Documentation,
    /// For measurements (RFC 2544).
    Benchmarking,
    /// Kept back by a standard.
    Reserved,
    /// An IPv4 address inside an IPv6 one (mapped, compatible, 6to4, Teredo, NAT64): the way past
    /// every check that looks at one of the two only.
    Embedded,
}

impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressClass::Loopback => "loopback",
            AddressClass::Private => "private",
            AddressClass::LinkLocal => "link-local",
            AddressClass::Metadata => "cloud metadata",
            AddressClass::CarrierNat => "carrier-grade NAT",
            AddressClass::Multicast => "multicast",
            AddressClass::Unspecified => "unspecified",
            AddressClass::Documentation => "documentation",
            AddressClass::Benchmarking => "benchmarking",
            AddressClass::Reserved => "reserved",
            AddressClass::Embedded => "translated IPv4-in-IPv6",
        })
    }
}

/// Why an address is not public, or `None` when it is.
pub(crate) fn forbidden_class(address: IpAddr) -> Option<AddressClass> {
    match address {
        IpAddr::V4(address) => forbidden_v4(address),
        IpAddr::V6(address) => forbidden_v6(address),
    }
}

/// The metadata addresses of clouds. Most lie in ranges that are refused anyway, Azure's does not.
const METADATA_V4: [Ipv4Addr; 4] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];

const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254);

fn forbidden_v4(address: Ipv4Addr) -> Option<AddressClass> {
    if METADATA_V4.contains(&address) {
        return Some(AddressClass::Metadata);
    }
    match address.octets() {
        [0, ..] => Some(AddressClass::Unspecified),
        [127, ..] => Some(AddressClass::Loopback),
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Some(AddressClass::Private),
        [169, 254, ..] => Some(AddressClass::LinkLocal),
        [100, 64..=127, ..] => Some(AddressClass::CarrierNat),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some(AddressClass::Documentation),
        [198, 18 | 19, ..] => Some(AddressClass::Benchmarking),
        [192, 0, 0, _] | [192, 88, 99, _] => Some(AddressClass::Reserved),
        [224..=239, ..] => Some(AddressClass::Multicast),
        [240..=255, ..] => Some(AddressClass::Reserved),
        _ => None,
    }
}

fn forbidden_v6(address: Ipv6Addr) -> Option<AddressClass> {
    if address == METADATA_V6 {
        return Some(AddressClass::Metadata);
    }
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some(AddressClass::Unspecified),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some(AddressClass::Loopback),
        // Compatible (::a.b.c.d), mapped (::ffff:a.b.c.d) and translated (::ffff:0:a.b.c.d).
        [0, 0, 0, 0, 0 | 0xffff, 0 | 0xffff, ..] => Some(AddressClass::Embedded),
        // NAT64 (64:ff9b::/96, 64:ff9b:1::/48), Teredo (2001::/32), 6to4 (2002::/16).
        [0x0064, 0xff9b, ..] | [0x2001, 0, ..] | [0x2002, ..] => Some(AddressClass::Embedded),
        [0xff00..=0xffff, ..] => Some(AddressClass::Multicast),
        [0xfe80..=0xfebf, ..] => Some(AddressClass::LinkLocal),
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Some(AddressClass::Private),
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => Some(AddressClass::Documentation),
        [0x2001, 0x0002, 0, ..] => Some(AddressClass::Benchmarking),
        [0x2001, 0x0001..=0x01ff, ..] => Some(AddressClass::Reserved),
        // Only 2000::/3 has been given out.
        [0x2000..=0x3fff, ..] => None,
        _ => Some(AddressClass::Reserved),
    }
}
