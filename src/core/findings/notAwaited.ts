import { TRL_SINCE } from "../contracts/trl";
import { atLeast } from "../contracts/version";
import {
  type Check,
  type FindingContext,
  type FunctionEvidence,
  finding,
  modelOfFunction,
  withReason,
} from "./finding";
import { code, trlName } from "./sentences";

/** An asynchronous reward that this trainer calls without awaiting it (huggingface/trl#4130). */
export const notAwaited: Check = {
  code: "coroutine-not-awaited",
  run(context) {
    return context.functions.flatMap((evidence) => {
      const { fn } = evidence;
      const failed = withReason(evidence, "coroutine");
      const why = reasonFor(evidence, context);
      if (!failed && why === null) return [];
      return [
        finding(this.code, {
          severity: "error",
          fn,
          rows: failed?.rows ?? [],
          message: `${code(fn.name)} returns a coroutine${why?.message ?? " that nobody awaits"}: the run stops with "'coroutine' object is not iterable".`,
          cure: why?.cure ?? "Write it as async def, or run the coroutine inside with asyncio.run(…).",
        }),
      ];
    });
  },
};

function reasonFor(
  { fn }: FunctionEvidence,
  { source, trainer }: FindingContext,
): { message: string; cure: string } | null {
  if (fn.contract !== "trl" || !fn.isAsync) return null;
  const object = modelOfFunction(source, fn.name)?.kind === "object";
  if (object && !atLeast(trainer.version, TRL_SINCE.asyncObjects)) {
    return {
      message: `; ${trlName(trainer.version)} won't await an object whose call is async`,
      cure: `Write it as an async def function, or use TRL ${TRL_SINCE.asyncObjects} or newer.`,
    };
  }
  if (!object && !atLeast(trainer.version, TRL_SINCE.asyncFunctions)) {
    return {
      message: `; ${trlName(trainer.version)} doesn't await reward functions`,
      cure: `Run the coroutine inside with asyncio.run(…), or use TRL ${TRL_SINCE.asyncFunctions} or newer.`,
    };
  }
  return null;
}
