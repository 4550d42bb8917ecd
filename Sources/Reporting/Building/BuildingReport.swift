package import FoundationEssentials
package import Model

/// The state of a building, for signature: a fold over its runs.
///
/// For each room it has the written and proved settings, with the evidence and its time. It never claims more
/// than was received or read.
package struct BuildingReport: Hashable, Sendable {
  package let building: String
  package let name: String
  package let made: Date
  package var maker: Maker
  /// The manifest that it was compared with; nil if none was given and no run is on record.
  package let manifest: Manifest?
  /// The rooms, in the manifest's order; those that the manifest no longer has come last.
  package let rooms: [BuildingRoom]
  /// Each after those that it knows.
  package let runs: [BuildingRun]

  /// The person, host and program that made a report.
  package struct Maker: Hashable, Sendable {
    package var toolVersion: String
    package var host: String
    package var user: String?
    /// The host's time zone for local times (`Europe/Berlin`).
    package var timeZone: String

    package init(toolVersion: String, host: String, user: String?, timeZone: String = "GMT") {
      (self.toolVersion, self.host, self.user, self.timeZone) = (toolVersion, host, user, timeZone)
    }
  }

  /// The manifest that the building is compared with, without its secrets.
  package struct Manifest: Hashable, Sendable {
    package var path: String
    /// Its digest, as in `RunStarted`.
    package var sha256: String
    /// Its rooms, in its order.
    package var rooms: [WantedRoom]

    package init(path: String, sha256: String, rooms: [WantedRoom]) {
      (self.path, self.sha256, self.rooms) = (path, sha256, rooms)
    }

    /// The manifest of a run, from the record.
    package init(of run: RunStarted) {
      let expected = Dictionary(
        (run.families ?? []).map { ($0.id, $0.expectedSettings) }, uniquingKeysWith: { first, _ in first })
      self.init(
        path: run.manifestPath, sha256: run.manifestSHA256,
        rooms: run.rooms.map { WantedRoom($0, sealKey: run.sealKey, expected: expected[$0.profile] ?? []) })
    }
  }

  /// The report of these runs, each after those that it knows.
  /// - Parameter manifest: The manifest to compare with; nil: the manifest of the newest run.
  package init(
    building: String, runs recorded: [RecordedRun], lastKnown: LastKnownBuilding, manifest: Manifest?,
    made: Date, by maker: Maker
  ) {
    self.init(
      building: building, recorded.reduce(into: BuildingRuns()) { $0.add($1) }, lastKnown, manifest,
      made: made, by: maker)
  }

  package init(
    building: String, _ recorded: BuildingRuns, _ lastKnown: LastKnownBuilding, _ manifest: Manifest?,
    made: Date,
    by maker: Maker
  ) {
    let runs = recorded.all
    let newest = runs.last { $0.started.command == .apply }.map { Manifest(of: $0.started) }
    self.building = building
    name = runs.last?.started.buildingName ?? building
    // As building.json has it, from which `report check` makes the report again.
    self.made = Timestamp.rounded(made)
    (self.maker, self.manifest, self.runs) = (maker, manifest ?? newest, runs)
    // What the newest manifest on record wants is part of the last known state.
    rooms = BuildingRoom.all(lastKnown, recorded.ofRooms, manifest ?? newest, isNamed: manifest != nil)
  }

  package var open: [BuildingRoom] { rooms.filter(\.isOpen) }
  /// The number of rooms in a state.
  package func count(_ state: RoomStatus.Kind) -> Int { rooms.count { $0.state == state } }
  /// The rooms that count: those of the manifest that are in service.
  package var counted: [BuildingRoom] { rooms.filter { $0.isInManifest && $0.state != .retired } }
  /// Whether nothing is left to do.
  package var isDone: Bool { !rooms.isEmpty && open.isEmpty }

  /// The progress of the building, in one clause; the same in every output.
  var verdict: String {
    let counted = counted
    let done = counted.count { $0.state == .done }
    if counted.isEmpty { return "No rooms on record" }
    if done == counted.count { return done == 1 ? "The only room is done" : "All \(done) rooms done" }
    return "\(done) of \(counted.count.rooms) done"
  }

  /// The number of rooms in each other state, of those that count and of those out of service.
  var others: [(state: RoomStatus.Kind, count: Int)] {
    RoomStatus.Kind.allCases.filter { $0 != .done }.map { state in
      (state, rooms.count { $0.isInManifest && $0.state == state })
    }.filter { $0.count > 0 }
  }

  /// What the comparison with the manifest leaves out: a sentence each.
  package var comparisonGaps: [String] {
    [WantedRoom.Uncompared.otherKey, .unread].compactMap { cause in
      let count = rooms.count { $0.uncompared == cause && $0.state == .done }
      return count > 0 ? cause.sentence(of: count) : nil
    }
  }
}
