import Bluetooth
import Families
import Manifest
import Model
import Session
import Testing

@testable import Application

@Suite("The labels of products")
struct ProductLabelTests {
  private static let json = #"{"ver":"v1","name":"PROV_A1B2C3","pop":"abcd 1234","transport":"ble"}"#

  private func read(_ text: String, of family: FamilyID = "esp-idf") throws(LabelProblem) -> DeviceLabel {
    try LabelText.label(in: text, of: family)
  }

  @Test(
    "the QR code of an ESP-IDF device, and a link with it, give its name and its secrets",
    arguments: [
      json, " \(json)\n", #"{ "transport" : "ble", "pop" : "abcd 1234", "name" : "PROV_A1B2C3", "x" : [1] }"#,
      #"{"ver":"v9","name":"PROV_A1B2C3","pop":"abcd 1234","transport":"ble","network":"wifi","security":2}"#,
      #"{"name":"PROV_A1B2C3","pop":"abcd\u00201234","transport":"ble","username":"","password":null}"#,
      "https://espressif.github.io/esp-jumpstart/qrcode.html?data=\(json)",
      "HTTPS://EXAMPLE.COM/q?a=b&data=%7B%22name%22%3A%22PROV%5fA1B2C3%22%2C%22pop%22%3A%22abcd%201234%22%2C%22transport%22%3A%22ble%22%7D&c=d#e",
      "https://example.com/q?data={%22name%22:%22PROV_A1B2C3%22,%22pop%22:%22abcd%201234%22,%22transport%22:%22ble%22}",
    ])
  func read(text: String) throws {
    let label = try read(text)
    #expect(label == DeviceLabel(.name("PROV_A1B2C3"), secrets: ["pop": Secret("abcd 1234")]))
    #expect(!"\(label)".contains("abcd"), "it does not print its secrets")
  }

  @Test("a device has a user name, or no proof of possession")
  func parts() throws {
    let named = try read(#"{"name":"Pump","pop":"","username":"ö & co","transport":"ble"}"#)
    #expect(named == DeviceLabel(.name("Pump"), secrets: ["pop": Secret(""), "username": Secret("ö & co")]))
    let open = try read(#"{"ver":"v1","name":"Pump","transport":"ble","network":"wifi"}"#)
    #expect(open == DeviceLabel(.name("Pump"), secrets: ["pop": Secret("")]))
  }

  @Test(
    "a label that cannot be used is refused with the reason",
    arguments: [
      // Cut off, or of two codes.
      (String(json.dropLast()), ProductLabelProblem.damaged), (String(json.dropFirst(3)), .damaged),
      (json + json, .damaged), ("{", .damaged),
      ("https://example.com/q?data=%7B%22pop%22%3A%22abc", .damaged),
      ("https://example.com/q?data=\(json.dropLast(4))", .damaged), ("q?data=\(json)", .damaged),
      (#"pop%22%3A%22abcd%22%2C%22transport%22%3A%22ble%22%7D"#, .damaged),
      (#"{"name":1,"pop":"abcd1234","transport":"ble"}"#, .damaged),
      (#"{"name":"PROV_1","pop":12345678,"transport":"ble"}"#, .damaged),
      ("{\"name\":\"PROV_1\",\"pop\":\"a\u{1}b\",\"transport\":\"ble\"}", .damaged),
      // Of another product, or for another way.
      (#"{"pop":"abcd1234","transport":"ble"}"#, .missing("name")),
      (#"{"name":"PROV_1","pop":"abcd1234"}"#, .missing("transport")),
      (#"{"name":"PROV_1","pop":"abcd1234","transport":"softap","password":"12345678"}"#, .notOverBluetooth),
      (#"{"name":"PROV_1","pop":"abcd1234","transport":"BLE"}"#, .invalid("transport")),
      (#"{"name":"PROV_1","pop":"abcd1234","transport":"ble","network":"thread"}"#, .notForWiFi),
      // Values that no device can have.
      (#"{"name":"","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      (#"{"name":"123456789012345678901234567890","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      (#"{"name":"  ","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      (#"{"name":"\u00a0\u200b","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      (#"{"name":"\u202e\u2066\u200f","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      (#"{"name":"\u200d\u3164","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      (#"{"name":"PROV_\u202e1","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      // Of two devices.
      (#"{"name":"PROV_1","name":"PROV_2","pop":"abcd1234","transport":"ble"}"#, .repeated("name")),
      (#"{"name":"PROV_1","pop":"abcd1234","pop" : "abcd5678","transport":"ble"}"#, .repeated("pop")),
      (
        #"{"pop":"abcd1","pop":"abcd5","name":"PROV_1","name":"PROV_2","transport":"ble"}"#, .repeated("name")
      ),
      ("https://example.com/q?data=\(json)&data=\(json)", .repeated("data")),
      (#"{"name":"PROV\n1","pop":"abcd1234","transport":"ble"}"#, .invalid("name")),
      (#"{"name":"PROV_1","pop":"abcd\u00001234","transport":"ble"}"#, .invalid("pop")),
      (
        #"{"name":"PROV_1","pop":"\#(String(repeating: "x", count: 65))","transport":"ble"}"#, .invalid("pop")
      ),
      (#"{"name":"PROV_1","username":"a\tb","transport":"ble"}"#, .invalid("username")),
    ] as [(String, ProductLabelProblem)])
  func refused(text: String, problem: ProductLabelProblem) {
    #expect(throws: LabelProblem.product(problem)) { try read(text) }
    let words = LabelWords.sentence(.product(problem))
    #expect(!words.contains("abcd") && !words.contains("PROV"))
  }

  @Test("an overlong text is not decoded")
  func overlong() {
    let text = #"{"name":"PROV_1","transport":"ble","x":"\#(String(repeating: "x", count: 4296))"}"#
    #expect(throws: LabelProblem.tooLong) { try read(text) }
  }

  @Test("a product's label is refused in a room of another family, even if it contains an address")
  func otherFamily() {
    let text = #"{"name":"PROV_C47C8D000001","pop":"abcd1234","transport":"ble"}"#
    #expect(throws: LabelProblem.otherFamily("an ESP-IDF device")) { try read(text, of: "robo-sensor") }
  }

  @Test(
    "other texts are read as before",
    arguments: [
      "C4:7C:8D:00:00:01", #"{"mac":"C4:7C:8D:00:00:01","name":"x"}"#,
      "https://example.com/?data=c47c8d000001",
    ])
  func address(text: String) throws {
    for family in ["esp-idf", "robo-sensor"] {
      let label = try read(text, of: FamilyID(rawValue: family))
      #expect(label.device.description == "C4:7C:8D:00:00:01" && label.secrets.isEmpty)
    }
    #expect(throws: LabelProblem.noAddress(digits: nil)) { try read("hello") }
  }

  @Test("the label of a described family has the name by whose beginning its devices are recognised")
  func described() throws {
    let recognition = [
      RecognitionRule(.waiting, .namePrefix("Lamp-")), RecognitionRule(.waiting, .namePrefix("C4")),
      RecognitionRule(.waiting, .name("Lamp")),
    ]
    let lamp = DeviceFamily.lamp(recognition)
    let drivers = BuiltIn.drivers + [FamilyDriver(described: lamp)]
    func read(_ text: String, of family: FamilyID = "lamp") throws(LabelProblem) -> DeviceLabel {
      try LabelText.label(in: text, of: family, drivers)
    }
    #expect(try read("Lamp-0042") == DeviceLabel(.name("Lamp-0042")))
    #expect(try read("C4:7C:8D:00:00:01").device.address != nil)
    #expect(throws: LabelProblem.otherFamily(lamp.withArticle)) { try read("Lamp-0042", of: "robo-sensor") }
    #expect(throws: LabelProblem.otherFamily("an ESP-IDF device")) { try read(Self.json) }
    for text in ["Lamp-", "Lamp", "Lamp-\u{202E}1", "Lamp-\(String(repeating: "1", count: 30))"] {
      #expect(throws: LabelProblem.noAddress(digits: nil), "\(text)") { try read(text) }
    }
  }

  @Test(
    "the address on a label is a name where the device sends from another one",
    arguments: ["A8:03:2A:BE:54:DC", "MAC: a8032abe54dc", "A8032ABE54DC"])
  func labelAddress(text: String) throws {
    #expect(try LabelText.label(in: text, of: "shelly") == DeviceLabel(.name("A8032ABE54DC")))
    #expect(
      try LabelText.label(in: text, of: "robo-sensor")
        == DeviceLabel(.address(#require(BluetoothAddress("A8032ABE54DC")))))
  }

  @Test("the id of such a device is its label, too, and no other family's")
  func id() throws {
    let id = "shellyplus1-a8032abe54dc"
    #expect(try LabelText.label(in: id, of: "shelly") == DeviceLabel(.name(id)))
    #expect(throws: LabelProblem.self) { try LabelText.label(in: id, of: "esp-idf") }
    #expect(throws: LabelProblem.self) { try LabelText.label(in: "shellyplus1", of: "shelly") }
  }
}

extension DeviceFamily {
  fileprivate static func lamp(_ recognition: [RecognitionRule]) -> DeviceFamily {
    var lamp = BuiltIn.drivers.lazy.map(\.family).first { $0.procedure != nil } ?? .espIDF
    (lamp.id, lamp.recognition) = ("lamp", recognition)
    return lamp
  }
}
