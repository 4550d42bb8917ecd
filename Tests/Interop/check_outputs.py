"""Validates outputs against their JSON Schemas, using a third-party validator.

`check_outputs.py FOLDER`: NAME.schema.json in it is a schema. Every other file NAME.ANYTHING.json is an output, and
NAME.ANYTHING.jsonl has one in each line. With `--changed`, each output is changed in every way that the schema must refuse;
with `--refused`, the schema must refuse each output unchanged. Prints a JSON object for each file, with the number of
documents and the errors.
"""

import json
import pathlib
import sys
from collections.abc import Callable
from typing import Any

import jsonschema_rs

WRONG = {"wrong": True}
MOST = 20


Replace = Callable[[Any], Any]  # returns the document with another value in one place


def in_list(node: list[Any], index: int, replace: Replace) -> Replace:
    return lambda new: replace([*node[:index], new, *node[index + 1 :]])


def in_object(node: dict[str, Any], key: str, replace: Replace) -> Replace:
    return lambda new: replace({**node, key: new})


def changes(document: Any, is_always_whole: bool) -> list[tuple[str, Any]]:
    """Every change that the schema must refuse, once for all elements of a list: (change, document)."""
    seen: set[tuple[str, ...]] = set()
    found: list[tuple[str, Any]] = []

    def walk(node: Any, path: tuple[str, ...], replace: Replace) -> None:
        if isinstance(node, list):
            for index, element in enumerate(node):
                walk(element, (*path, "[]"), in_list(node, index, replace))
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
            walk(value, shape, in_object(node, key, replace))

    walk(document, (), lambda new: new)
    return found


def check(validator: jsonschema_rs.Draft202012Validator, document: Any, options: dict[str, bool]) -> list[str]:
    if options["refused"]:
        return [f"{document} is not refused"] if validator.is_valid(document) else []
    if not options["changed"]:
        return [f"{error.instance_path}: {error.message}"[:300] for error in validator.iter_errors(document)]
    return [
        what + " is not refused"
        for what, changed in changes(document, options["whole"])
        if not [key for key in MAPS if what.startswith(key)] and validator.is_valid(changed)
    ]


# Objects whose keys are data.
MAPS = ["profiles."]


def main(arguments: list[str]) -> None:
    folder = pathlib.Path(arguments[-1])
    schemas = {}
    for path in sorted(folder.glob("*.schema.json")):
        schema = json.loads(path.read_text())
        schemas[path.name.split(".")[0]] = jsonschema_rs.Draft202012Validator(schema)
    for path in sorted(folder.iterdir()):
        name = path.name.split(".")[0]
        if path.name == f"{name}.schema.json":
            continue
        text = path.read_text()
        documents = text.splitlines() if path.suffix == ".jsonl" else [text]
        options = {option: f"--{option}" in arguments for option in ("changed", "refused")}
        options["whole"] = ".whole." in path.name
        errors: list[str] = []
        for document in documents:
            errors += check(schemas[name], json.loads(document), options)
        print(json.dumps({"file": path.name, "documents": len(documents), "errors": errors[:MOST]}))
    print(json.dumps({"schemas": sorted(schemas)}))


main(sys.argv[1:])
