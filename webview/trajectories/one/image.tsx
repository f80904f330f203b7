import { useEffect, useState } from "preact/hooks";
import type { Part } from "../../../src/schema/trajectory";
import { formatCount } from "../../../src/words/format";
import { Icon } from "../../shared/controls";
import { TIMEOUT_MS, type Viewer } from "../viewer";
import { pictureAddress } from "./pictures";
import { Plain } from "./text";

const MOST_KEPT = 12;

interface Loaded {
  /** `data:` address; null: none that may be shown. */
  readonly address: string | null;
  readonly bytes: number;
}
const kept = new Map<string, Loaded>();

export interface ImagePartProps {
  readonly viewer: Viewer;
  readonly part: Extract<Part, { type: "image" }>;
  readonly position: number;
  readonly at: number;
}

/** A picture that is in the file itself. One that is elsewhere is its address as text: nothing is ever loaded. */
export function ImagePart({ viewer, part, position, at }: ImagePartProps) {
  const { t, language } = viewer.speech.value;
  const { index, branch } = viewer.state.value;
  const key = `${viewer.resetSeq.value}/${String(index)}/${branch}/${position}/${at}`;
  const [loaded, setLoaded] = useState<Loaded | null>(kept.get(key) ?? null);
  const [failed, setFailed] = useState<string | null>(null);
  useEffect(() => {
    if (part.address !== null || index === null || kept.has(key)) return;
    const abort = new AbortController();
    viewer.connection.data
      .image({ index, branch, message: position, part: at }, { signal: abort.signal, timeoutMs: TIMEOUT_MS })
      .then(
        ({ mime, data, bytes }) => {
          const one = { address: pictureAddress(mime, data), bytes };
          kept.set(key, one);
          for (const oldest of kept.keys()) {
            if (kept.size <= MOST_KEPT) break;
            kept.delete(oldest);
          }
          if (!abort.signal.aborted) setLoaded(one);
        },
        (error: unknown) => {
          if (!abort.signal.aborted) setFailed(viewer.sentence(error));
        },
      );
    return () => abort.abort();
  }, [key]);
  if (part.address !== null)
    return (
      <p class="picture-note">
        <Icon name="file-media" /> {t("Image elsewhere, not loaded:")}{" "}
        <code>
          <Plain text={part.address} />
        </code>
      </p>
    );
  if (loaded?.address)
    return (
      <img class="picture" src={loaded.address} alt={t("Image {0} of message {1}", at + 1, position + 1)} />
    );
  return (
    <p class="picture-note quiet">
      <Icon name="file-media" />{" "}
      {failed ??
        (loaded === null
          ? t("Reading the image…")
          : t(
              "Image that isn't shown: {0}, {1} bytes. Only PNG, JPEG, GIF and WebP up to a megabyte are.",
              part.mime ?? t("unknown kind"),
              formatCount(loaded.bytes, language),
            ))}
    </p>
  );
}
