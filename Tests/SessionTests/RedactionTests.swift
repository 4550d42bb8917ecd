import Bluetooth
import Foundation
import Model
import ProcessorTime
import Session
import Testing
import VirtualTime

@Suite("redaction of secrets") struct RedactionTests {
  static let secrets = [
    "hunter22", "correct horse, battery staple!", "p@ss\"w\\rd!", "12345678", "Gäste-im-Hafen",
    "~~~???>>>",
  ]

  /// A form in which a device can repeat a secret.
  struct Form: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: @Sendable (String) -> String

    init(_ name: String, _ text: @escaping @Sendable (String) -> String) {
      (testDescription, self.text) = (name, text)
    }
  }

  private static func each(_ text: String, _ form: (UInt8) -> String) -> String {
    text.utf8.map(form).joined()
  }

  static let forms = [
    Form("as it is") { $0 },
    Form("upper case") { $0.uppercased() },
    Form("lower case") { $0.lowercased() },
    Form("JSON") { String(decoding: (try? JSONEncoder().encode($0)) ?? Data(), as: UTF8.self) },
    Form("JSON in JSON") {
      let once = String(decoding: (try? JSONEncoder().encode($0)) ?? Data(), as: UTF8.self)
      return String(decoding: (try? JSONEncoder().encode(once)) ?? Data(), as: UTF8.self)
    },
    Form("JSON, in numbers") { $0.utf16.map { String(format: "\\u%04x", $0) }.joined() },
    Form("JSON, each second character in numbers") {
      $0.utf16.enumerated().map {
        $0 % 2 == 1 ? String(format: "\\u%04x", $1) : String(utf16CodeUnits: [$1], count: 1)
      }
      .joined()
    },
    Form("hexadecimal") { each($0) { String(format: "%02x", $0) } },
    Form("hexadecimal, upper case, spaced") { each($0) { String(format: "%02X ", $0) } },
    Form("hexadecimal, as in C") { each($0) { String(format: "0x%02x, ", $0) } },
    Form("hexadecimal, each digit apart") { each($0) { String(format: "%x -%x -", $0 >> 4, $0 & 15) } },
    Form("backslash and x") { each($0) { String(format: "\\x%02x", $0) } },
    Form("URL") { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" },
    Form("URL, all of it") { each($0) { String(format: "%%%02X", $0) } },
    Form("base64, in continued lines") { text in
      Data(text.utf8).base64EncodedString().map { "\($0)\\\r\n" }.joined()
    },
    Form("base64") { Data($0.utf8).base64EncodedString() },
    Form("base64 within more") { Data("pw=\($0).".utf8).base64EncodedString() },
    Form("base64 within more, shifted") { Data("psk=\($0).".utf8).base64EncodedString() },
  ]

  @Test(
    "bytes that a device repeats are redacted, in hexadecimal or as the text in them; few bytes are everywhere",
    arguments: [
      ("answered 00010a73336372657421fe", "answered 00•••"), ("0x0A s3cret! 0xFE", "0x0A ••• 0xFE"),
      ("state 01", "state 01"),
    ])
  func bytes(text: String, redacted: String) {
    let redactor = Redactor(["hex:0001 0A73 3363 7265 7421 FE", "hex:01"].map { Secret($0) })
    #expect(redactor(text) == redacted)
  }

  @Test("a secret that a device repeats is redacted in each of these forms", arguments: forms)
  func everyForm(_ form: Form) {
    let redactor = Redactor(Self.secrets.map { Secret($0) })
    for secret in Self.secrets {
      let written = form.text(secret)
      for text in [written, "error: bad \(written) here", "error: \(written.dropLast())", "x\(written)y"] {
        let result = redactor(text)
        #expect(result.contains(Redactor.mark), "\(text) → \(result)")
        #expect(!leaks(secret, written, in: result), "\(text) → \(result)")
      }
    }
  }

  /// Whether 6 consecutive characters of the secret, or their encoded form, remain.
  private func leaks(_ secret: String, _ written: String, in text: String) -> Bool {
    let share = written.count * 6 / secret.count + 1
    guard written.count > share else { return text.contains(written) }
    let characters = Array(written)
    return (0...characters.count - share).contains { text.contains(String(characters[$0..<$0 + share])) }
  }

  @Test(
    "a secret that was cut off is redacted at the beginning and the end of a text",
    arguments: [
      ("error: hunt", "error: •••"), ("er22 refused", "••• refused"), ("nter", "•••"),
      ("error: no unter2 here", "error: no ••• here"), ("hun", "hun"),
      ("the 2026 hunt is on", "the 2026 hunt is on"),
      ("error: hunt\u{FFFD}", "error: •••"), ("hunter22hunter22", "•••"), ("hunter22\\", "•••\\"),
      ("hunter2%32", "•••"), ("hunter2\\u0032", "•••"),
    ])
  func cutOff(text: String, expected: String) {
    #expect(Redactor([Secret("hunter22")])(text) == expected)
  }

  @Test(
    "several secrets, and those of each length, are redacted and nothing beside them",
    arguments: [
      (["k9", "xk9#"], "xk9#", "•••"), (["k9", "k9#x", "x#k"], "k9#x, k9", "•••, •••"),
      (["a\"cafe12"], "a\\\"cafe12", "•••"), (["abcdefghijklmno"], "x cdefgh y", "x ••• y"),
      (["abcdefghijklmnop"], "x cdefgh y", "x cdefgh y"), (["abcdefghijklmnop"], "x cdefghij y", "x ••• y"),
    ])
  func lengths(secrets: [String], text: String, expected: String) {
    #expect(Redactor(secrets.map { Secret($0) })(text) == expected)
  }

  @Test("a text without a secret stays unchanged")
  func withoutSecret() {
    let redactor = Redactor(Self.secrets.map { Secret($0) })
    for text in [
      "", "ready", "saved", "error: wifi authentication failed", "org.bluez.Error.Failed: Operation failed",
      "/org/bluez/hci0/dev_C4_7C_8D_00_00_01", "100 %, %zz, \\, \\u12 and 0x2F", "🙂 漢字 é", "\u{FFFD}",
    ] {
      #expect(redactor(text) == text)
    }
    #expect(Redactor([Secret]())("hunter22") == "hunter22")
    #expect(Redactor([Secret("")])("hunter22") == "hunter22")
  }

  @Test("the time of redaction is linear in the length of the text")
  func linearTime() {
    let redactor = Redactor(
      (0..<500).map { Secret("network-\($0)-\($0 * 7919)") } + [Secret(String(repeating: "a", count: 63))])
    func cost(_ count: Int) -> Duration {
      let text = String(repeating: "a", count: count)
      return (0..<3).map { _ in processorTime { #expect(redactor(text) == Redactor.mark) } }.min() ?? .zero
    }
    let (short, long) = (cost(20_000), cost(80_000))
    #expect(long < short * 12, "\(short), \(long)")
  }

  @Test("a secret that is split over several statuses is removed from those that complete it")
  func split() async throws {
    let long = String(repeating: ".", count: 100)
    let texts = try await recorded([
      .status("\(long)error: bad hun"), .status("ter"), .status("22, sorry"), .failure("22, sorry"),
      .status("hunt"), .status("er22"), .status("ready"),
    ])
    #expect(texts == ["\(long)error: bad hun", "•••", "•••, sorry", "•••, sorry", "•••", "•••", "ready"])
  }

  @Test("texts of the stack are redacted like those of a device")
  func adapters() async throws {
    let texts = try await recorded([
      .adapter("hunter22"), .interruption("lost: 68756e7465723232"), .client("/tmp/hunter22"),
    ])
    #expect(texts == ["•••", "lost: •••", "/tmp/•••"])
  }

  @Test("each text from outside in a fact is redacted")
  func everyText() throws {
    let secret = "hunter22"
    let adapter = AdapterID(BluetoothAddress(rawValue: 1))
    let reasons: [FailureReason] = [
      .refused(stage: .write, deviceText: secret), .readBackMismatch(setting: "power", held: secret),
      .readBackMismatch(setting: "power", held: secret).causedByHostPause,
      .foreignSettings(held: secret, .reading),
      .notReceivedAfterSave(SaveResponse(deviceText: secret, stackText: secret)),
      .networkNotReceived(ssid: "Guests", networks: [FoundNetwork(ssid: secret, rssi: -61)]),
    ]
    let facts: [Fact] =
      [
        .statusReceived(.init(room: "lobby", attempt: 1, text: secret, meaning: .other)),
        .settingsRead(
          .init(room: "lobby", attempt: 1, settings: [HeldSetting(name: .roomName, value: secret)])),
        .wifiChecked(
          .init(
            room: "lobby", attempt: 1, ssid: "Guests", result: .notReceived,
            networks: [FoundNetwork(ssid: secret, rssi: -61)])),
        .deviceDescribed(
          .init(room: "lobby", attempt: 1, details: [DeviceDetail(.firmware, secret)])),
        .runInterrupted(.init(cause: .stack, detail: secret)),
        .hostUnavailable(.init(host: try #require(HostName("gw1")), cause: .noAnswer, stackText: secret)),
        .adapterSelected(.init(adapter: adapter, name: "hci0", stack: secret)),
        .adapterFaulted(.init(adapter: adapter, fault: .refusesToScan, stackText: secret)),
        .foreignScanDetected(.init(adapter: adapter, clients: [secret])),
      ]
      + reasons.flatMap { reason -> [Fact] in
        [
          .stageEnded(.init(room: "lobby", attempt: 1, stage: .write, seconds: 1, failure: reason)),
          .attemptEnded(.init(room: "lobby", number: 1, seconds: 1, failure: reason)),
          .roomFinished(
            .init(room: "lobby", outcome: .failed, attempts: 1, seconds: 1, settings: [], reason: reason)),
          .operatorAwaited(.init(room: "lobby", reason: reason)),
        ]
      }
    for fact in facts {
      let redacted = fact.redacted { $0.text == secret ? "•••" : $0.text }
      #expect("\(fact)".contains(secret) && !"\(redacted)".contains(secret), "\(redacted)")
    }
    // The identity of a beacon stays: the record compares it.
    #expect(FailureReason.foreignSettings(held: secret, .onAir).redacted { _ in "•••" }.held == secret)
  }

  private enum Saying {
    case status(String)
    case failure(String)
    case adapter(String)
    case interruption(String)
    case client(String)

    var fact: Fact {
      let adapter = AdapterID(BluetoothAddress(rawValue: 1))
      return switch self {
      case .status(let text): .statusReceived(.init(room: "lobby", attempt: 1, text: text, meaning: .other))
      case .failure(let text):
        .attemptEnded(
          .init(room: "lobby", number: 1, seconds: 1, failure: .refused(stage: .write, deviceText: text)))
      case .adapter(let text):
        .adapterFaulted(.init(adapter: adapter, fault: .refusesToScan, stackText: text))
      case .interruption(let text): .runInterrupted(.init(cause: .stack, detail: text))
      case .client(let text): .foreignScanDetected(.init(adapter: adapter, clients: [text]))
      }
    }
  }

  private func recorded(_ sayings: [Saying]) async throws -> [String] {
    let record = Record()
    try await VirtualTime.run { clock in
      let coordinator = Coordinator(clock: clock, wall: { Date(timeIntervalSince1970: 0) }, recorder: record)
      coordinator.hide([Secret("hunter22")])
      for saying in sayings { coordinator.note(saying.fact) }
      coordinator.finish()
      await coordinator.run()
    }
    return await record.events.map { event in
      switch event.fact {
      case .statusReceived(let fact): fact.text
      case .attemptEnded(let fact): fact.failure?.deviceText ?? ""
      case .adapterFaulted(let fact): fact.stackText ?? ""
      case .runInterrupted(let fact): fact.detail ?? ""
      case .foreignScanDetected(let fact): fact.clients.joined()
      default: ""
      }
    }
  }
}
