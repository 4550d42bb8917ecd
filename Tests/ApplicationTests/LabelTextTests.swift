import Bluetooth
import Model
import Testing

@testable import Application

@Suite("The address on a label")
struct LabelTextTests {
  static let address = BluetoothAddress(rawValue: 0xC47C_8D00_0001)

  @Test(
    "the address is found in every form that a scanner reads",
    arguments: [
      "C4:7C:8D:00:00:01", "c4:7c:8d:00:00:01", "C4-7C-8D-00-00-01", "C4.7C.8D.00.00.01", "C4_7C_8D_00_00_01",
      "C4 7C 8D 00 00 01", "C47C8D000001", "c47c8d000001", "0xC47C8D000001", "C47C.8D00.0001",
      "C47C-8D00-0001",
      "  C47C8D000001\t", "https://example.com/s?mac=C47C8D000001", "https://example.com/c47c8d000001/setup",
      "https://example.com/?mac=C4%3A7C%3A8D%3a00%3A00%3A01&v=2", "MAC:C47C8D000001;SN:202611220001",
      "SN:202611220001;MAC:C47C8D000001", "S/N 202611220001, MAC C4:7C:8D:00:00:01",
      "MAC: C4:7C:8D:00:00:01.",
      "(21)12345678(00)C47C8D000001", "P/N: 123456 MAC: C47C8D000001", "P:123456789012 MAC:C47C8D000001",
      "C47C8D000001 C4:7C:8D:00:00:01",
      "AD C4:7C:8D:00:00:01",
      "ID=2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6 MAC=C47C8D000001",
      "Robo Sensor v2 [C4:7C:8D:00:00:01] EAN 4006381333931", "QC PASS C4:7C:8D:00:00:01",
    ])
  func found(_ text: String) throws {
    #expect(try LabelText.address(in: text) == Self.address)
  }

  @Test(
    "an ambiguous or incomplete text gives no address",
    arguments: [
      ("", LabelProblem.empty), (" \t", .empty), ("--", .empty), ("hello", .noAddress(digits: nil)),
      ("C47C8D00000", .noAddress(digits: 11)), ("C47C8D0000011", .noAddress(digits: 13)),
      ("C4:7C:8D:00:00", .noAddress(digits: nil)), ("C4:7C:8D:FF:FE:00:00:01", .eui64(address)),
      ("EUI64=c47c8dfffe000001", .eui64(address)), ("C47C-8DFF-FE00-0001", .eui64(address)),
      ("C4:7C:8D:FF:FF:00:00:01", .noAddress(digits: nil)), ("C47C8DFFFF000001", .noAddress(digits: 16)),
      ("SN:C47C8DFFFE000001", .noAddress(digits: nil)),
      ("C47C8DFFFE000001 C47C8DFFFE000002", .noAddress(digits: nil)),
      ("C4:7C-8D:00-00:01", .noAddress(digits: nil)), ("C4:7C:8D:00:00:0G", .noAddress(digits: nil)),
      ("C4:7C:8D:00:00:01:02", .noAddress(digits: nil)),
      ("12 C4 7C 8D 00 00 01", .noAddress(digits: nil)), ("C4:7C:8D:00:00:01-02", .noAddress(digits: nil)),
      ("xC47C8D000001", .noAddress(digits: nil)),
      ("éC47C8D000001", .noAddress(digits: nil)), ("SN:202611220001", .noAddress(digits: nil)),
      ("Ｃ４７Ｃ８Ｄ００００００１", .noAddress(digits: nil)),
      ("2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6", .noAddress(digits: nil)),
      // A proof of possession must not get into the manifest.
      (#"{"ver":"v1","name":"PROV_A1B2C3","pop":"c47c8d000001","transport":"ble"}"#, .noAddress(digits: nil)),
      (#"{ "name": "PROV_A1B2C3", "pop": "c47c8d000001" }"#, .noAddress(digits: nil)),
      ("https://example.com/qrcode.html?data={name:PROV_A1,pop:c47c8d000001}", .noAddress(digits: nil)),
      ("https://example.com/qr?data=%7B%22pop%22%3A%22c47c8d0000%22%7D", .noAddress(digits: nil)),
      ("https://example.com/qr?data=%7B%22pop%22%3A%22c47c8d000001%22%7D", .noAddress(digits: nil)),
      ("00:00:00:00:00:00", .notADevice(BluetoothAddress(rawValue: 0))),
      ("ffffffffffff", .notADevice(BluetoothAddress(rawValue: 0xFFFF_FFFF_FFFF))),
      (
        "BLE C47C8D000001 WiFi C47C8D000002",
        .several([address, BluetoothAddress(rawValue: 0xC47C_8D00_0002)])
      ),
      (String(repeating: "A", count: 5000), .tooLong),
    ])
  func refused(_ text: String, _ problem: LabelProblem) {
    #expect(throws: problem) { try LabelText.address(in: text) }
  }

  @Test(
    "a code for a WiFi network is named, and nothing of it is shown",
    arguments: [
      "WIFI:T:WPA;S:Office;P:a1b2c3d4e5f6;;", "wifi:S:Net;;C47C8D000001", "WIFI:P:a1b2c3d4e5f6;S:Office;;",
      "IFI:T:WPA;S:Office;P:a1b2c3d4e5f6;;", "T:sae;P:a1b2c3d4e5f6", "a1b2c3d4e5f6;;",
      "DPP:C:81/1;M:a1b2c3d4e5f6;K:MDkwEwYHKoZIzj0CAQYI;;",
      "https://example.com/join?ssid=Office&psk=a1b2c3d4e5f6", "https://example.com/?wifikey=a1b2c3d4e5f6",
      "https://example.com/?net%3DOffice%26pwd%3Da1b2c3d4e5f6", "https://example.com/?mac=C47C8D000001&psk=x",
      #"{"psk":"a1b2c3d4e5f6"}"#, #"{ "ssid" : "Office", "x" : "a1b2c3d4e5f6" }"#,
      #"["pass","a1b2c3d4e5f6",{\"pass\":1}]"#, "wifi_password=a1b2c3d4e5f6", "ssid=Office, key=a1b2c3d4e5f6",
      "SSID: Office PSK: a1b2c3d4e5f6",
    ])
  func wifi(text: String) {
    #expect(throws: LabelProblem.wifi) { try LabelText.label(in: text, of: "robo-sensor") }
  }

  @Test("messages quote no code")
  func unquoted() {
    for text in ["WIFI:P:a1b2c3d4e5f6;;", #"{"psk":"a1b2c3d4e5f6"}"#, "x?psk=a1b2c3d4e5f6"] {
      let failure = #expect(throws: CommandFailure.self) { try DeviceArgument.address(text) }
      #expect(failure?.text.contains("a1b2c3d4e5f6") == false)
      let unknown = #expect(throws: CommandFailure.self) { try FindTarget.find(text, in: nil) }
      #expect(unknown?.text.contains("a1b2c3d4e5f6") == false)
    }
  }

  @Test("twelve decimal digits are an address only among addresses of the same block")
  func barcode() throws {
    let address = try #require(BluetoothAddress("03:60:00:29:14:52"))
    let near = try #require(BluetoothAddress("03:60:00:00:00:01"))
    #expect(try LabelText.address(in: " 036000291452\n", beside: [Self.address, near]) == address)
    #expect(try LabelText.address(in: "036000291452") == address, "a list of addresses")
    #expect(try LabelText.address(in: "03:60:00:29:14:52", beside: []) == address)
    #expect(try LabelText.address(in: "MAC:036000291452", beside: []) == address)
    #expect(try LabelText.address(in: "03600029145A", beside: []).description == "03:60:00:29:14:5A")
    for known in [[], [Self.address]] {
      #expect(throws: LabelProblem.barcode) { try LabelText.address(in: "036000291452", beside: known) }
    }
  }
}
