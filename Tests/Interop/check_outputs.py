"""Holds outputs against their JSON Schemas, by a validator that we did not write.

`check_outputs.py FOLDER`: in it, NAME.schema.json is a schema and every other file NAME.ANYTHING.json or .jsonl an
output, or one a line. With `--changed`, each output is changed in every way that must be refused; with `--refused`, each
must be refused as it is. Prints a JSON object a file: how many documents it has, and what is wrong with them.
"""

import json
import pathlib
import sys

import jsonschema

WRONG = {"wrong": True}
MOST = 20


def changes(document, is_always_whole):
    """Every change that the schema must refuse, once for all elements of a list: (what, document)."""
    seen = set()

    def walk(node, path, replace):
        if isinstance(node, list):
            for index, element in enumerate(node):
                walk(element, (*path, "[]"), lambda new, index=index: replace([*node[:index], new, *node[index + 1 :]]))
        if not isinstance(node, dict):
            return
        if (shape := (*path, "unknown")) not in seen:
            seen.add(shape)
            found.append((f"{'.'.join(shape)} added", replace({**node, "unknown": 1})))
        for key, value in node.items():
            shape = (*path, key)
            if shape not in seen:
                seen.add(shape)
                found.append((f"{'.'.join(shape)} of another type", replace({**node, key: WRONG})))
                if is_always_whole:
                    rest = {other: node[other] for other in node if other != key}
                    found.append((f"{'.'.join(shape)} missing", replace(rest)))
            walk(value, shape, lambda new, key=key: replace({**node, key: new}))

    found = []
    walk(document, (), lambda new: new)
    return found


def check(validator, document, options):
    if options["refused"]:
        return [f"{document} is not refused"] if validator.is_valid(document) else []
    if not options["changed"]:
        return [f"{error.json_path}: {error.message}"[:300] for error in validator.iter_errors(document)]
    return [
        what + " is not refused"
        for what, changed in changes(document, options["whole"])
        if not [key for key in MAPS if what.startswith(key)] and validator.is_valid(changed)
    ]


# Objects whose keys are data.
MAPS = ["profiles."]


def main(arguments):
    folder = pathlib.Path(arguments[-1])
    schemas = {}
    for path in sorted(folder.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[path.name.split(".")[0]] = jsonschema.Draft202012Validator(schema)
    for path in sorted(folder.iterdir()):
        name = path.name.split(".")[0]
        if path.name == f"{name}.schema.json":
            continue
        text = path.read_text()
        documents = text.splitlines() if path.suffix == ".jsonl" else [text]
        options = {option: f"--{option}" in arguments for option in ("changed", "refused")}
        options["whole"] = ".whole." in path.name
        errors = []
        for document in documents:
            errors += check(schemas[name], json.loads(document), options)
        print(json.dumps({"file": path.name, "documents": len(documents), "errors": errors[:MOST]}))
    print(json.dumps({"schemas": sorted(schemas)}))


main(sys.argv[1:])
