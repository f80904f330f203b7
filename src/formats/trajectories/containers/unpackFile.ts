import { RewardsmithError } from "../../../base/errors";
import type { FileAccess, FileLimits } from "../container";
import { memoryAccess } from "./bytes";
import { Pace } from "./pace";
import { type Method, UnpackedTooLarge, unpack } from "./unpack";

/** A compressed file, decompressed in memory. Rejects with TooLarge, and with FormatUnknown where it is damaged. */
export async function unpackFile(
  file: FileAccess,
  method: Method,
  limits: FileLimits,
  signal?: AbortSignal,
): Promise<FileAccess> {
  const tooLarge = new RewardsmithError(
    "TooLarge",
    `${file.name} is compressed and holds more than ${limits.valueBytes} bytes: unpack it first`,
    { path: file.name },
  );
  if (file.bytes > limits.valueBytes) throw tooLarge;
  try {
    const bytes = await unpack(await file.read(0, file.bytes), method, limits.valueBytes, new Pace(signal));
    return memoryAccess(file, bytes, file.name.replace(/\.(gz|gzip|zst|zstd)$/i, ""));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UnpackedTooLarge) throw tooLarge;
    const message = error instanceof Error ? error.message : String(error);
    throw new RewardsmithError(
      "FormatUnknown",
      `${file.name} is compressed and can't be unpacked, it may be cut off: ${message}`,
      { path: file.name },
      { cause: error },
    );
  }
}
