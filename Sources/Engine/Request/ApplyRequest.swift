package import Bluetooth
package import Model
package import Session

/// The input of a run, including what the record says about the run itself.
package struct ApplyRequest: Sendable {
  package var building: Building
  /// Rooms that the run does not work on, and why.
  package var excluded: [RoomID: Exclusion]
  /// The state after earlier runs, and what the operator permitted against it.
  package var known: Known
  /// The expected plan; if matching differs from it, the run does nothing.
  package var plan: ApplyPlan?
  package var runID: String
  package var toolVersion: String
  package var host: String
  /// The kernel of this host; nil if unknown.
  package var kernel: String?
  /// The operating system of this host; nil if unknown.
  package var operatingSystem: String?
  /// The operator; nil if no name was given.
  package var operatedBy: String?
  /// Whether a time server set the host's clock; nil if the host does not report it.
  package var isClockSynchronised: Bool?
  /// How far the host's clock is behind the record, in seconds; nil unless it is behind.
  package var clockBehind: Double?
  /// The runs that the record ends with, of which `known` is the fold.
  package var predecessors: [Predecessor] = []
  /// The path of the manifest, as the operator gave it.
  package var manifestPath: String
  package var manifestSHA256: String
  package var isSimulated: Bool
  /// The adapters to use; all ready ones when empty.
  package var adapters: [AdapterReference]
  /// The most links at once, over all adapters; nil for as many as the adapters hold.
  package var parallel: Int?
  /// How many rooms may fail before no further room begins; nil for no limit.
  package var failureLimit: Int?
  /// Whether the run continues until every room is done or the operator stops it; it waits for devices that
  /// are not received.
  package var isWatching = false
  /// How many rooms of each WiFi network are done first, before the remaining ones wait for approval; nil for
  /// none.
  package var canaries: Int?
  /// The longest scan time of the survey.
  package var survey: Duration
  /// The adapters that scanned for as long as a survey until just before the run, and received no device with the identity
  /// of one of its rooms. If it uses no other ones, its own survey is short.
  package var surveyed: Set<AdapterID> = []
  /// How long the run waits for a ready adapter.
  package var adapterTimeout: Duration

  package init(
    building: Building, excluded: [RoomID: Exclusion] = [:], known: Known = Known(), plan: ApplyPlan? = nil,
    runID: String, toolVersion: String, host: String, manifestPath: String, manifestSHA256: String,
    isSimulated: Bool, adapters: [AdapterReference] = [], parallel: Int? = nil, failureLimit: Int? = nil,
    survey: Duration = .seconds(10), adapterTimeout: Duration = .seconds(30)
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
    self.survey = survey
    self.adapterTimeout = adapterTimeout
  }

  /// The selected rooms, in the manifest's order.
  package var rooms: [Room] { building.rooms.filter { excluded[$0.id] == nil } }

  /// The devices that the rooms of the building have, by the manifest or the record.
  var devices: Set<BluetoothAddress> { Set(building.rooms.compactMap { known.device(of: $0)?.address }) }

  /// Conflicts between the rooms and the record. A run begins only without any.
  package var conflicts: [RecordConflict] {
    Model.conflicts(of: rooms, with: known.lastKnown, allowing: known.permissions)
  }

  var started: RunStarted {
    RunStarted(
      run: runID, building: building.id, buildingName: building.name, toolVersion: toolVersion, host: host,
      manifestPath: manifestPath, manifestSHA256: manifestSHA256, simulated: isSimulated,
      sealKey: known.seal?.key, operatedBy: operatedBy, isClockSynchronised: isClockSynchronised,
      kernel: kernel, operatingSystem: operatingSystem, clockBehind: clockBehind, predecessors: predecessors,
      rooms: building.rooms.map { $0.planned(sealedBy: known.seal, exclusion: excluded[$0.id]) },
      families: building.families.all.map { RecordedFamily($0) })
  }
}

/// The dependencies of a run on its environment.
package struct ApplyEnvironment: Sendable {
  package var central: any Central
  package var clock: any TimeSource
  /// The GATT sessions of the families.
  package var drivers: [FamilyDriver]
  /// A random number in 0…1, for jitter.
  package var chance: @Sendable () -> Double
  /// This many random bytes for the keys of GATT sessions: unpredictable, except in a simulation.
  package var randomBytes: @Sendable (Int) -> [UInt8]
  /// Asks the operator whether rooms may get these devices; nil if not.
  package var confirm: @Sendable ([ProposedBinding]) async -> Consent?
  /// Asks, once the first rooms of each network have their outcomes, whether the remaining rooms may follow.
  package var judge: @Sendable ([RoomFinished]) async -> Bool
  /// Waits for the moment of the action whose time a room's device needs; nil when the session starts at that
  /// moment.
  package var action: @Sendable (Room) async -> MonotonicInstant?
  /// Reserves an adapter for this run, before its first use and each time it returns.
  package var claim: @Sendable (Adapter) async -> AdapterClaim
  /// The controller of an adapter, for the record.
  package var hardware: @Sendable (Adapter) -> AdapterHardware?
  /// The operator's requests to pause, resume, or stop.
  package var requests: AsyncStream<OperatorRequested.Request>
  /// The pauses of this host, each after its end.
  package var pauses: AsyncStream<HostPause>

  package init(
    central: any Central, clock: any TimeSource, drivers: [FamilyDriver],
    chance: @escaping @Sendable () -> Double,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    confirm: @escaping @Sendable ([ProposedBinding]) async -> Consent?,
    judge: @escaping @Sendable ([RoomFinished]) async -> Bool = { _ in true },
    action: @escaping @Sendable (Room) async -> MonotonicInstant? = { _ in nil },
    claim: @escaping @Sendable (Adapter) async -> AdapterClaim = { _ in .granted },
    hardware: @escaping @Sendable (Adapter) -> AdapterHardware? = { $0.hardware },
    requests: AsyncStream<OperatorRequested.Request>,
    pauses: AsyncStream<HostPause> = AsyncStream { $0.finish() }
  ) {
    self.central = central
    self.clock = clock
    self.drivers = drivers
    self.chance = chance
    self.randomBytes = randomBytes
    self.confirm = confirm
    self.judge = judge
    self.action = action
    self.claim = claim
    self.hardware = hardware
    self.requests = requests
    self.pauses = pauses
  }
}

package enum AdapterClaim: Hashable, Sendable {
  case granted
  /// It could not be locked, for this reason: another run might use it, too.
  case unlocked(reason: String)
  /// Another run uses it; a text with that run and its start.
  case refused(String)
}

/// A room and the device it would get, for the operator to confirm.
package struct ProposedBinding: Hashable, Sendable {
  package var room: Room
  package var address: BluetoothAddress
  /// The RSSI of the device, in dBm.
  package var rssi: Int?
}
