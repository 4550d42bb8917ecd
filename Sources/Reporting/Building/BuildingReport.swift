package import FoundationEssentials
package import Model

/// The state of a building, for signature: a fold over its runs.
///
/// For each room it has the written and proved settings, with the evidence and its time. It never claims more
/// than was received or read.
package struct BuildingReport: Hashable, Sendable {
  /// The building's id.
  package let building: String
  /// Its name for people.
  package let name: String
  /// When the report was made.
  package let made: Date
  /// The program and host that made it.
  package var maker: Maker
  /// The manifest that it was compared with; nil if none was given and no run is on record.
  package let manifest: Manifest?
  /// The rooms, in the manifest's order; those that the manifest no longer has come last.
  package let rooms: [BuildingRoom]
  /// The recorded runs and changes by a person, each after those that it knows.
  package let runs: [BuildingRun]

  /// The person, host and program that made a report.
  package struct Maker: Hashable, Sendable {
    /// Version of roboprov.
    package var toolVersion: String
    /// The host.
    package var host: String
    /// The person.
    package var user: String?
    /// The host's time zone for local times (`Europe/Berlin`).
    package var timeZone: String

    /// A maker.
    package init(toolVersion: String, host: String, user: String?, timeZone: String = "GMT") {
      self.toolVersion = toolVersion
      self.host = host
      self.user = user
      self.timeZone = timeZone
    }
  }

  /// The manifest that the building is compared with, without its secrets.
  package struct Manifest: Hashable, Sendable {
    /// Its path, as written on the command line.
    package var path: String
    /// Its digest, as in `RunStarted`.
    package var sha256: String
    /// Its rooms, in its order.
    package var rooms: [PlannedRoom]
    /// The key that seals the fingerprints of its secrets.
    package var sealKey: String?

    /// A manifest.
    package init(path: String, sha256: String, rooms: [PlannedRoom], sealKey: String?) {
      self.path = path
      self.sha256 = sha256
      self.rooms = rooms
      self.sealKey = sealKey
    }

    /// The manifest of a run, from the record.
    package init(of run: RunStarted) {
      self.init(
        path: run.manifestPath, sha256: run.manifestSHA256, rooms: run.rooms, sealKey: run.sealKey)
    }
  }

  /// The report of these runs, each after those that it knows.
  /// - Parameter manifest: The manifest to compare with; nil: the manifest of the newest run.
  package init(
    building: String, runs recorded: [RecordedRun], lastKnown: LastKnownBuilding, manifest: Manifest?,
    made: Date,
    by maker: Maker
  ) {
    let runs = recorded.compactMap(BuildingRun.init)
    let manifest = manifest ?? runs.last { $0.started.command == .apply }.map { Manifest(of: $0.started) }
    self.building = building
    name = runs.last?.started.buildingName ?? building
    self.made = made
    self.maker = maker
    self.manifest = manifest
    self.runs = runs
    var histories: [RoomID: [BuildingRoom.Run]] = [:]
    for run in runs where run.started.command == .apply {
      for room in run.report.rooms where !room.isExcluded {
        histories[room.id, default: []].append(BuildingRoom.Run(run, room))
      }
    }
    rooms = BuildingRoom.all(lastKnown, histories, manifest)
  }

  /// The state of the building, without its history.
  package var overview: BuildingOverview {
    BuildingOverview(
      building: building, name: name, made: made, rooms: rooms,
      newest: runs.last.map { RecordedAt(run: $0.started.run, at: $0.began) },
      manifestPath: runs.last?.started.manifestPath)
  }

  /// The rooms for which something is left to do.
  package var open: [BuildingRoom] { overview.open }
  /// The number of rooms in a state.
  package func count(_ state: BuildingRoom.State) -> Int { overview.count(state) }
  /// Whether nothing is left to do.
  package var isDone: Bool { overview.isDone }
}
