"""Holds the verdicts of roboprov's parser against the JSON Schema of manifests, by a validator that we did not write.

`check_manifests.py SCHEMA VERDICTS`: each line of VERDICTS has a manifest as an editor sees it, whether the parser
accepts it (as far as a schema could tell), and the codes of what it found. Prints a JSON object: how many there are,
how many disagree, and the first of those.
"""

import json
import pathlib
import re
import sys
from typing import Any

import jsonschema

MOST = 15


def python(pattern: str) -> str:
    """A pattern as Python has it: its own `$` also matches before a line break at the end."""
    return re.sub(r"(?<!\\)\$", r"\\Z", pattern)


def translated(schema: Any) -> Any:
    """The schema with its patterns as Python has them."""
    if isinstance(schema, list):
        return [translated(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "pattern" and isinstance(value, str):
            result[key] = python(value)
        elif key == "patternProperties":
            result[key] = {python(pattern): translated(part) for pattern, part in value.items()}
        else:
            result[key] = translated(value)
    return result


def main(schema_path: str, verdicts: str) -> None:
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(translated(schema))
    manifests = 0
    disagreements = []
    with open(verdicts, encoding="utf-8") as lines:
        for line in lines:
            verdict = json.loads(line)
            manifests += 1
            manifest = verdict["manifest"]
            accepted = validator.is_valid(manifest)
            # What the parser left out may be wrong, too.
            if accepted == verdict["accepted"] or (verdict["partly_unread"] and not accepted):
                continue
            error = jsonschema.exceptions.best_match(validator.iter_errors(manifest))
            says = f"{error.json_path}: {error.message}"[:200] if error else "nothing wrong"
            disagreements.append(f"parser: {verdict['codes']}; schema: {says}; {json.dumps(manifest)}"[:1500])
    print(json.dumps({"manifests": manifests, "count": len(disagreements), "disagreements": disagreements[:MOST]}))


main(*sys.argv[1:])
