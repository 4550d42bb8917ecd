import Families
import Manifest
import Model
import Testing

/// A manifest with one network that has this password value.
private func manifest(_ password: String) -> String {
  "building: B\nmatch: any\nwifi: { guests: { ssid: G, password: \(password) } }\n"
    + "rooms: [{ room: R, minor: 1, wifi: guests }]\n"
}

extension Wrong {
  /// A manifest that is valid except for a password.
  fileprivate static func password(_ password: String, _ message: String, advice: String? = nil) -> Wrong {
    Wrong(manifest(password), message, advice: advice)
  }
}

@Suite("The source of a password")
struct PasswordTests {
  @Test(
    "a password comes from the environment, a file, a command or a prompt",
    arguments: [
      ("{ env: WIFI_PASSWORD }", .environment("WIFI_PASSWORD")), ("{ env: _2 }", .environment("_2")),
      ("{ file: secrets/wifi.txt }", .file("secrets/wifi.txt")),
      ("{ file: /run/credentials/wifi }", .file("/run/credentials/wifi")),
      ("{ file: \(String(repeating: "x", count: 4095)) }", .file(String(repeating: "x", count: 4095))),
      ("{ command: [pass, show, wifi/guests] }", .command(["pass", "show", "wifi/guests"])),
      ("{ command: [a, '', 3, 'b c'] }", .command(["a", "", "3", "b c"])),
      ("{ prompt: true }", .prompt),
    ] as [(String, SecretSource)])
  func sources(text: String, source: SecretSource) throws {
    let reading = readManifest(Array(manifest(text).utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.rendered == "")
    let secrets = try #require(reading.building).rooms.flatMap(\.secrets)
    #expect(secrets.map(\.reference) == [SecretReference(source, file: "b.yaml", line: 3, column: 38)])
    #expect(reading.passwords.files == [])
  }

  @Test("a password source is allowed in a room and under `defaults`")
  func inline() throws {
    let text = """
      building: B
      match: any
      defaults: { wifi: { ssid: G, password: { env: GUESTS } } }
      rooms:
        - { room: R, minor: 1 }
        - room: S
          minor: 2
          wifi:
            ssid: S
            password:
              prompt: true

      """
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    let references = try #require(reading.building, "\(reading.rendered)").rooms.flatMap(\.secrets).map(
      \.reference)
    #expect(references.map(\.?.source) == [.environment("GUESTS"), .prompt])
    #expect(references.map(\.?.line) == [3, 11])
    #expect(reading.passwords.environment == ["GUESTS"])
  }

  @Test(
    "an invalid password source is reported at its place, with an example",
    arguments: [
      .password("1️⃣{}", "`password` has no source", advice: "{ env: WIFI_PASSWORD }"),
      .password(
        "{ 1️⃣evn: WIFI_PASSWORD }", "unknown key in a password's source", advice: "did you mean `env`?"),
      .password("{ 1️⃣vault: x }", "unknown key", advice: "env, file, command, prompt"),
      .password("{ env: A, 1️⃣file: /b }", "has a source already", advice: "leave one"),
      .password("{ env: A, 1️⃣file: /b, prompt: true }", "has a source already"),
      .password("{ env: 1️⃣}", "`env` takes the name"), .password("{ env: 1️⃣'' }", "`env` takes the name"),
      .password("{ env: 1️⃣[A] }", "`env` takes the name"), .password("{ env: 1️⃣2A }", "`env` takes the name"),
      .password("{ env: 1️⃣$WIFI }", "`env` takes the name"),
      .password("{ env: 1️⃣correct-horse }", "capital letters, digits and underscores"),
      .password("{ env: 1️⃣wifi_password }", "capital letters, digits and underscores"),
      .password("{ file: 1️⃣'' }", "`file` takes the path"),
      .password("{ file: 1️⃣[a] }", "`file` takes the path"),
      .password("{ file: 1️⃣~ }", "`file` takes the path"),
      .password("{ file: 1️⃣\(String(repeating: "x", count: 4096)) }", "`file` takes the path"),
      .password("{ file: 1️⃣\"a\\0b\" }", "`file` takes the path"),
      .password("{ command: 1️⃣pass show wifi }", "`command` takes a list", advice: "[pass, show, wifi]"),
      .password("{ command: 1️⃣[] }", "`command` takes a list"),
      .password("{ command: [1️⃣''] }", "not the name of a program"),
      .password("{ command: [pass, 1️⃣[a]] }", "not an argument"),
      .password("{ command: [pass, 1️⃣~] }", "not an argument"),
      .password("{ command: [pass, 1️⃣\"a\\0b\"] }", "not an argument"),
      .password("{ command: [pass, 1️⃣{ a: b }] }", "not an argument"),
      .password("{ prompt: 1️⃣false }", "`prompt` takes `true`", advice: "`env`, `file` or `command`"),
      .password("{ prompt: 1️⃣yes }", "`prompt` takes `true`", advice: "did you mean `true`?"),
      .password("{ prompt: 1️⃣[true] }", "`prompt` takes `true`", advice: "without a prompt"),
      .password("1️⃣[a, b]", "`password` has no value, or more than one"),
    ] as [Wrong])
  func wrong(_ wrong: Wrong) throws { try expect(wrong) }

  @Test(
    "a placeholder password is refused, with an example",
    arguments: [
      ("\"${WIFI_PASSWORD}\"", "WIFI_PASSWORD"), ("'${GUESTS}'", "GUESTS"), ("\"${wifi}\"", "WIFI_PASSWORD"),
      ("\"{{ wifi_password }}\"", "WIFI_PASSWORD"), ("'{{}}'", "WIFI_PASSWORD"),
      ("<your password>", "WIFI_PASSWORD"), ("change-me", "WIFI_PASSWORD"),
      ("change-me-please", "WIFI_PASSWORD"), ("CHANGEME123", "WIFI_PASSWORD"),
      ("Change_Me!", "WIFI_PASSWORD"),
    ])
  func placeholder(text: String, name: String) throws {
    try expect(
      .password(
        "1️⃣" + text, "`password` is a placeholder", advice: "password: { env: \(name) }"))
  }

  @Test(
    "a text that is not a placeholder is the password, byte by byte",
    arguments: [
      "$WIFI_PASSWORD", "a${WIFI}", "${WIFI}a", "x{{wifi}}", "<3 chocolate", "changement", "exchange-me",
      "%WIFI-PW%",
      "$(pass wifi)", "`pass wifi`", "!pass wifi", "~/wifi.txt", "env:WIFI",
    ])
  func literal(text: String) throws {
    let written = "'" + text + "'"
    let reading = readManifest(Array(manifest(written).utf8), file: "b.yaml", families: .builtIn)
    let secrets = try #require(reading.building, "\(reading.rendered)").rooms.flatMap(\.secrets)
    #expect(secrets == [Secret(text)])
    #expect(reading.passwords.files == ["b.yaml"])
  }

  @Test("an open network adds no file with a password", arguments: ["password: ''", ""])
  func open(password: String) {
    let text =
      "building: B\nmatch: any\nwifi: { g: { ssid: G, \(password) } }\nrooms: [{ room: R, minor: 1 }]\n"
    #expect(readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn).passwords.files == [])
  }

  @Test(
    "findings and redacted manifests show a password's source and no possible password",
    arguments: [
      ("{ env: WIFI_GUESTS }", "{ env: WIFI_GUESTS }"), ("{ env: correct-horse }", "{ env: ••• }"),
      ("{ env: CorrectHorse }", "{ env: ••• }"),
      ("{ file: /run/wifi-password }", "{ file: /run/wifi-password }"),
      ("{ file: ./wifi.txt }", "{ file: ./wifi.txt }"), ("{ file: correct-horse }", "{ file: ••• }"),
      ("{ command: [pass, show] }", "{ command: [•••, •••] }"),
      ("{ command: correct-horse }", "{ command: ••• }"),
      ("{ prompt: true }", "{ prompt: true }"), ("{ prompt: correct-horse }", "{ prompt: ••• }"),
      ("{ correct-horse: true }", "{ •••: ••• }"), ("correct-horse", "•••"),
    ])
  func redacted(password: String, shown: String) {
    let redacted = ManifestReader.redacted(
      Array(manifest(password).utf8), file: "b.yaml", families: .builtIn)[0].text.split(
        separator: "\n")[2]
    #expect(redacted == "wifi: { guests: { ssid: G, password: \(shown) } }")
  }

  @Test(
    "a password with letters beyond ASCII is too long only in bytes, unless it has more than 63 letters",
    arguments: [(63, DiagnosticCode.wrongByteLength), (64, .badPassword)])
  func letters(count: Int, code: DiagnosticCode) {
    let text = manifest(String(repeating: "é", count: count))
    let reading = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn)
    #expect(reading.diagnostics.map(\.code) == [code])
  }

  @Test(
    "a password in place of its source is hidden everywhere, from 4 bytes on",
    arguments: ["correct-horse", "qxzj", "qxz"])
  func hiddenEverywhere(password: String) {
    let text = manifest("{ env: \(password) }").replacing("room: R,", with: "room: \(password), minr: 1,")
    let shown = readManifest(Array(text.utf8), file: "b.yaml", families: .builtIn).rendered
    #expect(shown.contains("`env` takes") && shown.contains("unknown key in a room"))
    #expect(shown.contains(password) == (password == "qxz"))
  }
}
