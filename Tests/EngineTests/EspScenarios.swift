import Bluetooth
import Engine
import EspMessages
import Families
import Foundation
import Journal
import Model
import Reporting
import Session
import SwiftProtobuf
import Testing
import VirtualBuilding
import VirtualCentral
import VirtualTime

/// Espressif's unified provisioning: all securities, both host stacks, and each way in which a join ends.
@Suite("ESP-IDF devices", .timeLimit(.minutes(60))) struct EspScenarios {
  static func room(
    _ number: Int = 1, pop: String = String(decoding: EspGATT.proof, as: UTF8.self), security: Int? = nil,
    username: String? = nil, endpoints: [String: String] = [:], checks: Bool = false, retries: Int = 1
  ) -> Room {
    let settings: [SettingName: SettingValue] = [
      .wifiSSID: .text("Plant"), .wifiPassword: .secret(Secret("correct horse")),
    ]
    var access: [SettingName: SettingValue] = [.proofOfPossession: .secret(Secret(pop))]
    if let security { access[.security] = .integer(security) }
    if let username { access[.username] = .secret(Secret(username)) }
    for (name, value) in endpoints {
      access[SettingName(rawValue: "endpoints.\(name)")] = .secret(Secret(value))
    }
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: .espIDF,
      address: Sample.address(UInt64(number)), checksWiFi: checks, settings: settings, access: access,
      timeouts: DeviceFamily.espIDF.timeouts(for: settings), retries: retries)
  }

  private func run(
    _ kinds: [FamilyFault] = [], room: Room = EspScenarios.room(), faults: [ScheduledFault] = [],
    label: [String: String] = [:], runs: Int = 1,
    networks: [WiFiNetwork] = [],
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async throws -> Rehearsed {
    let run = try await rehearse(
      [], rooms: [room], runs: runs,
      scenario: { scenario in
        scenario.wifiNetworks = networks
        scenario.sensors = [
          SensorScenario(
            address: Sample.address(1), family: .espIDF,
            faults: kinds.map { ScheduledFault(.own($0)) } + faults)
        ]
        scenario.sensors[0].label = label
      }, during: during
    ).expectInvariants()
    #expect(run.openLinks == 0)
    return run
  }

  private func applied(_ run: Rehearsed) -> Int {
    run.writes.count { $0.characteristic == EspGATT.apply }
  }

  static let kinds: [[FamilyFault]] = [
    [], [.bluedroid], [.sameNonce], [.security1], [.security1, .bluedroid], [.oldVersion],
    [.oldVersion, .bluedroid],
  ]

  @Test("a device joins its network, says so, and is done the next time", arguments: kinds)
  func done(kinds: [FamilyFault]) async throws {
    let run = try await run(kinds)
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .provisioned && room.attempts == 1)
    #expect(room.evidence?.grade == .deviceStatus)
    #expect(
      run.flashes[Sample.address(1)]?.values == [
        "wifi_ssid": Array("Plant".utf8), "wifi_password": Array("correct horse".utf8),
      ])
    #expect(applied(run) == 1)
    let again = try await self.run(kinds, runs: 2)
    #expect(again.outcome(1)?.outcome == .alreadyProvisioned && again.writes.isEmpty)
  }

  @Test("what the manifest has for an endpoint of the product is sent before the network", arguments: kinds)
  func endpoint(kinds: [FamilyFault]) async throws {
    let room = Self.room(endpoints: ["custom-data": "the third floor"])
    let run = try await run(kinds, room: room, label: ["endpoints.custom-data": ""])
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(
      run.flashes[Sample.address(1)]?.values["custom-data"] == Array("the third floor".utf8))
    #expect(
      run.writes.map(\.characteristic).dropFirst() == [EspGATT.ssid, EspGATT.passphrase, EspGATT.apply])
    #expect(JSONReport.text(RunReport(run.events)).contains("third") == false, "it may be a secret")
  }

  @Test("an endpoint gets bytes in hexadecimal, and its answer is recorded in the same form")
  func binaryEndpoint() async throws {
    let room = Self.room(endpoints: ["custom-data": "hex:00 01 FE"])
    let run = try await run(room: room, label: ["endpoints.custom-data": ""])
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(run.flashes[Sample.address(1)]?.values["custom-data"] == [0, 1, 0xFE])
    let statuses = run.facts { if case .statusReceived(let fact) = $0 { fact.text } else { nil } }.map(\.1)
    #expect(statuses.contains("custom-data answered 5355434345535300"))
  }

  @Test("RainMaker's endpoint says which node the device is, or refuses", arguments: [true, false])
  func rainMaker(isValid: Bool) async throws {
    // Part 10: a user "u", a secret "s3cret".
    let value = isValid ? "hex:520B0A01751206733363726574" : "hex:0801"
    let room = Self.room(endpoints: [RainMaker.endpoint: value])
    let run = try await run(room: room, label: ["endpoints.cloud_user_assoc": ""])
    let report = RunReport(run.events)
    if isValid {
      #expect(run.outcome(1)?.outcome == .provisioned)
      #expect(report["room-1"]?.details.contains(DeviceDetail(.nodeID, EspGATT.nodeID)) == true)
      #expect(CSVReport.text(report).contains(EspGATT.nodeID))
    } else {
      let refusal = "cloud_user_assoc: invalid parameter"
      #expect(run.outcome(1)?.outcome == .failed)
      #expect(run.outcome(1)?.reason == .refused(stage: .write, deviceText: refusal))
      #expect(run.flashes[Sample.address(1)]?.isSaved == false && applied(run) == 0)
    }
    #expect(!JSONReport.text(report).contains("s3cret"))
  }

  @Test("no endpoint gets anything before the run permits it")
  func forbidden() async throws {
    let room = Self.room(endpoints: ["custom-data": "the third floor"])
    var sensor = SensorScenario(address: Sample.address(1), family: .espIDF)
    sensor.label = ["endpoints.custom-data": ""]
    let scenario = Scenario(seed: 1, adapters: oneAdapter, sensors: [sensor])
    try await VirtualTime.run { clock in
      let world = World(scenario: scenario, clock: clock)
      let recorder = MemoryRecorder(clock: clock)
      let coordinator = Coordinator(
        clock: clock, wall: { Date(timeIntervalSince1970: 0) }, recorder: recorder)
      let session = DeviceSession(
        room: room, address: Sample.address(1), adapter: AdapterID(oneAdapter[0].address),
        attempt: 1, central: await VirtualCentral(world: world, clock: clock), coordinator: coordinator,
        clock: clock,
        randomBytes: SeededGenerator(seed: 1).bytes(), forbidden: { .authorizationRequired })
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await world.run() }
        group.addTask { await coordinator.run() }
        let failure = await #expect(throws: AttemptFailure.self) {
          try await session.search()
          _ = try await builtInFamilies[room.family.id]?.configure(session)
        }
        #expect(failure?.reason == .authorizationRequired)
        coordinator.finish()
        group.cancelAll()
      }
      #expect(await world.writes.isEmpty)
    }
  }

  @Test("a device without that endpoint gets nothing, not even an attempt to set up a session")
  func noEndpoint() async throws {
    let run = try await run(
      room: Self.room(endpoints: ["custom-data": "the third floor", "licence": "Qx7 4711 yz"]),
      label: ["endpoints.custom-data": ""])
    let outcome = try #require(run.outcome(1))
    #expect(outcome.outcome == .actionRequired && outcome.attempts == 1)
    #expect(outcome.reason == .settingUnsupported("endpoints.licence"))
    #expect(run.writes.isEmpty && run.flashes[Sample.address(1)]?.isSaved == false)
  }

  @Test("a device without a proof of possession is let in by an empty one, and by nothing else")
  func noProof() async throws {
    let run = try await run([.security1, .noProof], room: Self.room(pop: ""))
    #expect(run.outcome(1)?.outcome == .provisioned)
    let other = try await self.run([.security1, .noProof])
    #expect(other.outcome(1)?.reason?.code == .credentialsRefused && other.writes.isEmpty)
  }

  @Test(
    "unencrypted sessions are used only where the manifest allows them", arguments: [nil, 0, 1] as [Int?])
  func unencrypted(security: Int?) async throws {
    let run = try await run([.security0], room: Self.room(security: security))
    if security == 0 {
      #expect(run.outcome(1)?.outcome == .provisioned)
    } else {
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason == .securityTooLow(held: "security 0"))
      #expect(run.writes.isEmpty && run.connected[Sample.address(1)] == 1)
    }
  }

  @Test("a security that a device does not name is not assumed, and used where the manifest names it")
  func unnamed() async throws {
    let run = try await run([.oddVersion])
    #expect(run.outcome(1)?.outcome == .actionRequired && run.writes.isEmpty)
    #expect(run.outcome(1)?.reason == .securityTooLow(held: "a security that it does not name"))
    let named = try await self.run([.oddVersion], room: Self.room(security: 2))
    #expect(named.outcome(1)?.outcome == .provisioned)
  }

  @Test("the reports have the address of a device, and its access point")
  func place() async throws {
    let report = RunReport(try await run().events)
    #expect(
      report["room-1"]?.details == [
        DeviceDetail(.security, "2"), DeviceDetail(.ipAddress, "192.168.4.20"),
        DeviceDetail(.bssid, "24:0A:C4:11:22:33"), DeviceDetail(.channel, "6"),
      ])
    #expect(JSONReport.text(report).contains(#""value": "24:0A:C4:11:22:33""#))
    let rows = CSVReport.text(report).split(separator: "\r\n").map { $0.split(separator: ",").suffix(4) }
    #expect(rows.first == ["ip_address", "bssid", "channel", "node_id"])
    #expect(CSVReport.text(report).contains(",192.168.4.20,24:0A:C4:11:22:33,6,"))
  }

  @Test(
    "a device for Thread is recognised before it gets a secret, whatever its security",
    arguments: [nil, 0] as [Int?])
  func thread(security: Int?) async throws {
    let run = try await run(
      security == 0 ? [.threadOnly, .security0] : [.threadOnly],
      room: Self.room(security: security, endpoints: ["custom-data": "floor plan"]),
      label: ["endpoints.custom-data": ""])
    #expect(run.outcome(1)?.outcome == .actionRequired && run.outcome(1)?.reason == .notForWiFi)
    #expect(run.writes.isEmpty && run.connected[Sample.address(1)] == 1)
  }

  @Test("a device with BluFi is none of the family, and one that a room names is told from it")
  func bluFi() async throws {
    let stranger = try await run([.bluFi])
    #expect(stranger.outcome(1)?.reason == .notRecognised)
    var room = Self.room()
    room.access[.service] = .uuid(BluetoothUUID(short: 0xFFFF))
    let named = try await run([.bluFi], room: room)
    #expect(named.outcome(1)?.reason?.code == .serviceMissing && named.writes.isEmpty)
    #expect(named.outcome(1)?.reason?.stackText == "it has BluFi, which is not supported")
  }

  @Test(
    "a user name demands security 2: a device that claims less gets nothing, whatever it answers to `proto-ver`",
    arguments: [("wifiprov", [FamilyFault.security1]), ("wifiprov", [.security0]), ("", [.oldVersion])])
  func username(name: String, kinds: [FamilyFault]) async throws {
    let run = try await run(kinds, room: Self.room(username: name))
    if name.isEmpty {
      #expect(run.outcome(1)?.outcome == .provisioned)
    } else {
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason?.code == .securityTooLow && run.writes.isEmpty)
    }
    let honest = try await self.run(room: Self.room(username: "wifiprov"))
    #expect(honest.outcome(1)?.outcome == .provisioned)
  }

  @Test(
    "a device never gets below the security on record, unless the manifest says so",
    arguments: [(nil, false), (1, true), (2, false)] as [(Int?, Bool)])
  func recordedSecurity(security: Int?, isDone: Bool) async throws {
    let room = Self.room(security: security)
    func run(_ known: [BluetoothAddress: Int]) async throws -> Rehearsed {
      try await rehearse(
        [], rooms: [room],
        scenario: { scenario in
          scenario.sensors = [
            SensorScenario(
              address: Sample.address(1), family: .espIDF, faults: [ScheduledFault(.own(.security1))])
          ]
        },
        request: { request in
          var lastKnown = LastKnownBuilding()
          lastKnown.securities = known
          request.known = Known(lastKnown: lastKnown)
        })
    }
    let imitated = try await run([Sample.address(1): 2])
    #expect((imitated.outcome(1)?.outcome == .provisioned) == isDone)
    if !isDone {
      #expect(imitated.outcome(1)?.reason == .securityTooLow(held: "security 1") && imitated.writes.isEmpty)
    }
    let other = try await run([Sample.address(2): 2, Sample.address(1): 1])
    #expect((other.outcome(1)?.outcome == .provisioned) == (security != 2))
    if security == 2 {
      #expect(other.outcome(1)?.reason == .securityTooLow(held: "security 1") && other.writes.isEmpty)
    }
  }

  @Test("the security of a session is on record", arguments: [([], "2"), ([FamilyFault.security1], "1")])
  func securityOnRecord(kinds: [FamilyFault], security: String) async throws {
    let run = try await run(kinds)
    let details = run.facts { if case .deviceDescribed(let fact) = $0 { fact.details } else { nil } }.flatMap(
      \.1)
    #expect(details.filter { $0.name == .security } == [DeviceDetail(.security, security)])
    #expect(BuildingRecord([run.events]).lastKnown.securities == [Sample.address(1): Int(security)])
    // Without the credentials there is no session, and nothing that anybody can say counts.
    let refused = try await self.run(kinds, room: Self.room(pop: "another label"))
    #expect(BuildingRecord([refused.events]).lastKnown.securities.isEmpty)
  }

  @Test(
    "a wrong proof of possession is refused once, by an error or by the end of the link", arguments: kinds)
  func credentials(kinds: [FamilyFault]) async throws {
    var room = Self.room(pop: "another label")
    room.origins[.proofOfPossession] = .environment("ESP_POP")
    let run = try await run(kinds, room: room)
    let outcome = try #require(run.outcome(1))
    #expect(outcome.outcome == .actionRequired && outcome.attempts == 1)
    #expect(outcome.reason?.code == .credentialsRefused)
    #expect(outcome.reason?.source == "env: ESP_POP")
    #expect(run.writes.isEmpty && run.connected[Sample.address(1)] == 1)
  }

  @Test(
    "a network that cannot be joined is a refusal with its cause, and the device waits again",
    arguments: [FamilyFault.wrongPassword, .networkAbsent], [[], [FamilyFault.bluedroid], [.security1]])
  func refused(cause: FamilyFault, kinds: [FamilyFault]) async throws {
    let run = try await run(kinds + [cause, .restartsAfterFailure])
    let outcome = try #require(run.outcome(1))
    #expect(outcome.outcome == .failed && outcome.attempts == 2)
    #expect(
      outcome.reason
        == (cause == .wrongPassword
          ? .wifiRefused(.password, deviceText: "AuthError")
          : .wifiRefused(.network, deviceText: "NetworkNotFound")))
    // It was reset each time, so it still waits.
    #expect(run.writes.count { $0.characteristic == EspGATT.reset } == 2 && applied(run) == 2)
    #expect(run.flashes[Sample.address(1)]?.isSaved == false)
    let healed = try await self.run(kinds, faults: [ScheduledFault(.own(cause), attempts: 1)])
    #expect(healed.outcome(1)?.outcome == .provisionedAfterRetry)
  }

  @Test(
    "a device that takes any credentials and cannot prove its own gets no network",
    arguments: [[], [FamilyFault.security1]])
  func impostor(kinds: [FamilyFault]) async throws {
    let run = try await run(kinds + [.impostor])
    let outcome = try #require(run.outcome(1))
    #expect(outcome.outcome == .actionRequired && outcome.attempts == 1)
    #expect(outcome.reason?.stackText == "the device does not prove that it has the credentials")
    #expect(run.writes.isEmpty)
  }

  @Test("a device that joined another network than the room's is no success")
  func anotherNetwork() async throws {
    let run = try await run([.joinsAnother], room: Self.room(retries: 0))
    #expect(run.outcome(1)?.outcome == .failed)
    #expect(run.outcome(1)?.reason == .refused(stage: .save, deviceText: "connected to Neighbour"))
  }

  @Test("a device that does not take the network gets no command to join it")
  func refusedNetwork() async throws {
    let run = try await run([.refusesNetwork], room: Self.room(retries: 0))
    #expect(run.outcome(1)?.outcome == .failed)
    #expect(run.outcome(1)?.reason == .refused(stage: .write, deviceText: "internalError"))
    #expect(!run.writes.contains { $0.characteristic == EspGATT.apply })
  }

  @Test("a device that joins slowly is waited for; one that never joins is not")
  func slow() async throws {
    let slow = try await run([.joinsSlowly])
    #expect(slow.outcome(1)?.outcome == .provisioned && slow.outcome(1)?.attempts == 1)
    let never = try await run([.neverJoins])
    #expect(never.outcome(1)?.outcome == .unconfirmed)
    #expect(never.outcome(1)?.reason?.code == .stageTimedOut)
    // Otherwise it would try for ever, and never advertise again.
    #expect(never.writes.contains { $0.characteristic == EspGATT.reset })
    #expect(never.endedAt.sinceZero < .seconds(300))
  }

  @Test(
    "a link that is lost after the device accepted the network is not taken for either result",
    arguments: kinds)
  func ambiguous(kinds: [FamilyFault]) async throws {
    // It still advertises while it joins, and the next attempt asks it: this run's command was accepted.
    let asked = try await run(kinds, faults: [ScheduledFault(.own(.leavesWhileJoining), attempts: 1)])
    #expect(asked.outcome(1)?.outcome == .provisionedAfterRetry)
    #expect(asked.flashes[Sample.address(1)]?.isSaved == true)
    // Without an answer it may be the command of another client.
    let unknown = try await run(kinds, faults: [ScheduledFault(.own(.dropsAfterApply), attempts: 1)])
    #expect(unknown.outcome(1)?.outcome == .actionRequired)
    #expect(unknown.outcome(1)?.reason == .settingsUnknown(nil))
    // Unless the earlier join was seen to be over; without `prov-ctrl` nobody can reset it.
    if !kinds.contains(.oldVersion) {
      let failed = try await run(
        kinds + [.failedBefore], faults: [ScheduledFault(.own(.dropsAfterApply), attempts: 1)])
      #expect(failed.outcome(1)?.outcome == .provisionedAfterRetry)
    }
    let silent = try await run(
      kinds, room: Self.room(retries: 0), faults: [ScheduledFault(.own(.dropsAfterApply))])
    #expect(silent.outcome(1)?.outcome == .unconfirmed)
    #expect(silent.outcome(1)?.reason?.code == .linkLost)
  }

  /// It advertises as before, and may have stored the network.
  @Test(
    "a device that may have changed is unconfirmed, whatever ends its room",
    arguments: [FailureReason.Code.interrupted, .connectTimedOut, .linkLost])
  func notAskedAgain(reason: FailureReason.Code) async throws {
    let run = try await run(faults: [ScheduledFault(.own(.dropsAfterApply), attempts: 1)]) {
      backstage, event in
      guard case .retryScheduled = event.fact else { return }
      if reason == .interrupted { return backstage.interrupt() }
      let fault = reason == .linkLost ? Fault.drops(in: .discover) : .neverAnswers
      await backstage.world.setFaults([fault], of: Sample.address(1))
    }
    // A run that is interrupted ends before it has joined.
    #expect(reason == .interrupted || run.flashes[Sample.address(1)]?.isSaved == true)
    #expect(run.outcome(1)?.outcome == .unconfirmed)
    #expect(run.outcome(1)?.reason?.code == reason)
  }

  /// With a short timeout the first attempt of the second run ends while the device still joins. On another laptop
  /// nothing is on record of the first run.
  @Test(
    "a network that it joined by the command of an earlier run proves nothing, in no attempt",
    arguments: [nil, 1], [false, true])
  func earlierCommand(timeout: Int?, isOtherLaptop: Bool) async throws {
    let device = SensorScenario(
      address: Sample.address(1), family: .espIDF,
      faults: [.init(.own(.dropsAfterApply), attempts: 1), .init(.own(.joinsSlowly))])
    let first = Self.room()
    var second = first
    second.settings[.wifiPassword] = .secret(Secret("battery staple"))
    if let timeout { second.timeouts.save = .seconds(timeout) }
    try await succession([device]) { [second] succession in
      _ = await succession.run([first]) { backstage, event in
        if case .retryScheduled = event.fact { backstage.interrupt() }
      }
      if isOtherLaptop { succession.forgetEverything() }
      let run = await succession.run([second])
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason?.code == .settingsUnknown)
      // What it still joins by is nobody's to reset.
      #expect(run.outcome(1)?.attempts == 1 && !run.writes.contains { $0.characteristic == EspGATT.reset })
      #expect(run.flashes[Sample.address(1)]?.values["wifi_password"] == Array("correct horse".utf8))
    }
  }

  /// The room has its SSID; only the password differs.
  @Test(
    "a join of an earlier command for the same network proves nothing, whatever is lost",
    arguments: [
      [], [Fault.drops(in: .save)], [.drops(in: .write(1))], [.drops(in: .confirm(1))],
      [.own(.dropsAfterApply)],
      [.own(.leavesWhileJoining)],
    ], [0, 1, 3])
  func earlierJoin(lost: [Fault], attempts: Int) async throws {
    let run = try await run(
      [.earlierCommand], room: Self.room(retries: attempts),
      faults: lost.map { ScheduledFault($0, attempts: attempts) })
    let outcome = try #require(run.outcome(1))
    let password = run.flashes[Sample.address(1)]?.values["wifi_password"]
    #expect(!outcome.outcome.isSuccess || password == Array("correct horse".utf8), "\(outcome)")
    #expect(
      [.settingsUnknown, .linkLost].contains(outcome.reason?.code), "\(String(describing: outcome.reason))")
  }

  @Test(
    "an answer with another number, or without an address, is none",
    arguments: [FamilyFault.otherMessages, .noAddress])
  func malformed(fault: FamilyFault) async throws {
    let run = try await run([fault])
    let outcome = try #require(run.outcome(1))
    #expect(outcome.outcome == (fault == .noAddress ? .unconfirmed : .failed), "\(outcome)")
    #expect(outcome.reason?.code != nil)
  }

  /// An answer of the handshake, and what of it is wrong.
  struct WrongAnswer: Sendable, CustomTestStringConvertible {
    var what: String
    var security: Int
    var message: UInt32
    var change: @Sendable (inout EspSessionData) -> Void

    init(
      _ what: String, _ security: Int, _ message: UInt32,
      _ change: @escaping @Sendable (inout EspSessionData) -> Void
    ) {
      (self.what, self.security, self.message, self.change) = (what, security, message, change)
    }

    var testDescription: String { "security \(security), message \(message): \(what)" }

    static let all = [
      WrongAnswer("status", 0, 1) { $0.security0.response.status = .tooManySessions },
      WrongAnswer("number", 0, 1) { $0.security0.msg = 0 },
      WrongAnswer("status", 1, 1) { $0.security1.response0.status = .invalidArgument },
      WrongAnswer("number", 1, 1) { $0.security1.msg = 3 },
      WrongAnswer("short", 1, 1) { $0.security1.response0.deviceRandom.removeLast() },
      WrongAnswer("long", 1, 1) { $0.security1.response0.deviceRandom.append(0) },
      WrongAnswer("key", 1, 1) { $0.security1.response0.devicePublicKey = Data(repeating: 0, count: 32) },
      WrongAnswer("status", 1, 3) { $0.security1.response1.status = .cryptoError },
      WrongAnswer("number", 1, 3) { $0.security1.msg = 1 },
      WrongAnswer("status", 2, 1) { $0.security2.response0.status = .internalError },
      WrongAnswer("number", 2, 1) { $0.security2.msg = 3 },
      WrongAnswer("key", 2, 1) { $0.security2.response0.devicePublicKey = Data(repeating: 0, count: 384) },
      WrongAnswer("status", 2, 3) { $0.security2.response1.status = .invalidSession },
      WrongAnswer("number", 2, 3) { $0.security2.msg = 1 },
      WrongAnswer("short", 2, 3) { $0.security2.response1.nonce.removeLast(5) },
    ]
  }

  /// A stack under which devices answer otherwise.
  private struct Answering: WrappingCentral {
    let base: VirtualCentral
    let change: @Sendable ([UInt8]) -> [UInt8]

    struct Link: ForwardingPeripheral {
      let link: any Peripheral
      let change: @Sendable ([UInt8]) -> [UInt8]

      func read(_ characteristic: RemoteCharacteristic) async throws(CentralError) -> [UInt8] {
        change(try await link.read(characteristic))
      }
    }

    func connect(
      to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
      linked: @escaping @Sendable () -> Void
    ) async throws(CentralError) -> any Peripheral {
      Link(
        link: try await base.connect(to: address, on: adapter, pairing: pairing, linked: linked),
        change: change)
    }
  }

  /// A run with a device whose answers are changed on their way.
  private func run<Message: SwiftProtobuf.Message & Equatable>(
    security: Int, checks: Bool = false, changing: Message.Type,
    _ change: @escaping @Sendable (inout Message) -> Void
  ) async throws -> Rehearsed {
    let room = Self.room(security: security, checks: checks, retries: 0)
    let kinds: [FamilyFault] = [[.security0], [.security1], []][security]
    let run = try await rehearse(
      [], rooms: [room],
      scenario: { scenario in
        scenario.wifiNetworks = [WiFiNetwork(ssid: "Plant", rssi: -50)]
        scenario.sensors = [
          SensorScenario(
            address: Sample.address(1), family: .espIDF, faults: kinds.map { ScheduledFault(.own($0)) })
        ]
      },
      through: { central, _ in
        Answering(base: central) { bytes in
          guard let answer = try? Message(serializedBytes: bytes) else { return bytes }
          var changed = answer
          change(&changed)
          return changed == answer ? bytes : (try? changed.serializedBytes()) ?? bytes
        }
      })
    return run.expectInvariants([room])
  }

  @Test("an answer of the handshake that is not as agreed sets up no session", arguments: WrongAnswer.all)
  func handshake(wrong: WrongAnswer) async throws {
    let run = try await run(security: wrong.security, changing: EspSessionData.self) { answer in
      let message =
        switch answer.scheme {
        case .security0(let part)? where wrong.security == 0: part.msg
        case .security1(let part)? where wrong.security == 1: part.msg
        case .security2(let part)? where wrong.security == 2: part.msg
        default: UInt32(0)
        }
      if message == wrong.message { wrong.change(&answer) }
    }
    #expect(run.outcome(1)?.outcome == .failed && run.writes.isEmpty)
    #expect(run.outcome(1)?.reason?.stackText == "the answer of prov-session cannot be read")
  }

  @Test(
    "a status other than success is a refusal of what was asked",
    arguments: [
      (.setResponse(.init()), .refused(stage: .write, deviceText: "cryptoError")),
      (.applyResponse(.init()), .refused(stage: .save, deviceText: "cryptoError")),
      (.status(.init()), nil),
    ] as [(EspConfigMessage.OneOf_Payload, FailureReason?)])
  func otherStatus(answer: EspConfigMessage.OneOf_Payload, reason: FailureReason?) async throws {
    let run = try await run(security: 0, changing: EspConfigMessage.self) { message in
      switch (answer, message.payload) {
      case (.setResponse, .setResponse?): message.setResponse.status = .cryptoError
      case (.applyResponse, .applyResponse?): message.applyResponse.status = .cryptoError
      case (.status, .status?): message.status.status = .cryptoError
      default: break
      }
    }
    // Whether it joined is not known if it does not say its state.
    #expect(run.outcome(1)?.outcome == (reason == nil ? .unconfirmed : .failed))
    if let reason { #expect(run.outcome(1)?.reason == reason) }
  }

  @Test("a list of networks with an answer that is none is no list", arguments: 0...5)
  func brokenList(place: Int) async throws {
    let run = try await run(security: 0, checks: true, changing: EspScanMessage.self) { message in
      switch (place, message.payload) {
      case (0, .startResponse?), (1, .statusResponse?), (2, .resultResponse?): message.status = .internalError
      case (3, .statusResponse?): message.statusResponse.finished = false
      case (4, .resultResponse?): message.resultResponse.entries = []
      default: break
      }
    }
    #expect(run.outcome(1)?.outcome == (place == 5 ? .provisioned : .failed))
    #expect(place == 5 || run.writes.isEmpty)
    #expect(place == 5 || run.outcome(1)?.reason?.stackText == "the answer of prov-scan cannot be read")
  }

  @Test("a link that is lost before leads to another attempt")
  func lost() async throws {
    for stage in [Fault.DropStage.connect, .discover, .write(1), .confirm(1), .save] {
      let run = try await run(faults: [ScheduledFault(.drops(in: stage), attempts: 1)])
      #expect(run.outcome(1)?.outcome == .provisionedAfterRetry, "\(stage)")
    }
  }

  @Test("a product with a service of its own is recognised only by a room that names it")
  func ownService() async throws {
    let unknown = try await run([.ownService])
    #expect(unknown.outcome(1)?.reason?.code == .notRecognised)
    var room = Self.room()
    room.access[.service] = .uuid(EspGATT.ownService)
    let known = try await run([.ownService], room: room)
    #expect(known.outcome(1)?.outcome == .provisioned)
  }

  @Test("a room gets the device that has its name, and keeps its address; two of one name are not guessed")
  func named() async throws {
    var rooms = [Self.room(1), Self.room(2)]
    for index in rooms.indices { rooms[index].address = nil }
    (rooms[0].deviceName, rooms[1].deviceName) = ("PROV_0B", "PROV_0A")
    var devices = (1...2).map { SensorScenario(address: Sample.address(UInt64($0)), family: .espIDF) }
    (devices[0].label, devices[1].label) = (["name": "PROV_0A"], ["name": "PROV_0B"])
    try await succession(devices) { [rooms] succession in
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.outcome(1)?.address == Sample.address(2) && run.outcome(2)?.address == Sample.address(1))
      #expect(run.outcome(1)?.outcome == .provisioned && run.outcome(2)?.outcome == .provisioned)
      let bases = run.facts { if case .bindingCommitted(let fact) = $0 { fact.basis } else { nil } }
      #expect(bases.map(\.1) == [.name, .name])
      let begins = run.events.first { if case .attemptStarted = $0.fact { true } else { false } }?.elapsed
      #expect(begins.map { $0 < .seconds(2) } == true, "every device is known: \(String(describing: begins))")
      let again = await succession.run(rooms)
      #expect(again.outcome(1)?.outcome == .alreadyProvisioned && again.writes.isEmpty)
    }
    let first = rooms[0]
    devices = devices.map { device in
      var device = device
      device.label["name"] = "PROV_0B"
      return device
    }
    try await succession(devices) { succession in
      let run = await succession.run([first])
      #expect(run.outcome(1)?.outcome == .ambiguous && run.outcome(1)?.reason?.code == .tooManyCandidates)
      #expect(run.connected.isEmpty)
    }
    // One adapter connects to the first while the other completes the survey.
    devices[1].appearsAfter = .seconds(6.5)
    try await succession(devices) { succession in
      let run = await succession.run([first])
      #expect(run.outcome(1)?.outcome == .ambiguous && run.outcome(1)?.reason?.code == .tooManyCandidates)
      #expect(!run.connected.isEmpty && run.writes.isEmpty, "the second is received after the match")
    }
    try await succession([]) { succession in
      let run = await succession.run([first])
      #expect(run.outcome(1)?.outcome == .pending && run.outcome(1)?.reason?.code == .noCandidate)
    }
  }

  @Test("the device's own scan decides before anything is written")
  func wifiCheck() async throws {
    let many = (1...9).map { WiFiNetwork(ssid: "Network \($0)", rssi: -40 - 5 * $0) }
    let absent = try await run(room: Self.room(checks: true), networks: many)
    #expect(absent.outcome(1)?.reason?.code == .networkNotReceived && absent.writes.isEmpty)
    #expect(absent.outcome(1)?.reason?.networks?.map(\.ssid) == many.map(\.ssid))
    let present = try await run(
      [.security1], room: Self.room(checks: true), networks: many + [WiFiNetwork(ssid: "Plant", rssi: -80)])
    #expect(present.outcome(1)?.outcome == .provisioned)
    // The device keeps 16 networks, and does not tell that there were more.
    let crowd = (1...20).map { WiFiNetwork(ssid: "Network \($0)", rssi: -40 - $0) }
    let weak = try await run(
      room: Self.room(checks: true), networks: crowd + [WiFiNetwork(ssid: "Plant", rssi: -80)])
    let results = weak.facts { if case .wifiChecked(let fact) = $0 { fact } else { nil } }.map(\.1)
    #expect(results.map(\.result) == [.listFull] && results.first?.networks.count == 16)
    #expect(results.first?.networks.first?.channel == 6)
    #expect(weak.outcome(1)?.outcome == .provisioned)
  }

  @Test("a run that is stopped at any event leaves a true record")
  func interrupted() async throws {
    let whole = try await run()
    for number in stride(from: 1, through: whole.events.count, by: 2) {
      let run = try await run(during: { backstage, event in
        if event.sequence == number { backstage.interrupt() }
      })
      let outcome = try #require(run.outcome(1))
      if run.flashes[Sample.address(1)]?.isSaved == true {
        #expect(outcome.outcome.isSuccess || outcome.outcome == .unconfirmed, "at \(number): \(outcome)")
      }
    }
  }
}
