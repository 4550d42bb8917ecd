package import FoundationEssentials
package import Model

/// The state of a building without its history. `status` shows it, and it decides whether something is left
/// to do.
package struct BuildingOverview: Hashable, Sendable {
  /// The building's id.
  package let building: String
  /// Its name for people.
  package let name: String
  /// When the overview was made.
  package let made: Date
  /// The rooms, in the manifest's order; those that the manifest no longer has come last. Each has at least
  /// the newest run that worked on it, which may lack its attempts.
  package let rooms: [BuildingRoom]
  /// The newest run or change on record; nil if there is none.
  package let newest: RecordedAt?
  /// The path of its manifest, as written on the command line.
  package let manifestPath: String?

  /// The rooms for which something is left to do.
  package var open: [BuildingRoom] { rooms.filter(\.isOpen) }
  /// The number of rooms in a state.
  package func count(_ state: BuildingRoom.State) -> Int { rooms.count { $0.state == state } }
  /// Whether nothing is left to do.
  package var isDone: Bool { !rooms.isEmpty && open.isEmpty }
}

/// The fold over a building's runs that an overview needs, in addition to the building's state. It grows with
/// the number of rooms, not of runs, and can be kept from one time to the next.
package struct BuildingOverviewFold: Hashable, Sendable, Codable {
  private var name: String?
  private var newest: RecordedAt?
  private var manifestPath: String?
  private var manifest: BuildingReport.Manifest?
  private var last: [RoomID: BuildingRoom.Run] = [:]

  /// The fold over no runs.
  package init() {}

  /// The contribution of one run.
  package struct Step: Sendable {
    fileprivate let run: BuildingRun
    fileprivate let rooms: [BuildingRoom.Run]

    /// The contribution of a run's record; nil for a rehearsal, and for a record without a beginning.
    package init?(_ recorded: RecordedRun) {
      guard let run = BuildingRun(recorded) else { return nil }
      self.run = run
      rooms =
        run.started.command == .apply
        ? run.report.rooms.filter { !$0.isExcluded }.map { BuildingRoom.Run(run, $0).inShort } : []
    }
  }

  /// Adds the next run.
  package mutating func apply(_ step: Step) {
    let started = step.run.started
    name = started.buildingName
    newest = RecordedAt(run: started.run, at: step.run.began)
    manifestPath = started.manifestPath
    if started.command == .apply { manifest = BuildingReport.Manifest(of: started) }
    for room in step.rooms { last[room.room.id] = room }
  }

  /// The overview.
  /// - Parameters:
  ///   - lastKnown: the building's, after the same runs.
  ///   - wanted: The manifest to compare with; nil: the manifest of the newest run.
  package func overview(
    of building: String, _ lastKnown: LastKnownBuilding, manifest wanted: BuildingReport.Manifest?, made: Date
  ) -> BuildingOverview {
    BuildingOverview(
      building: building, name: name ?? building, made: made,
      rooms: BuildingRoom.all(lastKnown, last.mapValues { [$0] }, wanted ?? manifest), newest: newest,
      manifestPath: manifestPath)
  }
}
