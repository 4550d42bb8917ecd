"""Compares the results of roboprov's parser with the JSON Schema of manifests, using a third-party validator.

`check_manifests.py SCHEMA VERDICTS`: each line of VERDICTS has a manifest as an editor sees it, whether the parser
accepts it (apart from findings that no schema can express), and the codes of its findings. Prints a JSON object with
the number of manifests, the number of disagreements, and the first of these.
"""

import json
import pathlib
import sys

import jsonschema_rs

MOST = 15


def main(schema_path: str, verdicts: str) -> None:
    schema = json.loads(pathlib.Path(schema_path).read_text())
    validator = jsonschema_rs.Draft7Validator(schema)
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
            error = next(iter(validator.iter_errors(manifest)), None)
            says = f"{error.instance_path}: {error.message}"[:200] if error else "nothing wrong"
            disagreements.append(f"parser: {verdict['codes']}; schema: {says}; {json.dumps(manifest)}"[:1500])
    print(json.dumps({"manifests": manifests, "count": len(disagreements), "disagreements": disagreements[:MOST]}))


main(*sys.argv[1:])
