public import FoundationEssentials
public import Model

/// Where a building stands, without its history: what `status` shows, and what decides whether something is left to do.
public struct BuildingOverview: Hashable, Sendable {
  /// The building's id.
  public let building: String
  /// Its name for people.
  public let name: String
  /// When the overview was made.
  public let made: Date
  /// The rooms, in the manifest's order; those that the manifest no longer has come last. Of the runs that worked on one
  /// only the newest is sure to be here, and its attempts need not be.
  public let rooms: [BuildingRoom]
  /// The newest run or change on record; nil where there is none.
  public let newest: RecordedAt?
  /// The manifest of that, as it was named.
  public let manifestPath: String?

  /// The rooms for which something is left to do.
  public var open: [BuildingRoom] { rooms.filter(\.isOpen) }
  /// How many rooms stand so.
  public func count(_ standing: BuildingRoom.Standing) -> Int { rooms.count { $0.standing == standing } }
  /// Whether nothing is left to do.
  public var isDone: Bool { !rooms.isEmpty && open.isEmpty }
}

/// The fold over a building's runs that an overview needs, beside the building's standing. It grows with the number of rooms,
/// not of runs, and can be kept from one time to the next.
public struct BuildingOverviewFold: Hashable, Sendable, Codable {
  private var name: String?
  private var newest: RecordedAt?
  private var manifestPath: String?
  private var manifest: BuildingReport.Manifest?
  private var last: [RoomID: BuildingRoom.Run] = [:]

  /// Of no run yet.
  public init() {}

  /// What one run adds.
  public struct Step: Sendable {
    fileprivate let run: BuildingRun
    fileprivate let rooms: [BuildingRoom.Run]

    /// Of a run's record; nil of a rehearsal, and of a record without a beginning.
    public init?(_ recorded: RecordedRun) {
      guard let run = BuildingRun(recorded) else { return nil }
      self.run = run
      rooms =
        run.started.command == .apply
        ? run.report.rooms.filter { !$0.isExcluded }.map { BuildingRoom.Run(run, $0).inShort } : []
    }
  }

  /// Takes in the next run.
  public mutating func apply(_ step: Step) {
    let started = step.run.started
    name = started.buildingName
    newest = RecordedAt(run: started.run, at: step.run.began)
    manifestPath = started.manifestPath
    if started.command == .apply { manifest = BuildingReport.Manifest(of: started) }
    for room in step.rooms { last[room.room.id] = room }
  }

  /// The overview.
  /// - Parameters:
  ///   - standing: the building's, after the same runs.
  ///   - wanted: what the building is held against; nil: the manifest of the newest run.
  public func overview(
    of building: String, _ standing: BuildingStanding, manifest wanted: BuildingReport.Manifest?, made: Date
  ) -> BuildingOverview {
    BuildingOverview(
      building: building, name: name ?? building, made: made,
      rooms: BuildingRoom.all(standing, last.mapValues { [$0] }, wanted ?? manifest), newest: newest,
      manifestPath: manifestPath)
  }
}
