/** The filter that shows a bucket's trajectories; null: no filter tells it, only its examples do. */
export function bucketFilter(bucket: string): string | null {
  switch (bucket) {
    case "truncation":
      return "truncated";
    case "wrong-arguments":
      return "bad-arguments";
    case "environment":
      return "outcome:environment,infrastructure";
    case "long-horizon":
      return "turns>=30";
    default:
      return null;
  }
}
