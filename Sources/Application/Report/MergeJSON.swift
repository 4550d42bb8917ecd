package import Journal
package import Model
package import Reporting

/// `roboprov report merge --output json`: the state of each room by the records of several laptops.
package enum MergeJSON {
  package static func value(
    _ merge: RecordMerge, _ lastKnown: LastKnownBuilding,
    _ conflicts: [(conflict: RecordConflict, words: Explanation)]
  ) -> JSONValue {
    let rooms = lastKnown.rooms.sorted { $0.key < $1.key }.map { id, room -> JSONValue in
      let run = room.lastWrite?.run ?? room.lastRun
      return .values([
        "id": id, "room": room.name, "state": room.status.kind, "addresses": room.bindings.map(\.address),
        "run": run,
      ])
    }
    let conflicts = conflicts.map { conflict, words -> JSONValue in
      .values(["rooms": conflict.rooms, "sentence": words.sentence, "advice": words.advice])
    }
    return .values([
      "schema": "roboprov/merge/2", "building": merge.building, "runs": merge.archive.runs.map(\.id),
      "rooms": rooms, "conflicts": conflicts,
    ])
  }
}
