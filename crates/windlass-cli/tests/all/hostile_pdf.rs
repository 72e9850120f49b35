//! PDFs written to end whoever reads them, made from code: one that unpacks to gigabytes of objects, one whose objects lead
//! from one to the next until the stack is used up.

/// Bytes to which the stream of the first one unpacks: the most that our reader lets a stream unpack to.
const UNPACKED_BYTES: usize = 32 << 20;
/// Objects of the second one.
const CHAIN: usize = 3_400;
/// Bytes that one match of Deflate stands for.
const MATCH_BYTES: usize = 258;

/// 33 kilobytes whose one stream is a list of sixteen million empty lists.
pub(crate) fn pdf_of_many_lists() -> Vec<u8> {
    let head = b"9 0     [[]";
    let matches = (UNPACKED_BYTES - 1_000) / MATCH_BYTES;
    let packed = deflated(head, matches, b"]");
    let list = format!("<</Type/ObjStm/N 1/First 8/Filter/FlateDecode/Length {}>>stream\n", packed.len());
    pdf(vec![[list.as_bytes(), &packed, b"\nendstream"].concat()])
}

/// A quarter of a megabyte of streams, the length of each is what the next one says.
pub(crate) fn pdf_of_a_chain() -> Vec<u8> {
    let mut objects: Vec<Vec<u8>> =
        (0..CHAIN).map(|at| format!("<</Length {} 0 R>>stream\n\nendstream", at + 4).into_bytes()).collect();
    objects.push(b"1".to_vec());
    pdf(objects)
}

/// A PDF without pages that has these objects, from number 3 on.
fn pdf(objects: Vec<Vec<u8>>) -> Vec<u8> {
    let mut all = vec![b"<</Type/Catalog/Pages 2 0 R>>".to_vec(), b"<</Type/Pages/Kids[]/Count 0>>".to_vec()];
    all.extend(objects);
    let mut bytes = b"%PDF-1.5\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", all.len() + 1);
    for (at, object) in all.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", bytes.len()));
        bytes.extend(format!("{} 0 obj\n", at + 1).bytes());
        bytes.extend(object);
        bytes.extend(b"\nendobj\n");
    }
    let start = bytes.len();
    bytes.extend(table.bytes());
    let end = format!("trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n", all.len() + 1);
    bytes.extend(end.bytes());
    bytes
}

/// A zlib stream: a head as it is, its last two bytes again and again, a tail as it is. Two bits stand for 258 bytes.
pub(crate) fn deflated(head: &[u8], matches: usize, tail: &[u8]) -> Vec<u8> {
    let mut bits = Bits { bytes: vec![0x78, 0x9c], used: 0 };
    bits.put_as_it_is(head, false);
    // A block with codes of its own: of letters only the longest match and the end, of distances only two.
    bits.put(0, 1);
    bits.put(2, 2);
    bits.put(286 - 257, 5);
    bits.put(2 - 1, 5);
    bits.put(18 - 4, 4);
    // Lengths of the codes for lengths, in the order that the format has: 18 (many zeros), 0 and 1 are used.
    for place in 0..18 {
        let symbol = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1][place];
        bits.put(
            match symbol {
                18 => 1,
                0 | 1 => 2,
                _ => 0,
            },
            3,
        );
    }
    let zeros = |bits: &mut Bits, count: u32| {
        bits.put(0, 1);
        bits.put(count - 11, 7);
    };
    let one = |bits: &mut Bits| bits.put(0b11, 2);
    let zero = |bits: &mut Bits| bits.put(0b01, 2);
    zeros(&mut bits, 138);
    zeros(&mut bits, 118);
    one(&mut bits);
    zeros(&mut bits, 28);
    one(&mut bits);
    zero(&mut bits);
    one(&mut bits);
    for _ in 0..matches {
        bits.put(0b01, 2);
    }
    bits.put(0, 1);
    bits.put_as_it_is(tail, true);
    let mut bytes = bits.bytes;
    bytes.extend(adler(head, matches, tail).to_be_bytes());
    bytes
}

/// Bits as Deflate packs them, the lowest first.
struct Bits {
    bytes: Vec<u8>,
    /// Bits of the last byte that are taken; 0 for all of them.
    used: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            if self.used == 0 {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= u8::try_from(value >> bit & 1).unwrap() << self.used;
            self.used = (self.used + 1) % 8;
        }
    }

    fn put_as_it_is(&mut self, text: &[u8], is_last: bool) {
        self.put(u32::from(is_last), 1);
        self.put(0, 2);
        self.used = 0;
        let length = u16::try_from(text.len()).unwrap();
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend((!length).to_le_bytes());
        self.bytes.extend(text);
    }
}

/// The sum at the end of a zlib stream.
fn adler(head: &[u8], matches: usize, tail: &[u8]) -> u32 {
    let (mut low, mut high) = (1_u64, 0_u64);
    let mut take = |bytes: &mut dyn Iterator<Item = u8>| {
        for byte in bytes {
            low = (low + u64::from(byte)) % 65_521;
            high = (high + low) % 65_521;
        }
    };
    let pair = &head[head.len() - 2..];
    take(&mut head.iter().copied());
    take(&mut pair.iter().copied().cycle().take(matches * MATCH_BYTES));
    take(&mut tail.iter().copied());
    u32::try_from(high << 16 | low).unwrap()
}
