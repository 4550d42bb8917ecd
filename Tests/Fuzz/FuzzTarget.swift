/// Something that reads what comes from outside, and what must hold whatever that is.
struct FuzzTarget: Sendable {
  /// What `make fuzz TARGET=…` calls it; the name of its corpus.
  var name: String
  /// Reads an input. A trap is a finding.
  /// - Throws: `Violation` when the reader takes it for something that it is not.
  var check: @Sendable ([UInt8]) throws -> Void

  /// All of them.
  static let all = [
    yaml, csv, manifest, scenario, plan, siteKey, journal, record, advertisement, status, redaction, message,
    objects, label, wifiScan,
  ]

  /// The one of this name, or nil.
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

/// Takes the parts of an input off its front; behind its end there are zeros and nothing.
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
