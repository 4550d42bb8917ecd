package import Bluetooth

typealias OperationID = UInt64

/// An event in the world's queue.
enum WorldEvent: Sendable {
  /// A sensor is switched on.
  case appear(BluetoothAddress)
  /// A sensor has restarted. `life` is its number of restarts.
  case started(BluetoothAddress, life: Int)
  /// A firmware's timer has expired, if `life` is still current.
  case timer(BluetoothAddress, life: Int, FirmwareTimer)
  /// The sensor at this index advertises, if `turn` is still the latest schedule.
  case advertise(Int, turn: Int)
  /// The kernel ends the scan of the adapter at this index, if it is still the same scan.
  case scanEnds(Int, scan: Int)
  /// A sensor detects that its central is gone.
  case sensorLosesLink(BluetoothAddress, LinkID)
  /// A peripheral advertises for which an attempt is scanning.
  case received(OperationID)
  /// The adapter's attempt for this operation ends.
  case attemptEnds(OperationID)
  /// A request has reached the sensor.
  case arrives(OperationID)
  /// The host receives the result.
  case completes(OperationID, Result<OperationResult, LinkError>)
  /// The response of the sensor has timed out.
  case unanswered(OperationID)
  /// A write without response has reached the sensor.
  case unconfirmedWrite(LinkID, AttributeHandle, [UInt8])
  case resolved(OperationID)
  /// A notification has reached the host.
  case notified(LinkID, AttributeHandle, [UInt8])
  /// The host detects that a link is down.
  case linkDown(LinkID, Disconnection.Cause)
}

/// An operation that a caller waits for.
struct Operation {
  enum Kind: Sendable {
    case connect(BluetoothAddress, adapter: BluetoothAddress)
    case resolve(LinkID)
    case request(LinkID, AttributeHandle, Request)
    /// Half of a pairing.
    case pair(LinkID)
    case disconnect(LinkID)
    case ending(LinkID)
    /// Work of an adapter.
    case host(BluetoothAddress)
  }

  enum AttemptProgress {
    /// It was not started yet.
    case new
    /// It was started at least once and waits for the next time.
    case tried
    /// The kernel scans for the peripheral; other attempts can proceed.
    case scanning
    /// The peripheral was received; the link is made at its next advertisement.
    case received
  }

  enum Request: Sendable {
    case read
    /// Reads the description.
    case describe
    case write([UInt8])
    case subscribe(Bool)

    /// Whether it can demand a secure link.
    var isOfValue: Bool { if case .describe = self { false } else { true } }
  }

  var kind: Kind
  var continuation: CheckedContinuation<Result<OperationResult, LinkError>, Never>
  var progress = AttemptProgress.new
  /// The link that an attempt has made, until its first exchange is over.
  var made: LinkID?
  /// Called when an attempt has made its link.
  var linked: @Sendable () -> Void = {}
  /// How long the response to a request takes.
  var wayBack = Duration.zero
  /// Whether a request has reached the sensor.
  var hasArrived = false

  /// The link on which it depends.
  var link: LinkID? {
    switch kind {
    case .resolve(let link), .request(let link, _, _), .pair(let link), .disconnect(let link),
      .ending(let link):
      link
    case .connect: made
    case .host: nil
    }
  }
}

enum OperationResult: Sendable {
  case done
  case link(LinkID)
  case table(AttributeTable)
  case value([UInt8])
  case ended(Disconnection)
}

struct SensorState {
  var scenario: SensorScenario
  /// The mean strength on the adapters.
  let signal: SignalStrength
  /// The adapters in range, by index in the world's order, with the mean strength.
  let receivers: [(adapter: Int, rssi: Int)]
  /// The controller's reports of the sensor for each of these adapters, in the same order.
  var reports: [ReportState]
  /// Changed only by `World.handle`.
  private(set) var firmware: any Firmware
  /// The firmware's advertisement and interval, read once after each change and not for each advertisement.
  private(set) var payload: AdvertisingPayload?
  private(set) var advertisingInterval: Duration?
  var generator: SeededGenerator
  /// The number of attempts to connect to it, and of successful ones.
  var attempts = 0
  var connections = 0
  /// The central's link from the sensor's point of view.
  var link: LinkID?
  /// The adapters that it has keys of.
  var bonds: Set<BluetoothAddress> = []
  var isOn = false
  /// Increases with each restart; timers of earlier lives are ignored.
  var life = 0
  /// Increases each time its advertisement is scheduled; earlier schedules are ignored.
  var turn = 0
  var isTurnPlanned = false
  /// When it started its current advertisement. A sensor with its own interval counts from here.
  var advertisesSince: MonotonicInstant
  var isMuted = false

  init(
    _ sensor: SensorScenario, in scenario: Scenario, on adapters: [BluetoothAddress],
    _ generator: SeededGenerator, since now: MonotonicInstant
  ) {
    self.scenario = sensor
    let (signal, radio) = (scenario.signal(of: sensor), scenario.radio)
    self.signal = signal
    receivers = adapters.enumerated().compactMap { adapter, address in
      signal.rssi(on: address).flatMap { radio.isInRange($0 + radio.fading) ? (adapter, $0) : nil }
    }
    reports = receivers.map { _ in ReportState() }
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
        held: held, beacon: sensor.beacon, label: sensor.label))
    self.generator = generator.split("sensor/\(sensor.address)")
    askFirmware()
  }

  private mutating func askFirmware() {
    payload = firmware.advertising
    advertisingInterval = firmware.advertisingInterval
  }

  /// Passes an event to its firmware; returns the effects.
  mutating func handle(_ event: FirmwareEvent, at instant: MonotonicInstant) -> [FirmwareEffect] {
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

  /// Its current advertisement.
  var onAir: AdvertisingPayload? {
    guard isOn, link == nil, !isMuted, !strikes(.silent, inAttempt: attempts + 1) else { return nil }
    var payload = payload
    if strikes(.takesNoConnection, inAttempt: attempts + 1) { payload?.isConnectable = false }
    return payload
  }
}

/// A controller's reports of one sensor: the last scan with a report, for each type of advertisement.
struct ReportState {
  private var connectable = 0
  private var notConnectable = 0

  /// Whether the sensor's advertisement of this type was reported in a scan.
  func isReported(_ payload: AdvertisingPayload, in scan: Int) -> Bool {
    (payload.isConnectable ? connectable : notConnectable) == scan
  }

  mutating func report(_ payload: AdvertisingPayload, in scan: Int) {
    if payload.isConnectable { connectable = scan } else { notConnectable = scan }
  }
}

/// The scan state of an adapter's controller.
struct ScanState {
  var isRunning = false
  /// Increases with each start of the kernel's scan, from 1. Advertisements that were reported in an earlier
  /// scan are reported again.
  private(set) var number = 0
  /// While the scan restarts, nothing is received.
  private(set) var receivesFrom: MonotonicInstant

  init(receivesFrom: MonotonicInstant) {
    self.receivesFrom = receivesFrom
  }

  /// Starts or restarts the scan.
  mutating func start(at instant: MonotonicInstant) {
    isRunning = true
    number += 1
    receivesFrom = instant
  }
}

/// An adapter and its current activities.
struct AdapterState {
  var scenario: AdapterScenario
  var generator: SeededGenerator
  var waiting: [OperationID] = []
  var attempt: Attempt?

  struct Attempt {
    var operation: OperationID
    /// When its turn ends.
    var endsAt: MonotonicInstant
    var fails: LinkError?
    /// Whether the peripheral does not advertise.
    var isUnanswered: Bool
  }

  init(_ adapter: AdapterScenario, _ generator: SeededGenerator) {
    scenario = adapter
    self.generator = generator.split("adapter/\(adapter.address)")
  }

  var problem: CentralError.AdapterProblem? {
    if !scenario.isPresent { return .absent }
    if scenario.isBlocked { return .blocked }
    return scenario.isPowered ? nil : .poweredOff
  }
}

/// A link from the host's point of view.
struct LinkState {
  let id: LinkID
  let adapter: BluetoothAddress
  let address: BluetoothAddress
  /// The number of the sensor's attempt that made it; it determines the faults.
  let attempt: Int
  var table: AttributeTable?
  var security = LinkSecurity.plain
  var subscribed: Set<AttributeHandle> = []
  /// When the bearer is free for the next request, because ATT allows one at a time.
  var requestsFreeAt: MonotonicInstant
  /// When the last notification arrives, because their order is preserved.
  var lastArrival: MonotonicInstant
  var isBeingDisconnected = false
}

/// A peripheral in one adapter's cache.
package struct CacheKey: Hashable {
  package var adapter: BluetoothAddress
  package var address: BluetoothAddress

  package init(adapter: BluetoothAddress, address: BluetoothAddress) {
    (self.adapter, self.address) = (adapter, address)
  }
}
