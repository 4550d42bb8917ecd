import Bluetooth
import Families
import Foundation
import Model
import ProcessorTime
import Testing

@testable import Manifest

@Suite("The content of a manifest without its passwords") struct ContentTests {
  private func content(_ text: String) -> String {
    String(
      decoding: readManifest(Array(text.utf8), file: "m.yaml", families: .builtIn).content,
      as: UTF8.self)
  }

  private static func manifest(
    password: String = "hunter2345", inline: String = "open-sesame", comment: String = "", minor: Int = 1
  ) -> String {
    """
    building: Harbour "House"
    wifi:
      guests: { ssid: Guests, password: \(password) } \(comment)
    rooms:
      - { room: Lobby, minor: \(minor), address: "C4:7C:8D:00:00:01", wifi: guests }
      - room: Bar
        minor: 2
        address: C4:7C:8D:00:00:02
        wifi: { password: '\(inline)', ssid: Bar }

    """
  }

  @Test("the content has no password and no comment, and changes with a minor")
  func passwordsAndComments() {
    let expected = [
      #"{"building":"Harbour \"House\"","wifi":{"guests":{"ssid":"Guests","password":null}},"#,
      #""rooms":[{"room":"Lobby","minor":"1","address":"C4:7C:8D:00:00:01","wifi":"guests"},"#,
      #"{"room":"Bar","minor":"2","address":"C4:7C:8D:00:00:02","wifi":{"password":null,"ssid":"Bar"}}]}"#,
    ]
    #expect(content(Self.manifest()) == expected.joined())
    let same = [
      Self.manifest(password: "another-one"), Self.manifest(inline: "quite another"),
      Self.manifest(comment: "# was hunter2345"),
      Self.manifest().replacing("password: hunter2345", with: "password: &p hunter2345")
        .replacing("'open-sesame'", with: "*p"),
    ]
    for text in same { #expect(content(text) == content(Self.manifest())) }
    #expect(content(Self.manifest(minor: 3)) != content(Self.manifest()))
  }

  @Test("a network that is named `password` keeps its SSID, and only its password is left out")
  func networkNamedPassword() {
    let text = "wifi: { password: { ssid: Guests, password: hunter2345 } }"
    #expect(content(text) == #"{"wifi":{"password":{"ssid":"Guests","password":null}}}"#)
  }

  @Test("the content has the sources of passwords, but no literal password")
  func passwordSources() {
    let text = """
      wifi:
        a: { ssid: A, password: { env: WIFI_A } }
        b: { ssid: B, password: { command: [pass, show] } }
        c: { ssid: C, password: { prompt: true } }
        d: { ssid: D, password: hunter2345 }
      """
    let expected = [
      #"{"wifi":{"a":{"ssid":"A","password":{"env":"WIFI_A"}},"#,
      #""b":{"ssid":"B","password":{"command":["pass","show"]}},"#,
      #""c":{"ssid":"C","password":{"prompt":"true"}},"d":{"ssid":"D","password":null}}}"#,
    ]
    #expect(content(text) == expected.joined())
  }

  @Test("warnings do not suppress the similar name of an error that is shown")
  func adviceAfterWarnings() {
    let rooms = (0..<60).map { "  - { room: R\($0), minor: \($0), floor: 01 }" }
    let adapters = "adapters: { lobby: { address: \"00:1A:7D:DA:71:13\" } }"
    let text =
      (["building: House", "match: any", adapters, "rooms:"] + rooms
      + ["  - { room: S, minor: 70, near: lobyb }"]).joined(separator: "\n")
    let reading = readManifest(Array(text.utf8), file: "m.yaml", families: .builtIn)
    #expect(reading.diagnostics.count > DiagnosticFormatter.maximumFindings)
    #expect(reading.diagnostics.contains { $0.advice == "did you mean `lobby`?" }, "\(reading.rendered)")
  }

  @Test("no similar name is searched for findings that are not shown")
  func misspeltElsewhere() {
    let numbers = 0..<3_000
    let adapters = numbers.map {
      "  lobby-\($0): { address: \"\(BluetoothAddress(rawValue: UInt64($0 + 1)))\" }"
    }
    let rooms = numbers.map { "  - { room: R\($0), minor: \($0), near: lobyb-\($0) }" }
    let text = (["building: House", "match: any", "adapters:"] + adapters + ["rooms:"] + rooms)
      .joined(separator: "\n")
    let duration = processorTime {
      let reading = readManifest(Array(text.utf8), file: "m.yaml", families: .builtIn)
      #expect(reading.diagnostics[0].advice == "did you mean `lobby-0`?")
      #expect(reading.diagnostics.count == numbers.count)
    }
    // Each search takes some 10 ms here; 3,000 took over a minute.
    #expect(duration < .seconds(30))
  }

  @Test("a manifest with 600 misspelt names is read in less than 60 times the time of a correct one")
  func misspelt() {
    func duration(using name: String) -> Duration {
      let numbers = 0..<600
      let networks = numbers.map { "  network-\($0): { ssid: Net \($0), password: password-\($0) }" }
      let rooms = numbers.map { number in
        let address = String(format: "C4:7C:8D:00:%02X:%02X", number / 256, number % 256)
        return "  - { room: R\(number), minor: \(number), address: \"\(address)\", wifi: \(name)-\(number) }"
      }
      let text = (["building: House", "wifi:"] + networks + ["rooms:"] + rooms).joined(separator: "\n")
      return processorTime {
        let reading = readManifest(Array(text.utf8), file: "m.yaml", families: .builtIn)
        guard name != "network" else { return #expect(reading.building != nil) }
        #expect(reading.diagnostics.count == numbers.count)
        #expect(reading.diagnostics[0].advice == "did you mean `network-0`?")
      }
    }
    // It once took 800 times as long.
    let (right, wrong) = (duration(using: "network"), duration(using: "netwrok"))
    #expect(wrong < right * 60, "\(right), \(wrong)")
  }
}
