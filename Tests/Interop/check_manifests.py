"""Compares the results of roboprov's parser with the JSON Schema of manifests, using a third-party validator.

`check_manifests.py SCHEMA VERDICTS`: each line of VERDICTS has a manifest as an editor sees it, whether the parser
accepts it (apart from findings that no schema can express), and the codes of its findings. Prints a JSON object with
the number of manifests, the number of disagreements, and the first of these.
"""

import json
import pathlib
import re
import sys
from typing import Any

import jsonschema

MOST = 15


def python(pattern: str) -> str:
    """A pattern in Python's syntax, in which `$` also matches before a line break at the end."""
    return re.sub(r"(?<!\\)\$", r"\\Z", pattern)


def translated(schema: Any) -> Any:
    """The schema with its patterns in Python's syntax."""
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
            # The parts that the parser skipped may be invalid, too.
            if accepted == verdict["accepted"] or (verdict["partly_unread"] and not accepted):
                continue
            error = jsonschema.exceptions.best_match(validator.iter_errors(manifest))
            says = f"{error.json_path}: {error.message}"[:200] if error else "nothing wrong"
            disagreements.append(f"parser: {verdict['codes']}; schema: {says}; {json.dumps(manifest)}"[:1500])
    print(json.dumps({"manifests": manifests, "count": len(disagreements), "disagreements": disagreements[:MOST]}))


main(*sys.argv[1:])
