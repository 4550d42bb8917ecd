package import Model

/// Assembles a Robo Sensor's response to `SCAN` (docs/internals/protocols.md, "WiFi scan"): lines `SSID,RSSI` over
/// several notifications, each of which may end in a line `MORE` (another follows) or `END`. Total: any bytes
/// give a list.
///
/// A line may be split between two notifications, even within a character. An SSID may have commas: the RSSI
/// follows the last one.
package struct WiFiScanReader: Sendable {
  package enum Progress: Hashable, Sendable {
    case nothing
    /// The last notification ended with `MORE`.
    case more
    /// The last notification ended with neither `MORE` nor `END`.
    case open
    /// The response ended with `END`.
    case ended
  }

  package private(set) var progress = Progress.nothing
  /// The response so far, without the `MORE` and `END` lines.
  private var text: [UInt8] = []
  /// The most bytes that are kept: ten lines have less than 400.
  private static let mostBytes = 16 << 10

  package init() {}

  /// Takes a notification; those after `END` are ignored.
  package mutating func take(_ notification: [UInt8]) {
    guard progress != .ended else { return }
    var piece = notification[...]
    while let last = piece.last, last.isLineEnd { piece.removeLast() }
    let line = piece.suffix(from: piece.lastIndex(where: \.isLineEnd).map { $0 + 1 } ?? piece.startIndex)
    if line.elementsEqual("END".utf8) {
      progress = .ended
      piece = piece[..<line.startIndex]
    } else if line.elementsEqual("MORE".utf8) {
      progress = .more
      piece = piece[..<line.startIndex]
    } else {
      progress = .open
      piece = notification[...]
    }
    // The line end before `MORE` belongs to it: the line before may continue in the next notification.
    if progress != .open {
      _ = piece.popLast()
      if piece.last == .carriageReturn { piece.removeLast() }
    }
    if isAnotherLine(piece) { text.append(.lineFeed) }
    text += piece.prefix(max(0, Self.mostBytes - text.count))
  }

  /// Whether a notification begins with a new line although the text before has no line end, as firmware that
  /// does not split lines sends it. Then the text before ends with a complete line, and the notification
  /// begins with one.
  private func isAnotherLine(_ piece: ArraySlice<UInt8>) -> Bool {
    let last = text.suffix(from: text.lastIndex(of: .lineFeed).map { $0 + 1 } ?? 0)
    let next = piece.prefix { !$0.isLineEnd }
    // An RSSI of one digit is incomplete: the line continues.
    guard let network = FoundNetwork(line: last), network.rssi <= -10 else { return false }
    return FoundNetwork(line: next) != nil
  }

  /// The networks so far, in the order of the response, and the number of lines that could not be read.
  package var result: (networks: [FoundNetwork], unreadable: Int) {
    let lines = text.split(whereSeparator: \.isLineEnd)
    let networks = lines.compactMap(FoundNetwork.init(line:))
    return (networks, lines.count - networks.count)
  }
}

extension FoundNetwork {
  /// The network of a line of the response; nil for another format.
  fileprivate init?(line: ArraySlice<UInt8>) {
    guard let comma = line.lastIndex(of: UInt8(ascii: ",")) else { return nil }
    let number = String(decoding: line[(comma + 1)...], as: UTF8.self).filter { $0 != " " }
    guard let rssi = Int(number, in: Self.possibleRSSI),
      line[..<comma].count <= Self.mostBytes
    else { return nil }
    self.init(ssid: String(decoding: line[..<comma], as: UTF8.self), rssi: rssi)
  }
}

extension UInt8 {
  fileprivate static let lineFeed = UInt8(ascii: "\n")
  fileprivate static let carriageReturn = UInt8(ascii: "\r")
  fileprivate var isLineEnd: Bool { self == .lineFeed || self == .carriageReturn }
}
