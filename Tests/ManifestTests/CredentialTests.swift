import Bluetooth
import Families
import Manifest
import Model
import Source
import Testing

/// What lets a session in: `pop`, `username` and `security`; and devices that are named instead of addressed.
@Suite("Credentials of rooms") struct CredentialTests {
  private func read(_ rooms: String, defaults: String = "", password: String = "correct horse")
    -> ManifestReading
  {
    let text = """
      building: Pier
      defaults: { profile: esp-idf, wifi: { ssid: Pier, password: \(password) }\(defaults) }
      rooms:
      \(rooms)
      """
    return readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
  }

  private func pop(_ room: Room?) -> Secret? {
    if case .secret(let secret)? = room?.access[.proofOfPossession] { secret } else { nil }
  }

  @Test("a room has its own proof of possession, or that of its defaults; it is no setting")
  func sources() throws {
    let reading = read(
      """
        - { room: A, address: "C4:7C:8D:00:00:01" }
        - { room: B, address: "C4:7C:8D:00:00:02", pop: label-b, username: admin, security: 2 }
        - { room: C, address: "C4:7C:8D:00:00:03", pop: { env: POP_C } }
        - { room: D, address: "C4:7C:8D:00:00:04", pop: "" }
      """, defaults: ", pop: label-all, security: 1")
    #expect(reading.diagnostics.map(\.code) == [.guessableSecret])
    let rooms = try #require(reading.building, "\(reading.rendered)").rooms
    #expect(pop(rooms[0])?.reveal() == "label-all" && rooms[0].access[.security] == .integer(1))
    #expect(pop(rooms[1])?.reveal() == "label-b" && rooms[1].access[.username] == .secret(Secret("admin")))
    #expect(pop(rooms[2])?.reference?.source == .environment("POP_C"))
    #expect(pop(rooms[3])?.reveal() == "")
    for room in rooms { #expect(Set(room.settings.keys) == [.wifiSSID, .wifiPassword]) }
    #expect(rooms[1].secrets.contains(Secret("label-b")))
    let content = String(decoding: reading.content, as: UTF8.self)
    #expect(!content.contains("label-") && content.contains("POP_C"))
  }

  @Test("a room of a product that demands an encrypted link says how it is paired")
  func pairing() throws {
    let reading = read(
      """
        - { room: A, address: "C4:7C:8D:00:00:01" }
        - { room: B, address: "C4:7C:8D:00:00:02", pairing: none }
        - { room: C, address: "C4:7C:8D:00:00:03", pairing: if_asked }
      """, defaults: ", pop: label-all, pairing: just_works")
    let rooms = try #require(reading.building, "\(reading.rendered)").rooms
    #expect(rooms[0].pairing == .justWorks && rooms[0].pairs)
    #expect(rooms[1].pairing == nil && !rooms[1].pairs && !rooms[1].pairsIfAsked)
    #expect(rooms[2].pairing == nil && !rooms[2].pairs && rooms[2].pairsIfAsked)
    // Once for the building: two rooms are paired, or may be.
    let warnings = reading.diagnostics.filter { $0.code == .unprotectedPairing }
    #expect(warnings.count == 1 && warnings[0].severity == .warning)
    #expect(warnings.first?.message.contains("1 other room") == true)
    // It has no display, and a label is for its proof of possession.
    let wrong = read(
      """
        - { room: A, address: "C4:7C:8D:00:00:01", pairing: passkey }
      """, defaults: ", pop: label-all")
    #expect(wrong.diagnostics.filter { $0.severity == .error }.map(\.code) == [.unknownValue])
  }

  @Test("values for endpoints of the product come from the room or its defaults, and are secrets")
  func endpoints() throws {
    let reading = read(
      """
        - { room: A, address: "C4:7C:8D:00:00:01" }
        - { room: B, address: "C4:7C:8D:00:00:02", endpoints: { custom-data: label-b, cert: { env: CERT_B } } }
      """, defaults: ", pop: label-all, endpoints: { custom-data: label-all-rooms }")
    let building = try #require(reading.building, "\(reading.rendered)")
    #expect(building.rooms[0].access["endpoints.custom-data"] == .secret(Secret("label-all-rooms")))
    #expect(building.rooms[1].access["endpoints.custom-data"] == .secret(Secret("label-b")))
    #expect(
      building.rooms[1].givenSettings.map(\.name).suffix(2) == ["endpoints.cert", "endpoints.custom-data"])
    let resolved = building.resolvingSecrets { _ in Secret("from the environment") }.rooms[1]
    #expect(resolved.access["endpoints.cert"] == .secret(Secret("from the environment")))
    #expect(resolved.origins["endpoints.cert"]?.written == "env: CERT_B")
    for room in building.rooms { #expect(Set(room.settings.keys) == [.wifiSSID, .wifiPassword]) }
    let content = String(decoding: reading.content, as: UTF8.self)
    #expect(!content.contains("label-") && content.contains("CERT_B") && content.contains("custom-data"))
  }

  @Test(
    "`endpoints` that no product can have are found",
    arguments: [
      ("hidden-value", "`endpoints` is a mapping of names to values"),
      ("[hidden-value]", "`endpoints` is a mapping of names to values"),
      ("{ prov-config: hidden-value }", "`endpoints` cannot have this name"),
      ("{ Custom Data: hidden-value }", "`endpoints` cannot have this name"),
      ("{ env: hidden-value }", "give the name first: endpoints: { custom-data: { env: … } }"),
      ("{ custom-data: { env: hidden-value } }", "`env` takes the name"),
      (#"{ custom-data: "" }"#, "`endpoints.custom-data` is empty"),
      ("{ custom-data: hex:0A7 }", "`endpoints.custom-data` has no whole bytes in hexadecimal"),
      (
        "{ custom-data: hex:\(String(repeating: "00", count: 466)) }", "`endpoints.custom-data` has 466 bytes"
      ),
      ("{ custom-data: hidden-value-\(String(repeating: "x", count: 460)) }", "`endpoints.custom-data` has"),
    ])
  func badEndpoints(written: String, message: String) {
    let reading = read(#"  - { room: A, address: "C4:7C:8D:00:00:01", pop: x, endpoints: \#(written) }"#)
    #expect(reading.building == nil)
    #expect(
      reading.rendered.contains(message) && !reading.rendered.contains("hidden-value"), "\(reading.rendered)")
  }

  @Test("what is on a label comes from the file of labels, for the device that the room names")
  func labels() throws {
    let reading = read(
      """
        - { room: A, device: PROV_A }
        - { room: B, device: PROV_B, username: { labels: ./b.json } }
        - { room: C, address: "C4:7C:8D:00:00:03", pop: "" }
        - { room: D, near: hci0 }
      """, defaults: ", pop: { labels: ./labels.json }")
    let rooms = try #require(reading.building, "\(reading.rendered)").rooms
    func source(_ room: Room, _ name: SettingName) -> SecretSource? {
      if case .secret(let secret)? = room.access[name] { secret.reference?.source } else { nil }
    }
    #expect(source(rooms[0], "pop") == .labels("./labels.json", device: "PROV_A", setting: "pop"))
    #expect(source(rooms[1], "pop") == .labels("./labels.json", device: "PROV_B", setting: "pop"))
    #expect(source(rooms[1], "username") == .labels("./b.json", device: "PROV_B", setting: "username"))
    #expect(rooms.map(\.awaitsLabel) == [false, false, false, true])
    #expect(source(rooms[0], "pop")?.written == "labels: ./labels.json")
    let content = String(decoding: reading.content, as: UTF8.self)
    #expect(content.contains("labels.json"))
  }

  @Test("a resolved secret keeps its origin")
  func origin() throws {
    let reading = read(#"  - { room: C, address: "C4:7C:8D:00:00:03", pop: { env: POP_C } }"#)
    let building = try #require(reading.building).resolvingSecrets { _ in Secret("label-c") }
    #expect(pop(building.rooms[0])?.reveal() == "label-c")
    #expect(building.rooms[0].origins[.proofOfPossession]?.written == "env: POP_C")
  }

  @Test("a user name with a lower security is an error, once for each place")
  func contradictorySecurity() {
    let rooms = """
        - { room: A, device: A, pop: { env: POP }, username: admin }
        - { room: B, device: B, pop: { env: POP }, username: { env: NAME } }
        - { room: C, device: C, pop: { env: POP }, username: admin, security: 0 }
        - { room: D, device: D, pop: { env: POP }, username: admin, security: 2 }
        - { room: E, device: E, pop: { env: POP }, username: "" }
        - { room: F, device: F, pop: { env: POP }, username: { labels: ./l.json } }
      """
    let reading = read(rooms, defaults: ", security: 1")
    #expect(reading.building == nil)
    #expect(
      reading.diagnostics.map { "\($0.code.rawValue) \($0.range.start.line)" }
        == ["contradictory-security 2", "contradictory-security 6"])
    #expect(read(rooms.replacing(", security: 0", with: "")).diagnostics.isEmpty)
  }

  @Test(
    "a proof of possession that can be guessed in security 1 is one warning for the building",
    arguments: [
      ("abcd1234", true), ("0123456789abcdef012", true), ("0123456789abcdef0123", false),
      ("01234567890123456789012", true), ("012345678901234567890123456789", false), ("", false),
      ("kq3zt81mxw0vbn5", true), ("kq3zt81mxw0vbn5j", false), ("Kq3zT81mXw0vb", true),
      ("Kq3zT81mXw0vbn", false), ("abcdefghijklmnopq", true), ("abcdefghijklmnopqr", false),
      ("0123456789ABCDEF012", true), ("Kq3zT81mXw0-", true), ("Kq3zT81mXw0v-", false),
    ])
  func guessable(pop: String, isGuessable: Bool) {
    let room = "  - { room: A, device: A, pop: \"\(pop)\" }"
    let reading = read(room)
    #expect(reading.diagnostics.map(\.code) == (isGuessable ? [.guessableSecret] : []))
    #expect(reading.building != nil && (pop.isEmpty || !reading.rendered.contains(pop)))
    let more = read(
      [room, room.replacing("A", with: "B"), room.replacing("A", with: "C")].joined(separator: "\n"))
    #expect(more.diagnostics.count == (isGuessable ? 1 : 0))
    #expect(!isGuessable || more.diagnostics[0].message.hasSuffix("as in 2 other rooms"))
    for safe in ["username: admin", "security: 2"] {
      #expect(read(room.replacing(" }", with: ", \(safe) }")).diagnostics.isEmpty)
    }
  }

  @Test(
    "what cannot work is found before the radio is used, and no secret is shown",
    arguments: [
      (#"  - { room: A, address: "C4:7C:8D:00:00:01" }"#, "correct horse", "a room without `pop`"),
      (
        #"  - { room: A, address: "C4:7C:8D:00:00:01", pop: secret-label-that-is-much-longer-than-any-device-takes-it-here-today }"#,
        "correct horse", "`pop` has"
      ),
      (
        #"  - { room: A, address: "C4:7C:8D:00:00:01", pop: { env: lower } }"#, "correct horse",
        "`env` takes the name"
      ),
      (
        #"  - { room: A, address: "C4:7C:8D:00:00:01", pop: "${POP}" }"#, "correct horse",
        "`pop` is a placeholder"
      ),
      (
        #"  - { room: A, address: "C4:7C:8D:00:00:01", pop: x, security: 3 }"#, "correct horse",
        "`security` is 3"
      ),
      (
        #"  - { room: A, address: "C4:7C:8D:00:00:01", pop: x }"#,
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "takes 8…63 and no key of 64 hex digits"
      ),
      (
        #"  - { room: A, address: "C4:7C:8D:00:00:01", pop: x }"#, "seven77",
        "`password` has 7 bytes; a WiFi password has 8…63"
      ),
      (
        #"  - { room: A, address: "C4:7C:8D:00:00:01", pop: { labels: ./l.json } }"#, "correct horse",
        "a room with an `address` takes no secret from a file of labels"
      ),
      (
        "  - { room: A, device: PROV_1, pop: { labels: [] } }", "correct horse",
        "`labels` takes the path of a file"
      ),
      (
        "  - { room: A, device: PROV_1, pop: { labels: ./l.json, env: POP } }", "correct horse",
        "`pop` has a source already"
      ),
      (
        "  - { room: A, device: PROV_1, pop: x }", "{ labels: ./l.json }", "a label does not have this secret"
      ),
      (
        "  - { room: A, device: PROV_1, pop: x, endpoints: { custom-data: { labels: ./l.json } } }",
        "correct horse", "a label does not have this secret"
      ),
      (
        "  - { room: A, device: PROV_1, pop: x, endpoints: { labels: ./l.json } }", "correct horse",
        "give the name first"
      ),
      (
        "  - { room: A, device: PROV_1, pop: x }\n  - { room: B, device: PROV_1, pop: x }", "correct horse",
        "another room has the same `device`"
      ),
    ])
  func bad(rooms: String, password: String, message: String) {
    let reading = read(rooms, password: password)
    #expect(reading.building == nil)
    #expect(reading.rendered.contains(message), "\(reading.rendered)")
    #expect(!reading.rendered.contains("secret-label") && !reading.rendered.contains("0123456789abcdef"))
  }

  @Test("a device can be named instead of addressed")
  func named() throws {
    let reading = read("  - { room: A, device: PROV_A1B2C3, pop: x }")
    let room = try #require(reading.building, "\(reading.rendered)").rooms[0]
    #expect(room.deviceName == "PROV_A1B2C3" && room.address == nil)
  }
}
