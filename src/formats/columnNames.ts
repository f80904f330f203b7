/**
 * Names that files of rollouts and of samples give their columns, in order of preference; lower case. Both guesses of
 * what a column is (`services/sampleMapping`, `trajectories/mapping`) look for them.
 */
export const COMPLETION_NAMES = [
  "completion",
  "completions",
  "response",
  "responses",
  "model_response",
  "model_output",
  "output_response",
  "output",
  "outputs",
  "generation",
  "generated_text",
  "generated",
  "prediction",
  "solution_str",
] as const;

export const PROMPT_NAMES = [
  "prompt",
  "prompts",
  "question",
  "input_prompt",
  "instruction",
  "query",
  "problem",
  "input",
  "task",
] as const;

export const CONVERSATION_NAMES = ["messages", "conversation", "conversations", "trajectory"] as const;

export const GROUP_NAMES = [
  "group",
  "group_id",
  "group_idx",
  "group_index",
  "prompt_id",
  "prompt_idx",
  "problem_id",
  "question_id",
  "task_id",
  "task_index",
  "task_idx",
  "example_id",
] as const;
