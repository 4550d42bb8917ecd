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
  public let maker: Maker
  /// The manifest that it was held against; nil where none was given.
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

    /// A maker.
    public init(toolVersion: String, host: String, user: String?) {
      self.toolVersion = toolVersion
      self.host = host
      self.user = user
    }
  }

  /// The manifest that the building is held against.
  public struct Manifest: Hashable, Sendable {
    /// As it was named.
    public var path: String
    /// SHA-256 of its bytes, lower-case hex.
    public var sha256: String
    /// Its rooms, in its order.
    public var rooms: [ManifestRoom]

    /// A manifest.
    public init(path: String, sha256: String, rooms: [ManifestRoom]) {
      self.path = path
      self.sha256 = sha256
      self.rooms = rooms
    }
  }

  /// A room of the manifest, without its settings: they have secrets.
  public struct ManifestRoom: Hashable, Sendable {
    /// Its stable identity.
    public var id: RoomID
    /// Its name for people.
    public var name: String
    /// The device family.
    public var profile: ProfileID
    /// Whether its device has on record what the manifest wants.
    public var isSatisfied: Bool

    /// A room.
    public init(id: RoomID, name: String, profile: ProfileID, isSatisfied: Bool) {
      self.id = id
      self.name = name
      self.profile = profile
      self.isSatisfied = isSatisfied
    }
  }

  /// The report of these runs, oldest first.
  public init(
    building: String, runs recorded: [RecordedRun], standing: BuildingStanding, manifest: Manifest?,
    made: Date,
    by maker: Maker
  ) {
    let runs = recorded.compactMap(BuildingRun.init)
    self.building = building
    name = runs.last?.started.buildingName ?? building
    self.made = made
    self.maker = maker
    self.manifest = manifest
    self.runs = runs
    var histories: [RoomID: [BuildingRoom.Run]] = [:]
    for run in runs {
      for room in run.report.rooms where !room.isExcluded && run.started.command == .apply {
        histories[room.id, default: []].append(BuildingRoom.Run(run, room))
      }
    }
    let wanted = manifest.map {
      Dictionary($0.rooms.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    }
    rooms = Self.order(manifest, runs, standing).map { id in
      BuildingRoom(
        id, standing.rooms[id], histories[id] ?? [], wanted: wanted?[id],
        isInManifest: wanted.map { $0[id] != nil } ?? true)
    }
  }

  /// The manifest's order, or that of the newest run; then those that only the record has, by id.
  private static func order(_ manifest: Manifest?, _ runs: [BuildingRun], _ standing: BuildingStanding)
    -> [RoomID]
  {
    let newest = runs.last { $0.started.command == .apply }?.started.rooms.map(\.room) ?? []
    let first = manifest?.rooms.map(\.id) ?? newest
    let known = Set(first)
    return first + standing.rooms.keys.filter { !known.contains($0) }.sorted()
  }

  /// The rooms for which something is left to do.
  public var open: [BuildingRoom] { rooms.filter(\.isOpen) }
  /// How many rooms stand so.
  public func count(_ standing: BuildingRoom.Standing) -> Int { rooms.count { $0.standing == standing } }
  /// Whether nothing is left to do.
  public var isDone: Bool { !rooms.isEmpty && open.isEmpty }
}
