import type { ErrorCode, ErrorDetail } from "../../base/errors";

/** Why there is no worker: crosses to the user as a `RewardsmithError`. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly detail: ErrorDetail;
}

/**
 * The worker as a whole (a parent that forks, or a set of spare processes): `idle → starting → ready ⇄ busy →
 * stopping → idle`, and `failed`, from which the next wish starts again. Pure; `pythonWorker.ts` carries out what a
 * step asks for.
 */
export type WorkerState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "busy"; readonly job: number }
  | { readonly kind: "stopping" }
  | { readonly kind: "failed"; readonly failure: Failure };

export type WorkerEvent =
  /** Somebody needs a worker. */
  | { readonly kind: "wanted" }
  | { readonly kind: "started" }
  | { readonly kind: "startFailed"; readonly failure: Failure }
  | { readonly kind: "jobTaken"; readonly job: number }
  | { readonly kind: "jobEnded"; readonly job: number }
  /** The processes went away by themselves. */
  | { readonly kind: "lost"; readonly failure: Failure }
  | { readonly kind: "stop" }
  | { readonly kind: "stopped" };

export type WorkerEffect =
  | { readonly kind: "start" }
  /** Those who wait for a worker go on. */
  | { readonly kind: "admit" }
  | { readonly kind: "refuse"; readonly failure: Failure }
  | { readonly kind: "run"; readonly job: number }
  /** A moment without a job: a fresher set of processes may take over. */
  | { readonly kind: "renew" }
  | { readonly kind: "report"; readonly failure: Failure }
  | { readonly kind: "end" };

export interface Step {
  readonly state: WorkerState;
  readonly effects: readonly WorkerEffect[];
}

const stopping: Failure = { code: "Disposed", message: "the worker has been stopped", detail: {} };

export function step(state: WorkerState, event: WorkerEvent): Step {
  const stay: Step = { state, effects: [] };
  switch (event.kind) {
    case "wanted":
      switch (state.kind) {
        case "idle":
        case "failed":
          return { state: { kind: "starting" }, effects: [{ kind: "start" }] };
        case "ready":
        case "busy":
          return { state, effects: [{ kind: "admit" }] };
        case "stopping":
          return { state, effects: [{ kind: "refuse", failure: stopping }] };
        case "starting":
          return stay;
      }
      break;
    case "started":
      return state.kind === "starting" ? { state: { kind: "ready" }, effects: [{ kind: "admit" }] } : stay;
    case "startFailed":
      return state.kind === "starting"
        ? {
            state: { kind: "failed", failure: event.failure },
            effects: [{ kind: "refuse", failure: event.failure }],
          }
        : stay;
    case "jobTaken":
      return state.kind === "ready"
        ? { state: { kind: "busy", job: event.job }, effects: [{ kind: "run", job: event.job }] }
        : stay;
    case "jobEnded":
      return state.kind === "busy" && state.job === event.job
        ? { state: { kind: "ready" }, effects: [{ kind: "renew" }] }
        : stay;
    case "lost":
      switch (state.kind) {
        case "starting":
          return step(state, { kind: "startFailed", failure: event.failure });
        case "ready":
        case "busy":
          return {
            state: { kind: "failed", failure: event.failure },
            effects: [{ kind: "report", failure: event.failure }],
          };
        case "idle":
        case "stopping":
        case "failed":
          return stay;
      }
      break;
    case "stop":
      switch (state.kind) {
        case "starting":
          return {
            state: { kind: "stopping" },
            effects: [{ kind: "refuse", failure: stopping }, { kind: "end" }],
          };
        case "stopping":
          return stay;
        case "idle":
        case "ready":
        case "busy":
        case "failed":
          return { state: { kind: "stopping" }, effects: [{ kind: "end" }] };
      }
      break;
    case "stopped":
      return state.kind === "stopping" ? { state: { kind: "idle" }, effects: [] } : stay;
  }
  return stay;
}
