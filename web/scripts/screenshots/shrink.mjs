// Pictures as small files: 256 colours are enough for pages, which have few. Reads the PNG that browsers write (eight bits a
// channel, not interlaced) and no other.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const COLOURS_MAX = 256;
const HEAD_BYTES = 8;

/** The same picture with a palette. */
export function shrink(png) {
  const { width, height, channels, data } = read(png);
  const counts = new Map();
  const keyAt = (at) => (data[at] << 16) | (data[at + 1] << 8) | data[at + 2];
  for (let at = 0; at < data.length; at += channels) counts.set(keyAt(at), (counts.get(keyAt(at)) ?? 0) + 1);
  const palette = choose(counts);
  const indexOf = new Map(palette.map((colour, index) => [colour, index]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const key = keyAt(pixel * channels);
    let index = indexOf.get(key);
    if (index === undefined) indexOf.set(key, (index = nearest(palette, key)));
    rows[pixel + Math.floor(pixel / width) + 1] = index;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], HEAD_BYTES);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const packed = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([png.subarray(0, HEAD_BYTES), chunk('IHDR', head), chunk('PLTE', table), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))]);
}

/** The colours that occur most, no two of them so close that nobody sees a difference unless there is room for both. */
function choose(counts) {
  const sorted = [...counts].sort((one, other) => other[1] - one[1]).map(([colour]) => colour);
  if (sorted.length <= COLOURS_MAX) return sorted;
  for (let closest = 40; ; closest -= 8) {
    const chosen = [];
    for (const colour of sorted) {
      if (chosen.length === COLOURS_MAX) break;
      if (chosen.every((known) => distance(known, colour) > closest)) chosen.push(colour);
    }
    if (chosen.length === COLOURS_MAX || closest <= 0) return chosen;
  }
}

function nearest(palette, colour) {
  let best = 0;
  for (let index = 1; index < palette.length; index += 1) {
    if (distance(palette[index], colour) < distance(palette[best], colour)) best = index;
  }
  return best;
}

function distance(one, other) {
  const [red, green, blue] = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((other >> shift) & 255));
  return red * red + green * green + blue * blue;
}

function chunk(kind, body) {
  const named = Buffer.concat([Buffer.from(kind), body]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function read(png) {
  const parts = [];
  let head = null;
  for (let at = HEAD_BYTES; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const kind = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (kind === 'IHDR') head = body;
    if (kind === 'IDAT') parts.push(body);
    at += length + 12;
  }
  const [width, height, channels] = [head.readUInt32BE(0), head.readUInt32BE(4), head[9] === 6 ? 4 : 3];
  return { width, height, channels, data: unfilter(inflateSync(Buffer.concat(parts)), width * channels, height, channels) };
}

/** Takes back what the writer did to each row: the rules of the PNG specification, section 9. */
function unfilter(raw, stride, height, channels) {
  const data = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = raw[row * (stride + 1)];
    for (let at = 0; at < stride; at += 1) {
      const place = row * stride + at;
      const left = at >= channels ? data[place - channels] : 0;
      const up = row > 0 ? data[place - stride] : 0;
      const corner = at >= channels && row > 0 ? data[place - stride - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      data[place] = raw[row * (stride + 1) + 1 + at] + guess;
    }
  }
  return data;
}

function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
