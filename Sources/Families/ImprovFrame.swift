/// A frame of the Improv WiFi protocol, command or result: command, length, data, checksum (docs/internals/protocols.md,
/// "Improv WiFi").
package struct ImprovFrame: Hashable, Sendable {
  /// What a frame asks for, or answers.
  package enum Command: UInt8, Sendable, CaseIterable {
    case wifi = 1
    case identify = 2
    case deviceInfo = 3
    case scan = 4
    case hostname = 5
    case deviceName = 6
  }

  /// A value that is no frame.
  package enum Problem: Error, Hashable, Sendable {
    /// It has fewer bytes than its length says.
    case truncated
    /// It has more bytes than its length says.
    case tooLong
    case checksum
  }

  /// One byte: `Command`, or one that is not known.
  package let command: UInt8
  /// At most 255 bytes.
  package let data: [UInt8]

  package init(_ command: Command, data: [UInt8] = []) {
    precondition(data.count <= 255, "the length is one byte")
    (self.command, self.data) = (command.rawValue, data)
  }

  private init(_ command: UInt8, _ data: [UInt8]) { (self.command, self.data) = (command, data) }

  /// Reads a frame. Total: any bytes give a frame or a problem.
  package static func read(_ bytes: [UInt8]) -> Result<ImprovFrame, Problem> {
    guard bytes.count >= 3, bytes.count >= Int(bytes[1]) + 3 else { return .failure(.truncated) }
    guard bytes.count == Int(bytes[1]) + 3 else { return .failure(.tooLong) }
    guard checksum(bytes.dropLast()) == bytes.last else { return .failure(.checksum) }
    return .success(ImprovFrame(bytes[0], Array(bytes[2..<bytes.count - 1])))
  }

  /// A frame whose data is a list of strings, each after its length in bytes.
  /// - Returns: nil when they do not fit in a frame.
  package init?(_ command: Command, strings: [[UInt8]]) {
    // A string that is too long for its length is too long for the frame as well.
    let data = strings.flatMap { [UInt8(truncatingIfNeeded: $0.count)] + $0 }
    guard data.count <= 255 else { return nil }
    self.init(command, data: data)
  }

  package var bytes: [UInt8] {
    let start = [command, UInt8(data.count)] + data
    return start + [Self.checksum(start)]
  }

  /// The strings of its data; nil when their lengths do not add up. Invalid UTF-8 is replaced.
  package var strings: [String]? {
    var strings: [String] = []
    var rest = data[...]
    while let length = rest.popFirst() {
      guard rest.count >= length else { return nil }
      strings.append(String(decoding: rest.prefix(Int(length)), as: UTF8.self))
      rest = rest.dropFirst(Int(length))
    }
    return strings
  }

  /// The low byte of the sum.
  private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt8 { bytes.reduce(0, &+) }
}
