import Bluetooth
import Families
import Foundation
import Model
import SampleFacts

/// A sequence of events, numbered and timed: each `after` seconds later than the last.
struct RunScript {
  private(set) var events: [RunEvent] = []
  private var elapsed: Duration = .zero
  private let beginning = Date(timeIntervalSince1970: 1_795_251_600)

  mutating func append(_ fact: Fact, after seconds: Double = 0.1) {
    elapsed += .microseconds(Int64((seconds * 1_000_000).rounded()))
    let at = Date(timeIntervalSince1970: beginning.timeIntervalSince1970 + elapsed.inSeconds)
    events.append(RunEvent(sequence: events.count + 1, at: at, elapsed: elapsed, fact: fact))
  }
}

extension AdapterID {
  static let first = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7101))
}

extension BluetoothAddress {
  static func sensor(_ number: UInt64) -> Self { .init(rawValue: 0xC47C_8D00_0000 + number) }
}

extension PlannedRoom {
  static func sample(
    _ id: RoomID, _ name: String, minor: UInt16, address: BluetoothAddress? = nil,
    wifi: String? = "Office WiFi"
  ) -> Self {
    let network: [SettingResult] =
      wifi.map {
        [
          .init(name: .wifiSSID, value: $0, state: .notWritten),
          .init(name: .wifiPassword, value: nil, state: .notWritten),
        ]
      } ?? []
    return .init(
      room: id, name: name, profile: "robo-sensor", address: address,
      settings: network + [
        .init(name: .roomName, value: name, state: .notWritten),
        .init(name: .minor, value: String(minor), state: .notWritten),
      ], identity: .sensor(minor))
  }

  /// Its settings after all were written and the minor was proved.
  var proved: [SettingResult] {
    settings.map { .init(name: $0.name, value: $0.value, state: $0.name == .minor ? .proved : .written) }
  }
}

extension RunScript {
  mutating func begin(_ rooms: [PlannedRoom], name: String = "Demo building") {
    append(
      .runStarted(
        .init(
          run: "20261121T090000Z-laptop-7f3a", building: "demo-building", buildingName: name,
          toolVersion: "0.1.0", host: "laptop", manifestPath: "manifests/demo-building.yaml",
          manifestSHA256: "content:" + String(repeating: "ab", count: 32), simulated: true, rooms: rooms,
          families: .builtIn)), after: 0)
    append(.adapterSelected(.init(adapter: .first, name: "hci0", stack: "BlueZ 5.66")))
  }

  /// Everything up to the submission of the save.
  mutating func write(_ room: PlannedRoom, to address: BluetoothAddress, attempt: Int = 1, rssi: Int = -52) {
    let id = room.room
    append(
      .attemptStarted(.init(room: id, address: address, adapter: .first, number: attempt, rssi: rssi)))
    for (stage, timeout, seconds) in [(Stage.connect, 15.0, 0.31), (.discover, 20, 0.8), (.ready, 10, 0.05)] {
      append(.stageStarted(.init(room: id, attempt: attempt, stage: stage, timeout: timeout)), after: 0)
      append(.stageEnded(.init(room: id, attempt: attempt, stage: stage, seconds: seconds)), after: seconds)
    }
    append(.statusReceived(.init(room: id, attempt: attempt, text: "ready", meaning: .ready)), after: 0)
    for setting in room.settings {
      append(
        .stageStarted(.init(room: id, attempt: attempt, stage: .write, setting: setting.name, timeout: 10)),
        after: 0)
      append(.settingWritten(.init(room: id, attempt: attempt, setting: setting.name, bytes: 7)), after: 0.06)
      append(
        .stageEnded(.init(room: id, attempt: attempt, stage: .write, setting: setting.name, seconds: 0.06)),
        after: 0)
    }
    append(.stageStarted(.init(room: id, attempt: attempt, stage: .save, timeout: 10)), after: 0)
    append(.saveSubmitted(.init(room: id, attempt: attempt, address: address)), after: 0.001)
  }

  /// A done room, from its binding to its proof.
  mutating func provision(_ room: PlannedRoom, _ address: BluetoothAddress, attempt: Int = 1) {
    let id = room.room
    append(.bindingCommitted(.init(room: id, address: address, basis: room.address == nil ? .any : .address)))
    write(room, to: address, attempt: attempt)
    append(.statusReceived(.init(room: id, attempt: attempt, text: "saved", meaning: .saved)), after: 0.4)
    append(.stageEnded(.init(room: id, attempt: attempt, stage: .save, seconds: 0.401)), after: 0)
    append(.linkEnded(.init(room: id, attempt: attempt, cause: .remote, expected: true)), after: 0.2)
    append(.stageStarted(.init(room: id, attempt: attempt, stage: .verify, timeout: 30)), after: 0)
    append(.scanStarted(.init(adapter: .first, purpose: .proof, room: id)), after: 0.01)
    let evidence = Evidence(
      grade: .freshBeacon, address: address, identity: room.identity, rssi: -55, secondsAfterSave: 3.125)
    append(.proofReceived(.init(room: id, attempt: attempt, evidence: evidence)), after: 2.6)
    append(.scanStopped(.init(adapter: .first, purpose: .proof, room: id)), after: 0.01)
    append(.stageEnded(.init(room: id, attempt: attempt, stage: .verify, seconds: 2.61)), after: 0)
    append(.attemptEnded(.init(room: id, number: attempt, seconds: 5.01)), after: 0)
    append(
      .roomFinished(
        .init(
          room: id, outcome: attempt == 1 ? .provisioned : .provisionedAfterRetry, address: address,
          adapter: .first, attempts: attempt, seconds: 5.01, rssi: -55, evidence: evidence,
          settings: room.proved)), after: 0)
  }

  /// A room that ends without success, and without an attempt unless `attempts` has one.
  mutating func end(
    _ room: PlannedRoom, _ outcome: Outcome, _ reason: FailureReason?, attempts: Int = 0, rssi: Int? = nil
  ) {
    append(
      .roomFinished(
        .init(
          room: room.room, outcome: outcome, address: room.address, attempts: attempts, seconds: 0,
          rssi: rssi,
          settings: room.settings, reason: reason)), after: 0)
  }
}

extension PlannedRoom {
  fileprivate var number: UInt16? { settings.first { $0.name == .minor }?.value.flatMap { UInt16($0) } }
}

extension RunScript {
  static let kitchen = PlannedRoom.sample("kitchen", "Kitchen", minor: 2, address: .sensor(2))
  static let office = PlannedRoom.sample("office", "Büro, 1. OG", minor: 1, wifi: nil)
  static let garage = PlannedRoom.sample("garage", "Garage", minor: 5, address: .sensor(5))
  static let bath = PlannedRoom.sample("bath", "Bathroom", minor: 6, address: .sensor(6))

  /// One room done at once, one after a retry, one whose connections fail, one never received.
  static let mixed: RunScript = {
    var script = RunScript()
    script.begin([kitchen, office, garage, bath])
    script.append(.scanStarted(.init(adapter: .first, purpose: .survey)))
    for (number, rssi) in [(2, -52), (1, -61), (5, -91)] as [(UInt64, Int)] {
      script.append(
        .deviceSighted(
          .init(address: .sensor(number), adapter: .first, profile: "robo-sensor", rssi: rssi)), after: 0.4)
    }
    script.append(.scanStopped(.init(adapter: .first, purpose: .survey)), after: 3)
    script.provision(kitchen, .sensor(2))

    script.append(.bindingCommitted(.init(room: "office", address: .sensor(1), basis: .any)))
    script.append(
      .attemptStarted(
        .init(room: "office", address: .sensor(1), adapter: .first, number: 1, rssi: -61)))
    script.append(.stageStarted(.init(room: "office", attempt: 1, stage: .connect, timeout: 15)), after: 0)
    let lost = FailureReason.connectFailed(
      FailedStep(.connect, stackText: "org.bluez.Error.Failed: le-connection-abort-by-local"))
    script.append(
      .stageEnded(.init(room: "office", attempt: 1, stage: .connect, seconds: 4.2, failure: lost)), after: 4.2
    )
    script.append(.attemptEnded(.init(room: "office", number: 1, seconds: 4.2, failure: lost)), after: 0)
    script.append(.retryScheduled(.init(room: "office", attempt: 2, delay: 2)), after: 0)
    script.provision(office, .sensor(1), attempt: 2)

    script.append(.bindingCommitted(.init(room: "garage", address: .sensor(5), basis: .address)))
    script.append(
      .attemptStarted(
        .init(room: "garage", address: .sensor(5), adapter: .first, number: 1, rssi: -91)))
    script.append(.stageStarted(.init(room: "garage", attempt: 1, stage: .connect, timeout: 15)), after: 0)
    let silent = FailureReason.connectTimedOut(seconds: 15)
    script.append(
      .stageEnded(.init(room: "garage", attempt: 1, stage: .connect, seconds: 15, failure: silent)), after: 15
    )
    script.append(.attemptEnded(.init(room: "garage", number: 1, seconds: 15, failure: silent)), after: 0)
    script.end(garage, .unreachable, silent, attempts: 1, rssi: -91)
    script.end(bath, .unreachable, .neverReceived())
    script.append(.runFinished(.init(outcome: .incomplete)))
    return script
  }()
}

extension [RecordedFamily] {
  /// The built-in families.
  static let builtIn = FamilyCatalogue.builtIn.all.map { RecordedFamily($0) }
}
