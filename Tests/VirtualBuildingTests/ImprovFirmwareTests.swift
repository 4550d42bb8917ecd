import Bluetooth
import Hex
import Synchronization
import Testing
import VirtualBuilding

@Suite("The Improv firmware") struct ImprovFirmwareTests {
  /// A connected device, and everything that it notified.
  private struct Conversation: Sendable {
    let building: Building
    let peripheral: any Peripheral
    let service: RemoteService

    /// Writes a command in pieces and returns the last values of state, error and result a little later.
    func send(
      _ bytes: [UInt8], piece: Int = 512, wait: Duration = .milliseconds(500)
    ) async throws -> (state: UInt8?, error: UInt8?, result: [UInt8]) {
      let command = try service.require(ImprovGATT.command)
      for start in stride(from: 0, to: bytes.count, by: piece) {
        try await peripheral.write(
          Array(bytes[start..<min(start + piece, bytes.count)]), to: command, .withResponse)
      }
      try await building.clock.sleep(for: wait)
      return (
        try await peripheral.read(service.require(ImprovGATT.state)).first,
        try await peripheral.read(service.require(ImprovGATT.error)).first,
        try await peripheral.read(service.require(ImprovGATT.result))
      )
    }
  }

  private static func run<Value: Sendable>(
    _ faults: [FamilyFault] = [], networks: [WiFiNetwork] = [],
    _ body: @escaping @Sendable (Conversation) async throws -> Value
  ) async throws -> Value {
    try await Building.run(
      [faults.map { .init(.own($0)) }], wifiNetworks: networks, change: { $0.sensors[0].family = .improvWiFi }
    ) { building in
      try await body(try await converse(building))
    }
  }

  private static func converse(_ building: Building) async throws -> Conversation {
    let peripheral = try await building.connect()
    let service = try await peripheral.discover(ImprovGATT.service, requiring: [ImprovGATT.command])
    return Conversation(building: building, peripheral: peripheral, service: service)
  }

  /// `Plant` without a password.
  private static let join: [UInt8] = [1, 7, 5, 0x50, 0x6C, 0x61, 0x6E, 0x74, 0, 0x0C]

  @Test("it advertises its service, its state and its capabilities, and needs its button if it has one")
  func advertising() async throws {
    for (faults, data) in [([], [2, 15, 0, 0, 0, 0]), ([FamilyFault.needsButton], [1, 15, 0, 0, 0, 0])]
      as [(
        [FamilyFault], [UInt8]
      )]
    {
      try await Building.run(
        [faults.map { .init(.own($0)) }], change: { $0.sensors[0].family = .improvWiFi }
      ) { building in
        let first = try #require(try await building.receive())
        #expect(first.serviceUUIDs == [ImprovGATT.service] && first.serviceData == [ImprovGATT.data: data])
      }
    }
  }

  @Test("a command counts whole, in pieces and in single bytes", arguments: [512, 20, 7, 1])
  func pieces(of length: Int) async throws {
    try await Self.run { talk in
      let joining = try await talk.send(Self.join, piece: length)
      #expect(joining.state == 3 && joining.error == 0)
      try await talk.building.clock.sleep(for: .seconds(8))
      let flash = try #require(await talk.building.world.flash(of: Building.sensor(1)))
      #expect(flash.isSaved && flash.text("wifi_ssid") == "Plant" && flash.values["wifi_password"] == [])
    }
  }

  @Test("it drops everything without a sign when there are too many bytes, and keeps a part beyond the link")
  func dropped() async throws {
    try await Self.run { talk in
      #expect(try await talk.send(Self.join + [0]).state == 2)
      #expect(try await talk.send(Array(Self.join.prefix(6))).state == 2)
      await talk.peripheral.disconnect()
      let again = try await Self.converse(talk.building)
      let swallowed = try await again.send(Self.join)
      #expect(swallowed.state == 2 && swallowed.error == 0)
      #expect(try await again.send(Self.join).state == 3)
    }
  }

  @Test("errors have the numbers of the specification")
  func numbers() async throws {
    try await Self.run { talk in
      #expect(try await talk.send(Self.join.dropLast() + [0]).error == 1)
      #expect(try await talk.send([9, 0, 9]).error == 2)
      #expect(try await talk.send([5, 3, 0x61, 0x20, 0x62, 0xEB]).error == 5, "a hostname with a space")
      #expect(try await talk.send(Self.join).error == 0)
      let second = try await talk.send(Self.join)
      #expect(second.error == 4 && second.state == 3, "it joins already")
    }
  }

  @Test("it says what it is, and lists networks in one result or in several")
  func questions() async throws {
    let networks = [WiFiNetwork(ssid: "A", rssi: -50), WiFiNetwork(ssid: "B", rssi: -60)]
    try await Self.run(networks: networks) { talk in
      let info = try await talk.send([3, 0, 3]).result
      #expect(info.first == 3 && info.contains(Array("ESP32-C3".utf8)))
      let list = try await talk.send([4, 0, 4], wait: .seconds(4)).result
      #expect(list.first == 4 && list.contains(Array("A\u{3}-50\u{4}WPA2\u{1}B\u{3}-60".utf8)))
    }
    try await Self.run([.scansOneByOne], networks: networks) { talk in
      let last = try await talk.send([4, 0, 4], wait: .seconds(4)).result
      #expect(last == [4, 0, 4], "the last one is empty")
    }
  }

  @Test("a network out of range takes 30 s: then error 3, and it accepts commands again")
  func outOfRange() async throws {
    try await Self.run(networks: [WiFiNetwork(ssid: "Other", rssi: -50)]) { talk in
      #expect(try await talk.send(Self.join, wait: .seconds(28)).state == 3)
      try await talk.building.clock.sleep(for: .seconds(3))
      let state = try await talk.peripheral.read(talk.service.require(ImprovGATT.state))
      let error = try await talk.peripheral.read(talk.service.require(ImprovGATT.error))
      #expect(state == [2] && error == [3])
    }
  }

  @Test("after a success its service ends, and it is no longer on air")
  func farewell() async throws {
    try await Self.run { talk in
      let joined = try await talk.send(Self.join, wait: .seconds(8))
      #expect(joined.state == 4 && joined.result.starts(with: [1]))
      try await talk.building.clock.sleep(for: .seconds(11))
      let state = try talk.service.require(ImprovGATT.state)
      await #expect(throws: CentralError.self) { _ = try await talk.peripheral.read(state) }
      await talk.peripheral.disconnect()
      #expect(await talk.building.world.onAir(Building.sensor(1)) == nil)
    }
  }

  // MARK: What the engine never sends

  /// A device without a radio, and what it reports after a command.
  private struct Alone {
    var bench: FirmwareBench<ImprovFirmware>

    init(_ faults: [FamilyFault] = []) {
      let all = faults.map { Fault.own($0) }
      bench = FirmwareBench(ImprovFirmware(conditions: FirmwareConditions(faults: all)), faults: all)
    }

    mutating func send(_ bytes: [UInt8]) -> [String] {
      Self.words(bench.write(bytes, to: ImprovGATT.command))
    }

    mutating func wait(_ duration: Duration) -> [String] { Self.words(bench.wait(duration)) }

    /// The notifications, each with the number of its characteristic and its value: `2: 04` is error 4.
    private static func words(_ effects: [FirmwareEffect]) -> [String] {
      effects.compactMap { effect in
        guard case .notify(let characteristic, let value) = effect, let number = characteristic.bytes.last
        else {
          return nil
        }
        return "\(number): \(value.hex())"
      }
    }
  }

  /// Command, length, data, checksum.
  private static func frame(_ command: UInt8, _ data: [UInt8]) -> [UInt8] {
    let start = [command, UInt8(data.count)] + data
    return start + [start.reduce(0, &+)]
  }

  /// A command that the specification permits or that any client can send, and what the device reports.
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var command: [UInt8]
    var reports: [String]

    /// - Parameter data: what is between length and checksum.
    init(_ what: String, _ command: UInt8, _ data: [UInt8], _ reports: [String]) {
      testDescription = "\(command), \(data.hex()): \(what)"
      self.command = ImprovFirmwareTests.frame(command, data)
      self.reports = reports
    }
  }

  private static let name = Array("improv".utf8)
  private static let lamp: [UInt8] = [4, 0x6C, 0x61, 0x6D, 0x70]

  static let rows = [
    Row("no strings", 1, [], ["2: 02"]),
    Row("one string", 1, [1, 0x41], ["2: 02"]),
    Row("a name that is longer than the frame", 1, [3, 0x41, 0], ["2: 02"]),
    Row("a password that is longer than the frame", 1, [1, 0x41, 2, 0x42], ["2: 02"]),
    Row("a frame that is longer than its strings", 1, [1, 0x41, 1, 0x42, 0, 9], ["1: 03"]),
    Row("the longest password", 1, [1, 0x41, 252] + [UInt8](repeating: 0x42, count: 252), ["1: 03"]),
    Row("data that it does not need", 2, [1, 2, 3], []),
    Row("a hostname's question", 5, [], ["4: " + frame(5, [6] + name).hex()]),
    Row("a hostname", 5, Array(lamp.dropFirst()), ["4: " + frame(5, lamp).hex()]),
    Row("a hostname after its length", 5, lamp, ["4: " + frame(5, lamp).hex()]),
    Row("a hostname with a space", 5, [0x61, 0x20, 0x62], ["2: 05"]),
    Row("a hostname that is no text", 5, [0xFF, 0xFE], ["2: 05"]),
    Row(
      "a name with a space", 6, [0x61, 0x20, 0x62],
      ["4: " + frame(6, [3, 0x61, 0x20, 0x62]).hex()]),
    Row("the state of the network, which is for the serial line", 7, [], ["2: 02"]),
    Row("no command", 0, [], ["2: 02"]),
    Row("no command", 255, [1], ["2: 02"]),
  ]

  @Test("a command of any kind is answered as the specification says", arguments: rows)
  func command(row: Row) {
    var whole = Alone()
    #expect(whole.send(row.command) == row.reports)
    var pieces = Alone()
    let reports = row.command.flatMap { pieces.send([$0]) }
    #expect(reports == row.reports, "in single bytes")
  }

  @Test("each command takes the error of the last one away, and an error that repeats is reported again")
  func errors() {
    var device = Alone()
    let broken: [UInt8] = Self.join.dropLast() + [0]
    #expect(device.send(broken) == ["2: 01"])
    #expect(device.send(broken) == ["2: 00", "2: 01"])
    #expect(device.send([2, 0, 2]) == ["2: 00"])
    #expect(device.bench.firmware.blinks == 1)
  }

  @Test("a device that joins, has joined or needs its button refuses a network, and blinks")
  func refusesNetwork() {
    var locked = Alone([.needsButton])
    #expect(locked.send(Self.join) == ["2: 04"])
    #expect(locked.send([2, 0, 2]) == ["2: 00"])
    #expect(locked.bench.firmware.blinks == 1)
    var device = Alone()
    #expect(device.send(Self.join) == ["1: 03"])
    #expect(device.send(Self.join) == ["2: 04"])
    let joined = device.wait(.seconds(8))
    #expect(joined.count == 2 && joined.first?.hasPrefix("4: 01") == true && joined.last == "1: 04")
    #expect(device.send(Self.join) == ["2: 00", "2: 04"])
  }

  @Test("several commands in one write are too many bytes, and no command is carried out")
  func several() {
    var device = Alone()
    for pieces in [[[2, 0, 2, 2, 0, 2]], [[2], [0, 2, 2]]] as [[[UInt8]]] {
      for piece in pieces { #expect(device.send(piece) == []) }
      #expect(device.bench.firmware.blinks == 0)
    }
    #expect(device.send([2, 0, 2]) == [])
    #expect(device.bench.firmware.blinks == 1)
  }

  @Test("the permission of the button lasts a minute, and anew after a join that failed")
  func permission() {
    var device = Alone([.needsButton, .cannotJoin])
    _ = device.bench.deliver(.button)
    #expect(device.wait(.seconds(59)) == [])
    #expect(device.wait(.seconds(2)) == ["1: 01"])
    _ = device.bench.deliver(.button)
    _ = device.wait(.seconds(20))
    #expect(device.send(Self.join) == ["1: 03"])
    #expect(device.wait(.seconds(31)) == ["2: 03", "1: 02"])
    #expect(device.wait(.seconds(55)) == [], "the first permission is over")
    #expect(device.wait(.seconds(5)) == ["1: 01"])
  }

  @Test("while it joins it reports values that are none, if a test wants that")
  func malformed() {
    var device = Alone([.malformedReports])
    #expect(
      device.send(Self.join) == [
        "1: 03", "4: 0102097884", "4: 01000100", "4: 01",
        "4: " + Self.frame(3, [18] + Array("of another command".utf8)).hex(), "1: 04000000", "1: ",
        "2: 0300",
      ])
  }
}
