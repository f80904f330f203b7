"""A private copy of the builtins.

User code may replace ``builtins.open``, ``len`` or ``__import__`` for the whole process. Functions look their
builtins up through ``__builtins__`` of the module that defines them, so every module here begins with::

    from .own import BUILTINS as __builtins__

and keeps working whatever happens to the shared ones.
"""

import builtins
import sys

BUILTINS = dict(vars(builtins))

# What the interpreter's own start-up loaded (also ``.pth`` files): these win over a user's file of the same name in a
# plain run too. Everything later is our doing.
AT_START = frozenset(name.partition(".")[0] for name in sys.modules)
