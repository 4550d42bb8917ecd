import Bluetooth
import Model
import Session
import Synchronization
import Testing
import VirtualTime

@testable import Families

/// The statuses of a device within a session by a procedure, at every place where one can come.
@Suite("A session by a procedure") struct ProcedureSessionTests {
  private typealias Attribute = RoboSensor.Attribute
  private typealias Script = @Sendable (ScriptedDevice, String) throws(CentralError) -> Void

  private static func room(_ family: DeviceFamily) -> Room {
    Room(
      id: "lobby", name: "Lobby", family: family,
      settings: [.roomName: .text("Lobby"), .minor: .integer(0x4142)], timeouts: StageTimeouts(), retries: 0)
  }

  /// A session with a sensor.
  /// - Parameters:
  ///   - status: its status at the beginning; nil if it refuses to be read.
  ///   - subscribes: whether it permits a subscription.
  ///   - later: what happens at the sensor, and when.
  ///   - script: is called with each write, as text.
  private static func attempt(
    _ family: DeviceFamily = .roboSensor, status: String? = "ready", subscribes: Bool = true,
    later: (Duration, @Sendable (ScriptedDevice) -> Void)? = nil, _ script: @escaping Script
  ) async throws -> Attempted {
    try await Attempted.run(
      room(family),
      { clock in
        let sensor = ScriptedDevice(
          Attribute.service,
          [Attribute.ssid, Attribute.password, Attribute.roomName, Attribute.minor, Attribute.command]
            + [Attribute.status], clock)
        sensor.refuseReads()
        if let status { sensor.values[Attribute.status] = Array(status.utf8) }
        if !subscribes { sensor.refuseSubscriptions() }
        sensor.onWrite { (sensor, value) throws(CentralError) in
          try script(sensor, String(decoding: value, as: UTF8.self))
        }
        if let later { sensor.after(later.0, later.1) }
        return sensor
      }, FamilyDriver(described: family).configure)
  }

  private static func notify(
    _ sensor: ScriptedDevice, _ status: String, at instant: MonotonicInstant? = nil
  ) {
    sensor.notify(Array(status.utf8), of: Attribute.status, at: instant)
  }

  @Test("`saved` counts from the instant of the submission on, not from before", arguments: [true, false])
  func saved(isEarly: Bool) async throws {
    let attempted = try await Self.attempt { sensor, value in
      guard value == "SAVE" else { return }
      Self.notify(sensor, "saved", at: isEarly ? MonotonicInstant(sinceZero: .seconds(-1)) : nil)
    }
    let submission = try #require(attempted.submission)
    #expect(submission.acknowledgement == (isEarly ? nil : Evidence.Grade.savedStatus))
    #expect((submission.problem?.code == .stageTimedOut) == isEarly)
  }

  @Test("the device's own refusal is the reason, also of a write that fails", arguments: [false, true])
  func refused(isRejected: Bool) async throws {
    let attempted = try await Self.attempt { (sensor, value) throws(CentralError) in
      guard value == "Lobby" else { return }
      Self.notify(sensor, "error:full")
      if isRejected { throw CentralError(.att(0x80)) }
    }
    #expect(attempted.failure == .refused(stage: .write, deviceText: "error:full"))
    #expect(attempted.writes == [Array("Lobby".utf8)])
  }

  @Test("where the status can only be read, nothing but `saved` or a refusal is an answer")
  func polled() async throws {
    let attempted = try await Self.attempt(subscribes: false) { sensor, value in
      guard value == "SAVE" else { return }
      sensor.values[Attribute.status] = Array("busy".utf8)
      sensor.after(.milliseconds(1_700)) { $0.values[Attribute.status] = Array("saved".utf8) }
    }
    #expect(attempted.submission?.acknowledgement == .savedStatus)
    #expect(attempted.duration == .seconds(2), "it is read twice per second")
  }

  private static func needingReady() -> DeviceFamily {
    var family = DeviceFamily.roboSensor
    family.procedure?.status?.needsReady = true
    return family
  }

  @Test("without `ready` only a device that needs it is not written", arguments: [false, true])
  func neverReady(isNeeded: Bool) async throws {
    let family = isNeeded ? Self.needingReady() : .roboSensor
    for status in ["starting", nil] {
      let attempted = try await Self.attempt(family, status: status) { sensor, value in
        if value == "SAVE" { Self.notify(sensor, "saved") }
      }
      #expect(attempted.writes.isEmpty == isNeeded)
      #expect((attempted.submission?.acknowledgement == .savedStatus) == !isNeeded)
      // A status that cannot be read is not waited for, unless it is needed.
      #expect(attempted.duration == (isNeeded || status != nil ? .seconds(10) : .zero))
    }
  }

  @Test("a status that changes on the way to `ready` is recorded each time, and once if it stays the same")
  func ready() async throws {
    let attempted = try await Self.attempt(
      status: "starting",
      later: (
        .seconds(1),
        { sensor in
          for status in ["starting", "calibrating", "ready"] { Self.notify(sensor, status) }
        }
      )
    ) { sensor, value in
      if value == "SAVE" { Self.notify(sensor, "saved") }
    }
    #expect(attempted.statuses == ["starting", "calibrating", "ready", "saved"])
    #expect(attempted.duration == .seconds(1))
    let notified = try await Self.attempt(
      Self.needingReady(), status: nil, later: (.seconds(1), { Self.notify($0, "ready") })
    ) { sensor, value in
      if value == "SAVE" { Self.notify(sensor, "saved") }
    }
    #expect(notified.submission?.acknowledgement == .savedStatus, "its status can only be notified")
  }

  // MARK: A device that ends the link

  @Test(
    "a device that ends the link shows something only if it does so before a lost link would end",
    arguments: [
      (399, .remote, nil), (400, .remote, .linkLost), (0, .adapterLost, .linkLost),
      (0, .stackLost, .linkLost),
      (0, nil, .interrupted),
    ] as [(Int, Disconnection.Cause?, FailureReason.Code?)])
  func leaves(after milliseconds: Int, cause: Disconnection.Cause?, failure: FailureReason.Code?) async throws
  {
    let attempted = try await Attempted.run(
      Self.room(.roboSensor),
      { clock in
        let device = ScriptedDevice(Attribute.service, [], clock)
        if let cause { device.end(cause) }
        return device
      },
      { (session) throws(AttemptFailure) in
        let written = session.clock.now.advanced(by: .milliseconds(-milliseconds))
        return try await session.waitUntilItLeaves(
          try await session.connect(), within: .milliseconds(400),
          Submission(at: written, acknowledgement: nil), writtenAt: written, [.minor])
      })
    #expect(attempted.failure?.code == failure)
    #expect((attempted.submission?.acknowledgement == .selfDisconnect) == (failure == nil))
  }

  /// A beacon with this proof, whose two writes take effect by themselves.
  private static func beacon(_ lifecycle: Lifecycle) -> Room {
    var family = DeviceFamily.iotDesignShop
    (family.lifecycle, family.procedure) = (lifecycle, Procedure())
    family.proof = .selfDisconnect(within: .milliseconds(400))
    return Room(
      id: "lobby", name: "Lobby", family: family,
      settings: [
        .uuid: .uuid("11111111-2222-3333-4444-555555555555"), .major: .integer(1), .minor: .integer(2),
      ], timeouts: StageTimeouts(), retries: 0)
  }

  @Test(
    "only a link that ends with the last write can be the device's answer",
    arguments: [(1, .disconnected, .linkLost), (2, .disconnected, nil), (2, .att(0x80), .attributeRejected)]
      as [(Int, CentralError.Code, FailureReason.Code?)], [true, false])
  func lastWrite(_ row: (Int, CentralError.Code, FailureReason.Code?), isRewritable: Bool) async throws {
    let (number, code, problem) = row
    let room = Self.beacon(isRewritable ? .rewritable : .provisioningMode)
    let attempted = try await Attempted.run(
      room,
      { clock in
        let device = ScriptedDevice(
          IoTDesignShop.Attribute.service,
          [IoTDesignShop.Attribute.beaconID, IoTDesignShop.Attribute.beaconUUID], clock)
        device.onWrite { (device, _) throws(CentralError) in
          guard device.writes.count == number else { return }
          device.end()
          throw CentralError(code)
        }
        return device
      }, FamilyDriver(described: room.family).configure)
    // A device that can be written again begins anew; any other may have taken the settings.
    let failure = isRewritable ? problem : nil
    #expect(attempted.failure?.code == failure)
    #expect(failure != nil || attempted.submission?.problem?.code == problem)
    #expect((attempted.submission?.acknowledgement == .selfDisconnect) == (problem == nil))
    #expect(attempted.writes.count == number)
  }

  // MARK: Bounds of a session

  @Test("the run is asked once whether settings may be sent", arguments: [false, true])
  func forbidden(isForbidden: Bool) async throws {
    let asked = Mutex(0)
    let attempted = try await Attempted.run(
      Self.beacon(.rewritable),
      forbidden: {
        asked.withLock { $0 += 1 }
        return isForbidden ? .authorizationRequired : nil
      },
      { clock in
        let device = ScriptedDevice(
          IoTDesignShop.Attribute.service,
          [IoTDesignShop.Attribute.beaconID, IoTDesignShop.Attribute.beaconUUID], clock)
        device.onWrite { device, _ in if device.writes.count == 2 { device.end() } }
        return device
      }, FamilyDriver(described: Self.beacon(.rewritable).family).configure)
    #expect(attempted.failure == (isForbidden ? FailureReason.authorizationRequired : nil))
    let times = asked.withLock { $0 }
    #expect(attempted.writes.count == (isForbidden ? 0 : 2) && times == 1)
  }

  @Test("a stage on another computer has the time of four calls there besides", arguments: [false, true])
  func lag(isRemote: Bool) async throws {
    let attempted = try await Attempted.run(
      Self.room(.roboSensor), on: isRemote ? HostName("floor-1") : nil,
      { ScriptedDevice(Attribute.service, [], $0) },
      { (session) throws(AttemptFailure) in
        _ = try await session.connect()
        return Submission(at: session.clock.now, acknowledgement: nil)
      })
    let timeouts = attempted.facts.compactMap { fact in
      if case .stageStarted(let stage) = fact { stage.timeout } else { nil }
    }
    #expect(timeouts == [isRemote ? 15.4 : 15])
  }

  @Test("nothing is submitted at the end of a session's time, or after it", arguments: [0, -1, 1])
  func submission(left microseconds: Int) async throws {
    let attempted = try await Attempted.run(
      Self.room(.roboSensor), { ScriptedDevice(Attribute.service, [], $0) },
      { (session) throws(AttemptFailure) in
        let bounded = session.lasting(.microseconds(microseconds))
        return Submission(at: try await bounded.submit(), acknowledgement: nil)
      })
    #expect((attempted.submission != nil) == (microseconds > 0))
    #expect(attempted.facts.isEmpty == (microseconds <= 0))
    let connected = try await Attempted.run(
      Self.room(.roboSensor), { ScriptedDevice(Attribute.service, [], $0) },
      { (session) throws(AttemptFailure) in
        _ = try await session.lasting(.microseconds(microseconds)).connect()
        return Submission(at: session.clock.now, acknowledgement: nil)
      })
    #expect(connected.failure?.code == (microseconds > 0 ? nil : FailureReason.Code.connectTimedOut))
  }

  // MARK: Secrets

  @Test(
    "a secret, which cannot be read, is written again unless the record proves it and all else is equal",
    arguments: [
      ("Lobby", true, []), ("Lobby", false, [[0xD2, 0x04]]),
      ("Hall", true, [Array("Lobby".utf8), [0xD2, 0x04]]),
    ] as [(String, Bool, [[UInt8]])])
  func secret(held: String, isProved: Bool, writes: [[UInt8]]) async throws {
    var family = DeviceFamily.roboSensor
    family.characteristics = [
      CharacteristicDescription(Attribute.roomName, "room name", [.value(.roomName, .utf8)]),
      CharacteristicDescription(Attribute.password, "PIN", [.value("pin", .uint16(.littleEndian))]),
    ]
    (family.lifecycle, family.proof) = (.rewritable, .readBack)
    family.settings =
      family.settings.filter { $0.name == .roomName } + [
        SettingDescription("pin", "PIN", .secret(.integer(0...9999)), isRequired: true, documentation: "")
      ]
    family.procedure = Procedure(readsFirst: true)
    var room = Self.room(family)
    room.settings = [.roomName: .text("Lobby"), "pin": .secret(Secret("1234"))]
    let attempted = try await Attempted.run(
      room,
      recorded: RecordedSettings(
        values: [.roomName: .text(held)], isSubmitted: false, isAccepted: false, isProved: isProved),
      { clock in
        let device = ScriptedDevice(Attribute.service, [Attribute.roomName, Attribute.password], clock)
        device.values[Attribute.roomName] = Array(held.utf8)
        return device
      }, FamilyDriver(described: family).configure)
    #expect(attempted.failure == nil && attempted.writes == writes)
    #expect(attempted.submission?.isUnchanged == writes.isEmpty)
    let isSubmitted = attempted.facts.contains { if case .saveSubmitted = $0 { true } else { false } }
    #expect(isSubmitted == !writes.isEmpty)
  }

  // MARK: Commands and locks

  /// A device with two commands in JSON, each with an answer, and a code.
  private static func commanded() -> Room {
    var family = DeviceFamily.roboSensor
    func command(_ name: SettingName) -> CharacteristicDescription {
      CharacteristicDescription(
        Attribute.roomName, name.rawValue,
        [.constant(Array("{\"\(name)\":".utf8)), .value(name, .json), .constant(Array("}".utf8))],
        answer: .message([.init(["set"], .text(name.rawValue)), .init(["value"], .setting(name))]))
    }
    family.characteristics = [command(.roomName), command(.minor)]
    family.lifecycle = .rewritable
    family.settings = family.settings.filter { [.roomName, .minor].contains($0.name) }
    family.access = [
      SettingDescription("pin", "PIN", .secret(.integer(0...9999)), isRequired: true, documentation: "")
    ]
    let pin = CharacteristicDescription(Attribute.command, "PIN", [.value("pin", .uint16(.littleEndian))])
    family.procedure = Procedure(status: StatusRule(Attribute.status), unlock: .init(pin))
    var room = room(family)
    room.access["pin"] = .secret(Secret("1234"))
    return room
  }

  private static func command(_ answers: @escaping @Sendable (String) -> [String]) async throws -> Attempted {
    let room = commanded()
    return try await Attempted.run(
      room,
      { clock in
        let device = ScriptedDevice(
          Attribute.service, [Attribute.roomName, Attribute.command, Attribute.status], clock)
        device.onWrite { (device, value) throws(CentralError) in
          if device.target == Attribute.command {
            if value != [0xD2, 0x04] { throw CentralError(.att(0x80)) }
            return
          }
          for answer in answers(String(decoding: value, as: UTF8.self)) { notify(device, answer) }
        }
        return device
      }, FamilyDriver(described: room.family).configure)
  }

  @Test("the next command is sent once the answer to the one before has come, with the same values")
  func answered() async throws {
    let attempted = try await Self.command { command in
      command.contains("room_name")
        ? [#"{"set":"minor","value":1}"#, "noise", #"{"set":"room_name","value":"Lobby"}"#]
        : [#"{"set":"minor","value":16706,"secret":"1234"}"#]
    }
    #expect(attempted.failure == nil)
    #expect(
      attempted.writes.dropFirst().map { String(decoding: $0, as: UTF8.self) } == [
        #"{"room_name":"Lobby"}"#, #"{"minor":16706}"#,
      ])
    #expect(!attempted.statuses.joined().contains("1234"))
  }

  @Test("a named answer with another value is a refusal, and no answer a timeout")
  func answeredOtherwise() async throws {
    let refused = try await Self.command { _ in [#"{"set":"room_name","value":"Lobb"}"#] }
    #expect(refused.failure?.code == .refused && refused.writes.count == 2)
    let silent = try await Self.command { _ in [] }
    #expect(silent.failure?.code == .stageTimedOut && silent.writes.count == 2)
    #expect(silent.duration == .seconds(10))
  }

  @Test(
    "a code that the device refuses ends the attempt before any setting, and is not among what was written")
  func lockedOut() async throws {
    var room = Self.commanded()
    room.access["pin"] = .secret(Secret("1"))
    let attempted = try await Attempted.run(
      room,
      { clock in
        let device = ScriptedDevice(
          Attribute.service, [Attribute.roomName, Attribute.command, Attribute.status], clock)
        device.onWrite { (_, _) throws(CentralError) in throw CentralError(.att(0x80)) }
        return device
      }, FamilyDriver(described: room.family).configure)
    #expect(attempted.failure?.code == .credentialsRefused && attempted.writes == [[1, 0]])
    #expect(
      !attempted.facts.contains { fact in
        switch fact {
        case .settingWritten, .saveSubmitted: true
        default: false
        }
      })
  }
}
