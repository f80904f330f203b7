"""A small JSON Schema check: the keywords that docs/schema/worker.schema.json uses, and no others."""

import json
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_NOTES = {"description", "default", "title", "$schema", "$defs"}
_TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "null": type(None),
}


def load(name):
    """``request`` or ``frame``."""
    with open(os.path.join(ROOT, "docs", "schema", "worker.schema.json"), encoding="utf-8") as file:
        return json.load(file)["$defs"][name]


def _is(value, kind):
    if kind in ("number", "integer"):
        good = isinstance(value, (int, float)) and not isinstance(value, bool)
        return good and (kind == "number" or value == int(value))
    return isinstance(value, _TYPES[kind])


def _units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def problems(value, schema, at="$"):
    """What is wrong with a value; an empty list where nothing is. Raises KeyError for a keyword it doesn't know."""
    found = []
    if isinstance(schema, bool):
        return found if schema else ["%s: nothing may stand here" % at]
    for keyword, rule in schema.items():
        if keyword in _NOTES:
            continue
        if keyword in ("anyOf", "oneOf"):
            tries = [problems(value, option, at) for option in rule]
            if all(tries):
                found += min(tries, key=lambda tried: ("const" in tried[0], len(tried)))
        elif keyword == "type":
            kinds = rule if isinstance(rule, list) else [rule]
            if not any(_is(value, kind) for kind in kinds):
                found.append("%s: %r isn't %s" % (at, value, rule))
        elif keyword == "const":
            if value != rule or isinstance(value, bool) != isinstance(rule, bool):
                found.append("%s: const %r, not %r" % (at, rule, value))
        elif keyword == "enum":
            if value not in rule:
                found.append("%s: %r is none of %r" % (at, value, rule))
        elif keyword == "required":
            if isinstance(value, dict):
                found += ["%s: no %s" % (at, name) for name in rule if name not in value]
        elif keyword == "properties":
            if isinstance(value, dict):
                for name, inner in rule.items():
                    if name in value:
                        found += problems(value[name], inner, "%s.%s" % (at, name))
        elif keyword == "additionalProperties":
            if isinstance(value, dict):
                for name in set(value) - set(schema.get("properties", {})):
                    if rule is False:
                        found.append("%s: unknown %s" % (at, name))
                    else:
                        found += problems(value[name], rule, "%s.%s" % (at, name))
        elif keyword == "propertyNames":
            if isinstance(value, dict):
                for name in value:
                    found += problems(name, rule, "%s key" % at)
        elif keyword in ("items", "prefixItems"):
            if isinstance(value, list):
                first = 0 if keyword == "prefixItems" else len(schema.get("prefixItems", ()))
                rules = rule if keyword == "prefixItems" else [rule] * (len(value) - first)
                for number, (item, inner) in enumerate(zip(value[first:], rules), first):
                    found += problems(item, inner, "%s[%d]" % (at, number))
        elif keyword in ("minItems", "maxItems"):
            if isinstance(value, list) and (len(value) - rule) * (1 if keyword == "minItems" else -1) < 0:
                found.append("%s: %d items" % (at, len(value)))
        elif keyword == "maxLength":
            if isinstance(value, str) and _units(value) > rule:
                found.append("%s: longer than %d" % (at, rule))
        elif keyword in ("minimum", "maximum", "exclusiveMinimum"):
            if isinstance(value, (int, float)):
                bad = {
                    "minimum": value < rule,
                    "maximum": value > rule,
                    "exclusiveMinimum": value <= rule,
                }[keyword]
                if bad:
                    found.append("%s: %r breaks %s %r" % (at, value, keyword, rule))
        else:
            raise KeyError("%s: %s" % (at, keyword))
    return found


def check(value, schema):
    wrong = problems(value, schema)
    if wrong:
        raise AssertionError("\n".join(wrong[:10]) + "\nin " + json.dumps(value)[:2000])
