import Bluetooth
import Testing
import VirtualBuilding
import VirtualTime

@Suite("The Robo Sensor's firmware")
struct RoboSensorFirmwareTests {
  @Test(
    "a Robo Sensor accepts values of valid length and refuses others",
    arguments: [
      (RoboSensorGATT.ssid, 0, false), (RoboSensorGATT.ssid, 1, true), (RoboSensorGATT.ssid, 32, true),
      (RoboSensorGATT.ssid, 33, false), (RoboSensorGATT.password, 0, true),
      (RoboSensorGATT.password, 7, false),
      (RoboSensorGATT.password, 8, true), (RoboSensorGATT.password, 64, true),
      (RoboSensorGATT.password, 65, false), (RoboSensorGATT.roomName, 0, false),
      (RoboSensorGATT.roomName, 64, true), (RoboSensorGATT.roomName, 65, false),
      (RoboSensorGATT.minor, 1, false), (RoboSensorGATT.minor, 2, true), (RoboSensorGATT.minor, 3, false),
    ])
  func lengths(_ characteristic: BluetoothUUID, _ count: Int, _ isTaken: Bool) {
    var sensor = FirmwareBench(RoboSensorFirmware())
    let effects = sensor.write(Array(repeating: 0x61, count: count), to: characteristic)
    #expect(effects == [isTaken ? .answer(1, []) : .refuse(1, 0x0D)])
  }

  @Test(
    "a Robo Sensor saves only a complete configuration",
    arguments: [[], [RoboSensorGATT.roomName], [RoboSensorGATT.minor]])
  func incomplete(_ written: [BluetoothUUID]) {
    var sensor = FirmwareBench(RoboSensorFirmware())
    for characteristic in written { _ = sensor.write([0x61, 0x62], to: characteristic) }
    let effects = sensor.write(Array("SAVE".utf8), to: RoboSensorGATT.command)
    #expect(effects == [.answer(1, []), .notify(RoboSensorGATT.status, Array("error:incomplete".utf8))])
    #expect(!sensor.firmware.flash.isSaved)
  }

  @Test("a Robo Sensor refuses any other command", arguments: ["", "save", "SAVE\n", "RESET"])
  func commands(_ command: String) {
    var sensor = FirmwareBench(RoboSensorFirmware())
    _ = sensor.write([0x61], to: RoboSensorGATT.roomName)
    _ = sensor.write([0, 1], to: RoboSensorGATT.minor)
    _ = sensor.write(Array(command.utf8), to: RoboSensorGATT.command)
    #expect(!sensor.firmware.flash.isSaved)
  }

  @Test("a restart discards written values that were not saved")
  func restart() {
    var sensor = FirmwareBench(RoboSensorFirmware())
    _ = sensor.write([0x61], to: RoboSensorGATT.roomName)
    _ = sensor.deliver(.started)
    _ = sensor.deliver(.connected(faults: []))
    _ = sensor.write([0, 1], to: RoboSensorGATT.minor)
    _ = sensor.write(Array("SAVE".utf8), to: RoboSensorGATT.command)
    #expect(!sensor.firmware.flash.isSaved)
  }

  @Test("a Robo Sensor advertises its name while it waits, and nothing while connected")
  func advertising() {
    var sensor = FirmwareBench(RoboSensorFirmware())
    #expect(sensor.firmware.advertising == nil)
    _ = sensor.deliver(.disconnected)
    #expect(sensor.firmware.advertising == AdvertisingPayload(isConnectable: true, localName: "Robo Sensor"))
  }

  @Test("a WiFi scan returns at most ten networks, strongest first, in parts marked MORE or END")
  func wifiScan() async throws {
    let networks = (0..<14).map { WiFiNetwork(ssid: "Café, floor \($0), a rather long name", rssi: -40 - $0) }
    let answer = try await Building.run(wifiNetworks: networks.shuffledByHand) { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(
        RoboSensorGATT.service, requiring: [RoboSensorGATT.wifiScan])
      let scan = try service.require(RoboSensorGATT.wifiScan)
      var pieces = try await peripheral.notifications(of: scan).makeAsyncIterator()
      try await peripheral.write(Array("SCAN".utf8), to: scan, .withResponse)
      var answer: [[UInt8]] = []
      while let piece = await pieces.next() {
        answer.append(piece.value)
        if piece.value.suffix(3) == Array("END".utf8)[...] { break }
      }
      #expect(building.clock.now.sinceZero < .seconds(8))
      return answer
    }
    #expect(answer.count > 1)
    #expect(answer.allSatisfy { $0.count <= 244 })
    #expect(answer.dropLast().allSatisfy { $0.suffix(5) == Array("\nMORE".utf8)[...] })
    let text = answer.dropLast().flatMap { $0.dropLast(5) } + (answer.last ?? []).dropLast(4)
    #expect(
      String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        == networks.prefix(10).map { "\($0.ssid),\($0.rssi)" })
  }

  @Test("a WiFi scan without networks returns only END")
  func noNetworks() async throws {
    let answer = try await Building.run { (building) async throws in
      let peripheral = try await building.connect()
      let service = try await peripheral.discover(
        RoboSensorGATT.service, requiring: [RoboSensorGATT.wifiScan])
      let scan = try service.require(RoboSensorGATT.wifiScan)
      var pieces = try await peripheral.notifications(of: scan).makeAsyncIterator()
      try await peripheral.write(Array("SCAN".utf8), to: scan, .withResponse)
      return await pieces.next()?.value
    }
    #expect(answer == Array("END".utf8))
  }
}

extension [WiFiNetwork] {
  /// In another order: the odd ones first, backwards.
  fileprivate var shuffledByHand: Self {
    let all = enumerated()
    return all.filter { $0.offset % 2 == 1 }.map(\.element).reversed()
      + all.filter { $0.offset % 2 == 0 }.map(\.element)
  }
}
