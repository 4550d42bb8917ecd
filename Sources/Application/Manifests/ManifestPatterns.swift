import Model

/// Regular expressions (ECMA-262, as in JSON Schema) for the texts of a manifest.
enum Pattern {
  /// A name with braces is a range of rooms.
  static let range = "[{}]"
  /// A range of numbers, parallel to a range of rooms.
  static let rangeOfNumbers = "^[0-9., ]*[{}][0-9{}., ]*$"
  /// A control character.
  static let control = #"[\u0000-\u001f\u007f-\u009f]"#
  static let slug = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$"
  static let uuid = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
  /// An address, as `BluetoothAddress` reads it.
  static let address = addresses(of: "[0-9A-Fa-f]")
  /// Two addresses that no device has.
  static let noAddress = addresses(of: "0") + "|" + addresses(of: "[Ff]")
  /// The name of another host (`HostName`), except that it may be one of an adapter.
  private static let hostName = "[a-z0-9]+(-[a-z0-9]+)*"
  static let host = "^(?!hci[0-9]+$)(?!(\(address))$)(?=.{1,64}$)\(hostName)$"
  /// An adapter's name on its host, hci0 to hci255, or its address.
  static let adapter = "hci0*(\(decimal(0...255)))|\(address)"
  /// The host in front of an adapter; nothing for this computer.
  static let onHost = "((?!hci[0-9]+/)(?!(\(address))/)\(hostName)/)?"
  static let hostAdapter = "^\(onHost)(\(adapter))$"
  /// The name of an entry of a setting (`SettingDescription.canHaveEntry`).
  static let entryName = "^[\(SettingDescription.lettersOfNames)]{1,\(SettingDescription.longestName)}$"
  static let environmentName = "^[A-Z_][A-Z0-9_]{0,99}$"
  /// A placeholder for a password.
  static let placeholder =
    #"^\$\{[\s\S]*\}$|^\{\{[\s\S]*\}\}$|^<[\s\S]*>$|^[cC][hH][aA][nN][gG][eE][-_ ]?[mM][eE](?![A-Za-z\u0080-\uffff])"#
  /// 8 to 63 characters, 64 hexadecimal digits, or nothing. Characters beyond ASCII have more bytes, so there
  /// may be fewer of them.
  static let password =
    #"^$|^[\u0020-\u007e]{8,63}$|^[0-9A-Fa-f]{64}$|^(?=[\s\S]*[^\u0000-\u007f])[\s\S]{1,63}$"#

  private static func addresses(of digit: String) -> String {
    let groups = [":", "-", "_", "\\.", " "].flatMap { separator in
      [2, 4].map { "\(digit){\($0)}(\(separator)\(digit){\($0)}){\(12 / $0 - 1)}" }
    }
    return (["\(digit){12}"] + groups).joined(separator: "|")
  }

  /// Texts between commas, with at least one comma; blanks around them do not count.
  static func tags(_ longest: Int) -> String {
    let tag = " *[^,]{0,\(longest)} *"
    return "^\(tag)(,\(tag))+$"
  }

  /// A text with any blanks, its letters in either case.
  static func spelling(_ text: String) -> String {
    let characters = text.filter { $0 != " " }.map { character in
      if character == "-" { return "[-−]" }
      return character.isLetter ? "[\(character.lowercased())\(character.uppercased())]" : String(character)
    }
    return " *" + characters.joined(separator: " *") + " *"
  }

  /// A duration above 0 within bounds: a whole number, without leading zeros, and its unit.
  static func duration(_ bounds: ClosedRange<Duration>) -> String {
    let units = [("ms", 1), ("s", 1000), ("m", 60_000)].compactMap { unit, milliseconds -> String? in
      let unitLength = Duration.milliseconds(milliseconds)
      let most = Int(bounds.upperBound / unitLength)
      let least = Int((bounds.lowerBound / unitLength).rounded(.up))
      return least <= most ? "(\(decimal(least...most)))\(unit)" : nil
    }
    return "^(\(units.joined(separator: "|")))$"
  }

  /// A whole number within bounds that are not negative, in decimal digits without leading zeros.
  static func decimal(_ bounds: ClosedRange<Int>) -> String {
    // Numbers with the same number of digits, digit by digit from the left.
    func numbers(_ least: [Int], _ most: [Int]) -> [String] {
      guard let first = least.first, let last = most.first else { return [""] }
      let rest = least.count - 1
      let any = rest == 0 ? "" : rest == 1 ? "[0-9]" : "[0-9]{\(rest)}"
      if least.dropFirst().allSatisfy({ $0 == 0 }), most.dropFirst().allSatisfy({ $0 == 9 }) {
        return [digits(first...last) + any]
      }
      if first == last {
        return numbers(Array(least.dropFirst()), Array(most.dropFirst())).map { "\(first)\($0)" }
      }
      let low = numbers(Array(least.dropFirst()), Array(repeating: 9, count: rest)).map { "\(first)\($0)" }
      let high = numbers(Array(repeating: 0, count: rest), Array(most.dropFirst())).map { "\(last)\($0)" }
      let between = first + 1 <= last - 1 ? [digits(first + 1...last - 1) + any] : []
      return low + between + high
    }
    func digits(_ range: ClosedRange<Int>) -> String {
      range.count == 1 ? "\(range.lowerBound)" : "[\(range.lowerBound)-\(range.upperBound)]"
    }
    func list(_ number: Int) -> [Int] { String(number).compactMap { $0.wholeNumberValue } }

    var all: [String] = []
    var least = bounds.lowerBound
    while least <= bounds.upperBound {
      // The largest number with this number of digits.
      let nines = Int(String(repeating: "9", count: String(least).count)) ?? bounds.upperBound
      let most = min(nines, bounds.upperBound)
      all += numbers(list(least), list(most))
      least = most + 1
    }
    let joined = all.joined(separator: "|")
    // `-0` is a 0, too.
    return bounds.contains(0) ? "(-?0|\(joined))" : "(\(joined))"
  }
}
