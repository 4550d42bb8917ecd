import Bluetooth
import Engine
import Families
import Model
import Testing

@testable import Application

@Suite("The last digits of a label")
struct LabelDigitsTests {
  @Test(
    "4 to 11 hex digits are the end of a label",
    arguments: [
      ("A1F3", "A1F3"), ("a1:f3", "A1F3"), ("00-a1-f3", "00A1F3"), ("7C8D0000A1F", "7C8D0000A1F"),
      ("1F3", nil), ("C47C8D0000A1", nil), ("A1G3", nil), ("", nil), ("A1F3 x", nil), ("Ａ１Ｆ３", nil),
      ("::::", nil),
    ] as [(String, String?)])
  func reading(text: String, digits: String?) {
    #expect(LabelDigits(text)?.text == digits)
  }

  private static let adapter = AdapterID(BluetoothAddress(rawValue: 0x001A_7DDA_7101))

  private static func address(_ number: UInt64) -> BluetoothAddress {
    BluetoothAddress(rawValue: 0xC47C_8D00_0000 + number)
  }

  private static func air(_ received: [(number: UInt64, at: Double)], rssi: Int = -60) -> AirLedger {
    var air = AirLedger(families: .builtIn)
    for (number, at) in received {
      _ = air.receive(
        Advertisement(
          address: address(number), adapter: adapter,
          receivedAt: MonotonicInstant(sinceZero: .seconds(at)), rssi: rssi - Int(number & 0xF),
          localName: "Robo Sensor"))
    }
    return air
  }

  private static func room(_ family: DeviceFamily) -> Room {
    Room(id: "a", name: "A", family: family, settings: [:], timeouts: StageTimeouts(), retries: 0)
  }

  /// At 60 s devices …A1F3, …A1F4 and …B1F3 are received.
  @Test(
    "the devices that are received now, are free and match are offered, the strongest first",
    arguments: [
      // Digits, the session's offset, the devices of rooms, and what is offered.
      ("A1F3", 0, [], [0xA1F3]), ("1F3", 0, [], []), ("8D00A1F3", 0, [], [0xA1F3]), ("A1F5", 0, [], []),
      ("01F3", 0, [], [0x01F3, 0x1_01F3]), ("0001F3", 0, [], [0x01F3]), ("01F3", 0, [0x01F3], [0x1_01F3]),
      ("A1F3", 1, [], [0xA1F4]), ("A1F2", 1, [], [0xA1F3]), ("A1F2", 2, [], [0xA1F4]),
      // Received 31 s ago, and 30 s ago.
      ("D0D0", 0, [], []), ("F0F0", 0, [], [0xF0F0]),
    ] as [(String, Int, [UInt64], [UInt64])])
  func offers(text: String, offset: Int, taken: [UInt64], offered: [UInt64]) throws {
    guard let digits = LabelDigits(text) else { return #expect(text.count < 4) }
    let air = Self.air([
      (0xA1F3, 60), (0xA1F4, 60), (0xB1F3, 60), (0x01F3, 60), (0x1_01F3, 59), (0xD0D0, 29), (0xF0F0, 30),
    ])
    let offers = digits.offers(
      among: [air], for: Self.room(.roboSensor), except: Set(taken.map(Self.address)), plus: offset,
      now: MonotonicInstant(sinceZero: .seconds(60)))
    #expect(offers.map(\.device) == offered.map(Self.address))
    for offer in offers {
      #expect(offer.label.device.address?.advanced(by: offset) == offer.device, "the label gives the device")
    }
  }

  @Test("a device counts as the newest scan received it, and one of another family is none")
  func scans() throws {
    let digits = try #require(LabelDigits("A1F3"))
    let now = MonotonicInstant(sinceZero: .seconds(60))
    func offers(_ air: [AirLedger], _ family: DeviceFamily = .roboSensor) -> [Int?] {
      digits.offers(among: air, for: Self.room(family), except: [], plus: 0, now: now).map(\.rssi)
    }
    #expect(offers([Self.air([]), Self.air([(0xA1F3, 50)])]) == [-63], "the scan before")
    #expect(offers([Self.air([(0xA1F3, 59)], rssi: -40), Self.air([(0xA1F3, 50)])]) == [-43])
    #expect(offers([Self.air([(0xA1F3, 60)])], .improvWiFi) == [])
    #expect(offers([]) == [])
  }

  @Test("a device that says the address of its label is found by that, and named by it as its label is")
  func ownLabel() throws {
    var air = AirLedger(families: .builtIn)
    // Shelly: flags, then the address of the label, its least significant byte first.
    _ = air.receive(
      Advertisement(
        address: Self.address(1), adapter: Self.adapter, receivedAt: MonotonicInstant(sinceZero: .zero),
        rssi: -50, localName: "ShellyPlus1-A8032ABE54DC",
        manufacturerData: [0x0BA9: [0x01, 0, 0, 0x0A, 0xDC, 0x54, 0xBE, 0x2A, 0x03, 0xA8]]))
    func offers(_ text: String) throws -> [Walk.Offer] {
      try #require(LabelDigits(text)).offers(
        among: [air], for: Self.room(.shelly), except: [], plus: 0, now: MonotonicInstant(sinceZero: .zero))
    }
    #expect(try offers("54DC").map(\.label.device) == [.name("A8032ABE54DC")])
    #expect(try offers("54DC").map(\.device) == [Self.address(1)])
    #expect(try offers("0001") == [], "the address from which it sends")
    let label = try LabelText.label(in: "A8:03:2A:BE:54:DC", of: DeviceFamily.shelly.id)
    #expect(try offers("54DC").first?.label == label, "as the whole label is read")
  }
}
