import Bluetooth
import Families
import Manifest
import Model
import SampleFacts
import Testing

@testable import Application

@Suite("the settings of one device are those of a room")
struct OneDeviceTests {
  private static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)

  private static func room(_ pairs: [String], _ family: DeviceFamily) throws -> Room {
    let device = try OneDevice(pairs, for: family, at: address)
    let reading = device.reading
    let building = try #require(reading.building, "\(reading.rendered)")
    #expect(building.id == "device-c47c8d000001")
    return try #require(building.rooms.first)
  }

  @Test("a device gets the settings of each family by name")
  func families() throws {
    let sensor = try Self.room(
      ["room_name=Lab: \"2\"", "minor=77", "wifi_ssid=Guests, 2", "wifi_password=none", "beacon_major=7"],
      .roboSensor)
    #expect(sensor.address == Self.address && sensor.family.id == "robo-sensor")
    #expect(
      sensor.settings == [
        .roomName: .text("Lab: \"2\""), .minor: .integer(77), .wifiSSID: .text("Guests, 2"),
        .wifiPassword: .secret(Secret("")), .beaconMajor: .integer(7),
      ])
    let beacon = try Self.room(
      ["uuid=8D9E2A60-51C4-4B0B-9C6B-3F1E7A2D5C18", "major=1", "minor=2", "power=low", "interval=1s"],
      .iotDesignShop)
    #expect(beacon.settings[.power] == .text("low") && beacon.settings[.interval] == .duration(.seconds(1)))
    let firefly = try Self.room(["control=1", "value=2", "range=3"], .firefly)
    #expect(firefly.settings == [.control: .integer(1), .value: .integer(2), .range: .integer(3)])
  }

  @Test("an entry of a mapping is given by its own name; the mapping by itself is refused")
  func entries() throws {
    let usual = ["wifi_ssid=Lab", "wifi_password=none", "pop=none"]
    let device = try Self.room(
      usual + ["endpoints.custom-data=env:PLAN", "endpoints.cert=file:cert.txt"], .espIDF)
    guard case .secret(let plan)? = device.access["endpoints.custom-data"],
      case .secret(let certificate)? = device.access["endpoints.cert"]
    else { throw SettingViolation.wrongType }
    #expect(plan.reference?.source == .environment("PLAN"))
    #expect(certificate.reference?.source == .file("cert.txt"))
    for wrong in ["endpoints=env:PLAN", "endpoints.custom-data=the plan"] {
      #expect(throws: CommandFailure.self) { try Self.room(usual + [wrong], .espIDF) }
    }
  }

  @Test("a value that the device cannot get is refused as in a manifest, with its place in what was given")
  func refused() throws {
    let device = try OneDevice(
      ["room_name=Lab", "minor=70000", "wifi_ssid=Lab", "wifi_password=env:hunter 22"], for: .roboSensor,
      at: Self.address)
    #expect(
      device.reading.rendered == """
        --set:2:7: error: `minor` is 70000, outside of 0…65535 [out-of-range]
            2 | minor=70000
              |       ^~~~~
        --set:4:15: error: `env` takes the name of an environment variable: capital letters, digits and underscores [bad-secret-source]
            4 | wifi_password=***
              |               ^~~
              = for example: password: { env: WIFI_PASSWORD }

        """)
  }

  @Test("a password is given by its source; a literal password is refused and not shown")
  func passwords() throws {
    func reference(_ text: String) throws -> SecretSource? {
      let room = try Self.room(
        ["room_name=Lab", "minor=7", "wifi_ssid=Lab", "wifi_password=\(text)"], .roboSensor)
      guard case .secret(let secret)? = room.settings[.wifiPassword] else { return nil }
      return secret.reference?.source
    }
    #expect(try reference("env:WIFI_LAB") == .environment("WIFI_LAB"))
    #expect(try reference("file:secrets/lab wifi.txt") == .file("secrets/lab wifi.txt"))
    #expect(try reference("prompt") == .prompt)
    for literal in ["hunter22", "env:", "file:", "ENV:X", "command:pass"] {
      let failure = #expect(throws: CommandFailure.self) { try reference(literal) }
      // The advice contains neither the literal nor an example of one.
      let shown = failure?.message ?? ""
      #expect(!shown.contains(literal) && failure?.advice?.contains("hunter22") == false, "\(literal)")
    }
  }
}
