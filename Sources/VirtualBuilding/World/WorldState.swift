import Bluetooth
import VirtualTime

typealias OperationID = UInt64

/// What the world's queue holds.
enum WorldEvent: Sendable {
  /// A sensor is switched on.
  case appear(BluetoothAddress)
  /// A sensor has restarted, in that life.
  case started(BluetoothAddress, life: Int)
  /// A firmware's timer has run out, in that life.
  case timer(BluetoothAddress, life: Int, FirmwareTimer)
  /// The sensor of this number advertises, if that is still the latest turn planned.
  case advertise(Int, turn: Int)
  /// The kernel ends the scan of the adapter of this number by itself, if that is still the same scan.
  case scanEnds(Int, scan: Int)
  /// A sensor notices that its central is gone.
  case sensorLosesLink(BluetoothAddress, LinkID)
  /// A peripheral that an attempt listens for advertises.
  case heard(OperationID)
  /// The attempt that an adapter makes for this operation has come to its end.
  case attemptEnds(OperationID)
  /// A request has reached the sensor.
  case arrives(OperationID)
  /// The host has an answer.
  case completes(OperationID, Result<OperationResult, LinkError>)
  /// The sensor had all the time there is to answer.
  case unanswered(OperationID)
  /// A write without response has reached the sensor.
  case unconfirmedWrite(LinkID, AttributeHandle, [UInt8])
  /// All services could be resolved by now.
  case resolved(OperationID)
  /// A notification has reached the host.
  case notified(LinkID, AttributeHandle, [UInt8])
  /// The host notices that a link is down.
  case linkDown(LinkID, Disconnection.Cause)
}

/// Something that a caller waits for.
struct Operation {
  enum Kind: Sendable {
    case connect(BluetoothAddress, adapter: BluetoothAddress)
    case resolve(LinkID)
    case request(LinkID, AttributeHandle, Request)
    case disconnect(LinkID)
    case ending(LinkID)
    case host
  }

  enum AttemptProgress {
    /// It has not had a turn.
    case new
    /// It has had one, and waits for the next.
    case tried
    /// The kernel listens for the peripheral, which takes nothing away from others.
    case listening
    /// The peripheral has been heard; the link is made when it advertises again.
    case heard
  }

  enum Request: Sendable {
    case read
    case write([UInt8])
    case subscribe(Bool)
  }

  var kind: Kind
  var continuation: CheckedContinuation<Result<OperationResult, LinkError>, Never>
  /// How far a connection attempt has come.
  var progress = AttemptProgress.new
  /// How long a request's answer travels.
  var wayBack = Duration.zero
  /// Whether a request has reached the sensor.
  var hasArrived = false

  /// The link it belongs to and cannot outlive.
  var link: LinkID? {
    switch kind {
    case .resolve(let link), .request(let link, _, _), .disconnect(let link), .ending(let link): link
    case .connect, .host: nil
    }
  }
}

/// What an operation was for.
enum OperationResult: Sendable {
  case done
  case link(LinkID)
  case table(AttributeTable)
  case value([UInt8])
  case ended(Disconnection)
}

/// A sensor, and where it stands.
struct SensorState {
  var scenario: SensorScenario
  /// How strongly adapters hear it on average.
  let signal: Signal
  /// The adapters that can ever hear it, by their places in the world's order, and how strongly on average.
  let ears: [(adapter: Int, rssi: Int)]
  /// Of each of these, in the same order: what its controller has reported of the sensor.
  var reports: [ReportState]
  /// Changed by `World.tell` alone.
  private(set) var firmware: any Firmware
  /// What its firmware advertises, and how often: asked once after each change, and not in each turn.
  private(set) var payload: AdvertisingPayload?
  private(set) var advertisingInterval: Duration?
  var generator: SeededGenerator
  /// Attempts to connect to it, and how many of them led to a link.
  var attempts = 0
  var connections = 0
  /// The central that it believes to be connected to.
  var link: LinkID?
  var isOn = false
  /// Rises with each restart: timers of a former life are void.
  var life = 0
  /// Rises with each plan to advertise: older plans are void.
  var turn = 0
  var isTurnPlanned = false
  /// Since when it has advertised what it advertises: one with an interval of its own keeps to it from here on.
  var advertisesSince: MonotonicInstant
  var isMuted = false

  init(
    _ sensor: SensorScenario, in scenario: Scenario, on adapters: [BluetoothAddress],
    _ generator: SeededGenerator, since now: MonotonicInstant
  ) {
    self.scenario = sensor
    let (signal, radio) = (scenario.signal(of: sensor), scenario.radio)
    self.signal = signal
    ears = adapters.enumerated().compactMap { adapter, address in
      signal.rssi(on: address).flatMap { radio.isInRange($0 + radio.fading) ? (adapter, $0) : nil }
    }
    reports = ears.map { _ in ReportState() }
    advertisesSince = now
    let held: [String: [UInt8]]
    do {
      held = try sensor.family.encode(sensor.holds)
    } catch {
      preconditionFailure("\(sensor.address): \(error.reason)")
    }
    firmware = sensor.family.make(
      FirmwareConditions(
        faults: sensor.faults.map(\.fault), wifiNetworks: scenario.wifiNetworks, radio: scenario.radio,
        held: held, beacon: sensor.beacon))
    self.generator = generator.split("sensor/\(sensor.address)")
    askFirmware()
  }

  private mutating func askFirmware() {
    payload = firmware.advertising
    advertisingInterval = firmware.advertisingInterval
  }

  /// Tells its firmware something; returns what that does about it.
  mutating func tell(_ event: FirmwareEvent, at instant: MonotonicInstant) -> [FirmwareEffect] {
    let effects = firmware.handle(event, at: instant, generator: &generator)
    askFirmware()
    return effects
  }

  func strikes(_ fault: Fault, inAttempt attempt: Int? = nil) -> Bool {
    scenario.faults.contains { $0.fault == fault && $0.strikes(inAttempt: attempt ?? attempts) }
  }

  func faults(inAttempt attempt: Int) -> [Fault] {
    scenario.faults.filter { $0.strikes(inAttempt: attempt) }.map(\.fault)
  }

  /// What it has on air now.
  var onAir: AdvertisingPayload? {
    guard isOn, link == nil, !isMuted, !strikes(.silent, inAttempt: attempts + 1) else { return nil }
    return payload
  }
}

/// What a controller has reported of one sensor: the scan in which it last did, for each type of advertisement.
struct ReportState {
  private var connectable = 0
  private var notConnectable = 0

  /// Whether the sensor's advertisement of this type was reported in a scan.
  func isReported(_ payload: AdvertisingPayload, in scan: Int) -> Bool {
    (payload.isConnectable ? connectable : notConnectable) == scan
  }

  /// Its advertisement is reported in a scan.
  mutating func report(_ payload: AdvertisingPayload, in scan: Int) {
    if payload.isConnectable { connectable = scan } else { notConnectable = scan }
  }
}

/// What an adapter's controller does about scanning.
struct ScanState {
  var isRunning = false
  /// Rises with each start of the kernel's scan, the first is 1: what was reported in an earlier one is reported again.
  private(set) var number = 0
  /// While the scan is restarted, nothing is received.
  private(set) var receivesFrom: MonotonicInstant

  init(receivesFrom: MonotonicInstant) {
    self.receivesFrom = receivesFrom
  }

  /// The scan is started, or started anew.
  mutating func start(at instant: MonotonicInstant) {
    isRunning = true
    number += 1
    receivesFrom = instant
  }
}

/// An adapter, and what it is busy with.
struct AdapterState {
  var scenario: AdapterScenario
  var generator: SeededGenerator
  /// Attempts that wait for their turn.
  var waiting: [OperationID] = []
  /// The attempt that has the air.
  var attempt: Attempt?

  struct Attempt {
    var operation: OperationID
    var fails: LinkError?
    var isHopeless: Bool
  }

  init(_ adapter: AdapterScenario, _ generator: SeededGenerator) {
    scenario = adapter
    self.generator = generator.split("adapter/\(adapter.address)")
  }

  var trouble: CentralError.AdapterTrouble? {
    if !scenario.isPresent { return .absent }
    if scenario.isBlocked { return .blocked }
    return scenario.isPowered ? nil : .poweredOff
  }
}

/// A link, as the host has it.
struct LinkState {
  let id: LinkID
  let adapter: BluetoothAddress
  let address: BluetoothAddress
  /// Which of the sensor's attempts made it: decides about faults.
  let attempt: Int
  var table: AttributeTable?
  var subscribed: Set<AttributeHandle> = []
  /// When the bearer is free for the next request: ATT has one at a time.
  var requestsFreeAt: MonotonicInstant
  /// When the last notification arrives: they keep their order.
  var lastArrival: MonotonicInstant
  var isBeingDisconnected = false
}

/// A peripheral in one adapter's cache.
struct CacheKey: Hashable {
  var adapter: BluetoothAddress
  var address: BluetoothAddress
}
