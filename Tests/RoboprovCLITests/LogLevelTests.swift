import Foundation
import RecordedText
import Testing

@Suite("The log on stderr", .timeLimit(.minutes(60)))
struct LogLevelTests {
  private static let apply = ["apply", "building.yaml", "--yes", "--scan-time", "1"]

  /// The log's lines: those that begin with a time in UTC, without it.
  private func entries(_ outcome: Invocation.Outcome) -> [Substring] {
    outcome.errors.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      return parts.count == 2 && parts[0].contains("T") && parts[0].hasSuffix("Z") ? parts[1] : nil
    }
  }

  @Test("the log at `trace` has each D-Bus call with its result and duration, and no value", .notRecorded)
  func trace() async throws {
    try await Premises.serve(1) { premises in
      let outcome = try await premises.run(Self.apply + ["--log-level", "trace"]).expect(0)
      let entries = entries(outcome)
      let write = try #require(
        entries.first { $0.contains("org.bluez.GattCharacteristic1.WriteValue(aya{sv})") }, "\(outcome)")
      #expect(write.hasPrefix("trace org.bluez /org/bluez/hci0/dev_"), "\(write)")
      #expect(write.contains(/: \(\) in \d+ ms \(no limit\)$/), "\(write)")
      #expect(entries.contains { $0.hasPrefix("trace signal /org/bluez/hci0") }, "\(outcome)")
      #expect(!"\(outcome)".contains(Site.password), "\(outcome)")
    }
  }

  @Test("the log at `debug`, also set by the environment, has scans and links, and no D-Bus messages")
  func debug() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      let outcome = try await premises.site.run(
        Self.apply, bus: premises.building.bus, environment: ["ROBOPROV_LOG": "debug"]
      ).expect(0)
      let entries = entries(outcome)
      for text in ["discovery started", ": connecting", ": connected", ": link ended ("] {
        #expect(entries.contains { $0.hasPrefix("debug ") && $0.contains(text) }, "\(text): \(outcome)")
      }
      #expect(!entries.contains { $0.hasPrefix("trace") }, "\(outcome)")
    }
  }

  @Test("the log is empty without the option")
  func silent() async throws {
    try await Premises.serve(1) { premises in
      let outcome = try await premises.run(Self.apply)
      #expect(outcome.status == 0 && entries(outcome).isEmpty, "\(outcome)")
    }
  }

  @Test("an unknown log level is refused, also from the environment")
  func unknown() async throws {
    try await Premises.serve(1, toPrograms: true) { premises in
      try await premises.run(["doctor", "--log-level", "loud"]).expect(
        64, errors: "'warning', 'info', 'debug' or 'trace'")
      try await premises.site.run(
        ["doctor"], bus: premises.building.bus, environment: ["ROBOPROV_LOG": "loud"]
      ).expect(64, errors: "ROBOPROV_LOG is “loud”")
    }
  }
}
