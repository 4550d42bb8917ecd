import Bluetooth
import Testing

@Suite("iBeacons") struct IBeaconTests {
  /// docs/internals/protocols.md, "iBeacon advertisement", with major and minor whose bytes differ: a swapped order
  /// cannot pass.
  static let beacon = IBeacon(
    uuid: "12345678-9ABC-DEF0-1234-56789ABCDEF0", major: 0x0102, minor: 0xA1B2, measuredPower: -59)
  static let bytes: [UInt8] = [
    0x02, 0x15, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE,
    0xF0, 0x01, 0x02, 0xA1, 0xB2, 0xC5,
  ]

  @Test("an iBeacon is read from the bytes of its advertisement and written as the same bytes")
  func roundTrip() {
    #expect(IBeacon(manufacturerData: Self.bytes) == Self.beacon)
    #expect(Self.beacon.manufacturerData == Self.bytes)
  }

  @Test("truncated data is not an iBeacon", arguments: [0, 1, 2, 22])
  func truncated(length: Int) {
    #expect(IBeacon(manufacturerData: Array(Self.bytes.prefix(length))) == nil)
  }

  @Test("data of Apple with another length, type or length field is not an iBeacon")
  func otherAppleData() {
    #expect(IBeacon(manufacturerData: Self.bytes + [0]) == nil)
    #expect(IBeacon(manufacturerData: [0x10] + Self.bytes.dropFirst()) == nil)
    #expect(IBeacon(manufacturerData: [0x02, 0x14] + Self.bytes.dropFirst(2)) == nil)
  }

  @Test("an advertisement has an iBeacon only under Apple's company identifier")
  func appleIdentifierOnly() throws {
    let address = try #require(BluetoothAddress("C4:7C:8D:00:00:01"))
    var advertisement = Advertisement(
      address: address, adapter: AdapterID(address), receivedAt: .init(sinceZero: .zero),
      manufacturerData: [0x004C: Self.bytes])
    #expect(advertisement.iBeacon == Self.beacon)
    advertisement.manufacturerData = [0x0059: Self.bytes]
    #expect(advertisement.iBeacon == nil)
  }
}
