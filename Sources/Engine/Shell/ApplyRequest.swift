public import Bluetooth
import Families
public import Model

/// What a run is to do, and what its record says of itself.
public struct ApplyRequest: Sendable {
  /// The building, with all its rooms.
  public var building: Building
  /// Rooms that are not to be worked on, and why.
  public var excluded: [RoomID: Exclusion]
  /// What earlier runs did, and what a person allowed against it.
  public var known: Known
  /// What is expected to be done; where it is not what would be done, nothing is.
  public var plan: ApplyPlan?
  /// Globally unique id of the run.
  public var runID: String
  /// Version of the tool.
  public var toolVersion: String
  /// Name of this host.
  public var host: String
  /// This host's kernel; nil where nobody says.
  public var kernel: String?
  /// This host's operating system; nil where nobody says.
  public var operatingSystem: String?
  /// The person who runs it; nil where nobody is named.
  public var operatedBy: String?
  /// Whether the host's clock was set by a time server; nil when the host does not say.
  public var isClockSynchronised: Bool?
  /// The manifest as it was named.
  public var manifestPath: String
  /// The manifest's digest, as in `RunStarted`.
  public var manifestSHA256: String
  /// Whether the building is virtual.
  public var isSimulated: Bool
  /// The adapters to use; all that are ready when empty.
  public var adapters: [AdapterReference]
  /// How many devices may be talked to at once, over all adapters; nil for as many as these can.
  public var parallel: Int?
  /// How many rooms may fail before no more are begun; nil for all.
  public var failureLimit: Int?
  /// Whether the run goes on until every room is done or it is stopped: who is not heard is waited for.
  public var isWatching: Bool
  /// How many rooms of each WiFi network are done first, before the rest waits for a yes; nil for none.
  public var canaries: Int?
  /// How long the survey at the start listens at most.
  public var survey: Duration
  /// How long the run waits for an adapter to be ready.
  public var adapterPatience: Duration

  /// A request.
  public init(
    building: Building, excluded: [RoomID: Exclusion] = [:], known: Known = Known(), plan: ApplyPlan? = nil,
    runID: String, toolVersion: String, host: String, manifestPath: String, manifestSHA256: String,
    isSimulated: Bool, adapters: [AdapterReference] = [], parallel: Int? = nil, failureLimit: Int? = nil,
    isWatching: Bool = false, canaries: Int? = nil,
    survey: Duration = .seconds(10),
    adapterPatience: Duration = .seconds(30)
  ) {
    self.building = building
    self.excluded = excluded
    self.known = known
    self.plan = plan
    self.runID = runID
    self.toolVersion = toolVersion
    self.host = host
    self.manifestPath = manifestPath
    self.manifestSHA256 = manifestSHA256
    self.isSimulated = isSimulated
    self.adapters = adapters
    self.parallel = parallel
    self.failureLimit = failureLimit
    self.isWatching = isWatching
    self.canaries = canaries
    self.survey = survey
    self.adapterPatience = adapterPatience
  }

  /// Whether an adapter is among those to be used.
  func wants(_ adapter: Adapter) -> Bool {
    adapters.want(adapter)
  }

  /// The rooms to be worked on, in the manifest's order.
  public var rooms: [Room] { building.rooms.filter { excluded[$0.id] == nil } }

  /// Where the rooms contradict the record, which must be empty for a run to begin.
  public var conflicts: [RecordConflict] {
    Model.conflicts(of: rooms, with: known.standing, allowing: known.permissions)
  }

  var started: RunStarted {
    RunStarted(
      run: runID, building: building.id, buildingName: building.name, toolVersion: toolVersion, host: host,
      manifestPath: manifestPath, manifestSHA256: manifestSHA256, simulated: isSimulated,
      sealKey: known.seal?.key, operatedBy: operatedBy, isClockSynchronised: isClockSynchronised,
      kernel: kernel, operatingSystem: operatingSystem,
      rooms: building.rooms.map { $0.planned(sealedBy: known.seal, exclusion: excluded[$0.id]) })
  }
}

/// What a run needs from the outside world, all of it passed in.
public struct ApplyEnvironment: Sendable {
  /// The radio.
  public var central: any Central
  /// The clock.
  public var clock: any TimeSource
  /// A number in 0…1 by chance, for jitter.
  public var chance: @Sendable () -> Double
  /// Asks a person whether rooms may get these devices; true is yes.
  public var confirm: @Sendable ([ProposedBinding]) async -> Bool
  /// Asks, once the first rooms of each network have their outcomes, whether the rest may follow; true is yes.
  public var judge: @Sendable ([RoomFinished]) async -> Bool
  /// Waits for the moment of the action that a room's device is to learn the time of; nil when its session's beginning
  /// is that moment.
  public var action: @Sendable (Room) async -> MonotonicInstant?
  /// Takes an adapter for this run alone, before it is used; says who has it otherwise. Asked again for the same
  /// one whenever it comes back.
  public var claim: @Sendable (Adapter) async -> AdapterClaim
  /// The controller behind an adapter, for the record.
  public var hardware: @Sendable (Adapter) -> AdapterHardware?
  /// What the operator asks for: to pause, to go on, to stop.
  public var requests: AsyncStream<OperatorRequested.Request>
  /// Yields after each time in which this host did nothing.
  public var pauses: AsyncStream<HostPause>

  /// An environment.
  public init(
    central: any Central, clock: any TimeSource, chance: @escaping @Sendable () -> Double,
    confirm: @escaping @Sendable ([ProposedBinding]) async -> Bool,
    judge: @escaping @Sendable ([RoomFinished]) async -> Bool = { _ in true },
    action: @escaping @Sendable (Room) async -> MonotonicInstant? = { _ in nil },
    claim: @escaping @Sendable (Adapter) async -> AdapterClaim = { _ in .granted },
    hardware: @escaping @Sendable (Adapter) -> AdapterHardware? = { $0.hardware },
    requests: AsyncStream<OperatorRequested.Request>,
    pauses: AsyncStream<HostPause> = AsyncStream { $0.finish() }
  ) {
    self.central = central
    self.clock = clock
    self.chance = chance
    self.confirm = confirm
    self.judge = judge
    self.action = action
    self.claim = claim
    self.hardware = hardware
    self.requests = requests
    self.pauses = pauses
  }
}

/// Whether a run may use an adapter.
public enum AdapterClaim: Hashable, Sendable {
  /// It may.
  case granted
  /// Another run works with it; in words, who and since when.
  case refused(String)
}

/// A room and the device it would get, for a person to confirm.
public struct ProposedBinding: Hashable, Sendable {
  /// The room.
  public var room: Room
  /// The device.
  public var address: BluetoothAddress
  /// Its RSSI, in dBm.
  public var rssi: Int?

  /// A proposal.
  public init(room: Room, address: BluetoothAddress, rssi: Int?) {
    self.room = room
    self.address = address
    self.rssi = rssi
  }
}

extension Room {
  /// The room as a record has it: without its secrets.
  public func planned(sealedBy seal: SecretSeal?, exclusion: Exclusion? = nil) -> PlannedRoom {
    PlannedRoom(
      room: id, name: name, profile: profile, address: address, registered: isRegistered ? true : nil,
      proof: proofAddress == .own ? nil : proofAddress, settings: settingResults(seal) { _ in .notWritten },
      exclusion: exclusion)
  }
}
