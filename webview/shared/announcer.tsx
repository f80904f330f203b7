import { type ReadonlySignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { AnnouncerQueue } from "./announcerQueue";

/** Says texts to screen readers, politely: the newest of those that come fast one after another. */
export function Announcer({ said }: { readonly said: ReadonlySignal<{ readonly text: string }> }) {
  const [shown, setShown] = useState("");
  const [queue] = useState(() => new AnnouncerQueue(setShown));
  useEffect(() => said.subscribe(({ text }) => queue.say(text)), [said, queue]);
  useEffect(() => () => queue.dispose(), [queue]);
  return (
    <div role="status" aria-live="polite" class="said">
      {shown}
    </div>
  );
}
