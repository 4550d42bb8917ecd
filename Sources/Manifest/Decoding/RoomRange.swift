import Model

/// A name for several rooms: `Room {301..332}`, with a step (`{301..331..2}`), as a list
/// (`{301..312,314..332}`), or of letters (`Suite {A..F}`).
struct RoomRange: Hashable {
  /// The maximum number of rooms in one range.
  static let maximumCount = 65_536
  /// The maximum length in bytes of what all names of a range have in common: no family's name is longer.
  static let maximumLength = 512

  var names: [String]
  /// The distance of each room from the first: by number if all values are numbers, else by position. Minors
  /// count up by it.
  var offsets: [Int]

  /// Why a text with braces is not a range.
  enum Problem: Error {
    /// Braces that are empty, not closed, or occur more than once.
    case braces
    /// A part that is neither a text nor `FIRST..LAST`.
    case part
    /// `301-332`
    case hyphen
    /// A range that counts down, or a step of 0.
    case order
    /// More than `maximumCount` rooms.
    case tooMany
    /// More than `maximumLength` bytes around the braces.
    case tooLong
  }

  /// Whether a name has braces.
  static func isMeant(by name: String) -> Bool {
    name.utf8.contains { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }
  }

  init(_ name: String) throws(Problem) {
    guard let open = name.firstIndex(of: "{"), let close = name.firstIndex(of: "}"), open < close,
      name[name.index(after: close)...].allSatisfy({ $0 != "{" && $0 != "}" }),
      name[name.index(after: open)..<close].allSatisfy({ $0 != "{" })
    else { throw .braces }
    let (prefix, suffix) = (name[..<open], name[name.index(after: close)...])
    guard prefix.utf8.count + suffix.utf8.count <= Self.maximumLength else { throw .tooLong }
    var values: [String] = []
    for part in name[name.index(after: open)..<close].split(separator: ",", omittingEmptySubsequences: false)
    {
      values += try Self.values(of: part)
      guard values.count <= Self.maximumCount else { throw .tooMany }
    }
    names = values.map { prefix + $0 + suffix }
    let numbers = values.compactMap { Self.number($0[...]) }
    if numbers.count == values.count, let first = numbers.first {
      offsets = numbers.map { $0 - first }
    } else {
      offsets = Array(values.indices)
    }
  }

  private static func values(of part: Substring) throws(Problem) -> [String] {
    let text = part.drop { $0 == " " }
    let bounds = text.split(separator: "..", omittingEmptySubsequences: false)
    switch bounds.count {
    case 1:
      guard !text.isEmpty else { throw .part }
      if text.wholeMatch(of: /[0-9]+ *[-–] *[0-9]+/) != nil { throw .hyphen }
      return [String(text)]
    case 2, 3:
      var step = 1
      if bounds.count == 3 {
        guard let number = number(bounds[2]) else { throw .part }
        step = number
      }
      guard step > 0 else { throw .order }
      return try values(from: bounds[0], through: bounds[1], by: step)
    default: throw .part
    }
  }

  private static func values(
    from first: Substring, through last: Substring, by step: Int
  ) throws(Problem) -> [String] {
    if let lower = number(first), let upper = number(last) {
      guard lower <= upper else { throw .order }
      // `{001..032}`: the values have as many digits as the first.
      let width = first.utf8.count
      // One too many is enough to refuse it.
      return stride(from: lower, through: upper, by: step).prefix(maximumCount + 1).map { number in
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
      }
    }
    guard let lower = letter(first), let upper = letter(last), lower & 0x20 == upper & 0x20 else {
      throw .part
    }
    guard lower <= upper else { throw .order }
    return stride(from: Int(lower), through: Int(upper), by: step).map { number in
      String(UnicodeScalar(UInt8(number)))
    }
  }

  /// Parses a number without a sign, of at most 9 digits.
  private static func number(_ text: Substring) -> Int? {
    guard text.utf8.count <= 9, text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int(text, in: 0...999_999_999)
  }

  /// Parses one ASCII letter.
  private static func letter(_ text: Substring) -> UInt8? {
    guard text.utf8.count == 1, let byte = text.utf8.first,
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    else { return nil }
    return byte
  }
}
