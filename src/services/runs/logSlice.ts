import type { LogSlice } from "../../schema/runView";

/** Bytes as text, cut between characters: what belongs to one that begins before or ends after is left to others. */
export function textSlice(slice: {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly total: number;
}): LogSlice {
  const { bytes, from, total } = slice;
  let start = 0;
  // Continuation bytes at the beginning belong to a character before it.
  while (from > 0 && start < Math.min(3, bytes.length) && isContinuation(bytes[start])) start++;
  let end = bytes.length;
  // Also at the end of the file: the rest of that character may be written in a moment.
  const lead = lastLead(bytes);
  if (lead >= start && lead + widthOf(bytes[lead]) > bytes.length) end = lead;
  // Bytes that aren't UTF-8 must not stop a reader for good.
  if (end <= start) end = bytes.length;
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, end));
  return { text, from: from + start, to: from + end, total };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function lastLead(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--)
    if (!isContinuation(bytes[at])) return at;
  return -1;
}

function widthOf(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1;
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}
