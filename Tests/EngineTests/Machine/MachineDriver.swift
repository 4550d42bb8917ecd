import Bluetooth
import Families
import Model
import Session
import Testing

@testable import Engine

/// A run machine with Robo Sensors and no shell: a test gives it one input after the other and checks the
/// returned effects. Facts are collected separately.
struct MachineDriver {
  private(set) var machine: RunMachine
  private(set) var facts: [Fact] = []

  /// The first sessions of two adapters.
  static let hci0 = RadioSession(adapter: AdapterID(BluetoothAddress(rawValue: 0xA0)), number: 1)
  static let hci1 = RadioSession(adapter: AdapterID(BluetoothAddress(rawValue: 0xA1)), number: 2)
  /// The second session of the first adapter, for tests with one adapter.
  static let hci0Again = RadioSession(adapter: hci0.adapter, number: 2)

  static func adapter(_ session: RadioSession) -> Adapter {
    Adapter(id: session.adapter, name: session.adapter == hci0.adapter ? "hci0" : "hci1", state: .ready)
  }

  /// To the millisecond: fractions of a second are rarely exact in binary.
  static func at(_ seconds: Double) -> MonotonicInstant {
    .init(sinceZero: .milliseconds(Int((seconds * 1000).rounded())))
  }

  static func attempt(_ room: Int, _ number: Int = 1) -> AttemptID {
    AttemptID(room: RoomID(rawValue: "room-\(room)"), serial: number)
  }

  /// A machine without any input.
  init(
    _ rooms: [Room], goal: RunMachine.Goal = .apply, request change: (inout ApplyRequest) -> Void = { _ in }
  ) {
    var request = ApplyRequest(
      building: Building(id: "house", name: "House", rooms: rooms, families: FamilyCatalogue.builtIn),
      runID: "run", toolVersion: "t", host: "h",
      manifestPath: "m", manifestSHA256: "0", isSimulated: true, survey: .milliseconds(500))
    change(&request)
    machine = RunMachine(request, goal: goal) { 0 }
  }

  /// A machine after an empty survey, with a scan window open on each adapter since instant 0.
  /// - Parameters:
  ///   - more: rooms besides those of Robo Sensors.
  ///   - slots: the slots in the manifest for all adapters; nil without a statement.
  init(
    rooms: Int, more: [Room] = [], retries: Int = 2, slots: Int? = 5, adapters: [RadioSession] = [hci0],
    request change: (inout ApplyRequest) -> Void = { _ in }
  ) {
    self.init((1...rooms).map { Sample.room($0, address: UInt64($0), retries: retries) } + more) { request in
      for session in adapters {
        request.building.adapters.append(
          AdapterDescription(AdapterReference(Self.adapter(session).name), slots: slots))
      }
      change(&request)
    }
    start(adapters, at: -1)
    for session in adapters { send(.scanBegan(session), at: -0.8) }
    send(.timePassed, at: -0.3)
    for session in adapters { send(.scanEnded(nil, session), at: -0.2) }
    for session in adapters { send(.scanBegan(session), at: 0) }
  }

  /// Gives an input; returns the effects without facts.
  @discardableResult
  mutating func send(_ input: RunInput, at second: Double) -> [RunEffect] {
    machine.handle(input, at: Self.at(second)).filter { effect in
      guard case .record(let fact) = effect else { return true }
      facts.append(fact)
      return false
    }
  }

  /// Gives the input `timePassed`.
  @discardableResult
  mutating func pass(at second: Double) -> [RunEffect] { send(.timePassed, at: second) }

  /// Starts the run, and takes its adapters into use.
  mutating func start(_ adapters: [RadioSession] = [hci0], at second: Double = 0) {
    send(.started, at: second)
    send(.adapters(.success(adapters.map(Self.adapter))), at: second)
    for session in adapters { use(session, at: second) }
  }

  /// Starts the run, and receives rooms' devices in its survey; returns the effects of the survey's end.
  mutating func survey(_ rooms: [Int]) -> [RunEffect] {
    start()
    send(.scanBegan(Self.hci0), at: 0.1)
    receive(rooms, at: 0.2)
    pass(at: 0.6)
    return send(.scanEnded(nil, Self.hci0), at: 0.7)
  }

  /// Takes an adapter into use; no link was left behind on it.
  mutating func use(_ session: RadioSession, at second: Double) {
    send(.claimed(session.adapter, .granted, stack: nil), at: second)
    send(.connectedPeripherals([], session), at: second)
  }

  /// Receives the devices of rooms in provisioning mode.
  @discardableResult
  mutating func receive(
    _ rooms: [Int], on session: RadioSession = hci0, rssi: Int = -50, at second: Double
  ) -> [RunEffect] {
    rooms.flatMap { room in
      var advertisement = Sample.waiting(UInt64(room), at: second, rssi: rssi)
      advertisement.adapter = session.adapter
      return send(.received(advertisement, session), at: second)
    }
  }

  /// Receives a device as configured, with the number of a room as its minor: the device of that room, or another one.
  @discardableResult
  mutating func receiveBeacon(
    _ room: Int, from device: Int? = nil, on session: RadioSession = hci0, at second: Double
  ) -> [RunEffect] {
    var advertisement = Sample.beacon(UInt64(device ?? room), minor: UInt16(room), at: second)
    advertisement.adapter = session.adapter
    return send(.received(advertisement, session), at: second)
  }

  /// Receives rooms' devices in the open window, and ends it; returns the effects of the end.
  @discardableResult
  mutating func window(
    _ rooms: [Int], on session: RadioSession = hci0, from begin: Double = 0
  ) -> [RunEffect] {
    receive(rooms, on: session, at: begin + 0.2)
    pass(at: begin + 1.2)
    return send(.scanEnded(nil, session), at: begin + 1.25)
  }

  /// Ends the GATT session of an attempt successfully, and takes down its link.
  @discardableResult
  mutating func submit(_ attempt: AttemptID, at second: Double) -> [RunEffect] {
    let submission = Submission(at: Self.at(second), acknowledgement: .savedStatus)
    let report = AttemptResult(result: .success(submission), wasSubmitted: true, hasLink: true)
    return send(.sessionEnded(report, attempt), at: second)
      + send(.linkEnded(.remote, attempt), at: second)
      + send(.takenDown(isForgotten: true, attempt), at: second)
  }

  /// Ends an attempt with a failure, and takes down its link.
  @discardableResult
  mutating func fail(
    _ attempt: AttemptID, _ reason: FailureReason, endedFor end: AttemptEnd? = nil,
    link: Disconnection.Cause? = nil, at second: Double
  ) -> [RunEffect] {
    let report = AttemptResult(result: .failure(AttemptFailure(reason)), end: end)
    return send(.sessionEnded(report, attempt), at: second)
      + send(.linkEnded(link, attempt), at: second)
      + send(.takenDown(isForgotten: link == nil || link == .remote, attempt), at: second)
  }

  func state(_ room: Int) -> RoomState.Kind { machine.rooms[room - 1].state.kind }

  /// The state of an adapter.
  func radio(_ session: RadioSession = hci0) -> RadioState.Kind? {
    machine.radios.index(of: session).map { machine.radios[$0].state.kind }
  }

  /// The instant of the next timer, in seconds.
  var wake: Double? { machine.wake.map { $0.sinceZero / .seconds(1) } }

  func outcome(_ room: Int) -> RoomFinished? { machine.rooms.outcome(of: room - 1) }
}

extension [RunEffect] {
  /// The attempts that begin: room, number, adapter.
  var begun: [AttemptID] { compactMap { if case .begin(let attempt) = $0 { attempt.id } else { nil } } }

  /// The connect limits of the attempts.
  var limits: [Duration] {
    compactMap { if case .begin(let attempt) = $0 { attempt.room.timeouts.connect } else { nil } }
  }

  /// The adapters that open a scan window.
  var scans: [RadioSession] { compactMap { if case .scan(let session, _) = $0 { session } else { nil } } }

  /// The adapters that end one.
  var scanEnds: [RadioSession] { compactMap { if case .endScan(let session) = $0 { session } else { nil } } }
}

extension RunInput {
  /// The adapters of this computer.
  static func adapters(_ result: Result<[Adapter], CentralError>) -> RunInput {
    .hosts([HostAdapters(result)])
  }
}
