import { type ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { TrajectoryHead } from "../../../src/schema/trajectoryView";
import { formatCount, formatScore, type Speech } from "../../../src/words/format";
import type { Viewer } from "../viewer";
import { JsonTree } from "./jsonTree";
import { oneModel } from "./model";
import { stateDiff } from "./snapshots";
import { Plain, TextBody } from "./text";

/** All that a record has beside its messages. */
export function Details({ viewer, head }: { readonly viewer: Viewer; readonly head: TrajectoryHead }) {
  const speech = viewer.speech.value;
  const { t, language } = speech;
  const components = Object.entries(head.rewards);
  return (
    <div class="details" tabIndex={0} role="region" aria-label={t("Details of the trajectory")}>
      <Section title={t("Place")}>
        <dl class="facts">
          <Fact name={t("file")}>
            <Plain text={head.fileName} />, {t("line {0}", formatCount(head.row.line, language))}
          </Fact>
          <Fact name={t("form")}>{head.form}</Fact>
          {head.id !== null && (
            <Fact name={t("id")}>
              <Plain text={head.id} />
            </Fact>
          )}
          {head.task !== null && (
            <Fact name={t("task")}>
              <Plain text={head.task} />
            </Fact>
          )}
          {head.split !== null && <Fact name={t("split")}>{head.split}</Fact>}
          {head.continuedIn !== null && (
            <Fact name={t("goes on in")}>
              <Plain text={head.continuedIn} />
            </Fact>
          )}
          {head.outcome.inFile !== null && (
            <Fact name={t("outcome in the file")}>
              <Plain text={head.outcome.inFile} />
            </Fact>
          )}
          {head.excluded !== null && (
            <Fact name={t("left out by the trainer")}>
              <Plain text={head.excluded} />
            </Fact>
          )}
        </dl>
        <button type="button" class="link" onClick={() => void viewer.act("openSource", [head.row.index])}>
          {t("Open in the Text Editor")}
        </button>
      </Section>
      {head.errors.length > 0 && (
        <Section title={t("Errors")}>
          {head.errors.map((error, at) => (
            <div key={at} class="message-error">
              <span class="cross">✗</span>{" "}
              {error.kind !== null && (
                <>
                  <strong>
                    <Plain text={error.kind} />
                  </strong>{" "}
                </>
              )}
              <TextBody text={error.message} markdown={false} />
              {error.traceback !== null && (
                <details>
                  <summary>{t("Traceback")}</summary>
                  <TextBody text={error.traceback} markdown={false} />
                </details>
              )}
            </div>
          ))}
        </Section>
      )}
      {components.length > 0 && (
        <Section title={t("Reward components")}>
          <table class="facts">
            <thead>
              <tr>
                <th scope="col">{t("component")}</th>
                <th scope="col">{t("value")}</th>
                <th scope="col">{t("weight")}</th>
              </tr>
            </thead>
            <tbody>
              {components.map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">
                    <Plain text={name} />
                  </th>
                  <td class="number">{formatScore(value, language)}</td>
                  <td class="number">{formatScore(head.weights[name] ?? null, language)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Section>
      )}
      <Values title={t("Reference")} value={head.reference} speech={speech} />
      <Values title={t("Metrics")} value={head.metrics} speech={speech} />
      <Values title={t("Further columns")} value={head.columns} speech={speech} />
      {head.tools.length > 0 && (
        <Section title={t("Tools ({0})", head.tools.length)}>
          {head.tools.map((tool, at) => (
            <details key={at} class="tool">
              <summary>
                <code>
                  <Plain text={tool.name} />
                </code>{" "}
                {tool.description !== null && (
                  <span class="quiet">
                    <Plain text={tool.description.slice(0, 200)} />
                  </span>
                )}
              </summary>
              {tool.description !== null && tool.description.length > 200 && (
                <TextBody text={tool.description} markdown={false} />
              )}
              <JsonTree value={tool.schema} speech={speech} stop={0} />
            </details>
          ))}
        </Section>
      )}
      <Snapshots viewer={viewer} head={head} />
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface ValuesProps {
  readonly title: string;
  readonly value: unknown;
  readonly speech: Speech;
}

function Values({ title, value, speech }: ValuesProps) {
  const nothing =
    value === null ||
    value === undefined ||
    (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0);
  if (nothing) return null;
  return (
    <Section title={title}>
      {typeof value === "string" ? (
        <TextBody text={value} markdown={false} />
      ) : (
        <JsonTree value={value} speech={speech} stop={0} />
      )}
    </Section>
  );
}

/** States of the environment where they were recorded, each against the one before. */
function Snapshots({ viewer, head }: { readonly viewer: Viewer; readonly head: TrajectoryHead }) {
  const { t, language } = viewer.speech.value;
  const [at, setAt] = useState(1);
  const { snapshots } = head;
  const chosen = Math.min(at, snapshots.length - 1);
  const before = snapshots[chosen - 1];
  const after = snapshots[chosen];
  const lines = useMemo(() => (before && after ? stateDiff(before.state, after.state) : []), [before, after]);
  if (!after) return null;
  const nameOf = (index: number): string => {
    const one = snapshots[index];
    return one?.label ?? t("before message {0}", formatCount((one?.before ?? 0) + 1, language));
  };
  if (!before)
    return (
      <Section title={t("State of the environment")}>
        <JsonTree value={after.state} speech={viewer.speech.value} stop={0} />
      </Section>
    );
  return (
    <Section title={t("State of the environment")}>
      <p>
        <label>
          {t("From the one before to")}{" "}
          <select value={chosen} onChange={(event) => setAt(Number(event.currentTarget.value))}>
            {snapshots.slice(1).map((_, i) => (
              <option key={i} value={i + 1}>
                {nameOf(i + 1)}
              </option>
            ))}
          </select>
        </label>{" "}
        <button
          type="button"
          class="link"
          onClick={() => {
            viewer.oneTab.value = "conversation";
            oneModel(viewer).goTo(after.before, true);
          }}
        >
          {t("Go to the Message")}
        </button>
      </p>
      {lines === null ? (
        <p class="quiet">{t("The states are too different to compare.")}</p>
      ) : lines.every(({ kind }) => kind === "context") ? (
        <p class="quiet">{t("Nothing changed.")}</p>
      ) : (
        <div class="text-block diff">
          {lines.map(({ kind, text }, i) => (
            <div key={i} class={`diff-${kind}`}>
              {kind === "added" ? "+ " : kind === "removed" ? "- " : "  "}
              <Plain text={text} />
            </div>
          ))}
        </div>
      )}
    </Section>
  );
}
