import Bluetooth
import Foundation
import Testing

@Suite("Bluetooth addresses") struct BluetoothAddressTests {
  @Test(
    "an address in any usual form is written with colons in upper case",
    arguments: [
      ("C4:7C:8D:00:00:01", "C4:7C:8D:00:00:01"),
      ("c4:7c:8d:0a:0b:0c", "C4:7C:8D:0A:0B:0C"),
      ("C4-7C-8D-00-00-01", "C4:7C:8D:00:00:01"),
      ("C4_7C_8D_00_00_01", "C4:7C:8D:00:00:01"), ("C4.7C.8D.00.00.01", "C4:7C:8D:00:00:01"),
      ("c4 7c 8d 00 00 01", "C4:7C:8D:00:00:01"), ("C47C8D000001", "C4:7C:8D:00:00:01"),
      ("C47C.8D00.0001", "C4:7C:8D:00:00:01"), ("c47c-8d00-0001", "C4:7C:8D:00:00:01"),
      ("001122334455", "00:11:22:33:44:55"), ("12E456789012", "12:E4:56:78:90:12"),
      ("00:00:00:00:00:00", "00:00:00:00:00:00"),
      ("FF:FF:FF:FF:FF:FF", "FF:FF:FF:FF:FF:FF"),
    ])
  func writtenForms(text: String, written: String) throws {
    #expect(try #require(BluetoothAddress(text)).description == written)
  }

  @Test(
    "a text in any other form is not an address",
    arguments: [
      "", "C4:7C:8D:00:00", "C4:7C:8D:00:00:01:02", "C4:7C:8D:00:00:0G", "C47C8D00001", "C47C8D0000011",
      "C4:7C-8D:00:00:01",
      "C47C.8D00-0001", "C47C8D.000001", "C47C8DG00001",
      " C4:7C:8D:00:00:01", "C4:7C:8D:00:00:01\n", "C4;7C;8D;00;00;01", "Ｃ4:7C:8D:00:00:01",
      "C4:7C:8D:00:00:é",
    ])
  func invalid(text: String) {
    #expect(BluetoothAddress(text) == nil)
  }

  @Test(
    "an EUI-64 has an address only if FF:FE is in its middle",
    arguments: [
      ("C4:7C:8D:FF:FE:00:00:01", "C4:7C:8D:00:00:01"), ("c47c8dfffe000001", "C4:7C:8D:00:00:01"),
      ("C47C.8DFF.FE00.0001", "C4:7C:8D:00:00:01"), ("C4-7C-8D-FF-FE-00-00-01", "C4:7C:8D:00:00:01"),
      ("C4:7C:8D:FE:FF:00:00:01", nil), ("C4:7C:8D:FF:FF:00:00:01", nil), ("FF:FE:8D:00:00:00:00:01", nil),
      ("C4:7C:8D:FF:FE:00:00", nil), ("C47C8DFFFE0000012", nil), ("C4:7C-8D:FF:FE:00:00:01", nil),
      ("C4:7C:8D:FF:FE:00:00:0G", nil), ("C47C8D:FFFE0:00001", nil), ("C4:7C:8D:00:00:01", nil), ("", nil),
    ] as [(String, String?)])
  func eui64(text: String, address: String?) {
    #expect(BluetoothAddress(inEUI64: text)?.description == address)
    #expect(BluetoothAddress(text) == nil || address == nil)
  }

  @Test("addresses are ordered by their bytes and encoded as their text, and an invalid text is not decoded")
  func orderAndEncoding() throws {
    let low = try #require(BluetoothAddress("00:00:00:00:01:FF"))
    let high = try #require(BluetoothAddress("00:00:00:00:02:00"))
    #expect(low < high)
    #expect(low.bytes == [0, 0, 0, 0, 1, 0xFF])
    let data = try JSONEncoder().encode([low])
    #expect(String(decoding: data, as: UTF8.self) == #"["00:00:00:00:01:FF"]"#)
    #expect(try JSONDecoder().decode([BluetoothAddress].self, from: data) == [low])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([BluetoothAddress].self, from: Data(#"["nobody"]"#.utf8))
    }
  }
}

@Suite("Bluetooth UUIDs") struct BluetoothUUIDTests {
  @Test(
    "a UUID in its long form, or as 4 or 8 digits, is written in its long form in upper case",
    arguments: [
      ("12345678-9abc-def0-1234-56789abcdef0", "12345678-9ABC-DEF0-1234-56789ABCDEF0"),
      ("180F", "0000180F-0000-1000-8000-00805F9B34FB"),
      ("0000180f", "0000180F-0000-1000-8000-00805F9B34FB"),
      ("DEADBEEF", "DEADBEEF-0000-1000-8000-00805F9B34FB"),
    ])
  func forms(text: String, written: String) throws {
    #expect(try #require(BluetoothUUID(text)).description == written)
  }

  @Test("a 16-bit UUID is written in its long form")
  func shortNumber() {
    #expect(BluetoothUUID(short: 0x2902).description == "00002902-0000-1000-8000-00805F9B34FB")
  }

  @Test(
    "a text in any other form is not a UUID",
    arguments: [
      "", "180", "180G", "12345678-9abc-def0-1234-56789abcdef", "123456789abc-def0-1234-56789abcdef0-",
      "12345678_9abc_def0_1234_56789abcdef0", "{12345678-9abc-def0-1234-56789abcdef0}",
    ])
  func invalid(text: String) {
    #expect(BluetoothUUID(text) == nil)
  }
}
