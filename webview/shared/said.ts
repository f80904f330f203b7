/** A text for screen readers. */
export interface Said {
  readonly text: string;
  /** What the user asked for wasn't done. */
  readonly failed?: boolean;
}
