/** Placeholder */
export const byteSearch = {
  compile: (text: string, _matchCase: boolean) => {
    const needle = Buffer.from(text);
    return {
      find: (bytes: Uint8Array, from: number): number =>
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(needle, from),
    };
  },
};
