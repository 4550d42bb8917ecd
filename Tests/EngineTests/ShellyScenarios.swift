import Bluetooth
import Engine
import Families
import Foundation
import Model
import Reporting
import Session
import Testing
import VirtualBuilding

/// A Shelly joins the network of its room by requests over GATT, and says itself that it has an address there. Only what it
/// says after the command of the run is evidence.
@Suite("Shellys", .timeLimit(.minutes(60))) struct ShellyScenarios {
  private static let password = "the boss alone"
  private static let label = "shellyplus1-a8032a000001"
  private static let all: [SettingName: SettingValue] = [
    .staticAddress: .text("10.1.2.3/24"), .gateway: .text("10.1.2.1"), .nameServer: .text("10.1.2.2"),
    .timeZone: .text("Europe/Berlin"), .mqttServer: .text("mqtt.local:1883"), .cloud: .text("off"),
    .accessPoint: .text("off"), .bluetoothRPC: .text("off"), .adminPassword: .secret(Secret(password)),
  ]
  private static let protected: [SettingName: SettingValue] = [.adminPassword: .secret(Secret(password))]

  private static func room(
    _ number: Int = 1, _ more: [SettingName: SettingValue] = [:], device: String? = nil, checks: Bool = false,
    retries: Int = 0
  ) -> Room {
    let settings: [SettingName: SettingValue] = [
      .roomName: .text("Room \(number)"), .wifiSSID: .text("Plant"),
      .wifiPassword: .secret(Secret("my correct horse")),
    ].merging(more) { $1 }
    return Room(
      id: RoomID(rawValue: "room-\(number)"), name: "Room \(number)", family: .shelly,
      address: device == nil ? Sample.address(UInt64(number)) : nil, deviceName: device, checksWiFi: checks,
      settings: settings, timeouts: DeviceFamily.shelly.timeouts(for: settings), retries: retries)
  }

  private static func device(
    _ number: UInt64 = 1, _ faults: [ScheduledFault] = [], label: String? = nil,
    holds: [String: String] = [:]
  ) -> SensorScenario {
    var device = SensorScenario(
      address: Sample.address(number), family: .shelly, holds: holds, faults: faults)
    device.label["name"] = label
    return device
  }

  private func run(
    _ devices: [SensorScenario], rooms: [Room] = [room()], networks: [WiFiNetwork] = [],
    radio: RadioParameters = .init(), permissions: RecordPermissions = .init(),
    during: @escaping @Sendable (Backstage, RunEvent) async -> Void = { _, _ in }
  ) async throws -> Rehearsed {
    let run = try await rehearse(
      [], rooms: rooms,
      scenario: { scenario in
        (scenario.sensors, scenario.wifiNetworks, scenario.radio) = (devices, networks, radio)
      },
      request: { $0.known = Known(permissions: permissions) }, during: during
    ).expectInvariants()
    #expect(run.openLinks == 0)
    return run
  }

  private func runOne(
    _ faults: [FamilyFault] = [], rooms: [Room] = [room()], networks: [WiFiNetwork] = [],
    radio: RadioParameters = .init(), holds: [String: String] = [:]
  ) async throws -> Rehearsed {
    let device = Self.device(1, faults.map { ScheduledFault(.own($0)) }, holds: holds)
    return try await run([device], rooms: rooms, networks: networks, radio: radio)
  }

  private func flash(_ run: Rehearsed, _ number: UInt64 = 1) -> [String: String] {
    let values = run.flashes[Sample.address(number)]?.values ?? [:]
    return values.mapValues { String(decoding: $0, as: UTF8.self) }
  }

  private func statuses(_ run: Rehearsed) -> [String] {
    run.facts { if case .statusReceived(let fact) = $0 { fact.text } else { nil } }.map(\.1)
  }

  private func attempts(_ run: Rehearsed) -> [AttemptEnded] {
    run.facts { if case .attemptEnded(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  // MARK: Done

  @Test("a device gets its name and network, and its own report of an address there is the evidence")
  func done() async throws {
    let run = try await runOne()
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .provisioned && room.evidence?.grade == .deviceStatus)
    #expect(room.settings.map(\.state) == [.acknowledged, .acknowledged, .acknowledged])
    #expect(
      flash(run) == ["room_name": "Room 1", "wifi_ssid": "Plant", "wifi_password": "my correct horse"])
    #expect(statuses(run) == ["accepted", "got ip 192.168.33.7"])
    let details = run.facts { if case .deviceDescribed(let fact) = $0 { fact.details } else { nil } }.flatMap(
      \.1)
    #expect(
      details == [
        DeviceDetail(.firmware, "Plus1"), DeviceDetail(.firmwareVersion, "1.4.4"),
        DeviceDetail(.hardware, "SNSW-001X16EU"), DeviceDetail(.deviceName, "shellyplus1-a8032abe54dc"),
        DeviceDetail(.url, "http://192.168.33.7/"),
      ])
    #expect(RunReport(run.events)["room-1"]?.details == details)
  }

  @Test("a device takes every setting; it restarts for some, is asked again, and the password comes last")
  func everySetting() async throws {
    let run = try await runOne(rooms: [Self.room(1, Self.all)])
    let room = try #require(run.outcome(1))
    #expect(room.outcome == .provisioned && room.attempts == 1, "\(attempts(run))")
    #expect(room.settings.allSatisfy { $0.state == .acknowledged })
    #expect(attempts(run).map(\.notCounted) == [.deviceRestarts, nil])
    let held = flash(run)
    #expect(held["ip"] == "10.1.2.3/24" && held["gateway"] == "10.1.2.1" && held["name_server"] == "10.1.2.2")
    #expect(held["time_zone"] == "Europe/Berlin" && held["mqtt_server"] == "mqtt.local:1883")
    #expect(held["cloud"] == "off" && held["access_point"] == "off" && held["ble_rpc"] == "off")
    #expect(statuses(run).last == "got ip 10.1.2.3")
    let written = run.writes.map(\.characteristic)
    // The last one is the restart.
    #expect(
      written.suffix(3).dropLast() == [
        ShellyGATT.characteristic("ble_rpc"), ShellyGATT.characteristic("admin_password"),
      ])
  }

  @Test("firmware that does not say later whether it must restart has said so in its answers")
  func withoutStatus() async throws {
    let room = Self.room(1, [.mqttServer: .text("mqtt.local:1883")])
    let run = try await runOne([.withoutStatus], rooms: [room])
    #expect(
      run.outcome(1)?.outcome == .provisioned && attempts(run).map(\.notCounted) == [.deviceRestarts, nil])
  }

  @Test("a device that is done is done the next time, and gets new settings as it is, with its password")
  func again() async throws {
    try await succession([Self.device()]) { succession in
      let first = await succession.run([Self.room(1, Self.protected)]).expectInvariants()
      #expect(first.outcome(1)?.outcome == .provisioned)
      let second = await succession.run([Self.room(1, Self.protected)]).expectInvariants()
      #expect(second.outcome(1)?.outcome == .alreadyProvisioned && second.connected.isEmpty)
      var other = Self.room(1, Self.protected)
      other.settings[.cloud] = .text("off")
      let third = await succession.run([other]).expectInvariants()
      #expect(third.outcome(1)?.outcome == .provisioned, "\(third.outcome(1) as Any)")
      #expect(flash(third)["cloud"] == "off")
    }
  }

  @Test(
    "what firmware does in an unusual way is understood",
    arguments: [
      FamilyFault.garbageLength, .emptyReads, .unreadAnswer, .notifies, .shortNonce, .withoutMAC,
      .refusesSecondLink, .noScan, .withoutStatus,
    ])
  func ways(fault: FamilyFault) async throws {
    let room = Self.room(1, Self.protected, device: "A8032ABE54DC")
    let run = try await runOne([fault], rooms: [room])
    #expect(run.outcome(1)?.outcome == .provisioned, "\(run.outcome(1) as Any) \(statuses(run))")
  }

  // MARK: Which device

  @Test(
    "the address on the label names the device, not the one it sends from",
    arguments: ["A8032A000002", "a8:03:2a:00:00:02", "ShellyPlus1-A8032A000002", "shellyplus1-a8032a000002"])
  func named(name: String) async throws {
    let devices = (1...3).map { Self.device($0, label: "shellyplus1-a8032a00000\($0)") }
    let run = try await run(devices, rooms: [Self.room(1, device: name)])
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(run.outcome(1)?.address == Sample.address(2))
    #expect(flash(run, 1).isEmpty && flash(run, 3).isEmpty)
  }

  @Test("two devices with the same address on their label are written for no room")
  func twins() async throws {
    let devices = (1...2).map { Self.device($0, label: Self.label) }
    let run = try await run(devices, rooms: [Self.room(1, device: Self.label)])
    #expect(run.outcome(1)?.outcome == .ambiguous && run.writes.isEmpty)
  }

  @Test("a device that says another MAC over the link is not the room's, whatever the operator permits")
  func otherMAC() async throws {
    let device = Self.device(1, [ScheduledFault(.own(.otherMAC))], label: Self.label)
    for overwrite in [[], ["room-1"]] as [Set<RoomID>] {
      let run = try await run(
        [device], rooms: [Self.room(1, device: Self.label)],
        permissions: RecordPermissions(overwrite: overwrite))
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason == .otherDevice(held: "shellyplus1-a8032affffff"))
      #expect(run.writes.isEmpty)
    }
  }

  @Test("one of generation 1 is not written")
  func generation() async throws {
    let run = try await runOne([.generation1])
    #expect(
      run.outcome(1)?.reason == .otherDevice(held: "shellyplus1-a8032abe54dc of generation 1"))
    #expect(run.writes.isEmpty)
  }

  @Test("a device whose time for settings is over is told from a broken one by the advice")
  func windowOver() async throws {
    let run = try await runOne([.windowOver])
    #expect(run.outcome(1)?.reason?.code == .serviceMissing && run.writes.isEmpty)
  }

  // MARK: A network before

  @Test("a device that has joined another network is written only if the operator permits that")
  func foreign() async throws {
    let device = Self.device(
      1, [ScheduledFault(.own(.oldNetwork))],
      holds: ["wifi_ssid": "Neighbour", "wifi_password": "of the neighbour"])
    let refused = try await run([device])
    #expect(refused.outcome(1)?.outcome == .actionRequired)
    #expect(refused.outcome(1)?.reason == .foreignSettings(held: "wifi_ssid Neighbour", .reading))
    #expect(refused.writes.isEmpty)
    let written = try await run([device], permissions: RecordPermissions(overwrite: ["room-1"]))
    #expect(written.outcome(1)?.outcome == .provisioned && flash(written)["wifi_ssid"] == "Plant")
  }

  @Test("a device of another room in the same network is another's, by its name")
  func foreignName() async throws {
    let device = Self.device(holds: ["wifi_ssid": "Plant", "room_name": "Cellar"])
    let run = try await run([device])
    #expect(
      run.outcome(1)?.reason == .foreignSettings(held: "wifi_ssid Plant, room_name Cellar", .reading))
    #expect(run.writes.isEmpty)
  }

  @Test("a device that has joined the room's network before leaves it first: only its new join is evidence")
  func rejoins() async throws {
    let device = Self.device(holds: ["wifi_ssid": "Plant", "wifi_password": "an old password"])
    let run = try await run([device])
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(flash(run)["wifi_password"] == "my correct horse")
    let staying = Self.device(
      1, [ScheduledFault(.own(.staysJoined))], holds: ["wifi_ssid": "Plant"])
    let unproved = try await self.run([staying])
    #expect(unproved.outcome(1)?.outcome.isSuccess == false)
  }

  // MARK: Refused

  @Test("a device that gets no address is asked once more, and its network is taken away again")
  func neverJoins() async throws {
    for fault in [FamilyFault.neverJoins, .noAddress] {
      let run = try await runOne([fault], rooms: [Self.room(retries: 3)])
      let room = try #require(run.outcome(1))
      #expect(room.outcome == .failed && room.attempts == 2 && room.reason?.code == .wifiRefused)
      #expect(flash(run)["wifi_ssid"] == nil)
    }
  }

  @Test("a device with a password that the room lacks, or has otherwise, gets nothing")
  func otherPassword() async throws {
    for more in [[:], Self.protected] {
      let run = try await runOne([.otherPassword], rooms: [Self.room(1, more)])
      #expect(run.outcome(1)?.outcome == .actionRequired)
      #expect(run.outcome(1)?.reason?.code == .credentialsRefused && run.writes.isEmpty)
    }
  }

  @Test("a device whose link is lost after it took the password is proved with that password")
  func retryAfterPassword() async throws {
    // The third request of the first link.
    let device = Self.device(1, [ScheduledFault(.drops(in: .confirm(3)), attempts: 1)])
    let run = try await run([device], rooms: [Self.room(1, Self.protected, retries: 1)])
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry, "\(attempts(run))")
    #expect(attempts(run).first?.failure?.code == .linkLost)
  }

  @Test("a link that is lost at any request is made up for by the next attempt", arguments: 1...6)
  func lost(at number: Int) async throws {
    for stage in [Fault.DropStage.write(number), .confirm(number)] {
      let device = Self.device(1, [ScheduledFault(.drops(in: stage), attempts: 1)])
      var more = Self.all
      more[.bluetoothRPC] = nil
      let run = try await run([device], rooms: [Self.room(1, more, retries: 1)])
      #expect(run.outcome(1)?.outcome.isSuccess == true, "\(stage) \(attempts(run))")
    }
  }

  @Test(
    "a run that is interrupted at any event leaves nothing unsaid, and the next one completes it",
    arguments: 1...60)
  func killed(at number: Int) async throws {
    var more = Self.all
    more[.bluetoothRPC] = nil
    let rooms = [Self.room(1, more, retries: 2)]
    try await succession([Self.device()]) { succession in
      _ = await succession.runUntilKilled(rooms, event: number)
      let run = await succession.run(rooms).expectInvariants()
      #expect(run.outcome(1)?.outcome.isSuccess == true, "\(run.outcome(1) as Any) \(statuses(run))")
      #expect(flash(run)["mqtt_server"] == "mqtt.local:1883" && flash(run)["wifi_ssid"] == "Plant")
    }
  }

  @Test("a device that demands pairing is paired in the next attempt")
  func pairs() async throws {
    let run = try await run([Self.device(1, [ScheduledFault(.pairing(.demanded))])])
    #expect(run.outcome(1)?.outcome == .provisionedAfterRetry)
    #expect(attempts(run).map { $0.failure?.code } == [.pairingRequired, nil])
    #expect(run.remembered == [])
  }

  @Test("a building of 40 Shellys and 40 Robo Sensors is done in virtual time")
  func building() async throws {
    var rooms = (1...40).map { Sample.room($0, address: UInt64($0)) }
    var devices = (1...40).map { SensorScenario(address: Sample.address($0)) }
    for number in 41...80 {
      let label = "shellyplus1-a8032a0000\(number)"
      rooms.append(Self.room(number, Self.protected, device: label))
      devices.append(Self.device(UInt64(number), label: label))
    }
    let run = try await run(devices, rooms: rooms)
    #expect(run.result.rooms.allSatisfy { $0.outcome == .provisioned })
    // With two adapters.
    let perMinute = 80 * 60 / run.endedAt.sinceZero.inSeconds
    #expect(perMinute > 20, "\(perMinute)")
  }

  // MARK: The list of networks

  private func check(_ run: Rehearsed) -> WiFiChecked? {
    run.facts { if case .wifiChecked(let fact) = $0 { fact } else { nil } }.first?.1
  }

  @Test("a network that is not in its list is not sent; a hidden one has no name there")
  func networks() async throws {
    let networks = [WiFiNetwork(ssid: "", rssi: -40), WiFiNetwork(ssid: "Guests", rssi: -61)]
    let missing = try await runOne(rooms: [Self.room(checks: true)], networks: networks)
    #expect(missing.outcome(1)?.reason?.code == .networkNotReceived && missing.writes.isEmpty)
    #expect(check(missing)?.networks.map(\.ssid) == ["", "Guests"])
    let own = networks + [WiFiNetwork(ssid: "Plant", rssi: -70)]
    let found = try await runOne(rooms: [Self.room(checks: true)], networks: own)
    #expect(found.outcome(1)?.outcome == .provisioned && check(found)?.result == .received)
  }

  @Test("a list that BlueZ cuts at 512 bytes a read, or that does not come, decides nothing")
  func noList() async throws {
    var radio = RadioParameters()
    radio.mtu = 517
    let networks =
      (1...12).map { WiFiNetwork(ssid: "Guests \($0)", rssi: -61) } + [WiFiNetwork(ssid: "Plant", rssi: -70)]
    for fault in [FamilyFault.longReads, .noScan] {
      let run = try await runOne([fault], rooms: [Self.room(checks: true)], networks: networks, radio: radio)
      #expect(run.outcome(1)?.outcome == .provisioned, "\(attempts(run))")
      #expect(check(run)?.result == .noAnswer)
    }
  }
}
