public import FoundationEssentials
public import Model

/// Where a building stands by all that is on record: what people sign. A fold over the runs and the state that they left.
///
/// It says of each room what was written and proved, by what and when, and never more than was seen.
public struct BuildingReport: Hashable, Sendable {
  /// The building's id.
  public let building: String
  /// Its name for people.
  public let name: String
  /// When the report was made.
  public let made: Date
  /// What made it.
  public var maker: Maker
  /// The manifest that it was held against; nil where none was given and no run is on record.
  public let manifest: Manifest?
  /// The rooms, in the manifest's order; those that the manifest no longer has come last.
  public let rooms: [BuildingRoom]
  /// What was recorded, in the order in which it began: runs, and changes that a person made.
  public let runs: [BuildingRun]

  /// Who made a report, and with what.
  public struct Maker: Hashable, Sendable {
    /// Version of roboprov.
    public var toolVersion: String
    /// The host.
    public var host: String
    /// The person.
    public var user: String?
    /// The host's time zone, in which times for people are (`Europe/Berlin`).
    public var timeZone: String

    /// A maker.
    public init(toolVersion: String, host: String, user: String?, timeZone: String = "GMT") {
      self.toolVersion = toolVersion
      self.host = host
      self.user = user
      self.timeZone = timeZone
    }
  }

  /// The manifest that the building is held against, without its secrets.
  public struct Manifest: Hashable, Sendable, Codable {
    /// As it was named.
    public var path: String
    /// Its digest, as in `RunStarted`.
    public var sha256: String
    /// Its rooms, in its order.
    public var rooms: [PlannedRoom]
    /// Which key seals the fingerprints of its secrets.
    public var sealKey: String?

    /// A manifest.
    public init(path: String, sha256: String, rooms: [PlannedRoom], sealKey: String?) {
      self.path = path
      self.sha256 = sha256
      self.rooms = rooms
      self.sealKey = sealKey
    }

    /// The manifest of a run, as it is on record.
    public init(of run: RunStarted) {
      self.init(
        path: run.manifestPath, sha256: run.manifestSHA256, rooms: run.rooms, sealKey: run.sealKey)
    }
  }

  /// The report of these runs, oldest first.
  /// - Parameter manifest: what the building is held against; nil: the manifest of the newest run.
  public init(
    building: String, runs recorded: [RecordedRun], standing: BuildingStanding, manifest: Manifest?,
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
    rooms = BuildingRoom.all(standing, histories, manifest)
  }

  /// What of it says where the building stands, without its history.
  public var overview: BuildingOverview {
    BuildingOverview(
      building: building, name: name, made: made, rooms: rooms,
      newest: runs.last.map { RecordedAt(run: $0.started.run, at: $0.began) },
      manifestPath: runs.last?.started.manifestPath)
  }

  /// The rooms for which something is left to do.
  public var open: [BuildingRoom] { overview.open }
  /// How many rooms stand so.
  public func count(_ standing: BuildingRoom.Standing) -> Int { overview.count(standing) }
  /// Whether nothing is left to do.
  public var isDone: Bool { overview.isDone }
}
