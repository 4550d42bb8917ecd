import Bluetooth
import Families
import Model
import Testing

@Suite("addresses on labels") struct LabelAddressTests {
  private static let rule = LabelAddressRule(company: 7, lengths: [1: 2, 10: 6, 11: 2], block: 10)
  private static let mac: BluetoothAddress? = BluetoothAddress("A8032ABE54DC")

  private func found(_ data: [UInt8], name: String? = nil, company: UInt16 = 7) -> BluetoothAddress? {
    var advertisement = Advertisement(
      address: BluetoothAddress(rawValue: 1), adapter: AdapterID(BluetoothAddress(rawValue: 2)),
      receivedAt: MonotonicInstant(sinceZero: .zero))
    advertisement.manufacturerData = [company: data]
    advertisement.localName = name
    return Self.rule.address(in: advertisement)
  }

  private static let block: [UInt8] = [10, 0xDC, 0x54, 0xBE, 0x2A, 0x03, 0xA8]

  @Test(
    "the block with the address is found among others, until one is unknown or cut",
    arguments: [
      (block, true), ([1, 5, 0] + block, true), ([11, 1, 16, 1, 5, 0] + block + [9], true),
      ([], false), ([2, 0] + block, false), ([1, 5] + block, false), (Array(block.dropLast()), false),
      ([10], false),
    ] as [([UInt8], Bool)])
  func blocks(data: [UInt8], isFound: Bool) {
    #expect(found(data) == (isFound ? Self.mac : nil))
    #expect(found(data, company: 8) == nil)
  }

  @Test("without the block the name says it")
  func name() {
    #expect(found([1, 5, 0], name: "ShellyPlus1-A8032ABE54DC") == Self.mac)
    #expect(found(Self.block, name: "ShellyPlus1-000000000001") == Self.mac)
    #expect(found([], name: "ShellyPlus1") == nil)
  }

  @Test(
    "a manifest writes it in each form",
    arguments: ["A8032ABE54DC", "a8:03:2a:be:54:dc", "shellyplus1-a8032abe54dc", "a-b-A8032ABE54DC"])
  func written(text: String) {
    #expect(LabelAddressRule.address(writtenIn: text) == Self.mac)
  }

  @Test("another text has none", arguments: ["", "-", "shelly", "shellyplus1-a8032abe54d", "A8032ABE54DC-1"])
  func none(text: String) {
    #expect(LabelAddressRule.address(writtenIn: text) == nil)
  }
}
