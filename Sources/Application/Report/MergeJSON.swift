package import Journal
package import Model
package import Reporting

/// `roboprov report merge --output json`: the state of each room by the records of several laptops.
package enum MergeJSON {
  package static let schema = "roboprov/merge/1"

  package struct Source {
    let merge: RecordMerge
    let lastKnown: LastKnownBuilding
    let conflicts: [(conflict: RecordConflict, words: Explanation)]

    package init(
      merge: RecordMerge, lastKnown: LastKnownBuilding,
      conflicts: [(conflict: RecordConflict, words: Explanation)]
    ) {
      (self.merge, self.lastKnown, self.conflicts) = (merge, lastKnown, conflicts)
    }
  }

  package static let form = OutputForm<Source>(
    "merge", "Each room's state, from the records of several laptops."
  ) {
    Field("schema", "Name and version of the format.", constant: schema)
    Field("building", "The building's stable id.") { $0.merge.building }
    Field("runs", "The ids of all runs and changes, oldest first.") { $0.merge.archive.runs.map(\.id) }
    Field("rooms", "The rooms, by id.", each: room) { source in
      source.lastKnown.rooms.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    Field("conflicts", "Where the records contradict each other.", each: conflict) {
      $0.conflicts
    }
  }

  private static let room = OutputForm<(id: RoomID, lastKnown: LastKnownRoom)>("room", "A room.") {
    Field("id", "Its stable id.") { $0.id }
    Field("room", "Its name for people.") { $0.lastKnown.name }
    Field("state", "Its state.") { $0.lastKnown.status.kind }
    Field("addresses", "The devices that it has on record: several where records contradict each other.") {
      $0.lastKnown.bindings.map(\.address)
    }
    Field("run", "The run that wrote its device last, or else worked on it last.") {
      $0.lastKnown.lastWrite?.run ?? $0.lastKnown.lastRun
    }
  }

  private static let conflict = OutputForm<(conflict: RecordConflict, words: Explanation)>(
    "conflict", "A conflict between records."
  ) {
    Field("rooms", "The rooms concerned.") { $0.conflict.rooms }
    Field("sentence", "The contradiction.") { $0.words.sentence }
    Field("advice", "What to do about it.") { $0.words.advice }
  }
}
