/// A parser of external input, with the properties that must hold for every input.
struct FuzzTarget: Sendable {
  /// The name for `make fuzz TARGET=…`, and of the corpus.
  var name: String
  /// Parses an input. A trap is a finding.
  /// - Throws: `Violation` when a property does not hold.
  var check: @Sendable ([UInt8]) throws -> Void

  static let all = [
    yaml, csv, manifest, family, scenario, plan, siteKey, journal, record, advertisement, status, redaction,
    message,
    objects, label, productLabel, wifiScan, improvFrame, espAnswer, shellyAnswer, host, arguments, lock,
    signature,
    value,
  ]

  static subscript(name name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A property that does not hold.
struct Violation: Error {
  var property: String

  init(_ property: String) { self.property = property }

  /// - Throws: a violation of `property` unless `holds`.
  static func unless(_ holds: Bool, _ property: @autoclosure () -> String) throws {
    guard holds else { throw Violation(property()) }
  }
}

/// Takes parts from the front of an input. Beyond the end it gives zeros and empty parts.
struct InputReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  mutating func bytes(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}

extension Collection<UInt8> {
  /// The parts between line feeds.
  var lines: [ArraySlice<UInt8>] {
    Array(self).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }
}
