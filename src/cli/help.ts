const SCORING = `
Samples and their columns
  --samples FILE…          JSON Lines, JSON, CSV or Parquet; several files are one set;
                           left out: those of the suite in the nearest rewardsmith.json
  --columns PART=COLUMN,…  e.g. completion=output,prompt=input,gold=answer; guessed where left out
  --group-by KEY|N         column that names the group, "prompt", or N rows in a row

How the reward is called
  --contract C             trl or plain; recognised where left out
  --weights F=1,G=0.5      weights of the total; 1 where left out
  --advantages RULE        group, batch or none (TRL's scale_rewards)
  --aggregation RULE       sum_then_normalize or normalize_then_sum
  --batch N                completions in one call
  --timeout S              seconds that one call may take
  --python PATH            interpreter; else VIRTUAL_ENV, .venv, PATH
  --mode fork|spare        how Python processes are made
  --baseline REF           an earlier version to compare with: HEAD, or a file
  --json                   one JSON document instead of tables
`;

export const HELP: Readonly<Record<string, string>> = {
  "": `rewardsmith: try reward functions on real outputs

Usage
  rewardsmith score FILE.py[:FUNCTION,…] --samples FILE…   run the rewards and show scores, groups, advantages
  rewardsmith check FILE.py[:FUNCTION,…] --samples FILE…   look for faults; exit 1 where there are some
  rewardsmith read  FILE…                                  show samples or trajectories, how they are understood, problems
  rewardsmith run   start|list|show|logs|stop|resume|…    training runs on this machine
  rewardsmith init  [FOLDER]                               write a rewardsmith.json for what is found there

  A notebook (FILE.ipynb) is scored as the Python of its cells.

  rewardsmith COMMAND --help    all options of a command
  rewardsmith --version

Exit: 0 fine, 1 a check failed or the reward can't be loaded, 2 used wrongly, 3 rewardsmith itself failed.
`,
  score: `rewardsmith score FILE.py[:FUNCTION,…] --samples FILE… [options]

Runs reward functions over samples as the trainer would call them. Your code runs with your rights.
FILE may be a notebook (.ipynb): its code cells, one after another, are the module.
${SCORING}`,
  check: `rewardsmith check FILE.py[:FUNCTION,…] --samples FILE… [options]

Scores twice and reports findings: what is wrong, why, and what to do. FILE may be a notebook (.ipynb).

  --fail-on error|warning  exit 1 from this severity on (error where left out)
${SCORING}`,
  read: `rewardsmith read FILE… [--rows A:B] [--columns PART=COLUMN,…] [--group-by KEY|N] [--as samples|trajectories] [--json]

Shows samples and which columns play which part. Runs nothing, changes nothing.

  --rows A:B               rows to show, from 1 (the first 10; all with --json)
  --columns PART=COLUMN,…  e.g. completion=output,prompt=input
  --group-by KEY|N         column that names the group, "prompt", or N rows in a row
`,
  run: `rewardsmith run start [--recipe custom] [options] -- COMMAND [ARGUMENT…]
rewardsmith run start --recipe R [--suite NAME] [--set NAME=VALUE] [--smoke] [options]
rewardsmith run list
rewardsmith run show RUN
rewardsmith run logs RUN [--follow] [--from BYTE] [--bytes N]
rewardsmith run stop RUN [--now]
rewardsmith run resume RUN [--checkpoint NAME] [--secret NAME] [--follow]
rewardsmith run delete RUN…

Runs of the project around the current folder. A run goes on when this program, the terminal or the editor is closed.

start
  --recipe R           custom: a command of your own, after --, started as it is, without a shell;
                       else a framework's: trl, verl, … trains on a suite of rewardsmith.json
  --suite NAME         rewards and prompts; needed where there are several
  --set NAME=VALUE     a setting: steps=100, lora.rank=8, extra.KEY=VALUE for the framework's own; several times
  --smoke              a try of two steps
  --backend NAME       where it runs: local
  --name NAME          in the run's id and in lists
  --env NAME=VALUE     a variable for the job; several times
  --secret NAME        pass on a variable of yours whose value is hidden in all that is written; several times
  --python PATH        interpreter of the training environment; else VIRTUAL_ENV, .venv, PATH
  --follow             show the log until the run is over; Ctrl-C leaves the run running
logs
  --follow             go on until the run is over
  --from BYTE          from this offset on, instead of the end
  --bytes N            how much (64 KiB)
stop
  --now                by force, without asking first
resume
  --checkpoint NAME    of the run; its last where left out. Makes a new run.
  --json               one JSON document instead of text, for each of them

Exit of start --follow and show: 1 where the run failed, was killed or is lost.
`,
  init: `rewardsmith init [FOLDER]

Looks for reward functions and sample files and writes a commented rewardsmith.json. Never overwrites one.
`,
};
