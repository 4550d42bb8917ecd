import Bluetooth
import Engine
import Families
import Model
import Reporting
import Session
import Simulation
import Testing
import VirtualBuilding

/// An Improv device reports itself that it joined its network. Only what it reports after the command of the attempt is
/// evidence.
@Suite("Improv devices", .timeLimit(.minutes(60))) struct ImprovScenarios {
  static func room(_ number: Int = 1, retries: Int = 0, password: String? = "my correct horse battery staple")
    -> Room
  {
    var settings: [SettingName: SettingValue] = [.wifiSSID: .text("Plant")]
    if let password { settings[.wifiPassword] = .secret(Secret(password)) }
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: .improvWiFi,
      address: Sample.address(UInt64(number)), settings: settings,
      timeouts: DeviceFamily.improvWiFi.timeouts(for: settings), retries: retries)
  }

  static func device(
    _ number: UInt64 = 1, _ faults: [FamilyFault] = [], attempts: Int? = nil, holds: [String: String] = [:]
  ) -> SensorScenario {
    SensorScenario(
      address: Sample.address(number), family: .improvWiFi, holds: holds,
      faults: faults.map { .init(.own($0), attempts: attempts) })
  }

  private func run(
    _ devices: [SensorScenario], rooms: [Room] = [ImprovScenarios.room()],
    assignment: Building.Assignment = .address, networks: [WiFiNetwork] = [],
    radio: RadioParameters = .init(),
    permissions: RecordPermissions = .init(), isWatching: Bool = false, handled: Set<BluetoothAddress> = [],
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async throws -> Rehearsed {
    let run = try await rehearse(
      [], rooms: rooms, assignment: assignment,
      scenario: { scenario in
        (scenario.sensors, scenario.wifiNetworks, scenario.radio) = (devices, networks, radio)
      },
      request: { request in
        request.known = Known(permissions: permissions)
        request.isWatching = isWatching
      }, during: during
    ).expectInvariants(handled: handled)
    return run
  }

  private static let provisioned = [
    "wifi_ssid": Array("Plant".utf8), "wifi_password": Array("my correct horse battery staple".utf8),
  ]

  private func details(_ run: Rehearsed) -> [DeviceDetail] {
    run.facts { if case .deviceDescribed(let fact) = $0 { fact.details } else { nil } }.flatMap(\.1)
  }

  private func statuses(_ run: Rehearsed) -> [String] {
    run.facts { if case .statusReceived(let fact) = $0 { fact.text } else { nil } }.map(\.1)
  }

  // MARK: Done

  @Test("a device gets its network in pieces, and its own report that it joined is the evidence")
  func done() async throws {
    let run = try await run([Self.device()])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .provisioned)
    #expect(room.evidence?.grade == .deviceStatus && room.evidence?.address == Sample.address(1))
    #expect(room.settings.map(\.state) == [.acknowledged, .acknowledged])
    #expect(run.flashes[Sample.address(1)]?.values == Self.provisioned)
    #expect(run.writes.allSatisfy { $0.value.count <= 20 })
    #expect(run.openLinks == 0 && run.remembered.isEmpty)
  }

  @Test("the reports have what the device is, and its URL")
  func described() async throws {
    let run = try await run([Self.device()])
    let expected = [
      DeviceDetail(.firmware, "virtual-improv"), DeviceDetail(.firmwareVersion, "2026.1"),
      DeviceDetail(.hardware, "ESP32-C3"), DeviceDetail(.deviceName, "Improv"),
      DeviceDetail(.url, "http://192.168.7.31/"),
    ]
    #expect(details(run) == expected)
    let report = RunReport(run.events)
    #expect(report["room-1"]?.details == expected)
    #expect(JSONReport.text(report).contains(#""value": "http://192.168.7.31/""#))
    let log = try #require(DeviceLogs.texts(run.events).first?.1)
    #expect(log.contains("URL http://192.168.7.31/") && log.contains("hardware ESP32-C3"))
  }

  private static func named(_ number: UInt64, _ name: String?) -> SensorScenario {
    var device = device(number)
    device.label["name"] = name
    return device
  }

  private static var namedRoom: Room {
    var room = room()
    (room.address, room.deviceName) = (nil, "lamp-3")
    return room
  }

  @Test("a room gets the device with its name")
  func name() async throws {
    let devices = [Self.named(1, "lamp-1"), Self.named(2, "lamp-3"), Self.named(3, nil)]
    let run = try await run(devices, rooms: [Self.namedRoom])
    #expect(run.outcome(1)?.outcome == .provisioned && run.outcome(1)?.address == Sample.address(2))
    #expect(
      run.flashes[Sample.address(1)]?.isSaved == false && run.flashes[Sample.address(3)]?.isSaved == false)
  }

  @Test("without its name, or with two devices of it, a room gets none")
  func noName() async throws {
    let others = try await run([Self.named(1, "lamp-1"), Self.named(2, "Lamp-3")], rooms: [Self.namedRoom])
    #expect(others.outcome(1)?.outcome == .pending && others.outcome(1)?.reason?.code == .noCandidate)
    let twins = try await run([Self.named(1, "lamp-3"), Self.named(2, "lamp-3")], rooms: [Self.namedRoom])
    #expect(twins.outcome(1)?.outcome == .ambiguous)
    #expect(others.writes.isEmpty && twins.writes.isEmpty)
  }

  @Test("an open network has no password")
  func open() async throws {
    let run = try await run([Self.device()], rooms: [Self.room(password: nil)])
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(run.flashes[Sample.address(1)]?.values["wifi_password"] == [])
  }

  @Test(
    "every way to report a success counts",
    arguments: [
      FamilyFault.oldOrder, .noResult, .noURL, .corruptResult, .hidesState, .withoutOptions, .keepsService,
      .partOfCommand, .refusesSubscription, .leavesAfterJoining,
    ])
  func ways(fault: FamilyFault) async throws {
    let run = try await run([Self.device(1, [fault])])
    #expect(run.outcome(1)?.outcome == .provisioned, "\(statuses(run))")
    #expect(run.flashes[Sample.address(1)]?.values == Self.provisioned)
    let hasURL = ![.noResult, .noURL, .corruptResult, .refusesSubscription].contains(fault)
    #expect(details(run).contains { $0.name == .url } == hasURL)
  }

  @Test("a device that refuses its command and is ready as before is written in the next attempt")
  func refusedWrite() async throws {
    let refusal = ScheduledFault(.rejectsWrite(to: Improv.Attribute.command, code: 0x80), attempts: 1)
    let device = SensorScenario(address: Sample.address(1), family: .improvWiFi, faults: [refusal])
    let run = try await run([device], rooms: [Self.room(retries: 1)])
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry && run.outcome(1)?.attempts == 2)
    let failures = run.facts { if case .attemptEnded(let fact) = $0 { fact.failure } else { nil } }
    #expect(failures.map(\.1.code) == [.attributeRejected])
  }

  @Test("a device is done the next time, on the evidence of its run, whether or not it still advertises")
  func again() async throws {
    for faults in [[], [FamilyFault.keepsService]] {
      try await succession([Self.device(1, faults)]) { succession in
        let first = await succession.run([Self.room()]).expectInvariants()
        #expect(first.outcome(1)?.outcome == .provisioned)
        try await succession.clock.sleep(for: .seconds(20))
        let second = await succession.run([Self.room()]).expectInvariants()
        #expect(second.outcome(1)?.outcome == .alreadyProvisioned)
        #expect(
          second.outcome(1)?.evidence?.grade == .deviceStatus && second.outcome(1)?.evidence?.run == "run-1")
        #expect(second.writes.isEmpty && second.connected.isEmpty)
      }
    }
  }

  // MARK: Refused

  @Test("a device that cannot join its network reports it after 30 s, and is asked once more")
  func cannotJoin() async throws {
    let run = try await run([Self.device(1, [.cannotJoin])], rooms: [Self.room(retries: 3)])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .failed && room.attempts == 2)
    #expect(room.reason == .wifiRefused(.unknown, deviceText: "error 3: unable to connect"))
    #expect(run.flashes[Sample.address(1)]?.isSaved == false)
  }

  @Test("a network out of range is a refusal, too, and an error of an earlier attempt is none")
  func outOfRange() async throws {
    let networks = [WiFiNetwork(ssid: "Guests", rssi: -60)]
    let away = try await run([Self.device()], networks: networks)
    #expect(away.outcome(1)?.reason?.code == .wifiRefused)
    // Its error never changes, so only its state shows that it gave up.
    let stale = try await run([Self.device(1, [.staleError])], networks: networks)
    #expect(stale.outcome(1)?.reason == .wifiRefused(.unknown, deviceText: "it tried to join, and gave up"))
    let joined = try await run([Self.device(1, [.staleError])])
    #expect(joined.outcome(1)?.outcome == .provisioned)
  }

  @Test("a device that can join the second time is done after a retry")
  func retried() async throws {
    let run = try await run([Self.device(1, [.cannotJoin], attempts: 1)], rooms: [Self.room(retries: 1)])
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry)
  }

  // MARK: Evidence

  @Test(
    "a network that returns by itself is no success", arguments: [FamilyFault.networkReturns, .dropsCommand])
  func byOtherMeans(fault: FamilyFault) async throws {
    let run = try await run([Self.device(1, [fault])])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == (fault == .networkReturns ? .actionRequired : .unconfirmed))
    #expect(room.reason?.code == (fault == .networkReturns ? .settingsUnknown : .notReceivedAfterSave))
    #expect(run.flashes[Sample.address(1)]?.isSaved == false)
  }

  @Test("a device that does not end its attempt to join is unconfirmed")
  func openEnd() async throws {
    let run = try await run([Self.device(1, [.givesUpLate])])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .unconfirmed && room.settings.map(\.state) == [.written, .written])
  }

  @Test("a device whose link is lost while it joins is done when it shows on air that it has joined")
  func lostLink() async throws {
    let run = try await run([Self.device(1, [.leavesWhileJoining])])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .provisioned && room.evidence?.grade == .deviceStatus)
    #expect(room.evidence?.secondsAfterSave ?? 0 > 1 && room.settings.map(\.state) == [.written, .written])
    // Its state is not on air: nothing shows what became of it.
    let hidden = try await self.run([Self.device(1, [.leavesWhileJoining, .hidesState])])
    #expect(hidden.outcome(1)?.outcome == .unconfirmed)
    // It waits again: it did not join. That is noticed as soon as it is on air.
    let wrong = try await self.run([Self.device(1, [.leavesWhileJoining, .cannotJoin])])
    #expect(wrong.outcome(1)?.outcome == .failed)
    #expect(wrong.outcome(1)?.reason == .wifiRefused(.unknown, deviceText: "it tried to join, and gave up"))
    #expect(wrong.endedAt.sinceZero < .seconds(45))
    let refused = try await self.run(
      [Self.device(1, [.leavesWhileJoining, .cannotJoin], attempts: 1)], rooms: [Self.room(retries: 1)])
    #expect(refused.outcome(1)?.outcome == .provisionedAfterRetry)
  }

  @Test("a network that returns by itself is no success, also when the link is lost then")
  func returnsUnseen() async throws {
    for fault in [FamilyFault.networkReturns, .dropsCommand] {
      try await succession([Self.device(1, [fault])]) { succession in
        for write in 1...8 {
          await succession.world.pressButton(Sample.address(1))
          try await succession.clock.sleep(for: .seconds(5))
          let run = await succession.run([Self.room()], cut: .after(write)).expectInvariants(handled: [
            Sample.address(1)
          ])
          #expect(run.outcome(1)?.outcome.isSuccess == false, "write \(write)")
        }
      }
    }
  }

  @Test("a network that returns after a link was lost within the command proves nothing")
  func returnsAfterLoss() async throws {
    try await succession([Self.device(1, [.returnsAfterLoss])]) { succession in
      let run = await succession.run([Self.room(retries: 2)], cut: .before(4)).expectInvariants()
      #expect(run.outcome(1)?.outcome == .actionRequired && run.outcome(1)?.reason == .settingsUnknown(nil))
      #expect(run.flashes[Sample.address(1)]?.isSaved == false)
      let next = await succession.run([Self.room()])
      #expect(next.outcome(1)?.reason == .settingsUnknown(nil) && next.writes.isEmpty)
    }
  }

  @Test("a result or a state that is not well-formed is none")
  func malformed() async throws {
    let run = try await run([Self.device(1, [.malformedReports, .cannotJoin])])
    #expect(run.outcome(1)?.outcome == .failed && run.outcome(1)?.reason?.code == .wifiRefused)
    let joined = try await self.run([Self.device(1, [.malformedReports])])
    #expect(joined.outcome(1)?.outcome == .provisioned)
  }

  @Test("a configured device is never written, unless the operator permits it")
  func configured() async throws {
    let holds = ["wifi_ssid": "Elsewhere", "wifi_password": "something else"]
    for faults in [[], [FamilyFault.hidesState]] {
      let left = try await run([Self.device(1, faults, holds: holds)])
      #expect(left.outcome(1)?.outcome == .actionRequired)
      #expect(left.outcome(1)?.reason == .settingsUnknown(nil))
      #expect(left.writes.isEmpty && left.connected.isEmpty == faults.isEmpty)
    }
    // This firmware refuses: its WiFi settings must be reset first.
    let rooms = [Self.room()]
    let told = try await rehearse(
      [], rooms: rooms, scenario: { $0.sensors = [Self.device(holds: holds)] },
      request: { $0.known = Known(permissions: .init(overwrite: ["room-1"])) })
    #expect(told.outcome(1)?.outcome == .failed)
    #expect(told.outcome(1)?.reason == .refused(stage: .save, deviceText: "error 4: not authorized"))
    #expect(told.flashes == told.flashesBefore)
  }

  @Test("a device whose button was pressed since is written again")
  func reset() async throws {
    try await succession([Self.device(1, [.keepsService])]) { succession in
      #expect(await succession.run([Self.room()]).outcome(1)?.outcome == .provisioned)
      await succession.world.pressButton(Sample.address(1))
      try await succession.clock.sleep(for: .seconds(5))
      let again = await succession.run([Self.room()]).expectInvariants(handled: [Sample.address(1)])
      #expect(again.outcome(1)?.outcome == .provisioned)
      // Other settings need a person: the device is at work.
      let other = await succession.run([Self.room(password: "other than before")])
      #expect(other.outcome(1)?.reason?.code == .settingsChanged && other.writes.isEmpty)
    }
  }

  @Test("a room that does not name its device gets none")
  func unnamed() async throws {
    var room = Self.room()
    room.address = nil
    let run = try await run([Self.device()], rooms: [room], assignment: .any)
    #expect(run.outcome(1)?.outcome == .ambiguous && run.outcome(1)?.reason?.code == .addressNeeded)
    #expect(run.connected.isEmpty)
  }

  // MARK: The button

  @Test("a device that needs its button waits for a person, and is no failure")
  func button() async throws {
    let run = try await run([Self.device(1, [.needsButton])])
    #expect(run.outcome(1)?.outcome == .actionRequired)
    #expect(run.outcome(1)?.reason == .authorizationRequired)
    #expect(run.connected.isEmpty && run.writes.isEmpty)
  }

  @Test("a watching run waits for the button, and then writes the device")
  func pressed() async throws {
    let run = try await run(
      [Self.device(1, [.needsButton])], isWatching: true, handled: [Sample.address(1)],
      during: { backstage, event in
        guard case .operatorAwaited = event.fact else { return }
        backstage.after(.seconds(20)) { await backstage.world.pressButton(Sample.address(1)) }
      })
    #expect(run.outcome(1)?.outcome == .provisioned)
  }

  @Test("an attempt whose device shows only over the link that it needs its button waits there")
  func pressedOverLink() async throws {
    func run(presses: Bool) async throws -> Rehearsed {
      try await self.run(
        [Self.device(1, [.needsButton, .hidesState])], handled: presses ? [Sample.address(1)] : [],
        during: { backstage, event in
          guard presses, case .operatorAwaited = event.fact else { return }
          backstage.after(.seconds(10)) { await backstage.world.pressButton(Sample.address(1)) }
        })
    }
    #expect(try await run(presses: true).outcome(1)?.outcome == .provisioned)
    let alone = try await run(presses: false)
    #expect(
      alone.outcome(1)?.outcome == .actionRequired && alone.outcome(1)?.reason == .authorizationRequired)
    #expect(alone.flashes[Sample.address(1)]?.isSaved == false)
  }

  // MARK: WiFi check

  private func checks(_ run: Rehearsed) -> [WiFiChecked] {
    run.facts { if case .wifiChecked(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  @Test("the device's own list of networks is checked, in one result or in several, also beyond the MTU")
  func wifiCheck() async throws {
    var room = Self.room()
    room.checksWiFi = true
    let others = (1...6).map { WiFiNetwork(ssid: "Neighbour on floor \($0)", rssi: -78 - $0) }
    let own = WiFiNetwork(ssid: "Plant", rssi: -50)
    var radio = RadioParameters()
    radio.mtu = 100
    for faults in [[], [FamilyFault.scansOneByOne]] {
      let device = Self.device(1, faults)
      let found = try await run([device], rooms: [room], networks: [own] + others.prefix(5), radio: radio)
      #expect(checks(found).map(\.result) == [.received])
      #expect(checks(found).first?.networks.count == 6)
      #expect(found.outcome(1)?.outcome == .provisioned)
      let missing = try await run([device], rooms: [room], networks: Array(others.prefix(3)), radio: radio)
      #expect(checks(missing).map(\.result) == [.notReceived])
      #expect(missing.outcome(1)?.reason?.code == .networkNotReceived)
      #expect(missing.flashes == missing.flashesBefore)
    }
    // One result has no room for more than these: the network may be missing for that.
    let full = try await run([Self.device()], rooms: [room], networks: others + others)
    #expect(checks(full).map(\.result) == [.listFull])
    let old = try await run([Self.device(1, [.withoutOptions])], rooms: [room], networks: [own])
    #expect(checks(old).map(\.result) == [.unsupported] && old.outcome(1)?.outcome == .provisioned)
  }

  // MARK: Every moment

  @Test(
    "a link lost at any write is followed by the device's state on air, and the room is completed",
    arguments: (1...6).flatMap { [WriteMoment.before($0), .after($0)] })
  func cut(moment: WriteMoment) async throws {
    let rooms = [Self.room(retries: 1)]
    try await succession([Self.device()]) { succession in
      let run = await succession.run(rooms, cut: moment).expectInvariants()
      #expect(run.outcome(1)?.outcome.isSuccess == true)
      #expect(run.flashes[Sample.address(1)]?.values == Self.provisioned)
      try await succession.clock.sleep(for: .seconds(40))
      let next = await succession.run(rooms).expectInvariants()
      #expect(next.outcome(1)?.outcome == .alreadyProvisioned)
    }
  }

  @Test("a run that is stopped after any event leaves a true outcome", arguments: 1...40)
  func interrupted(after number: Int) async throws {
    let run = try await run(
      [Self.device()], during: { backstage, event in if event.sequence == number { backstage.interrupt() } })
    let submitted = run.events.contains { if case .saveSubmitted = $0.fact { true } else { false } }
    let outcome = try #require(run.outcome(1)?.outcome)
    #expect(outcome.isSuccess || outcome == (submitted ? .unconfirmed : .cancelled))
  }

  @Test(
    "a run that is killed at any event is continued, by what is on record of the command", arguments: 1...40,
    [0, 40])
  func killed(at number: Int, pause: Int) async throws {
    let rooms = [Self.room(retries: 1)]
    try await succession([Self.device(1, [.keepsService])]) { succession in
      _ = await succession.runUntilKilled(rooms, event: number)
      let facts = succession.record.flatMap(\.self).map(\.fact)
      let wasSubmitted = facts.contains { if case .saveSubmitted = $0 { true } else { false } }
      // The device confirmed the last piece.
      let wasAccepted = facts.contains { if case .settingWritten = $0 { true } else { false } }
      try await succession.clock.sleep(for: .seconds(pause))
      let next = await succession.run(rooms).expectInvariants()
      #expect(next.flashes[Sample.address(1)]?.values == Self.provisioned)
      let outcome = try #require(next.outcome(1)?.outcome)
      #expect(outcome.isSuccess || wasSubmitted && !wasAccepted && outcome == .actionRequired, "\(outcome)")
      let other = await succession.run([Self.room(password: "other than before")])
      #expect(other.outcome(1)?.outcome == .actionRequired && other.writes.isEmpty)
    }
  }
}
