"""Rewardsmith's Python worker: runs reward functions over samples and says what came of each row.

Standard library only, Python 3.9+. Started as ``python -X utf8 -u .../rewardsmith_worker``.

Wire
    Requests come as one JSON object a line on standard input; frames go out on a private copy of standard output
    as ``"\\n" + token + " " + json + "\\n"``, where the token is ``REWARDSMITH_TOKEN`` from the environment (taken
    out of it at once). A line without the token is user code that found our descriptor, and is to be ignored.
    The messages are described in ``docs/schema/worker.schema.json``. File descriptor 1 points to standard error,
    descriptor 0 to nothing.

fork mode (Linux, one thread)
    The *parent* holds the samples and the preloaded third-party modules, and waits in ``poll``: it starts no
    thread and imports nothing of the user's. Each job is a forked child in its own session. The child's frames go
    through a pipe of its own, marked with a token made for that job; what it prints goes through another pipe,
    cut into units by marks that the child writes after each unit, so the parent can put a unit's output into its
    frame. The parent enforces the limits, ends the child's whole tree (it is the subreaper, so nothing escapes by
    being orphaned), and sends ``end``. Temporary files of a pass go into ``<tmp>/pass-<pid>``, emptied after it.

spare mode (everywhere)
    The process preloads, waits, runs one job in its own main thread, sends ``end`` and exits. The engine enforces
    the limits by ending the process and its tree. Output is read by a thread of ours and put into the unit's frame;
    a capped copy goes to standard error as it comes, so the engine has the output of a unit that never finished
    (what comes after the last ``spare.UNIT_END``). Shortly before a unit's limit ``faulthandler`` writes the stack
    to standard error: the first ``File "<path>", line N in`` with the job's path after the last ``Timeout (`` line
    is where the hang stands. The job's folder for temporary files is ``<tmp>/pass-<job>-<pid>``.

Both
    ``limits.unitSeconds`` counts for each of ``calls`` calls: a unit may take ``unitSeconds * calls``. The second
    call starts from another random state, so that a reward that draws differs. Exit status 113: user code closed or
    replaced the descriptor of the frames. 114: the worker itself failed; standard error says why.
    A user's file that has the name of a module which only this worker or a preloaded package loaded (``queue.py``) is
    found first, as in a plain run; the worker keeps its own (``loader.set_aside``).
    ``guardian.py`` is a program of its own: it ends all workers of an engine that was killed.

Environment
    ``REWARDSMITH_WORKER`` marks every process that descends from the worker; ``REWARDSMITH_JOB`` those that a job
    started as new programs.
"""
