import FoundationEssentials

/// A JSON value.
indirect enum ShellyJSON: Hashable, Codable, Sendable {
  case null
  case flag(Bool)
  case number(Int)
  case text(String)
  case list([ShellyJSON])
  case object([String: ShellyJSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([ShellyJSON].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: ShellyJSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  subscript(key: String) -> ShellyJSON? { if case .object(let object) = self { object[key] } else { nil } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var number: Int? { if case .number(let number) = self { number } else { nil } }

  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
  }

  static func read(_ bytes: [UInt8]) -> ShellyJSON? {
    try? JSONDecoder().decode(ShellyJSON.self, from: Data(bytes))
  }
}

/// The frames in both directions over one link, as Mongoose OS has them.
struct ShellyFrames {
  private static let longest = 4096

  /// The frame that is coming in, and its length.
  private var incoming: (length: Int, bytes: [UInt8])?
  /// The frame that waits, and how much of it was read.
  private var outgoing: (bytes: [UInt8], read: Int)?
  /// How many of the next reads are empty.
  var emptyReads = 0

  /// A length begins a frame, and drops one that is not complete.
  /// - Returns: the ATT error, or nil.
  mutating func begin(_ value: [UInt8]) -> UInt8? {
    guard value.count >= 4 else { return 0x0D }
    var length = 0
    for byte in value.prefix(4) { length = length * 256 + Int(byte) }
    guard length <= Self.longest else { return 0x11 }
    incoming = (length, [])
    return nil
  }

  /// Takes a piece. Returns the frame once it is complete; nil before, and `failure` for bytes beyond it.
  mutating func take(_ piece: [UInt8], _ failure: inout UInt8?) -> [UInt8]? {
    guard let frame = incoming, frame.bytes.count + piece.count <= frame.length else {
      failure = 0x07
      return nil
    }
    let bytes = frame.bytes + piece
    incoming = bytes.count < frame.length ? (frame.length, bytes) : nil
    return incoming == nil ? bytes : nil
  }

  /// A frame to send; lost while another one waits.
  mutating func send(_ bytes: [UInt8]) {
    if outgoing == nil { outgoing = (bytes, 0) }
  }

  var isWaiting: Bool { outgoing != nil }

  /// The length of the frame that waits, which begins anew.
  mutating func announce() -> Int {
    outgoing?.read = 0
    return outgoing?.bytes.count ?? 0
  }

  /// The next piece of the frame that waits.
  mutating func read(_ length: Int) -> [UInt8] {
    guard let frame = outgoing else { return [] }
    if emptyReads > 0, frame.read == 0 {
      emptyReads -= 1
      return []
    }
    let end = min(frame.read + length, frame.bytes.count)
    outgoing = end == frame.bytes.count ? nil : (frame.bytes, end)
    return Array(frame.bytes[frame.read..<end])
  }
}
